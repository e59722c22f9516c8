import { isLiveStatus, isTaskOver } from '../../model/job.ts'
import type { TaskRef } from '../../model/task-message.ts'
import type { Services } from '../../services/services.ts'
import { findTransferOperation } from '../../tasks/index.ts'
import { deleteChunksOfEndedTask, sendChunks } from './chunks.ts'
import { ConcurrencySlots } from './concurrency-slots.ts'

/**
 * Sends a ready task to its worker. For a task that has ended, repeats its completion, which may have been interrupted.
 */
export async function prepareTask(ref: TaskRef, services: Services): Promise<void> {
  const { store, completion } = services.jobs
  const [task, job] = await Promise.all([store.getTask(ref), store.getJob(ref.jobId)])
  if (task && !isTaskOver(task) && job && isLiveStatus(job.status)) {
    if (task.expandedBy !== undefined && task.open) return sendChunks(task, services)
    // The records of the inputs are not needed to send a transfer.
    const inputs = findTransferOperation(task.operation) ? undefined : await store.getInputs(task, job)
    return completion.sendTask(task, inputs)
  }
  if (task && isTaskOver(task)) {
    await completion.completeTask(task, { isRepeat: true })
    await deleteChunksOfEndedTask(task, services)
  }
  // The task may have occupied a concurrency slot.
  if (job) await new ConcurrencySlots(services).release(job)
}
