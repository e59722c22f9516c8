import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isCompressible, listZipEntries } from '../../lib/jobs/zip-manifest.ts'
import type { Job, JobState } from '../../lib/model/job.ts'
import {
  complete,
  createExport,
  createStoredImport,
  fail,
  file,
  newJob,
  newTask,
  withTasks,
} from './records.ts'

const freshState = newJob([
  ...[createStoredImport('in', 'a.png'), newTask('one', [0]), newTask('two', [0])],
  ...[createExport('out', [1, 2]), createExport('named', [1], { filename: 'b-{index}' })],
])
const changeJobFields = (state: JobState, overrides: Partial<Job>): JobState => ({
  ...state,
  job: { ...state.job, ...overrides },
})
const endedState = withTasks(freshState, {
  one: complete(5, file('1.webp', 'k/1')),
  two: complete(6, file('2.webp', 'k/2')),
})
const doneState = changeJobFields(endedState, { status: 'completed' })
const partlyFailedState = changeJobFields(withTasks(endedState, { two: fail(6, 'It is cut off.') }), {
  status: 'completed',
})

const listEntries = (state: JobState | undefined, tasks?: readonly string[]) =>
  listZipEntries('job_1', state, tasks).map(({ jobId, file, ...rest }) => {
    assert.equal(jobId, 'job_1')
    return file ? { ...rest, file: [file.filename, file.key] } : rest
  })

describe('ZIP of results', () => {
  const jobEntry = { task: null, source: null, status: 'completed' }

  test('the entries of a ZIP of results list each file of a job once, along with the name of its source file', () => {
    // The last of two exports of a file determines its name.
    assert.deepEqual(listEntries(doneState), [
      { ...jobEntry, file: ['b-1.webp', 'k/1'] },
      { ...jobEntry, file: ['2.webp', 'k/2'] },
    ])
    const source = { filename: 'début.png', format: 'png', size: 1 }
    const display = { ...doneState.job.display, source }
    assert.equal(listEntries(changeJobFields(doneState, { display } as Partial<Job>))[0]?.source, 'début.png')
    assert.equal(
      listEntries(changeJobFields(doneState, { cameLater: source } as Partial<Job>))[0]?.source,
      'début.png',
    )
  })

  test('a ZIP of results lists failed tasks with the reason, in addition to the files', () => {
    const error = { code: 'CORRUPT_FILE', message: 'It is cut off.' }
    assert.deepEqual(listEntries(partlyFailedState), [
      { ...jobEntry, file: ['b-1.webp', 'k/1'] },
      { task: 'two', source: null, status: 'failed', error },
    ])
  })

  test('a ZIP of results contains no files of an unfinished, failed or missing job', () => {
    assert.deepEqual(listEntries(changeJobFields(endedState, { status: 'processing' })), [
      { ...jobEntry, status: 'processing' },
    ])
    const error = { code: 'TIMEOUT', message: 'Too long.', details: { task: 'one' } }
    assert.deepEqual(listEntries(changeJobFields(endedState, { status: 'failed', error } as Partial<Job>)), [
      { ...jobEntry, status: 'failed', error: { code: 'TIMEOUT', message: 'Too long.' } },
    ])
    for (const stateWithoutFiles of [
      undefined,
      changeJobFields(doneState, { status: 'expired' }),
      changeJobFields(doneState, { deletedAt: 'now' }),
    ])
      assert.deepEqual(listEntries(stateWithoutFiles), [{ ...jobEntry, status: 'expired' }])
  })

  test('a ZIP of results that is limited to some tasks lists the status of each of these tasks', () => {
    const commonFields = { source: null }
    assert.deepEqual(listEntries(partlyFailedState, ['one', 'two', 'named']), [
      { ...commonFields, task: 'one', status: 'completed', file: ['1.webp', 'k/1'] },
      {
        ...commonFields,
        task: 'two',
        status: 'failed',
        error: { code: 'CORRUPT_FILE', message: 'It is cut off.' },
      },
      { ...commonFields, task: 'named', status: 'completed', file: ['b-1.webp', 'k/1'] },
    ])
    assert.deepEqual(listEntries(freshState, ['one', 'out']), [
      { ...commonFields, task: 'one', status: 'pending' },
      { ...commonFields, task: 'out', status: 'pending' },
    ])
    for (const name of ['in', 'unknown'])
      assert.throws(() => listEntries(doneState, [name]), {
        code: 'TASK_NOT_FOUND',
        details: { task: name, tasks: ['out', 'named', 'one', 'two'] },
      })
  })
})

test('a ZIP of results compresses text and uncompressed formats, but not images and videos', () => {
  const smaller =
    'text/plain text/csv application/json image/svg+xml application/xml application/x-tar image/bmp audio/wav font/ttf image/tiff application/rtf'
  const same =
    'image/png video/mp4 application/zip application/pdf audio/mpeg font/woff2 application/x-json-not'
  assert.deepEqual(
    smaller.split(' ').filter((type) => !isCompressible(type)),
    [],
  )
  assert.deepEqual(same.split(' ').filter(isCompressible), [])
})
