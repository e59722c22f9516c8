import assert from 'node:assert/strict'
import { readConfig } from '../../lib/config.ts'
import { Jobs, type JobsDeps } from '../../lib/jobs/jobs.ts'
import { JobStore, toTaskRef } from '../../lib/jobs/store.ts'
import { createLog } from '../../lib/log.ts'
import type { Task } from '../../lib/model/job.ts'
import { createTaskMessage } from '../../lib/model/task-message.ts'
import { Uploads } from '../../lib/uploads/uploads.ts'
import { EffectGate } from './function-instance.ts'
import { MemoryBus } from './memory-bus.ts'
import { MemoryFiles } from './memory-files.ts'
import { MemoryQueues } from './memory-queues.ts'
import { MemoryTable } from './memory-table.ts'

const config = readConfig({ LOG_LEVEL: 'silent' })
const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })

/** Jobs with in-memory collaborators; all tasks go to one queue. */
export function createMemoryJobs(moreDeps: Partial<JobsDeps> = {}) {
  const gate = new EffectGate()
  const table = new MemoryTable()
  const store = new JobStore(table)
  const [files, queues, bus] = [
    new MemoryFiles(config, gate),
    new MemoryQueues(config, gate),
    new MemoryBus(config, gate),
  ]
  const jobs = new Jobs({
    store,
    files,
    queues,
    bus,
    uploads: new Uploads(table),
    log,
    taskSender: {
      route: async (task: Task) => ({ queue: 'image', message: createTaskMessage(toTaskRef(task)) }),
      retryQueue: (queue) => queue,
    },
    getSubscribers: async () => () => [],
    waitForChange: async () => undefined,
    checkForUpload: async () => {},
    ...moreDeps,
  })
  return {
    jobs,
    store,
    table,
    files,
    bus,
    gate,
    queues,
    /** Returns and removes the names of published events, including repetitions. */
    takeEvents: () => {
      assert.deepEqual(bus.contradictions, [])
      return bus.publishedEvents.splice(0).map(({ event }) => event)
    },
    /** Returns the numbers of the queued tasks and drops their messages. */
    takeSentTasks: () => {
      const numbers = queues.bodies.map((body) => JSON.parse(body).task as number)
      if (numbers.length > 0) queues.dropAll()
      return numbers
    },
  }
}
