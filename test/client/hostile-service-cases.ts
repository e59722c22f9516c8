import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { CommandShell } from './run-command.ts'

/** Starts a malicious service whose results all have this file name. */
async function withMaliciousService(filename: string, use: (url: string) => Promise<void>): Promise<void> {
  const bytes = Buffer.from('made by an impostor')
  const reply = (response: ServerResponse, data: unknown) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ success: true, data }))
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = {
      filename,
      size: bytes.length,
      mimeType: 'text/html',
      downloadUrl: `${serverUrl()}/file`,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }
    const finishedJob = { status: 'completed', warnings: [], result: { ...file, files: [file] } }
    request.resume().on('end', () => {
      if (pathname === '/file') response.end(bytes)
      else if (pathname === '/v1/formats') reply(response, { formats: [format] })
      else reply(response, { jobId: 'job_1', ...finishedJob })
    })
  })
  const serverUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server's address is an AddressInfo
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await use(serverUrl())
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const format = { id: 'md', extensions: ['md'], targets: ['html', '$(touch it)', 'a b', '--x;y'] }

/** Cases of the command line with a malicious service, by test name. */
export const hostileServiceCases: Readonly<Record<string, (shell: CommandShell) => Promise<void>>> = {
  'saves results only in the target folder, whatever name the service sends': async ({ folder, program }) => {
    for (const [name, savedName] of [
      ['../../outside.html', 'outside.html'],
      ['.profile', '_profile'],
    ] as const)
      await withMaliciousService(name, async (url) => {
        await writeFile(join(folder, 'tea.md'), '# Tea')
        const { code, stderr } = await new CommandShell(folder, url, program).run(['tea.md', 'html'])
        assert.equal(code, 0, stderr)
        assert.ok((await readdir(folder)).includes(savedName), stderr)
        assert.ok(!(await readdir(dirname(folder))).includes(savedName))
      })
    assert.ok(!(await readdir(folder)).includes('.profile'))
  },
  'drops completions that a shell would execute': ({ folder, program }) =>
    withMaliciousService('a', async (url) => {
      const { stdout } = await new CommandShell(folder, url, program).run(['complete', '--', 'tea.md', ''])
      assert.equal(stdout, 'html\n')
    }),
}
