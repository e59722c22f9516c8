import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getJobResult } from '../../lib/jobs/job-state-machine.ts'
import { listZipEntries } from '../../lib/jobs/zip-manifest.ts'
import { complete, createExport, fail, file, newJob, newTask, withTasks } from './records.ts'

const graph = [
  { ...newTask('import-001', []), operation: 'import/url' },
  newTask('item-001', [0]),
  { ...newTask('import-002', []), operation: 'import/url' },
  newTask('item-002', [2]),
  newTask('item-003', [0]),
  { ...newTask('import-004', []), operation: 'import/upload' },
  newTask('item-004', [5]),
  createExport('export', [1, 3, 4, 6]),
]
const state = withTasks(newJob(graph, { require: 'any' }), {
  'import-001': complete(1, file('a.png')),
  'item-001': complete(2, file('a.webp')),
  'import-002': { ...fail(3, 'The host name does not exist.'), code: 'IMPORT_FAILED' },
  'item-002': { status: 'cancelled', code: 'INPUT_TASK_FAILED' },
  'item-003': fail(4, 'It is cut off.'),
  'import-004': fail(5, 'It is damaged.'),
  'item-004': fail(6, 'It is damaged.'),
})

test('the warnings of a batch contain each failed item with the reason, even if its file could not be fetched', () => {
  assert.deepEqual(
    getJobResult(state).warnings.map(({ field, message }) => [field, message]),
    [
      ['item-002', 'item-002 failed with IMPORT_FAILED: The host name does not exist.'],
      ['item-003', 'item-003 failed with CORRUPT_FILE: It is cut off.'],
      ['item-004', 'item-004 failed with CORRUPT_FILE: It is damaged.'],
    ],
  )
})

test('the manifest of a batch has one entry with the error code for each failed item, even if its import failed', () => {
  const entries = listZipEntries('job_1', { ...state, job: { ...state.job, status: 'completed' } })
  assert.deepEqual(
    entries.map(({ task, status, error }) => [task, status, error?.code]),
    [
      [null, 'completed', undefined],
      ['item-002', 'failed', 'IMPORT_FAILED'],
      ['item-003', 'failed', 'CORRUPT_FILE'],
      ['item-004', 'failed', 'CORRUPT_FILE'],
    ],
  )
})
