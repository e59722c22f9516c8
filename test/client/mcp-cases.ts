import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Shell } from './run-command.ts'

interface Said {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[]
  readonly isError?: boolean
}

/** An agent, as the SDK has it. */
async function agent(transport: unknown, act: (call: Call, client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ name: 'test', version: '1' })
  // Its types are written for looser settings of the compiler than ours.
  await client.connect(transport as Transport)
  try {
    const call: Call = async (name, given) =>
      (await client.callTool({ name, arguments: given })) as unknown as Said
    await act(call, client)
  } finally {
    await client.close()
  }
}
type Call = (name: string, given: Record<string, unknown>) => Promise<Said>

/** Agents read what anybody wrote. */
async function refuses(call: Call, folder: string): Promise<void> {
  const outside = await mkdtemp(join(tmpdir(), 'mutabor-outside-'))
  const target = join(outside, 'target.html')
  await writeFile(target, 'untouched')
  await symlink(target, join(folder, 'link.html'))
  await symlink(outside, join(folder, 'way-out'))
  await mkdir(join(folder, 'drawer'))
  await truncate(join(folder, 'one.png'), 501 * 1024 ** 2)
  const tea = { file: 'tea.md', to: 'html' }
  const refused: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{}, /^INVALID_INPUT: file is missing/],
    [{ ...tea, file: ['tea.md'] }, /^INVALID_INPUT: file: expected string, got array/],
    [{ ...tea, options: 'quality=3' }, /^INVALID_INPUT: options: expected object/],
    [{ ...tea, colour: 'red' }, /^INVALID_INPUT: There is no argument colour/],
    [{ ...tea, file: 'drawer' }, /^INVALID_INPUT: drawer is no file/],
    [{ ...tea, file: 'one.png' }, /^FILE_TOO_LARGE/],
    [{ ...tea, file: 'http://' }, /^INVALID_INPUT: .* is no address/],
    [{ ...tea, file: 'link.html' }, /^URL_NOT_ALLOWED/],
    [{ ...tea, output: 'link.html' }, /^CONFLICT/],
    [{ ...tea, output: 'tea.md' }, /^CONFLICT/],
    [{ ...tea, output: 'way-out/new.html' }, /^URL_NOT_ALLOWED/],
    [{ ...tea, output: '../new.html' }, /^URL_NOT_ALLOWED/],
  ]
  for (const [given, why] of refused) {
    const said = await call('convert', given)
    assert.ok(said.isError, JSON.stringify(given))
    assert.match(textOf(said), why)
  }
  const files = await call('merge', { files: 'tea.md' })
  assert.match(textOf(files), /^INVALID_INPUT: files: expected array, got string/)
  assert.equal(await readFile(target, 'utf8'), 'untouched')
  assert.deepEqual(await readdir(outside), ['target.html'])
  await rm(outside, { recursive: true })
}

const textOf = ({ content }: Said) => content.map(({ text }) => text ?? '').join('\n')

/** What agents do with `mutabor mcp`. */
export const agentCases: Readonly<Record<string, (shell: Shell) => Promise<void>>> = {
  'lets agents convert, merge, run PDF tools and read text': async (shell) => {
    await writeFile(join(shell.folder, 'tea.md'), '# Tea\n\nA cup of it.\n')
    const env = { ...shell.env, PATH: process.env['PATH'] ?? '' }
    const [command = '', main = ''] = shell.program
    const stdio = {
      command,
      args: [main, 'mcp'],
      cwd: shell.folder,
      env,
      stderr: 'ignore',
    }
    await agent(new StdioClientTransport(stdio as never), async (call, client) => {
      const { tools } = await client.listTools()
      assert.deepEqual(tools.map(({ name }) => name).slice(0, 5), [
        'convert',
        'merge',
        'pdf_tool',
        'extract_text',
        'formats',
      ])
      const html = await call('convert', { file: 'tea.md', to: 'html' })
      const uri = html.content.find(({ type }) => type === 'resource_link')?.uri ?? ''
      const { contents } = await client.readResource({ uri })
      assert.match(String(contents[0] && 'text' in contents[0] ? contents[0].text : ''), /A cup of it\./)
      assert.equal((await client.listResources()).resources.length, 1)

      await call('convert', { file: 'tea.md', to: 'docx', output: 'tea.docx' })
      assert.match((await call('extract_text', { file: 'tea.docx' })).content[0]?.text ?? '', /A cup of it\./)
      assert.match(
        (await call('extract_text', { file: 'tea.docx', offset: 4 })).content[0]?.text ?? '',
        /cup/,
      )
      const pages = ['one.png', 'two.png']
      const pixel =
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
      for (const page of pages) await writeFile(join(shell.folder, page), Buffer.from(pixel, 'base64'))
      for (const page of pages)
        await call('convert', { file: page, to: 'pdf', output: page.replace('png', 'pdf') })
      const merged = await call('merge', { files: ['one.pdf', 'two.pdf'], output: 'both.pdf' })
      assert.equal(merged.isError, undefined, textOf(merged))
      assert.match(await readFile(join(shell.folder, 'both.pdf'), 'latin1'), /^%PDF-/)
      const info = await call('pdf_tool', {
        file: 'both.pdf',
        tool: 'extract-pdf-pages',
        options: { pages: '2' },
      })
      assert.match(textOf(info), /application\/pdf/)
      assert.match(textOf(await call('formats', { format: 'docx' })), /becomes .*pdf/)

      const both = await call('merge', { files: ['one.pdf', 'two.pdf'], output: 'both.pdf' })
      assert.equal(both.isError, undefined, 'what it wrote itself it writes anew')
      await refuses(call, shell.folder)
      const wrong = await call('convert', { file: 'tea.md', to: 'mp4' })
      assert.ok(wrong.isError && textOf(wrong).startsWith('UNSUPPORTED_CONVERSION'))
      const outside = await call('extract_text', { file: '/etc/hostname' })
      assert.ok(outside.isError && textOf(outside).startsWith('URL_NOT_ALLOWED'), textOf(outside))
    })
  },
  'serves agents by HTTP, without the files of this machine': async (shell) => {
    const child = shell.start('mcp', '--http', '0')
    try {
      const url = await new Promise<string>((resolve, reject) => {
        child.once('exit', (code) => reject(new Error(`it ended with ${code}`)))
        child.stderr.on('data', (chunk: Buffer) => {
          const found = /http:\S+/.exec(String(chunk))?.[0]
          if (found) resolve(found)
        })
      })
      await agent(new StreamableHTTPClientTransport(new URL(url)), async (call) => {
        assert.match(textOf(await call('formats', {})), /^pdf document read write$/m)
        const refused = await call('extract_text', { file: 'tea.md' })
        assert.ok(refused.isError && textOf(refused).includes('send an http(s) address'), textOf(refused))
      })
      const rebound = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      assert.ok(rebound.status >= 400)
    } finally {
      child.kill('SIGTERM')
    }
  },
}
