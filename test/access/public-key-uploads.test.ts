// A public key is part of a web page: readers of the page must not reach uploads that the account started without the
// key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../functions/routes/index.ts'
import { ApiKeys } from '../../lib/access/api-keys.ts'
import { newId } from '../../lib/ids.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { newAccount, newKey } from '../support/account.ts'

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

const createPublicKey = (owner: string) =>
  newKey(app.services, owner, {
    kind: 'public',
    scopes: ['CONVERT_READ', 'CONVERT_WRITE'],
    allowedOrigins: ['https://shop.example'],
  })
const by = (key: string) => ({ 'x-api-key': key, origin: 'https://shop.example' })

interface NewUpload {
  readonly uploadId: string
  readonly parts: readonly { readonly PartNumber: number; readonly ETag: string }[]
}

const multipartPath = '/v1/uploads/multipart'

/** Begins an upload in parts and sends its only part. */
async function startUpload(key: string): Promise<NewUpload> {
  const headers = by(key)
  const body = { filename: 'a.md', type: 'text/markdown' }
  const { json } = await app.send('POST', multipartPath, { headers, body })
  const { uploadId } = json.data
  const partReply = await app.send('GET', `${multipartPath}/${uploadId}/1`, { headers })
  const { headers: storedHeaders } = await fetch(partReply.json.data.url, { method: 'PUT', body: '# Hi' })
  return { uploadId, parts: [{ PartNumber: 1, ETag: storedHeaders.get('etag') ?? '' }] }
}

test('three API keys of one account that use the same idempotency key each get a reply of their own', async () => {
  const owner = await newAccount(app.services)
  const keys = {
    secret: await newKey(app.services, owner),
    public: await createPublicKey(owner),
    other: await createPublicKey(owner),
  }
  const body = { filename: 'a.md', contentType: 'text/markdown', size: 4 }
  const presign = async (sender: keyof typeof keys) => {
    const headers = { ...by(keys[sender]), 'idempotency-key': 'the-same-for-all' }
    const { json } = await app.send('POST', '/v1/uploads/presign', { headers, body })
    return json.data.uploadId
  }
  const ids = [await presign('secret'), await presign('public'), await presign('other')]
  assert.equal(new Set(ids).size, 3)
  assert.deepEqual([await presign('secret'), await presign('public'), await presign('other')], ids)
})

const task = (uploadId: string) => ({
  in: { operation: 'import/upload', upload_id: uploadId },
  pdf: { operation: 'convert', input: 'in', output_format: 'html' },
  out: { operation: 'export/url', input: 'pdf' },
})

/** Every request that names an upload, with its method and path. The last requests use up the upload. */
const requests = ({ uploadId, parts }: NewUpload) =>
  [
    ['GET', '/v1/uploads/:uploadId', {}],
    ['GET', '/v1/uploads/multipart/:uploadId', {}],
    ['GET', '/v1/uploads/multipart/:uploadId/:partNumber', {}],
    ['GET', '/v1/uploads/multipart/:uploadId/batch', { query: { partNumbers: '1,2' } }],
    ['POST', '/v1/uploads/multipart/:uploadId/complete', { body: { parts } }],
    ['DELETE', '/v1/uploads/multipart/:uploadId', {}],
    ['POST', '/v1/convert', { body: { uploadId, targetFormat: 'html' } }],
    [
      'POST',
      '/v1/convert',
      { body: { fileUrl: 'https://a.example/a.pdf', targetFormat: 'pdf', additionalUploadIds: [uploadId] } },
    ],
    ['POST', '/v1/convert/merge', { body: { uploadIds: [uploadId, newId('upl')], mergeType: 'pdf' } }],
    ['POST', '/v1/convert/batch', { body: { items: [{ uploadId }], targetFormat: 'html' } }],
    ['POST', '/v1/jobs', { body: { tasks: task(uploadId) } }],
  ] as const

const send = (key: string, [method, path, options]: ReturnType<typeof requests>[number], uploadId: string) =>
  app.send(method, path.replace(':uploadId', uploadId).replace(':partNumber', '1'), {
    headers: by(key),
    ...options,
  })

/** Whether the reply says that there is no such upload. A batch reports this for its item. */
const isUnknown = ({ status, text }: { status: number; text: string }) =>
  status >= 400 && /UPLOAD_NOT_FOUND|You have no upload/.test(text)

test('the tests of public keys cover every endpoint with an upload id in its path, except those below /v1/uploads/s3', async () => {
  const uploadRoutes = routes.filter(
    ({ path }) => path.includes(':uploadId') && !path.startsWith('/v1/uploads/s3/'),
  )
  const listedRequests = new Set(
    requests({ uploadId: '', parts: [] }).map(([method, path]) => `${method} ${path}`),
  )
  for (const { method, path } of uploadRoutes)
    assert.ok(listedRequests.has(`${method} ${path}`), `${method} ${path}`)
})

test('a public key cannot read, send, complete, abort or convert uploads that other keys of its account created', async () => {
  const owner = await newAccount(app.services)
  const attacker = await createPublicKey(owner)
  for (const [kind, key] of [
    ['a secret key', await newKey(app.services, owner)],
    ['another public key', await createPublicKey(owner)],
  ] as const) {
    const upload = await startUpload(key)
    for (const request of requests(upload)) {
      const reply = await send(attacker, request, upload.uploadId)
      assert.ok(isUnknown(reply), `${kind}: ${request[0]} ${request[1]} ${reply.status} ${reply.text}`)
    }
    const status = await send(key, requests(upload)[1], upload.uploadId)
    assert.equal(status.json.data.parts.length, 1, 'the upload is untouched')
  }
})

test('a public key can use its own uploads, and a secret key of the same account can use them too', async () => {
  const owner = await newAccount(app.services)
  const ownKey = await createPublicKey(owner)
  const secret = await newKey(app.services, owner)
  for (const key of [ownKey, secret]) {
    const upload = await startUpload(ownKey)
    for (const request of requests(upload).slice(0, 5))
      assert.ok((await send(key, request, upload.uploadId)).status < 300, request[1])
    assert.equal((await send(key, requests(upload)[6], upload.uploadId)).status, 202)
  }
})

test('the replacement of a rotated public key can read the uploads that the old key started', async () => {
  const owner = await newAccount(app.services)
  const upload = await startUpload(await createPublicKey(owner))
  const [replacedKey] = await new ApiKeys(app.services).list(owner)
  const nextKey = await newKey(app.services, owner, {
    kind: 'public',
    scopes: ['CONVERT_READ'],
    ...(replacedKey && { earlier: [replacedKey.id] }),
  })
  assert.equal((await send(nextKey, requests(upload)[0], upload.uploadId)).status, 200)
})

test('a file that a public key imported from a URL is visible to that key, but not to another public key', async () => {
  const owner = await newAccount(app.services)
  const [ownKey, otherKey] = [await createPublicKey(owner), await createPublicKey(owner)]
  const { json } = await app.send('POST', '/v1/import/url', {
    headers: by(ownKey),
    body: { url: 'https://a.example/a.pdf' },
  })
  const { uploadId, jobId } = json.data
  for (const path of [`/v1/uploads/${uploadId}`, `/v1/status/${jobId}`]) {
    assert.equal((await app.send('GET', path, { headers: by(ownKey) })).status, 200, path)
    assert.equal((await app.send('GET', path, { headers: by(otherKey) })).status, 404, path)
  }
})
