import type { SQSRecord } from 'aws-lambda'
import { createTaskMessage, TaskMessage } from '../../model/task-message.ts'
import type { Services } from '../../services/services.ts'
import type { TaskHandler } from './claimed-task.ts'
import { createTaskServices } from './presigned-services.ts'
import { runTask } from './run-task.ts'
import type { TaskRun } from './task-run.ts'

/** Seconds until a message is delivered again after the table or queue failed. */
const retryDelayS = 5

/** Handles a queue message. Returns false if it must be delivered again. */
export async function runMessage(
  record: Pick<SQSRecord, 'body' | 'receiptHandle'>,
  run: Omit<TaskRun, 'ref' | 'extendVisibility' | 'services'> & { readonly services: Services },
  handleTask: TaskHandler,
): Promise<boolean> {
  const { queues, log } = run.services
  const message = TaskMessage.parse(JSON.parse(record.body))
  const extendVisibility = (seconds: number) =>
    queues.extendVisibility(run.queue, record.receiptHandle, seconds)
  try {
    const taskServices = await createTaskServices(message, run)
    if (!taskServices) {
      await resendForSigning(message, run)
      return true
    }
    const outcome = await runTask(
      {
        ...run,
        services: taskServices,
        ref: createTaskMessage(message),
        extendVisibility,
        isShared: run.isShared && message.apart !== true,
      },
      handleTask,
    )
    if ('resend' in outcome) {
      await (outcome.resend === 'signed' ? resendForSigning : resendToRunAlone)(message, run)
      return true
    }
    if (outcome.done) return true
    await extendVisibility(outcome.retryInS)
  } catch (error) {
    log.error(
      { error, ...createTaskMessage(message) },
      'task could not be run; the message will be delivered again',
    )
    await extendVisibility(retryDelayS).catch((cause) =>
      log.warn(
        { error: cause, ...createTaskMessage(message) },
        'the message will be delivered again later than intended',
      ),
    )
  }
  return false
}

/** Sends the task to a worker that runs no other task. */
async function resendToRunAlone(
  message: TaskMessage,
  { services, queue }: Pick<TaskRun, 'queue' | 'services'>,
): Promise<void> {
  const { jobs, queues } = services
  const job = await jobs.store.getJob(message.jobId)
  await queues.send(queue, [{ ...message, apart: true }], job?.owner)
}

/** Sends the task back to the function that presigns URLs. */
async function resendForSigning(
  message: TaskMessage,
  { services, queue }: Pick<TaskRun, 'queue' | 'services'>,
): Promise<void> {
  const { log, jobs, queues } = services
  log.info(createTaskMessage(message), 'task needs new signatures')
  const job = await jobs.store.getJob(message.jobId)
  await queues.send(jobs.taskSender.retryQueue(queue), [createTaskMessage(message)], job?.owner)
}
