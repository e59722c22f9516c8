import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selectResultsOfJobs } from '../../lib/jobs/select-results.ts'
import type { Job } from '../../lib/model/job.ts'
import { complete, createExport, createStoredImport, file, newJob, newTask, withTasks } from './records.ts'

function createState(id: string, fields: Partial<Job>, filename: string) {
  const tasks = [createStoredImport('in'), newTask('work', [0]), createExport('out', [1])]
  const state = withTasks(newJob(tasks), { work: complete(2, file(filename)) })
  return { ...state, job: { ...state.job, id, ...fields } }
}
const states = [
  createState('job_1', { status: 'completed' }, 'a.webp'),
  createState('job_2', { status: 'processing' }, 'b.webp'),
  createState('job_3', { status: 'completed', deletedAt: '2026-01-01T00:00:00.000Z' }, 'c.webp'),
  createState('job_4', { status: 'completed' }, 'd.webp'),
]
const select = (selection: Parameters<typeof selectResultsOfJobs>[1]) => {
  const { jobIds, files } = selectResultsOfJobs(states, selection)
  return [jobIds, files.map(({ filename }) => filename)]
}

test('the results of several jobs are selected only from completed jobs that have not been deleted', () => {
  assert.deepEqual(select({}), [
    ['job_1', 'job_4'],
    ['a.webp', 'd.webp'],
  ])
  assert.deepEqual(selectResultsOfJobs(states.slice(1, 3), {}), { jobIds: [], files: [] })
})

test('the results of a finished task can be selected while its job is still running', () => {
  assert.deepEqual(select({ tasks: ['work'] }), [
    ['job_1', 'job_2', 'job_4'],
    ['a.webp', 'b.webp', 'd.webp'],
  ])
})

test('selecting a file that a job does not have fails, and the error names the files of the job', () => {
  const [completedJob] = states
  assert.throws(() => selectResultsOfJobs(completedJob ? [completedJob] : [], { file: 'none.webp' }), {
    code: 'TASK_NOT_FOUND',
    details: { field: 'file', file: 'none.webp', files: ['a.webp'] },
  })
})
