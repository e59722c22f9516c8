import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Change } from '../../lib/aws/table-expressions.ts'
import { Lease, LeaseLostError } from '../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import type { Log } from '../../lib/log.ts'
import type { Job, Task } from '../../lib/model/job.ts'
import { createStoredImport, newJob, newTask, start, timestamp } from './records.ts'

test('heartbeats extend the lease and the visibility timeout of the message until another worker takes over the task', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: start })
  const { job, tasks } = newJob([createStoredImport('in'), newTask('work', [0])])
  const writes: { change: Change; condition: unknown }[] = []
  const visibilityDelaysS: number[] = []
  let isMine = true
  const store = {
    changeTask: async (_ref: unknown, change: Change, { condition }: { condition: unknown }) => {
      writes.push({ change, condition })
      return { applied: isMine, record: tasks[0] }
    },
  }
  const extendVisibility = async (seconds: number) => visibilityDelaysS.push(seconds)
  // A stub with only the members that are used.
  const run = { services: { jobs: { store, completion: {} } }, extendVisibility } as unknown as TaskRun
  const lease = new Lease(run, 'lease_1', {} as Log)
  await lease.claim()
  assert.equal(writes[0]?.change.set?.['leaseUntil'], timestamp(15))

  let lostCount = 0
  lease.startHeartbeat({ ...job, status: 'processing' }, () => lostCount++)
  t.mock.timers.tick(3000)
  await turn()
  const [, beat] = writes
  assert.equal(beat?.change.set?.['leaseUntil'], timestamp(18))
  assert.deepEqual(beat?.condition, { equal: { status: 'processing', leaseId: 'lease_1' } })
  assert.deepEqual([visibilityDelaysS, lostCount], [[16], 0])

  isMine = false
  t.mock.timers.tick(3000)
  await turn()
  assert.equal(lostCount, 1)
  await lease.stopHeartbeat()
  t.mock.timers.tick(9000)
  await turn()
  assert.equal(writes.length, 3, 'no heartbeat after the end')
})

test('releasing a task costs no attempt and keeps the start time of earlier workers', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: start })
  const { tasks } = newJob([createStoredImport('in'), newTask('work', [0])])
  /** Returns the write with which a worker releases the task that it has just claimed. */
  const releaseAfter = async (claimedFields: Partial<Task>): Promise<Change> => {
    const writes: Change[] = []
    const store = {
      changeTask: async (_ref: unknown, change: Change) => {
        writes.push(change)
        return { applied: true, record: { ...tasks[0], attempt: 1, ...claimedFields } }
      },
    }
    // A stub with only the members that are used.
    const lease = new Lease({ services: { jobs: { store } } } as TaskRun, 'lease_1', {} as Log)
    await lease.claim()
    await lease.release()
    return writes[1] ?? {}
  }
  const [removedLease, setPlus] = [['leaseId', 'leaseUntil', 'workedMs'], { attempt: ['attempt', -1] }]
  const remove = [...removedLease, 'startedAt']
  assert.deepEqual(await releaseAfter({ startedAt: timestamp(0) }), {
    set: { status: 'pending' },
    setPlus,
    remove,
  })
  // When another image continues or chunks are joined, attempts start from zero again.
  const startedAt = timestamp(-60)
  assert.deepEqual((await releaseAfter({ startedAt })).remove, removedLease)
  const joiningChange = { set: { status: 'processing' }, setPlus, remove: removedLease }
  assert.deepEqual(await releaseAfter({ startedAt, expandedBy: 0 }), joiningChange)
})

test('handing over a task to another container image keeps its progress and resets its attempts', async () => {
  const { tasks } = newJob([createStoredImport('in'), newTask('work', [0])])
  const changes: Change[] = []
  const sentTasks: unknown[] = []
  const store = {
    changeTask: async (_ref: unknown, change: Change) => {
      changes.push(change)
      return { applied: true, record: tasks[0] }
    },
  }
  const services = {
    jobs: { store, completion: { sendTask: async (task: unknown) => sentTasks.push(task) } },
  }
  const lease = new Lease({ services } as unknown as TaskRun, 'lease_1', {} as Log) // a stub with only the members that are used
  await lease.claim()
  lease.reportProgress(40, 'loaded')
  assert.equal(await lease.handOver({ pieces: [], warnings: [] }), true)
  const { status, attempt, percent } = changes[1]?.set ?? {}
  assert.deepEqual([status, attempt, percent, sentTasks], ['pending', 0, 40, [tasks[0]]])
})

test('saving the remaining steps of a task fails if another worker took it over', async () => {
  const { tasks } = newJob([createStoredImport('in'), newTask('work', [0])])
  const sets: unknown[] = []
  let isMine = true
  const store = {
    changeTask: async (_ref: unknown, { set }: Change) => {
      sets.push(set)
      return { applied: isMine, record: tasks[0] }
    },
  }
  // A stub with only the members that are used.
  const lease = new Lease({ services: { jobs: { store } } } as TaskRun, 'lease_1', {} as Log)
  await lease.saveRemaining({ begun: 'upload 1' })
  assert.deepEqual(sets, [{ begun: 'upload 1', percent: 0 }])
  isMine = false
  await assert.rejects(lease.saveRemaining({ begun: 'upload 2' }), LeaseLostError)
})

test('the progress of a task is published, after the start of its job if necessary, but not for chunks or large jobs', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: start })
  const { job, tasks } = newJob([createStoredImport('in'), newTask('work', [0])])
  const publishWith = async (claimedFields: Partial<Task>, status: Job['status'] = 'processing') => {
    const publications: unknown[] = []
    const lifecycle = {
      start: async () => void publications.push('started'),
      publishProgress: async (_job: Job, unit: number, progressFields: object) =>
        void publications.push({ unit, ...progressFields }),
    }
    const store = { changeTask: async () => ({ applied: true, record: { ...tasks[0], ...claimedFields } }) }
    const services = { jobs: { store, completion: { lifecycle } } }
    const run = { services, extendVisibility: async () => {} } as unknown as TaskRun // a stub with only the members that are used
    const lease = new Lease(run, 'lease_1', {} as Log)
    await lease.claim()
    lease.startHeartbeat({ ...job, status }, () => {})
    await turn()
    t.mock.timers.tick(500)
    await turn()
    publications.length = 0
    lease.reportProgress(40, 'encoding')
    await turn()
    await lease.stopHeartbeat()
    return publications
  }
  const progressFact = { unit: 1, percent: 40, stage: 'encoding', taskName: 'work' }
  assert.deepEqual(await publishWith({}), [progressFact])
  assert.deepEqual(await publishWith({}, 'queued'), ['started', progressFact])
  assert.deepEqual(await publishWith({ part: 1000 }), [])
  assert.deepEqual(await publishWith({ bucketed: true }), [])
})
