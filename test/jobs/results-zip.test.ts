import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createEndEvent } from '../../lib/jobs/events.ts'
import { createJobEndChange } from '../../lib/jobs/job-end.ts'
import { decideOutcome } from '../../lib/jobs/job-state-machine.ts'
import { toStatusView } from '../../lib/jobs/view.ts'
import type { ResultLink } from '../../lib/links/result-links.ts'
import { addResultLinks } from '../../lib/links/result-links.ts'
import type { JobState } from '../../lib/model/job.ts'
import {
  applyChange,
  complete,
  createExport,
  fail,
  file,
  newJob,
  newTask,
  secondsLater,
  timestamp,
  withTasks,
} from './records.ts'

/** The links of jobs with several results: what they deliver, and when they expire. */

/** Readable links with their expiry instead of signatures. */
const link: ResultLink = ({ id, expiresAt }, query = {}) =>
  `https://a.test/${id}?${new URLSearchParams(query)}#${expiresAt ?? 'default'}`
const endJob = (state: JobState): JobState => {
  const change = createJobEndChange(state, decideOutcome(state), 'lease', secondsLater(9))
  return { ...state, job: applyChange(state.job, change) }
}
const retentionEnd = timestamp(3609)

/** A finished batch with these results. */
const createBatch = (...names: string[]) => {
  const items = names.map((_, at) => newTask(`item-${at}`, []))
  const state = newJob([...items, createExport('export', [...items.keys()])], { packsResults: true })
  const results = names.map((name, at) => [`item-${at}`, complete(5, file(name, `k/${name}`))])
  return endJob(withTasks(state, Object.fromEntries(results)))
}

describe('jobs with several results', () => {
  test('several results of a batch are returned as a ZIP of unknown size, and each has a link', () => {
    const { result } = toStatusView(createBatch('a.webp', 'b.webp'), link)
    assert.partialDeepStrictEqual(result, {
      downloadUrl: `https://a.test/job_1?#${retentionEnd}`,
      filename: 'results.zip',
      format: 'zip',
      mimeType: 'application/zip',
      size: null,
      sha256: null,
    })
    assert.deepEqual(
      result?.files.map(({ downloadUrl, size }) => [downloadUrl, size]),
      ['a.webp', 'b.webp'].map((name) => [`https://a.test/job_1?file=${name}#${retentionEnd}`, 1]),
    )
  })

  test('a single result of a batch is returned without a ZIP', () => {
    const { result } = toStatusView(createBatch('a.webp'), link)
    assert.partialDeepStrictEqual(result, { filename: 'a.webp', mimeType: 'image/png', size: 1, sha256: '' })
  })

  test('the status of a job that is not a batch names the first of several results', () => {
    const { job, ...rest } = createBatch('a.webp', 'b.webp')
    const { packsResults: _, ...plainJob } = job
    assert.equal(toStatusView({ job: plainJob, ...rest }, link).result?.filename, 'a.webp')
  })
})

describe('links of exports with expires_in', () => {
  const exportedState = endJob(
    withTasks(
      newJob([
        newTask('a', []),
        newTask('b', []),
        createExport('short', [0], { expires_in: 60 }),
        createExport('long', [1], { expires_in: 600 }),
        createExport('all', [1]),
      ]),
      { a: complete(5, file('a.webp', 'k/a')), b: complete(5, file('b.webp', 'k/b')) },
    ),
  )

  test('the link to a result file expires with its export, or with the longest-lived one of several exports', () => {
    const { result } = toStatusView(exportedState, link)
    assert.equal(result?.downloadUrl, `https://a.test/job_1?#${timestamp(69)}`)
    assert.deepEqual(
      result?.files.map(({ downloadUrl }) => downloadUrl.split('#')[1]),
      [timestamp(69), retentionEnd],
    )
  })

  test('the ZIP of a batch expires with the first of its links', () => {
    const { job, ...rest } = exportedState
    const { result } = toStatusView({ ...rest, job: { ...job, packsResults: true } }, link)
    assert.equal(result?.downloadUrl, `https://a.test/job_1?#${timestamp(69)}`)
  })

  test('the links in the end event of a job name a file or a task, and expire with their export', () => {
    const { job } = addResultLinks(createEndEvent(exportedState), link) as unknown as {
      job: { files: { url: string }[]; tasks: Record<string, { result?: object }> }
    }
    assert.deepEqual(
      job.files.map(({ url }) => url),
      [`https://a.test/job_1?file=a.webp#${timestamp(69)}`, 'https://a.test/job_1?file=b.webp#default'],
    )
    assert.deepEqual(
      ['short', 'long', 'all'].map((name) => job.tasks[name]?.result),
      [
        { url: `https://a.test/job_1?task=short#${timestamp(69)}`, expires_at: timestamp(69) },
        { url: `https://a.test/job_1?task=long#${timestamp(609)}`, expires_at: timestamp(609) },
        { url: 'https://a.test/job_1?task=all#default' },
      ],
    )
  })

  test('a completed export of a failed job has a link to its task', () => {
    const state = newJob([newTask('a', []), newTask('b', []), createExport('out', [0])])
    const failedState = withTasks(state, { a: complete(5, file('a.webp', 'k/a')), b: fail(6, 'Torn.') })
    const event = createEndEvent(endJob(failedState)) as unknown as {
      job: { tasks: Record<string, { result?: object }> }
    }
    assert.deepEqual(event.job.tasks['out']?.result, { url: '/v1/download/job_1?task=out' })
  })
})
