import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getCurrentTraceIds, runInTrace } from '../../lib/trace.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import {
  createAwaitedUpload,
  createRecords,
  createStoredImport,
  file,
  newTask,
  secondsLater,
} from './records.ts'

const [traceId, otherTraceId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '5bf92f3577b34da6a3ce929d0e0e4736']
const createTraceparent = (id: string) => `00-${id}-b7ad6b7169203331-01`

/** Creates jobs, and records the trace in which each message is sent and each event is published. */
function createTracedJobs() {
  const own = createMemoryJobs()
  const traces: (string | undefined)[] = []
  const recordTraceId = () => traces.push(getCurrentTraceIds().traceId)
  const [send, publish] = [own.queues.send.bind(own.queues), own.bus.publish.bind(own.bus)]
  own.queues.send = (...args) => {
    recordTraceId()
    return send(...args)
  }
  own.bus.publish = (...args) => {
    recordTraceId()
    return publish(...args)
  }
  const inOtherTrace = <T>(run: () => T) => runInTrace(createTraceparent(otherTraceId), run)
  return { ...own, takeTraces: () => traces.splice(0), inOtherTrace }
}

test('the messages and events sent when a job is checked or cancelled are in the trace of the job', async () => {
  const { jobs, queues, takeTraces, takeSentTasks, inOtherTrace } = createTracedJobs()
  const send = queues.send
  queues.send = () => Promise.reject(new Error('the queue is unavailable'))
  const tasks = [createStoredImport('in'), newTask('work', [0])]
  assert.equal(await jobs.create(createRecords(tasks, { traceparent: createTraceparent(traceId) })), true)
  queues.send = send
  takeTraces()
  await inOtherTrace(() => jobs.wake('job_1', secondsLater(60)))
  assert.deepEqual(takeSentTasks(), [1])
  assert.deepEqual(new Set(takeTraces()), new Set([traceId]))
  await inOtherTrace(() => jobs.cancel('job_1', 'user'))
  assert.deepEqual(takeTraces(), [traceId], 'the end of the job')
})

test('the messages and events that an upload causes are in the trace of its job', async () => {
  const { jobs, takeTraces, takeSentTasks, inOtherTrace } = createTracedJobs()
  const tasks = [createAwaitedUpload('in'), newTask('work', [0])]
  assert.equal(await jobs.create(createRecords(tasks, { traceparent: createTraceparent(traceId) })), true)
  takeTraces()
  await inOtherTrace(() => jobs.completeUpload({ jobId: 'job_1', task: 0 }, { file: file('in') }))
  assert.deepEqual(takeSentTasks(), [1])
  assert.deepEqual(new Set(takeTraces()), new Set([traceId]))
})

test('a job without a trace continues in the trace of the caller', async () => {
  const { jobs, takeTraces, inOtherTrace } = createTracedJobs()
  assert.equal(await jobs.create(createRecords([createAwaitedUpload('in'), newTask('work', [0])])), true)
  takeTraces()
  await inOtherTrace(() => jobs.completeUpload({ jobId: 'job_1', task: 0 }, { file: file('in') }))
  assert.deepEqual(new Set(takeTraces()), new Set([otherTraceId]))
})
