import type { Services } from '../../services.ts'
import { isLiveStatus, isTaskOver } from '../job.ts'
import type { TaskRef } from '../keys.ts'
import { deleteChunksOfEnded, sendChunks } from './chunks.ts'
import { ConcurrencySlots } from './concurrency-slots.ts'

/** Sends a task that is ready to its worker. One that is over may not have been told of, as when its worker finds it so. */
export async function prepareTask(ref: TaskRef, services: Services): Promise<void> {
  const { store, completion } = services.jobs
  const [task, job] = await Promise.all([store.getTask(ref), store.getJob(ref.jobId)])
  if (task && !isTaskOver(task) && job && isLiveStatus(job.status)) {
    if (task.expandedBy !== undefined && task.open) return sendChunks(task, services)
    return completion.sendTask(task)
  }
  if (task && isTaskOver(task)) {
    await completion.completeTask(task, { isRepeat: true })
    await deleteChunksOfEnded(task, services)
  }
  // It may have been its turn.
  if (job) await new ConcurrencySlots(services).release(job)
}
