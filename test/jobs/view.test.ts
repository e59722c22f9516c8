import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createJobEndChange } from '../../lib/jobs/job-end.ts'
import { decideOutcome } from '../../lib/jobs/job-state-machine.ts'
import {
  getJobPollIntervalS,
  JobView,
  needsTaskRecords,
  toJobView,
  toStatusView,
} from '../../lib/jobs/view.ts'
import type { ResultLink } from '../../lib/links/result-links.ts'
import type { Job, JobState, Task } from '../../lib/model/job.ts'
import {
  applyChange,
  complete,
  createAwaitedUpload,
  createExport,
  createStoredImport,
  fail,
  file,
  newJob,
  newTask,
  secondsLater,
  timestamp,
  withTasks,
} from './records.ts'

const base = 'https://a.test'
/** Readable links without signatures. */
const link: ResultLink = ({ id }, query = {}) => {
  const text = new URLSearchParams(query).toString().replaceAll('+', '%20')
  return `${base}/v1/download/${id}${text && `?${text}`}`
}
const freshState = newJob(
  [createStoredImport('in', 'a.png'), newTask('work', [0]), createExport('out', [1])],
  {
    tag: 'mine',
  },
)
const changeJobFields = (state: JobState, overrides: Partial<Job>): JobState => ({
  ...state,
  job: { ...state.job, ...overrides },
})
const endJob = (state: JobState, tasks: Readonly<Record<string, Partial<Task>>>): JobState => {
  const doneState = withTasks(state, tasks)
  return {
    ...doneState,
    job: applyChange(
      doneState.job,
      createJobEndChange(doneState, decideOutcome(doneState), 'lease', secondsLater(9)),
    ),
  }
}
const warning = { code: 'CUT', message: 'cut' }
const engine = { engine: 'vips', engineVersion: '8.17', method: 'direct', details: { b: 1, a: 2 } }
const doneState = endJob(freshState, {
  work: { ...complete(5, file('a.webp', 'k/a')), ...engine, warnings: [warning] },
})

describe('job status', () => {
  test('the status of a new job contains the data of its request, and no outcome', () => {
    const view = toStatusView(freshState, link)
    assert.deepEqual(
      { ...view, links: undefined },
      {
        jobId: 'job_1',
        id: 'job_1',
        status: 'queued',
        tag: 'mine',
        source: null,
        target: { format: 'webp' },
        createdAt: timestamp(0),
        startedAt: null,
        endedAt: null,
        expiresAt: freshState.job.expiresAt,
        result: null,
        warnings: [],
        error: null,
        summary: null,
        retryOf: null,
        links: undefined,
        progress: { percent: 0, stage: 'queued', taskName: null, etaMs: null },
      },
    )
    assert.deepEqual(view.links, {
      status: '/v1/status/job_1',
      job: '/v1/jobs/job_1',
      download: '/v1/download/job_1',
    })
  })

  test('the status of a job estimates the remaining time from the elapsed time', () => {
    const getProgressAfter = (percent: number, moreFields: Partial<Job> = {}) => {
      const startedAt = new Date(Date.now() - 10_000).toISOString()
      const runningPercent = { 1: percent }
      return toStatusView(
        changeJobFields(freshState, {
          status: 'processing',
          startedAt,
          running: runningPercent,
          ...moreFields,
        }),
        link,
      ).progress
    }
    const { percent, etaMs, stage } = getProgressAfter(20)
    assert.deepEqual([percent, stage], [20, 'convert'])
    assert.ok(etaMs !== null && etaMs >= 40_000 && etaMs < 44_000, `${etaMs}`)
    assert.equal(getProgressAfter(5).etaMs !== null, true)
    assert.equal(getProgressAfter(4).etaMs, null, 'too little to reckon from')
    assert.equal(getProgressAfter(50, { status: 'queued' }).etaMs, null)
    assert.deepEqual(getProgressAfter(50, { stage: 'pages', taskName: 'work' }).taskName, 'work')
    assert.equal(getProgressAfter(50, { stage: 'pages' }).stage, 'pages')
  })

  test('the status of a completed job contains its result with download links', () => {
    const { result, warnings, progress, endedAt, startedAt, expiresAt } = toStatusView(doneState, link)
    const job = {
      filename: 'a.webp',
      format: 'png',
      size: 1,
      mimeType: 'image/png',
      sha256: '',
    }
    assert.deepEqual(
      { ...result, fidelity: undefined },
      {
        ...job,
        ...engine,
        downloadUrl: `${base}/v1/download/job_1`,
        fidelity: undefined,
        files: [{ ...job, downloadUrl: `${base}/v1/download/job_1?file=a.webp` }],
      },
    )
    // The keys are always in the same order, because the ETag is a hash of the reply.
    assert.deepEqual(Object.keys(result?.details ?? {}), ['a', 'b'])
    assert.deepEqual(warnings, [warning])
    assert.deepEqual(progress, { percent: 100, stage: 'completed', taskName: null, etaMs: null })
    assert.deepEqual([startedAt, endedAt, expiresAt], [timestamp(4), timestamp(9), timestamp(3609)])
  })

  test('the status of a failed job contains its error and no result', () => {
    const failedState = endJob(freshState, { work: fail(5, 'It is cut off.') })
    const { status, result, error, progress } = toStatusView(failedState, link)
    assert.deepEqual([status, result, progress.stage], ['failed', null, 'failed'])
    assert.deepEqual(error, { code: 'CORRUPT_FILE', message: 'It is cut off.', details: { task: 'work' } })
  })

  test('the status of a job encodes special characters of file names in links', () => {
    const odd = endJob(freshState, { work: complete(5, file('a & b ü.webp', 'k/a')) })
    const url = toStatusView(odd, link).result?.files[0]?.downloadUrl ?? ''
    assert.match(url, /\?file=a%20%26%20b%20%C3%BC\.webp$/)
  })
})

