import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Change } from '../../lib/aws/table-expressions.ts'
import type { Job, Task } from '../../lib/jobs/job.ts'
import { Lease, LeaseLost } from '../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import type { Log } from '../../lib/log.ts'
import { newJob, newTask, start, storedImport, timestamp } from './records.ts'

test('a worker that shows signs of life keeps its task, and its message with it, until somebody else has it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: start })
  const { job, tasks } = newJob([storedImport('in'), newTask('work', [0])])
  const writes: { change: Change; condition: unknown }[] = []
  const visibleIn: number[] = []
  let isMine = true
  const store = {
    changeTask: async (_ref: unknown, change: Change, { condition }: { condition: unknown }) => {
      writes.push({ change, condition })
      return { applied: isMine, record: tasks[0] }
    },
  }
  const extendVisibility = async (seconds: number) => visibleIn.push(seconds)
  const run = { services: { jobs: { store, completion: {} } }, extendVisibility } as unknown as TaskRun // no more is used
  const lease = new Lease(run, 'lease_1', {} as Log)
  await lease.claim()
  assert.equal(writes[0]?.change.set?.['leaseUntil'], timestamp(15))

  let lost = 0
  lease.startHeartbeat({ ...job, status: 'processing' }, () => lost++)
  t.mock.timers.tick(3000)
  await turn()
  const [, beat] = writes
  assert.equal(beat?.change.set?.['leaseUntil'], timestamp(18))
  assert.deepEqual(beat?.condition, { equal: { status: 'processing', leaseId: 'lease_1' } })
  assert.deepEqual([visibleIn, lost], [[16], 0])

  isMine = false
  t.mock.timers.tick(3000)
  await turn()
  assert.equal(lost, 1)
  await lease.stopHeartbeat()
  t.mock.timers.tick(9000)
  await turn()
  assert.equal(writes.length, 3, 'no sign of life after the end')
})

test('a task that is given back costs no attempt, and its time counts from the claim of whoever began it', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: start })
  const { tasks } = newJob([storedImport('in'), newTask('work', [0])])
  /** What is written of it by a worker that claimed it just now. */
  const givenBack = async (claimed: Partial<Task>): Promise<Change> => {
    const writes: Change[] = []
    const store = {
      changeTask: async (_ref: unknown, change: Change) => {
        writes.push(change)
        return { applied: true, record: { ...tasks[0], attempt: 1, ...claimed } }
      },
    }
    const lease = new Lease({ services: { jobs: { store } } } as unknown as TaskRun, 'lease_1', {} as Log) // no more is used
    await lease.claim()
    await lease.release()
    return writes[1] ?? {}
  }
  const [isMineNoMore, setPlus] = [['leaseId', 'leaseUntil'], { attempt: ['attempt', -1] }]
  const remove = [...isMineNoMore, 'startedAt']
  assert.deepEqual(await givenBack({ startedAt: timestamp(0) }), {
    set: { status: 'pending' },
    setPlus,
    remove,
  })
  // Where another image goes on, or parts are joined, attempts are counted anew.
  const startedAt = timestamp(-60)
  assert.deepEqual((await givenBack({ startedAt })).remove, isMineNoMore)
  const joining = { set: { status: 'processing' }, setPlus, remove: isMineNoMore }
  assert.deepEqual(await givenBack({ startedAt, expandedBy: 0 }), joining)
})

test('a task that another image goes on with keeps how far it is, and is tried there anew', async () => {
  const { tasks } = newJob([storedImport('in'), newTask('work', [0])])
  const changes: Change[] = []
  const sent: unknown[] = []
  const store = {
    changeTask: async (_ref: unknown, change: Change) => {
      changes.push(change)
      return { applied: true, record: tasks[0] }
    },
  }
  const services = { jobs: { store, completion: { sendTask: async (one: unknown) => sent.push(one) } } }
  const lease = new Lease({ services } as unknown as TaskRun, 'lease_1', {} as Log) // no more is used
  await lease.claim()
  lease.reportProgress(40, 'loaded')
  assert.equal(await lease.handOver({ pieces: [], warnings: [] }), true)
  const { status, attempt, percent } = changes[1]?.set ?? {}
  assert.deepEqual([status, attempt, percent, sent], ['pending', 0, 40, [tasks[0]]])
})

test('what is left of a task is kept, unless it is somebody else’s by now', async () => {
  const { tasks } = newJob([storedImport('in'), newTask('work', [0])])
  const sets: unknown[] = []
  let isMine = true
  const store = {
    changeTask: async (_ref: unknown, { set }: Change) => {
      sets.push(set)
      return { applied: isMine, record: tasks[0] }
    },
  }
  const lease = new Lease({ services: { jobs: { store } } } as unknown as TaskRun, 'lease_1', {} as Log) // no more is used
  await lease.saveRemaining({ begun: 'upload 1' })
  assert.deepEqual(sets, [{ begun: 'upload 1', percent: 0 }])
  isMine = false
  await assert.rejects(lease.saveRemaining({ begun: 'upload 2' }), LeaseLost)
})

test('how far a task is gets told, but for one of parts or of hundreds, and with its start where that is untold', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: start })
  const { job, tasks } = newJob([storedImport('in'), newTask('work', [0])])
  const toldOf = async (claimed: Partial<Task>, status: Job['status'] = 'processing') => {
    const told: unknown[] = []
    const course = {
      start: async () => void told.push('started'),
      progress: async (_job: Job, unit: number, news: object) => void told.push({ unit, ...news }),
    }
    const store = { changeTask: async () => ({ applied: true, record: { ...tasks[0], ...claimed } }) }
    const services = { jobs: { store, settlement: { course } } }
    const run = { services, extendVisibility: async () => {} } as unknown as TaskRun // no more is used
    const lease = new Lease(run, 'lease_1', {} as Log)
    await lease.claim()
    lease.startHeartbeat({ ...job, status }, () => {})
    await turn()
    t.mock.timers.tick(500)
    await turn()
    told.length = 0
    lease.reportProgress(40, 'encoding')
    await turn()
    await lease.stopHeartbeat()
    return told
  }
  const news = { unit: 1, percent: 40, stage: 'encoding', taskName: 'work' }
  assert.deepEqual(await toldOf({}), [news])
  assert.deepEqual(await toldOf({}, 'queued'), ['started', news])
  assert.deepEqual(await toldOf({ part: 1000 }), [])
  assert.deepEqual(await toldOf({ bucketed: true }), [])
})
