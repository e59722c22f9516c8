import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { importSftpOperation } from '../../lib/tasks/sftp.ts'
import type { ResolveHost } from '../../lib/transfer/addresses.ts'
import { findInBlobstore, openBlobstore } from '../../lib/transfer/blobstore.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import { findInS3, openS3 } from '../../lib/transfer/s3.ts'
import { findInSftp, openSftp } from '../../lib/transfer/sftp.ts'
import type { FindFiles, OpenStore, TaskFields } from '../../lib/transfer/transfer.ts'
import { findByUrl } from '../../lib/transfer/url.ts'
import { privateAddressForms } from './private-forms.ts'

/** Imports and exports of every store with a configurable address, pointed at private addresses. */

const abort = new AbortController()
let requestCount = 0
// An internal server that responds to every request.
const inside = createServer((_request, response) => {
  requestCount++
  response.end('secret')
})
before(async () => {
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
})
after(() => {
  abort.abort()
  inside.close()
})

const s3 = { bucket: 'box', region: 'eu-central-1', access_key_id: 'a', secret_access_key: 'b' }
const blob = { storage_account: 'account', container: 'box', sas_token: 'sv=1' }
const sftp = { username: 'ann', password: 'pass' }
const portOf = (url: URL) => Number(url.port) || 22

const imports: Readonly<Record<string, (url: URL) => readonly [FindFiles, TaskFields]>> = {
  'import/url': (url) => [findByUrl, { url: url.href }],
  'import/s3': (url) => [findInS3, { ...s3, endpoint: url.origin, key: 'a' }],
  'import/blobstore': (url) => [findInBlobstore, { ...blob, endpoint: url.origin, blob: 'a' }],
  'import/sftp': (url) => [findInSftp, { ...sftp, host: url.hostname, port: portOf(url), file: 'a' }],
}
const exports: Readonly<Record<string, (url: URL) => readonly [OpenStore, TaskFields]>> = {
  'export/s3': (url) => [openS3, { ...s3, endpoint: url.origin }],
  'export/blobstore': (url) => [openBlobstore, { ...blob, endpoint: url.origin }],
  'export/sftp': (url) => [openSftp, { ...sftp, host: url.hostname, port: portOf(url) }],
}

const file = {
  path: 'a.txt',
  size: 1,
  mimeType: 'text/plain',
  sha256: '',
  open: async () => Readable.from([Buffer.from('a')]),
}

/** Each import and export, by name. */
const createAttempts = (
  guardedHttp: GuardedHttp,
): Readonly<Record<string, (url: URL) => Promise<unknown>>> => {
  const deps = { guardedHttp, signal: abort.signal }
  return {
    ...Object.fromEntries(
      Object.entries(imports).map(([name, at]) => [
        name,
        async (url: URL) => {
          const [find, fields] = at(url)
          return find(fields, deps)
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(exports).map(([name, at]) => [
        name,
        async (url: URL) => {
          const [open, fields] = at(url)
          return (await open(fields, deps)).put(file, () => {})
        },
      ]),
    ),
  }
}

const isRefused = (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  return error.code === 'URL_NOT_ALLOWED'
}

for (const name of [...Object.keys(imports), ...Object.keys(exports)])
  test(`${name} rejects private addresses in every notation`, async (t) => {
    const guardedHttp = new GuardedHttp()
    t.after(() => guardedHttp.close())
    const attempt = createAttempts(guardedHttp)[name] ?? assert.fail()
    for (const form of privateAddressForms) await assert.rejects(attempt(new URL(form)), isRefused, form)
  })

test('no import or export follows a redirect to a private address', async (t) => {
  const { port } = inside.address() as AddressInfo
  let target = ''
  const outside = createServer((_request, response) => response.writeHead(307, { location: target }).end())
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.2', resolve))
  t.after(() => outside.close().closeAllConnections())
  const guardedHttp = new GuardedHttp({ allowed: ['127.0.0.2/32'] })
  t.after(() => guardedHttp.close())
  const url = new URL(`http://127.0.0.2:${(outside.address() as AddressInfo).port}`)
  // Headers only contain ASCII.
  const forms = privateAddressForms.filter((form) => /^[\x20-\x7e]*$/.test(form))
  for (const [at, form] of [`http://127.0.0.1:${port}/`, ...forms].entries()) {
    target = form
    for (const [name, attempt] of Object.entries(createAttempts(guardedHttp))) {
      // Store clients are slow to refuse, so only some notations are tried: the same check sees all of them.
      if (name.endsWith('/sftp') || (name !== 'import/url' && at % 7 > 0)) continue
      await assert.rejects(
        attempt(url),
        // Store clients do not follow redirects and report the status; others are refused at the target.
        (error) => (error instanceof RemoteError ? error.reason === 'status' : isRefused(error)),
        `${name} ${target}`,
      )
    }
  }
  assert.equal(requestCount, 0)
})

test('no import or export connects to a name that resolves to a private address on the second lookup', async (t) => {
  const { port } = inside.address() as AddressInfo
  for (const name of [...Object.keys(imports), ...Object.keys(exports)]) {
    let lookups = 0
    const resolve: ResolveHost = async () => [
      { address: lookups++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 },
    ]
    // No server listens at the first address, so that retries look the name up again.
    const guardedHttp = new GuardedHttp({ allowed: ['127.0.0.2/32'], resolve })
    t.after(() => guardedHttp.close())
    const attempt = createAttempts(guardedHttp)[name] ?? assert.fail()
    const url = new URL(`http://turning.example:${port}`)
    await assert.rejects(attempt(url))
    await assert.rejects(attempt(url), isRefused, name)
  }
  assert.equal(requestCount, 0)
})

test('an SFTP import requires a password or a key, and either file or path', () => {
  const parseFields = (fields: object) =>
    importSftpOperation.fields.safeParse({ host: 'a.example', username: 'ann', ...fields })
  assert.equal(parseFields({ password: 'x', file: 'a' }).success, true)
  assert.equal(parseFields({ file: 'a' }).error?.issues[0]?.message, 'expected password or private_key')
  assert.equal(parseFields({ password: 'x' }).error?.issues[0]?.message, 'expected either file or path')
})
