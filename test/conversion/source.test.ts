import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSource } from '../../lib/conversion/source.ts'

const createFileField = (field: string) => ({ field, filename: 'a.png' })
const source = (files: readonly object[], body: object = {}) => {
  const request = { body, files, principal: { ownerId: 'anon_1' } }
  return openSource(...([request, {}] as Parameters<typeof openSource>)) // nothing is stored
}

test('a conversion request uses its only source file, with the requested name', async () => {
  const file = createFileField('file')
  assert.deepEqual(await source([createFileField('watermark'), file]), file)
  assert.deepEqual(await source([file], { filename: '../b.png' }), { ...file, filename: 'b.png' })
})

test('a conversion request without a file, with two files, or with a file and an upload is rejected with the field name', async () => {
  const assertError = async (code: string, field: string, ...of: Parameters<typeof source>) =>
    assert.rejects(source(...of), { code, details: { field } })
  await assertError('NO_FILES', 'file', [createFileField('watermark')])
  await assertError('INVALID_REQUEST', 'file', [createFileField('file'), createFileField('file')])
  await assertError('INVALID_REQUEST', 'uploadId', [createFileField('file')], { uploadId: 'upl_1' })
})
