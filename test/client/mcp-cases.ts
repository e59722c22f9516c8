import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CommandShell } from './run-command.ts'

interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[]
  readonly isError?: boolean
}

/** Connects a client of the MCP SDK, as an agent would. */
async function withMcpClient(
  transport: unknown,
  use: (callTool: CallTool, client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ name: 'test', version: '1' })
  // The SDK's types don't compile with `exactOptionalPropertyTypes`.
  await client.connect(transport as Transport)
  try {
    const callTool: CallTool = async (name, args) =>
      (await client.callTool({ name, arguments: args })) as unknown as ToolResult
    await use(callTool, client)
  } finally {
    await client.close()
  }
}
type CallTool = (name: string, args: Record<string, unknown>) => Promise<ToolResult>

/** Agents may be misled by prompts in the files they read, so invalid and dangerous arguments are rejected. */
async function checkRefusals(callTool: CallTool, folder: string): Promise<void> {
  const outsideFolder = await mkdtemp(join(tmpdir(), 'mutabor-outside-'))
  const target = join(outsideFolder, 'target.html')
  await writeFile(target, 'untouched')
  await symlink(target, join(folder, 'link.html'))
  await symlink(outsideFolder, join(folder, 'link-outside'))
  await mkdir(join(folder, 'subfolder'))
  await truncate(join(folder, 'one.png'), 501 * 1024 ** 2)
  const conversion = { file: 'tea.md', to: 'html' }
  const rejectedArguments: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{}, /^INVALID_INPUT: The argument file is missing/],
    [{ ...conversion, file: ['tea.md'] }, /^INVALID_INPUT: file: expected string, got array/],
    [{ ...conversion, options: 'quality=3' }, /^INVALID_INPUT: options: expected object/],
    [{ ...conversion, colour: 'red' }, /^INVALID_INPUT: Unknown argument colour/],
    [{ ...conversion, file: 'subfolder' }, /^INVALID_INPUT: subfolder is not a file/],
    [{ ...conversion, file: 'one.png' }, /^FILE_TOO_LARGE/],
    [{ ...conversion, file: 'http://' }, /^INVALID_INPUT: .* is not a valid URL/],
    [{ ...conversion, file: 'link.html' }, /^URL_NOT_ALLOWED/],
    [{ ...conversion, output: 'link.html' }, /^CONFLICT/],
    [{ ...conversion, output: 'tea.md' }, /^CONFLICT/],
    [{ ...conversion, output: 'link-outside/new.html' }, /^URL_NOT_ALLOWED/],
    [{ ...conversion, output: '../new.html' }, /^URL_NOT_ALLOWED/],
  ]
  for (const [args, expectedError] of rejectedArguments) {
    const result = await callTool('convert', args)
    assert.ok(result.isError, JSON.stringify(args))
    assert.match(getText(result), expectedError)
  }
  const files = await callTool('merge', { files: 'tea.md' })
  assert.match(getText(files), /^INVALID_INPUT: files: expected array, got string/)
  assert.equal(await readFile(target, 'utf8'), 'untouched')
  assert.deepEqual(await readdir(outsideFolder), ['target.html'])
  await rm(outsideFolder, { recursive: true })
}

const getText = ({ content }: ToolResult) => content.map(({ text }) => text ?? '').join('\n')

/** Cases of the MCP server, by test name; each gets its own folder. */
export const mcpCases: Readonly<Record<string, (shell: CommandShell) => Promise<void>>> = {
  'converts, merges, runs PDF tools and extracts text for agents': async (shell) => {
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
    await withMcpClient(new StdioClientTransport(stdio as never), async (callTool, client) => {
      const { tools } = await client.listTools()
      assert.deepEqual(tools.map(({ name }) => name).slice(0, 5), [
        'convert',
        'merge',
        'pdf_tool',
        'extract_text',
        'formats',
      ])
      const html = await callTool('convert', { file: 'tea.md', to: 'html' })
      const uri = html.content.find(({ type }) => type === 'resource_link')?.uri ?? ''
      const { contents } = await client.readResource({ uri })
      assert.match(String(contents[0] && 'text' in contents[0] ? contents[0].text : ''), /A cup of it\./)
      assert.equal((await client.listResources()).resources.length, 1)

      await callTool('convert', { file: 'tea.md', to: 'docx', output: 'tea.docx' })
      assert.match(
        (await callTool('extract_text', { file: 'tea.docx' })).content[0]?.text ?? '',
        /A cup of it\./,
      )
      assert.match(
        (await callTool('extract_text', { file: 'tea.docx', offset: 4 })).content[0]?.text ?? '',
        /cup/,
      )
      const pages = ['one.png', 'two.png']
      const pixel =
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
      for (const page of pages) await writeFile(join(shell.folder, page), Buffer.from(pixel, 'base64'))
      for (const page of pages)
        await callTool('convert', { file: page, to: 'pdf', output: page.replace('png', 'pdf') })
      const mergedResult = await callTool('merge', { files: ['one.pdf', 'two.pdf'], output: 'both.pdf' })
      assert.equal(mergedResult.isError, undefined, getText(mergedResult))
      assert.match(await readFile(join(shell.folder, 'both.pdf'), 'latin1'), /^%PDF-/)
      const info = await callTool('pdf_tool', {
        file: 'both.pdf',
        tool: 'extract-pdf-pages',
        options: { pages: '2' },
      })
      assert.match(getText(info), /application\/pdf/)
      assert.match(getText(await callTool('formats', { format: 'docx' })), /converts to .*pdf/)

      const repeatedMerge = await callTool('merge', { files: ['one.pdf', 'two.pdf'], output: 'both.pdf' })
      assert.equal(repeatedMerge.isError, undefined, 'the server may overwrite its own output')
      await checkRefusals(callTool, shell.folder)
      const unsupportedResult = await callTool('convert', { file: 'tea.md', to: 'mp4' })
      assert.ok(unsupportedResult.isError && getText(unsupportedResult).startsWith('UNSUPPORTED_CONVERSION'))
      const outsideCall = await callTool('extract_text', { file: '/etc/hostname' })
      assert.ok(
        outsideCall.isError && getText(outsideCall).startsWith('URL_NOT_ALLOWED'),
        getText(outsideCall),
      )
    })
  },
  'serves HTTP clients without access to local files': async (shell) => {
    const child = shell.start('mcp', '--http', '0')
    try {
      const url = await new Promise<string>((resolve, reject) => {
        child.once('exit', (code) => reject(new Error(`the MCP server exited with ${code}`)))
        child.stderr.on('data', (chunk: Buffer) => {
          const url = /http:\S+/.exec(String(chunk))?.[0]
          if (url) resolve(url)
        })
      })
      await withMcpClient(new StreamableHTTPClientTransport(new URL(url)), async (callTool) => {
        assert.match(getText(await callTool('formats', {})), /^pdf document read write$/m)
        const refusal = await callTool('extract_text', { file: 'tea.md' })
        assert.ok(refusal.isError && getText(refusal).includes('send an http(s) URL'), getText(refusal))
      })
      const reboundResponse = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      assert.ok(reboundResponse.status >= 400)
    } finally {
      child.kill('SIGTERM')
    }
  },
}
