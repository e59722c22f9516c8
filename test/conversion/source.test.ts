import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSource } from '../../lib/conversion/source.ts'

const fileIn = (field: string) => ({ field, filename: 'a.png' })
const source = (files: readonly object[], body: object = {}) => {
  const request = { body, files, principal: { ownerId: 'anon_1' } }
  return openSource(...([request, {}] as Parameters<typeof openSource>)) // nothing is stored
}

test('a conversion uses the only source file of the request, with the requested name', async () => {
  const file = fileIn('file')
  assert.deepEqual(await source([fileIn('watermark'), file]), file)
  assert.deepEqual(await source([file], { filename: '../b.png' }), { ...file, filename: 'b.png' })
})

test('a request with no file, two files, or a file and an upload is rejected with the field name', async () => {
  const assertWrong = async (code: string, field: string, ...of: Parameters<typeof source>) =>
    assert.rejects(source(...of), { code, details: { field } })
  await assertWrong('NO_FILES', 'file', [fileIn('watermark')])
  await assertWrong('INVALID_REQUEST', 'file', [fileIn('file'), fileIn('file')])
  await assertWrong('INVALID_REQUEST', 'uploadId', [fileIn('file')], { uploadId: 'upl_1' })
})
