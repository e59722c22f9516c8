import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { importSftpOperation } from '../../lib/tasks/sftp.ts'
import type { ResolveHost } from '../../lib/transfer/addresses.ts'
import { findInBlobstore, openBlobstore } from '../../lib/transfer/blobstore.ts'
import { createDriveRequest } from '../../lib/transfer/drives/drive-request.ts'
import { getDrive } from '../../lib/transfer/drives/index.ts'
import { findInGcs } from '../../lib/transfer/gcs.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import { findInS3, openS3 } from '../../lib/transfer/s3.ts'
import { findInSftp, openSftp } from '../../lib/transfer/sftp.ts'
import type { FindFiles, OpenStore, TaskFields } from '../../lib/transfer/transfer.ts'
import { findByUrl } from '../../lib/transfer/url.ts'
import { attemptDelivery } from '../../lib/webhooks/delivery-attempt.ts'
import { credentials } from './gcs-server.ts'
import { privateAddressForms } from './private-forms.ts'

/** Every path to an outside address, pointed at private addresses: webhooks, imports, exports and drives. */

const abort = new AbortController()
let requestCount = 0
// An internal server that responds to every request.
const insideServer = createServer((_request, response) => {
  requestCount++
  response.end('secret')
})
before(async () => {
  await new Promise<void>((resolve) => insideServer.listen(0, '127.0.0.1', resolve))
})
after(() => {
  abort.abort()
  insideServer.close()
})

const s3 = { bucket: 'box', region: 'eu-central-1', access_key_id: 'a', secret_access_key: 'b' }
const blob = { storage_account: 'account', container: 'box', sas_token: 'sv=1' }
const sftpLogin = { username: 'ann', password: 'pass' }
const getPort = (url: URL) => Number(url.port) || 22

const imports: Readonly<Record<string, (url: URL) => readonly [FindFiles, TaskFields]>> = {
  'import/url': (url) => [findByUrl, { url: url.href }],
  'import/s3': (url) => [findInS3, { ...s3, endpoint: url.origin, key: 'a' }],
  'import/blobstore': (url) => [findInBlobstore, { ...blob, endpoint: url.origin, blob: 'a' }],
  'import/sftp': (url) => [findInSftp, { ...sftpLogin, host: url.hostname, port: getPort(url), file: 'a' }],
}
const exportsByName: Readonly<Record<string, (url: URL) => readonly [OpenStore, TaskFields]>> = {
  'export/s3': (url) => [openS3, { ...s3, endpoint: url.origin }],
  'export/blobstore': (url) => [openBlobstore, { ...blob, endpoint: url.origin }],
  'export/sftp': (url) => [openSftp, { ...sftpLogin, host: url.hostname, port: getPort(url) }],
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
      Object.entries(exportsByName).map(([name, at]) => [
        name,
        async (url: URL) => {
          const [open, fields] = at(url)
          return (await open(fields, deps)).put(file, () => {})
        },
      ]),
    ),
    // The host names of Google and of the drives are fixed, but they are looked up like any other name.
    'import/google-cloud-storage': (url) =>
      findInGcs({ bucket: 'box', key: 'a', credentials }, { ...deps, gcsEndpoint: url.origin }),
    drive: (url) => createDriveRequest(guardedHttp, getDrive('dropbox'), url.origin, 'token')('/list', {}),
    webhook: (url) => deliverTo(url, guardedHttp),
  }
}

/** Delivers an event, but throws the failure that is otherwise reported. */
async function deliverTo(url: URL, guardedHttp: GuardedHttp): Promise<void> {
  let failure: unknown
  const delivery = { id: 'whd_1', eventId: 'evt_1', event: 'job.completed', attempt: 0 } as const
  const outcome = await attemptDelivery(
    {
      url: url.href,
      delivery,
      body: Buffer.from('{}'),
      contentType: 'application/json',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      at: new Date(),
    },
    {
      request: (...call) =>
        guardedHttp.request(...call).catch((error: unknown) => {
          failure = error
          throw error
        }),
    },
  )
  if (failure) throw failure
  if (outcome.error !== undefined) throw new RemoteError('status', outcome.error)
}
const outgoingRequestNames = [
  ...Object.keys(imports),
  ...Object.keys(exportsByName),
  'import/google-cloud-storage',
  'drive',
  'webhook',
]

const isRefused = (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  return error.code === 'URL_NOT_ALLOWED'
}

for (const name of outgoingRequestNames)
  test(`${name} rejects private addresses in every notation`, async (t) => {
    const guardedHttp = new GuardedHttp()
    t.after(() => guardedHttp.close())
    const attempt = createAttempts(guardedHttp)[name] ?? assert.fail()
    for (const form of privateAddressForms) await assert.rejects(attempt(new URL(form)), isRefused, form)
  })

test('no import, export, drive request or webhook follows a redirect to a private address', async (t) => {
  const { port } = insideServer.address() as AddressInfo
  let target = ''
  const outsideServer = createServer((_request, response) =>
    response.writeHead(307, { location: target }).end(),
  )
  await new Promise<void>((resolve) => outsideServer.listen(0, '127.0.0.2', resolve))
  t.after(() => outsideServer.close().closeAllConnections())
  const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.2/32'] })
  t.after(() => guardedHttp.close())
  const url = new URL(`http://127.0.0.2:${(outsideServer.address() as AddressInfo).port}`)
  // Headers only contain ASCII.
  const forms = privateAddressForms.filter((form) => /^[\x20-\x7e]*$/.test(form))
  for (const [at, form] of [`http://127.0.0.1:${port}/`, ...forms].entries()) {
    target = form
    for (const [name, attempt] of Object.entries(createAttempts(guardedHttp))) {
      // Store clients are slow to refuse, so only some notations are tried: the same check sees all of them.
      if (name.endsWith('/sftp') || (name !== 'import/url' && at % 7 > 0)) continue
      await assert.rejects(
        attempt(url),
        // Store clients do not follow redirects and report the status; other clients are refused at the target.
        (error) => (error instanceof RemoteError ? /\bstatus\b/.test(error.message) : isRefused(error)),
        `${name} ${target}`,
      )
    }
  }
  assert.equal(requestCount, 0)
})

test('no import, export, drive request or webhook uses a private address from a second DNS lookup', async (t) => {
  const { port } = insideServer.address() as AddressInfo
  for (const name of outgoingRequestNames) {
    let lookups = 0
    const resolve: ResolveHost = async () => [
      { address: lookups++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 },
    ]
    // No server listens at the first address, so that retries look the name up again.
    const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.2/32'], resolve })
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
