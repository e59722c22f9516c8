// Tests control characters in file names: each route that takes a file name removes or reports them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signOwnerToken } from '../../lib/access/anonymous.ts'
import { newId } from '../../lib/ids.ts'
import { after, before } from '../hooks.ts'
import { type AppReply, type EmbeddedApp, openApp } from './embedded-app.ts'

let app: EmbeddedApp
let headers: Record<string, string>
before(async () => {
  app = await openApp()
  headers = { 'x-owner-token': signOwnerToken(newId('anon'), app.services.keys.owner) }
})
after(() => app.close())

const name = 'a\u0000\u0007\r\n\u007f\u0085b.md'
const strippedName = 'ab.md'

const post = (path: string, body: unknown) => app.send('POST', path, { headers, body })
const readFilename = async (uploadId: string) =>
  (await app.send('GET', `/v1/uploads/${uploadId}`, { headers })).json.data.filename

function createForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.append('file', new Blob(['# Hi']), 'plain.md')
  return form
}

/** Each request that takes a file name, with the name that it stores. */
const requests: Readonly<Record<string, () => Promise<unknown>>> = {
  'POST /v1/convert': async () =>
    (await post('/v1/convert', createForm({ filename: name, targetFormat: 'html' }))).json.data.source
      .filename,
  'POST /v1/convert/batch': async () => {
    const items = JSON.stringify([{ file: 0, filename: name }])
    const reply = await post('/v1/convert/batch', createForm({ items, targetFormat: 'html' }))
    return reply.json.data.items?.[0]?.filename ?? JSON.stringify(reply.json)
  },
  'POST /v1/uploads/presign': async () =>
    readFilename(uploadIdIn(await post('/v1/uploads/presign', { filename: name, size: 4 }))),
  'POST /v1/uploads/multipart': async () =>
    readFilename(uploadIdIn(await post('/v1/uploads/multipart', { filename: name, size: 4 }))),
  'GET /v1/uploads/s3/params': async () => {
    const query = { filename: name, type: 'text/markdown' }
    const { json } = await app.send('GET', '/v1/uploads/s3/params', { headers, query })
    return readFilename(json.fields.key.split('/').at(-1))
  },
  'POST /v1/uploads/s3/multipart': async () =>
    readFilename(
      (await post('/v1/uploads/s3/multipart', { filename: name, type: 'text/markdown' })).json.uploadId,
    ),
}

const uploadIdIn = ({ json }: AppReply) => String(json.data.uploadId)

test('a file name is stored without its control characters', async () => {
  for (const [route, storedName] of Object.entries(requests))
    assert.equal(await storedName(), strippedName, route)
})
