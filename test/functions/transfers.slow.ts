import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { Client, startService, type TestService } from '../support/service.ts'
import { credentials, startGcs } from '../transfer/gcs-server.ts'
import { startSshd } from '../transfer/sshd.ts'

/** Tests imports and exports of the whole service with remote servers. */

let service: TestService
let client: Client
let gcs: Awaited<ReturnType<typeof startGcs>>
let sshd: Awaited<ReturnType<typeof startSshd>>
let base = ''

type Answer = (request: IncomingMessage, response: ServerResponse, time: number) => void
const text = 'a text of some words'
const privateUrl = 'http://169.254.169.254/latest/meta-data/'
const answers: Record<string, Answer> = {
  late: (_request, response, time) => response.writeHead(time === 0 ? 500 : 200).end(time === 0 ? '' : text),
  'missing-file': (_request, response) => response.writeHead(404).end(),
  unauthorized: (_request, response) => response.writeHead(401).end(),
  'redirect-loop': (_request, response) => response.writeHead(302, { location: '/redirect-loop' }).end(),
  inside: (_request, response) => response.writeHead(302, { location: privateUrl }).end(),
  'huge-content-length': (_request, response) =>
    response.writeHead(200, { 'content-length': 2 ** 50 }).end(text),
  'truncated-body': (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 })
    response.write(text, () => setTimeout(() => response.destroy(), 20))
  },
  slow: (_request, response) => {
    response.writeHead(200, { 'content-length': text.length })
    let at = 0
    const timer = setInterval(() => {
      response.write(text.charAt(at++))
      if (at < text.length) return
      clearInterval(timer)
      response.end()
    }, 200)
  },
  mute: (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write(text)
  },
}
const times: Record<string, number> = {}
const server = createServer((request, response) => {
  const name = request.url?.slice(1).replace('.txt', '') ?? ''
  times[name] = (times[name] ?? -1) + 1
  answers[name]?.(request, response, times[name])
})

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  gcs = await startGcs()
  sshd = await startSshd()
  service = await startService({ OUTGOING_ALLOW: '127.0.0.1/32', GCS_ENDPOINT: gcs.endpoint })
  client = new Client(service)
})
after(async () => {
  await service.stop()
  await Promise.all([gcs.stop(), sshd.stop()])
  server.close()
  server.closeAllConnections()
})

interface JobReply {
  readonly status: string
  readonly error: {
    readonly code: string
    readonly message: string
    readonly details: Record<string, unknown>
  }
  readonly source: { readonly filename: string } | null
  readonly result: { readonly filename: string } | null
}

async function runJob(tasks: object): Promise<JobReply> {
  return (await client.accepted(await client.post('/v1/jobs', { tasks }))) as unknown as JobReply
}

const createImportTasks = (fields: object) => ({
  in: { operation: 'import/url', ...fields },
  out: { operation: 'export/url', input: 'in' },
})
const runImport = (fields: object) => runJob(createImportTasks(fields))

const failures: readonly [name: string, code: string, reason: string | undefined, words: RegExp][] = [
  ['missing-file', 'IMPORT_FAILED', 'not-found', /file does not exist on .*\(status 404\)/],
  ['unauthorized', 'IMPORT_FAILED', 'forbidden', /denied access to the file \(status 401\)/],
  ['redirect-loop', 'IMPORT_FAILED', 'status', /redirects more than 3 times/],
  ['huge-content-length', 'FILE_TOO_LARGE', undefined, /The file is larger than/],
  ['truncated-body', 'IMPORT_FAILED', 'incomplete', /lost after 20 bytes|20 of 1000/],
]

for (const [name, code, reason, words] of failures)
  test(`an import from a server with the fault "${name}" fails with ${code} and leaves no temporary files`, async () => {
    const { status, error } = await runImport({ url: `${base}/${name}.txt` })
    assert.deepEqual([status, error.code, error.details['reason']], ['failed', code, reason])
    assert.match(error.message, words)
    const dataFiles = await readdir(service.dataDir, { recursive: true })
    assert.deepEqual(
      dataFiles.filter((path) => /import-\d+$/.test(path)),
      [],
    )
  })

test('an import is retried after a server error', async () => {
  const { status, source } = await runImport({ url: `${base}/late.txt` })
  assert.deepEqual([status, source?.filename, times['late']], ['completed', 'late.txt', 1])
})

test('an import from a slow server continues as long as data arrives', async () => {
  const startedAtMs = performance.now()
  const { status, error } = await runImport({ url: `${base}/slow.txt` })
  assert.equal(status, 'completed', JSON.stringify(error))
  assert.ok(performance.now() - startedAtMs > text.length * 200 - 500)
})

test('an import from a stalled server fails after three attempts', { timeout: 240_000 }, async () => {
  const { status, error } = await runImport({ url: `${base}/mute.txt` })
  assert.deepEqual([status, error.code, error.details['reason']], ['failed', 'IMPORT_FAILED', 'incomplete'])
  assert.equal(error.message, 'The server sent no more data after 20 bytes.')
  assert.equal(times['mute'], 2)
})

test('a private IP address is rejected as the URL of an import and as the target of a redirect', async () => {
  const reply = await client.post('/v1/jobs', { tasks: createImportTasks({ url: privateUrl }) })
  const body = (await reply.json()) as JobReply
  assert.deepEqual(
    [reply.status, body.error.code, body.error.details['field']],
    [400, 'URL_NOT_ALLOWED', 'tasks.in.url'],
  )
  const { error } = await runImport({ url: `${base}/inside.txt` })
  assert.equal(error.code, 'URL_NOT_ALLOWED')
})

test('a file is imported by SFTP, converted, and exported to a bucket under a key made from a template', async () => {
  await writeFile(`${sshd.files}/words.md`, '# Words')
  const { host, port, username, plainKey, fingerprint } = sshd
  const access = { host, port, username, private_key: plainKey, host_key_fingerprint: fingerprint }
  const { status, error, source, result } = await runJob({
    in: { operation: 'import/sftp', ...access, file: `${sshd.files}/words.md` },
    page: { operation: 'convert', input: 'in', output_format: 'html' },
    out: {
      operation: 'export/gcs',
      input: 'page',
      bucket: 'box',
      credentials,
      key: 'pages/{name}-{index}.{ext}',
    },
  })
  assert.equal(status, 'completed', JSON.stringify(error))
  assert.match(String(gcs.objects.get('pages/words-1.html')?.content), /Words/)
  assert.deepEqual([source?.filename, result?.filename], ['words.md', 'words.html'])
})

test('an import from an SFTP server with another host key fails, and the error contains the actual fingerprint', async () => {
  const { host, port, username, plainKey, fingerprint } = sshd
  const host_key_fingerprint = `SHA256:${'A'.repeat(43)}`
  const access = { host, port, username, private_key: plainKey, host_key_fingerprint }
  const { error } = await runJob({
    in: { operation: 'import/sftp', ...access, file: '/a' },
    out: { operation: 'export/url', input: 'in' },
  })
  assert.deepEqual([error.code, error.details['reason']], ['IMPORT_FAILED', 'host-key'])
  assert.ok(error.message.includes(fingerprint), error.message)
})
