import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReceiveUploadDeps, receiveUpload } from '../../lib/conversion/receive-upload.ts'

test('an upload above its size limit fails its task with FILE_TOO_LARGE and the limit in the details', async () => {
  const outcomes: unknown[] = []
  const deps = {
    uploads: { get: async () => ({ key: 'in/a', filename: 'a.png', jobId: 'job_1', task: 0, maxSize: 5 }) },
    files: { head: async () => ({ size: 6, storedAt: new Date(0) }) },
    jobs: {
      completeUpload: async (_ref: unknown, outcome: unknown) => {
        outcomes.push(outcome)
        return true
      },
    },
  } as unknown as ReceiveUploadDeps // a stub with only the members that are used
  await receiveUpload('upl_1', deps)
  const [{ error }] = outcomes as [{ error: { code: string; details?: Record<string, unknown> } }]
  assert.equal(error.code, 'FILE_TOO_LARGE')
  assert.ok(Object.values(error.details ?? {}).includes(5), JSON.stringify(error))
})
