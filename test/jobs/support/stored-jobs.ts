import assert from 'node:assert/strict'
import { JobStore } from '../../../lib/jobs/store.ts'
import type { NewJob, NewTask } from '../../../lib/jobs/task-graph.ts'
import { MemoryTable } from '../memory-table.ts'
import { createExport, createRecords, createStoredImport, newTask } from '../records.ts'

export const twoTaskGraph = [
  createStoredImport('in'),
  newTask('a', [0]),
  newTask('b', [1]),
  createExport('out', [2]),
]

export const createSinkGraph = (count: number): NewTask[] => [
  createStoredImport('in'),
  ...Array.from({ length: count }, (_, at) => newTask(`t${at}`, [0])),
  newTask(
    'sink',
    Array.from({ length: count }, (_, at) => at + 1),
  ),
]

/** More files than fit into the record of a job. */
export const manyFiles = Array.from({ length: 20 }, (_, at) =>
  createStoredImport(`in-${at}`, `${'long name '.repeat(9)}${at}.png`),
)

export async function createJob(tasks: readonly NewTask[] = twoTaskGraph, moreFields: Partial<NewJob> = {}) {
  const table = new MemoryTable()
  const store = new JobStore(table)
  const ownRecords = createRecords(tasks, moreFields)
  assert.equal(await store.create(ownRecords), true)
  return { table, store, records: ownRecords }
}
