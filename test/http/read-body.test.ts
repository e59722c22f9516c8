import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { readStream } from '../../lib/http/body/read-body.ts'

test('a request whose connection closes before the end of the body is refused immediately', {
  timeout: 5000,
}, async () => {
  const body = new PassThrough()
  body.write('half')
  const read = readStream(body, 100)
  body.destroy()
  await assert.rejects(read, { code: 'INVALID_REQUEST', message: /closed before the whole body/ })
})
