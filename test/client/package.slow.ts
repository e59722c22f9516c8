// Tests the package as npm installs it: the client in Node 20, Node 24, Deno (if installed) and a browser, the
// examples, and the command line in a terminal.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { chromium, type Page } from 'playwright-core'
import { startService, type TestService } from '../support/service.ts'
import { clientCases } from './client-cases.ts'
import { commandCases } from './command-cases.ts'
import { completionCases } from './completion-cases.ts'
import { exampleCases } from './example-cases.ts'
import { hostileServiceCases } from './hostile-service-cases.ts'
import { mcpCases } from './mcp-cases.ts'
import { withShell } from './run-command.ts'
import { terminalCases } from './terminal-cases.ts'

const execute = promisify(execFile)
let service: TestService
let folder: string
/** Bundle of the installed package and the client cases. */
let script: string

/** Runs all cases concurrently, as they mostly wait, and returns `passed` or the error of each. */
const runnerScript = `
import * as client from '@mutabor/client'
import { clientCases } from '${join(import.meta.dirname, 'client-cases.ts')}'
globalThis.runClientCases = async (url) => {
  const outcome = ([name, one]) =>
    one(client, url).then(() => [name, 'passed'], (error) => [name, String(error?.stack ?? error)])
  return Object.fromEntries(await Promise.all(Object.entries(clientCases).map(outcome)))
}
`

before(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'mutabor-client-'))
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const { stdout } = await execute(
    'npm',
    ['pack', '--silent', '--ignore-scripts=false', '--pack-destination', folder],
    {
      cwd: 'lib/client',
    },
  )
  await execute('npm', ['install', '--silent', '--offline', '--no-audit', stdout.trim()], { cwd: folder })
  const { outputFiles } = await build({
    stdin: { contents: runnerScript, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  })
  script = outputFiles[0]?.text ?? ''
  await writeFile(
    join(folder, 'run.mjs'),
    `${script}\nconsole.log(JSON.stringify(await runClientCases(process.argv[2])))`,
  )
})
after(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

function requireAllPassed(outcomes: Readonly<Record<string, string>>): void {
  assert.deepEqual(outcomes, Object.fromEntries(Object.keys(clientCases).map((name) => [name, 'passed'])))
}

/** Finds the Node of the system rather than that of the project. */
function findSystemNode(): string {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((directory) => !directory.includes('node_modules'))
  return folders.length > 0
    ? join(folders.find((directory) => directory === '/usr/bin') ?? folders[0] ?? '', 'node')
    : 'node'
}

for (const node of [findSystemNode(), process.execPath]) {
  test(`the client package passes all of its test cases in ${node}`, async (context) => {
    const { stdout: version } = await execute(node, ['--version'])
    context.diagnostic(version.trim())
    const { stdout } = await execute(node, [join(folder, 'run.mjs'), service.url], { timeout: 300_000 })
    requireAllPassed(JSON.parse(stdout))
  })
}

const findOnPath = (program: string) =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => join(directory, program))
    .find(existsSync)
const deno = findOnPath('deno')

/**
 * Deno is too large for a dependency (90 MB): `npm install --prefix /tmp/deno deno`, then add its `.bin` to the PATH.
 */
test('the client package passes all of its test cases in Deno', {
  skip: !deno && 'deno is not on the PATH',
}, async () => {
  const args = ['run', '--quiet', '--allow-net', join(folder, 'run.mjs'), service.url]
  const { stdout } = await execute(deno ?? '', args, { timeout: 300_000 })
  requireAllPassed(JSON.parse(stdout))
})

/** Opens a page from a different origin than the service. */
async function withPage(
  html: string,
  query: string,
  use: (browserPage: Page) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : html)
  })
  server.listen(0, '127.0.0.1')
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox'],
  })
  try {
    const { port } = server.address() as AddressInfo // a TCP server's address is an AddressInfo
    const browserPage = await browser.newPage()
    await browserPage.goto(`http://127.0.0.1:${port}/${query}`)
    await use(browserPage)
  } finally {
    await browser.close()
    server.close()
  }
}

