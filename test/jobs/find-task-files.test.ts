import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTaskFiles } from '../../lib/jobs/find-task-files.ts'
import { completed, exported, file, given, newJob, task, withTasks } from './records.ts'

const state = withTasks(
  newJob([given('in'), task('work', [0]), task('import/like', [0]), exported('out', [1], { filename: 'b' })]),
  { work: completed(2, file('a.webp', 'jobs/job_1/1/a')) },
)
const namesOf = (name: string) => findTaskFiles(name, state).files.map(({ filename }) => filename)

test('a task gives its files by its name, and an export those of others as it calls them', () => {
  assert.deepEqual(namesOf('work'), ['a.webp'])
  assert.deepEqual(namesOf('out'), ['b.webp'])
  assert.deepEqual(namesOf('import/like'), [], 'what it does counts, not what it is called')
})

test('what came in is not given out, and whoever names what there is not hears of what there is', () => {
  const tasks = ['out', 'work', 'import/like']
  const code = 'TASK_NOT_FOUND'
  assert.throws(() => namesOf('in'), { code, message: /no task "in" with/, details: { task: 'in', tasks } })
  const long = 'x'.repeat(70)
  assert.throws(() => namesOf(long), { code, message: /"x{64}"/ })
})