describe('job view with tasks', () => {
  const getTaskViews = (state: JobState) => toJobView(state, link).tasks

  test('the view of a job with tasks shows the tasks in the order of the request, with their inputs', () => {
    const tasks = getTaskViews(freshState)
    assert.deepEqual(Object.keys(tasks), ['in', 'work', 'out'])
    assert.deepEqual(
      Object.values(tasks).map(({ operation, input, status, percent, attempt, endedAt }) => [
        ...[operation, input, status, percent, attempt, endedAt],
      ]),
      [
        ['import/upload', [], 'completed', 100, 0, timestamp(0)],
        ['convert', ['in'], 'pending', 0, 0, null],
        ['export/url', ['work'], 'pending', 0, 0, null],
      ],
    )
    assert.equal(tasks['out']?.result, null)
  })

  test('the view of a job with tasks shows null values for a waiting task', () => {
    const { work, in: source, out } = getTaskViews(freshState)
    assert.deepEqual(work, {
      operation: 'convert',
      input: ['in'],
      status: 'pending',
      percent: 0,
      attempt: 0,
      engine: null,
      engineVersion: null,
      createdAt: timestamp(0),
      startedAt: null,
      endedAt: null,
      code: null,
      message: null,
      details: null,
      fidelity: null,
      warnings: [],
      result: null,
    })
    assert.deepEqual(source, {
      ...work,
      operation: 'import/upload',
      input: [],
      status: 'completed',
      percent: 100,
      startedAt: timestamp(0),
      endedAt: timestamp(0),
    })
    assert.deepEqual(out, { ...work, operation: 'export/url', input: ['work'] })
  })

  test('the view of a job with tasks shows the outcome of each task, and the links of an export', () => {
    const { in: source, work, out } = getTaskViews(doneState)
    assert.deepEqual(
      [source?.startedAt, work?.startedAt, work?.endedAt, out?.startedAt, out?.endedAt],
      [timestamp(0), timestamp(4), timestamp(5), timestamp(9), timestamp(9)],
    )
    assert.deepEqual([work?.engine, work?.engineVersion, work?.warnings], ['vips', '8.17', [warning]])
    assert.deepEqual([out?.status, out?.percent], ['completed', 100])
    const workResult = work?.result && 'files' in work.result ? work.result : undefined
    assert.match(workResult?.url ?? '', /\?task=work&file=a\.webp$/)
    assert.deepEqual(
      workResult?.files.map(({ filename }) => filename),
      ['a.webp'],
    )
    const url = `${base}/v1/download/job_1?task=out&file=a.webp`
    assert.deepEqual(out?.result, {
      url,
      expires_at: timestamp(3609),
      files: [{ filename: 'a.webp', size: 1, url, mime_type: 'image/png', sha256: '' }],
    })
  })

  test('the view of a job with tasks lists at most 1000 members of a result file, and fewer if the job has many tasks', () => {
    const findMembers = (members: readonly string[], state = freshState) => {
      const list = { ...file('pages.zip', 'k/a'), members }
      const { result } = getTaskViews(endJob(state, { work: complete(5, list) }))['work'] ?? {}
      return result && 'files' in result ? result.files.map((one) => 'members' in one && one.members) : []
    }
    const pages = Array.from({ length: 1001 }, (_, page) => `${page}.png`)
    assert.deepEqual(findMembers(['1.png']), [['1.png']])
    assert.deepEqual(findMembers(pages), [pages.slice(0, 1000)])
    const manyTasks = { ...freshState, job: { ...freshState.job, total: 200 } }
    assert.deepEqual(findMembers(pages, manyTasks), [pages.slice(0, 15)])
    assert.deepEqual(findMembers([]), [false])
  })

  test('the view of a job with tasks links to files for inline display if the export requests it', () => {
    const inlineExportState = newJob([
      createStoredImport('in'),
      newTask('work', [0]),
      createExport('out', [1], { inline: true }),
    ])
    const exportTask = getTaskViews(endJob(inlineExportState, { work: complete(5, file('a.webp', 'k/a')) }))[
      'out'
    ]
    assert.match(
      String(exportTask?.result && 'url' in exportTask.result && exportTask.result.url),
      /&inline=true$/,
    )
  })

  test('the view of a job with tasks shows INPUT_TASK_FAILED for an export without files, but not for a cancelled one', () => {
    const failedTasks = getTaskViews(endJob(freshState, { work: fail(5, 'It is cut off.') }))
    assert.deepEqual(
      [failedTasks['work']?.code, failedTasks['work']?.message],
      ['CORRUPT_FILE', 'It is cut off.'],
    )
    assert.deepEqual(
      [failedTasks['out']?.status, failedTasks['out']?.code, failedTasks['out']?.result],
      ['cancelled', 'INPUT_TASK_FAILED', null],
    )
    const cancelledState = withTasks(
      changeJobFields(freshState, { status: 'cancelled', endedAt: timestamp(6) }),
      {
        work: { status: 'cancelled', endedAt: timestamp(6) },
      },
    )
    assert.deepEqual(
      [getTaskViews(cancelledState)['out']?.status, getTaskViews(cancelledState)['out']?.code],
      ['cancelled', null],
    )
  })

  test('the view of a job with tasks shows the upload form while the upload is awaited', () => {
    const form = { url: 'https://a.test/up', fields: { key: 'k' }, upload_id: 'upl_1' }
    const waitingState = withTasks(
      newJob([createAwaitedUpload('in'), newTask('work', [0]), createExport('out', [1])]),
      {
        in: { form },
      },
    )
    assert.deepEqual(getTaskViews(waitingState)['in']?.result, form)
    const arrivedState = withTasks(waitingState, { in: complete(5, file('a.png')) })
    assert.equal(getTaskViews(arrivedState)['in']?.result, null)
  })

  test('the view of a job with tasks shows the locations of exported files', () => {
    const delivery = { filename: 'a.webp', size: 1, mimeType: 'image/webp', sha256: 'ab' }
    const createExportTo = (url: string | null) =>
      withTasks(freshState, { work: { deliveries: [{ ...delivery, url: url ?? '' }] } })
    assert.deepEqual(getTaskViews(createExportTo('s3://b/a.webp'))['work']?.result, {
      url: 's3://b/a.webp',
      files: [{ filename: 'a.webp', size: 1, url: 's3://b/a.webp', mime_type: 'image/webp', sha256: 'ab' }],
    })
    const emptyState = withTasks(freshState, { work: { deliveries: [] } })
    assert.deepEqual(getTaskViews(emptyState)['work']?.result, { url: null, files: [] })
  })

  test('the view of a job with tasks has no links for imports or for tasks without files', () => {
    const fetchedTask = newTask('in', [], { operation: 'import/url' })
    const state = newJob([fetchedTask, newTask('look', [0]), newTask('work', [0])])
    const over = endJob(state, {
      in: complete(2, file('a.png')),
      look: { ...complete(3), details: { pages: 3 } },
      work: complete(4, file('a.webp')),
    })
    assert.equal(over.job.status, 'completed')
    const { tasks } = toJobView(over, link)
    assert.deepEqual([tasks['in']?.result, tasks['look']?.result], [null, null])
    assert.deepEqual(tasks['look']?.details, { pages: 3 })
    assert.match(JSON.stringify(tasks['work']?.result), /task=work&file=a\.webp/)
  })

  test('the view of a job with tasks matches the schema of the response', () => {
    const form = {
      form: { url: 'https://a.test/up', parameters: { key: 'k' } },
      put: { url: 'https://a.test/put', headers: { 'content-type': 'image/png' } },
      expires_at: timestamp(60),
    }
    const waitingState = withTasks(newJob([createAwaitedUpload('in'), newTask('work', [0])]), {
      in: { form },
    })
    const delivery = { filename: 'a', size: 1, mimeType: 'image/webp', sha256: 'ab', url: 'https://b.test/a' }
    const deliveredState = withTasks(freshState, { work: { deliveries: [delivery] } })
    const failedState = endJob(freshState, { work: fail(5, 'It is cut off.') })
    for (const state of [freshState, doneState, waitingState, deliveredState, failedState]) {
      const view = JSON.parse(JSON.stringify(toJobView(state, link)))
      assert.deepEqual(JobView.parse(view), view)
    }
  })

  test('the view of a job with tasks shows the attempt that split a task while its chunks run', () => {
    const splitState = withTasks(freshState, { work: { attempt: 0, expandedBy: 2 } })
    assert.equal(getTaskViews(splitState)['work']?.attempt, 2)
  })
})

test('task records are needed to show a job that ended without a stored result', () => {
  assert.equal(needsTaskRecords(freshState.job), false)
  assert.equal(needsTaskRecords(doneState.job), false)
  const { result: _, ...large } = doneState.job
  assert.equal(needsTaskRecords(large as Job), true)
  assert.equal(needsTaskRecords({ ...(large as Job), status: 'expired' }), false)
  assert.deepEqual(toStatusView({ ...doneState, job: large as Job }, link).result?.filename, 'a.webp')
})

test('the recommended polling interval of a job is its pollS, and a job that has ended has none', () => {
  assert.equal(getJobPollIntervalS(freshState.job), 2)
  assert.equal(
    getJobPollIntervalS({ ...freshState.job, display: { ...freshState.job.display, pollS: 10 } }),
    10,
  )
  assert.equal(getJobPollIntervalS(doneState.job), undefined)
})