test('the client package passes all of its test cases in a browser, on a page of another origin', () =>
  withPage('<!doctype html><script type="module" src="/page.js"></script>', '', async (browserPage) => {
    await browserPage.waitForFunction('globalThis.runClientCases')
    requireAllPassed(await browserPage.evaluate(`runClientCases(${JSON.stringify(service.url)})`))
  }))

test('the example page uppy.html uploads files in parts and links to the results', async () => {
  const page = await readFile(join(folder, 'node_modules/@mutabor/client/examples/uppy.html'), 'utf8')
  const [, code = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(page) ?? []
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
    alias: { '@mutabor/client': join(folder, 'node_modules/@mutabor/client/dist/index.js') },
  })
  const bundledPage = page
    .replace(/<script type="importmap">[\s\S]*?<\/script>/, '')
    .replace(code, () => outputFiles[0]?.text.replaceAll('</script', '<\\/script') ?? '')
  await withPage(bundledPage, `?service=${encodeURIComponent(service.url)}&to=html`, async (browserPage) => {
    const file = { name: 'tea.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tea') }
    await browserPage.setInputFiles('input', file)
    const link = browserPage.locator('li a')
    await link.waitFor()
    assert.equal(await link.textContent(), 'tea.html')
    assert.match(await (await fetch((await link.getAttribute('href')) ?? '')).text(), /Tea/)
  })
})

const commandPath = () => join(folder, 'node_modules/@mutabor/client/dist/mutabor.js')

// Run concurrently, as they mostly wait.
describe('examples, command line and MCP server of the client package', { concurrency: 4 }, () => {
  for (const [name, use] of Object.entries(exampleCases))
    test(`the example ${name}`, () => use({ folder, url: service.url }))

  for (const [name, use] of Object.entries({ ...commandCases, ...hostileServiceCases }))
    test(`the command line ${name}`, () => withShell(service.url, use, [findSystemNode(), commandPath()]))

  // The SDK is installed in the repository, but not with the package.
  for (const [name, use] of Object.entries(mcpCases))
    test(`the MCP server ${name}`, () => withShell(service.url, use))
  test('the command line says what to install if the MCP SDK is missing', () =>
    withShell(
      service.url,
      async (shell) => {
        const { code, stderr } = await shell.run(['mcp'])
        assert.equal(code, 2)
        assert.match(stderr, /npm install @modelcontextprotocol\/sdk/)
      },
      [process.execPath, commandPath()],
    ))
})

for (const [name, use] of Object.entries(terminalCases))
  test(`the command line ${name}`, () =>
    use({ program: [findSystemNode(), commandPath()], folder, url: service.url }))

for (const [name, { shell, act: use }] of Object.entries(completionCases))
  test(`the command line ${name}`, { skip: !findOnPath(shell) && `${shell} is not on the PATH` }, () =>
    use({ program: [findSystemNode(), commandPath()], folder, url: service.url }),
  )

test('programs that use the client compile, and incorrect client calls are type errors', async () => {
  await writeFile(
    join(folder, 'use.ts'),
    `import { isFailure, Mutabor, verifyWebhook } from '@mutabor/client'
const client = new Mutabor({ url: 'http://localhost:8080' })
const { jobs } = await client.call('GET /v1/jobs', { query: { limit: 5 } })
const status: 'completed' | string = jobs[0]?.status ?? ''
// @ts-expect-error there is no such operation
await client.call('GET /v1/nothing')
// @ts-expect-error the id is missing
await client.call('GET /v1/jobs/{jobId}', {})
const event = await verifyWebhook('', {}, '')
if (event.event === 'job.failed') console.log(event.job.error.code, status)
try { await client.convert(new Blob(), 'pdf') } catch (error) {
  if (isFailure(error, 'RATE_LIMITED')) console.log(error.retryAfterS)
  // @ts-expect-error there is no such code
  if (isFailure(error, 'NO_SUCH_CODE')) console.log(error)
}
`,
  )
  const tsconfig = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    lib: ['es2024', 'dom'],
    types: [],
  }
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: tsconfig, files: ['use.ts'] }),
  )
  await execute(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder]).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  )
  const packageContents = JSON.parse(
    await readFile(join(folder, 'node_modules/@mutabor/client/package.json'), 'utf8'),
  )
  assert.equal(packageContents.dependencies, undefined)
})
