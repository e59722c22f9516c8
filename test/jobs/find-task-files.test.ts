import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTaskFiles } from '../../lib/jobs/find-task-files.ts'
import { complete, createExport, createStoredImport, file, newJob, newTask, withTasks } from './records.ts'

const state = withTasks(
  newJob([
    createStoredImport('in'),
    newTask('work', [0]),
    newTask('import/like', [0]),
    createExport('out', [1], { filename: 'b' }),
  ]),
  { work: complete(2, file('a.webp', 'jobs/job_1/1/a')) },
)
const listFilenames = (name: string) => findTaskFiles(name, state).files.map(({ filename }) => filename)

test('the files of a task are found by the task name, and the files of an export have the names that the export gives', () => {
  assert.deepEqual(listFilenames('work'), ['a.webp'])
  assert.deepEqual(listFilenames('out'), ['b.webp'])
  assert.deepEqual(listFilenames('import/like'), [], 'the operation counts, not the name')
})

test('looking for the files of an import or unknown task fails, and the error lists the available tasks', () => {
  const tasks = ['out', 'work', 'import/like']
  const code = 'TASK_NOT_FOUND'
  assert.throws(() => listFilenames('in'), {
    code,
    message: /no task "in" with/,
    details: { task: 'in', tasks },
  })
  const long = 'x'.repeat(70)
  assert.throws(() => listFilenames(long), { code, message: /"x{64}"/ })
})
