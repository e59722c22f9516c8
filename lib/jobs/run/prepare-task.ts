import type { Services } from '../../services.ts'
import { isLive, isOver } from '../job.ts'
import type { TaskRef } from '../keys.ts'
import { dropPartsOfEnded, sendParts } from './chunks.ts'
import { Slots } from './concurrency-slots.ts'

/** Sends a task that is ready to its worker. One that is over may not have been told of, as when its worker finds it so. */
export async function prepareTask(ref: TaskRef, services: Services): Promise<void> {
  const { store, settlement } = services.jobs
  const [task, job] = await Promise.all([store.task(ref), store.job(ref.jobId)])
  if (task && !isOver(task) && job && isLive(job.status)) {
    if (task.expandedBy !== undefined && task.open) return sendParts(task, services)
    return settlement.send(task)
  }
  if (task && isOver(task)) {
    await settlement.settle(task, { again: true })
    await dropPartsOfEnded(task, services)
  }
  // It may have been its turn.
  if (job) await new Slots(services).free(job)
}
