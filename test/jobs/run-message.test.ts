import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClaimedTask, type MessageOutcome, messageDone } from '../../lib/jobs/run/claimed-task.ts'
import { runMessage } from '../../lib/jobs/run/run-message.ts'
import { silentLog } from '../local/dynamodb/start-dynamodb.ts'
import { completed, newJob, newTask, storedImport } from './records.ts'

const { job, fixed, tasks } = newJob([storedImport('in'), newTask('work', [0])])

/** What becomes of the message of a task, and what its queue hears of it. */
async function told(
  work: () => Promise<MessageOutcome>,
  { isSigned = false, isClaimed = true, refuses = false, isTableAway = false } = {},
) {
  const heard: unknown[] = []
  const queues = {
    extendVisibility: async (queue: string, receipt: string, seconds: number) => {
      if (refuses) throw new Error('The queue is away.')
      heard.push([queue, receipt, seconds])
    },
    send: async (queue: string, messages: readonly object[], group: string) =>
      void heard.push([queue, ...messages, group]),
  }
  const [one] = tasks
  const over = { ...one, ...completed(3) }
  const store = {
    changeTask: async () => {
      if (isTableAway) throw new Error('The table is away.')
      return { applied: isClaimed, record: isClaimed ? { ...one, attempt: 1 } : over }
    },
    job: async () => job,
    inputsOf: async () => ({ job, fixed, tasks, parts: [] }),
    task: async () => over,
  }
  const settlement = { settle: async () => {} }
  const outlet = { again: (queue: string) => `${queue} again` }
  const services = {
    ...{ queues, log: silentLog, jobs: { store, settlement, outlet } },
    config: {
      TASK_FILES: isSigned ? 'signed' : 'direct',
      ANONYMOUS_PLAN: 'free',
      MAX_FILE_MB: 1,
      RETENTION_HOURS: 1,
    },
    plans: { free: { concurrentJobs: null } },
  }
  const record = { messageId: 'm1', receiptHandle: 'r1', body: JSON.stringify({ jobId: 'job_1', task: 1 }) }
  const run = { services, queue: 'image', remainingMs: 60_000, stopping: new AbortController().signal }
  const failure = await runMessage(
    record as unknown as Parameters<typeof runMessage>[0],
    run as unknown as Parameters<typeof runMessage>[1], // no more is used
    (_run, _claimed: ClaimedTask) => work(),
  )
  return { failure, heard }
}
const comesAgain = { itemIdentifier: 'm1' }

test('the message of a task that is done, or over already, is done with it', async () => {
  assert.deepEqual(await told(async () => messageDone), { failure: undefined, heard: [] })
  const { failure } = await told(() => assert.fail('it is over'), { isClaimed: false })
  assert.equal(failure, undefined)
})

test('one that is to come again comes when it is said', async () => {
  const { failure, heard } = await told(async () => ({ done: false, retryInS: 7 }))
  assert.deepEqual([failure, heard], [comesAgain, [['image', 'r1', 7]]])
})

test('one that nobody has signed for, or that the store refused, goes to whoever signs, and is done here', async () => {
  const sent = ['image again', { jobId: 'job_1', task: 1 }, job.owner]
  const unsigned = await told(() => assert.fail('it has no files'), { isSigned: true })
  const refused = await told(async () => ({ done: false, resend: 'signed', retryInS: 0 }))
  assert.deepEqual([unsigned, refused], Array(2).fill({ failure: undefined, heard: [sent] }))
})

test('one that could not be run comes again soon, and when it may where its queue does not answer either', async () => {
  const isAway = { isTableAway: true }
  assert.deepEqual(await told(async () => messageDone, isAway), {
    failure: comesAgain,
    heard: [['image', 'r1', 5]],
  })
  assert.deepEqual(await told(async () => messageDone, { ...isAway, refuses: true }), {
    failure: comesAgain,
    heard: [],
  })
})
