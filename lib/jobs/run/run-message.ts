import type { SQSBatchItemFailure, SQSRecord } from 'aws-lambda'
import type { Services } from '../../services.ts'
import { TaskMessage, taskMessageOf } from '../task-message.ts'
import type { TaskHandler } from './claimed-task.ts'
import { createTaskServices } from './presigned-services.ts'
import { runTask } from './run-task.ts'
import type { TaskRun } from './task-run.ts'

/** Seconds after which a message comes again when the table or the queue did not answer. */
const retryDelayS = 5

/** What a message asks for; named where it is to come again. */
export async function runMessage(
  record: SQSRecord,
  run: Omit<TaskRun, 'ref' | 'extendVisibility' | 'services'> & { readonly services: Services },
  handleTask: TaskHandler,
): Promise<SQSBatchItemFailure | undefined> {
  const { queues, log } = run.services
  const message = TaskMessage.parse(JSON.parse(record.body))
  const extendVisibility = (seconds: number) =>
    queues.extendVisibility(run.queue, record.receiptHandle, seconds)
  try {
    const taskServices = await createTaskServices(message, run)
    if (!taskServices) {
      await resendForSigning(message, run)
      return undefined
    }
    const outcome = await runTask(
      { ...run, services: taskServices, ref: message, extendVisibility },
      handleTask,
    )
    if ('resend' in outcome) {
      await resendForSigning(message, run)
      return undefined
    }
    if (outcome.done) return undefined
    await extendVisibility(outcome.retryInS)
  } catch (error) {
    log.error({ error, ...taskMessageOf(message) }, 'task could not be run; the message comes again')
    await extendVisibility(retryDelayS).catch((cause) =>
      log.warn({ error: cause, ...taskMessageOf(message) }, 'the message comes again late'),
    )
  }
  return { itemIdentifier: record.messageId }
}

/** By whoever can sign for it. */
async function resendForSigning(
  message: TaskMessage,
  { services, queue }: Pick<TaskRun, 'queue' | 'services'>,
): Promise<void> {
  const { log, jobs, queues } = services
  log.info(taskMessageOf(message), 'task is to be signed anew')
  const job = await jobs.store.getJob(message.jobId)
  await queues.send(jobs.taskSender.retryQueue(queue), [taskMessageOf(message)], job?.owner)
}
