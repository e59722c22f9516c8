import type { SQSBatchItemFailure, SQSRecord } from 'aws-lambda'
import type { Services } from '../../services.ts'
import { taskMessageOf, TaskMessage } from '../task-message.ts'
import type { Work } from './claimed-task.ts'
import { servicesFor } from './presigned-services.ts'
import { runTask } from './run-task.ts'
import type { TaskRun } from './task-run.ts'

/** Seconds after which a message comes again when the table or the queue did not answer. */
const retryS = 5

/** What a message asks for; named where it is to come again. */
export async function runMessage(
  record: SQSRecord,
  run: Omit<TaskRun, 'ref' | 'extendVisibility' | 'services'> & { readonly services: Services },
  work: Work,
): Promise<SQSBatchItemFailure | undefined> {
  const { queues, log } = run.services
  const message = TaskMessage.parse(JSON.parse(record.body))
  const extendVisibility = (seconds: number) =>
    queues.extendVisibility(run.queue, record.receiptHandle, seconds)
  try {
    const own = await servicesFor(message, run)
    if (!own) {
      await sendAgain(message, run)
      return undefined
    }
    const outcome = await runTask({ ...run, services: own, ref: message, extendVisibility }, work)
    if ('again' in outcome) {
      await sendAgain(message, run)
      return undefined
    }
    if (outcome.done) return undefined
    await extendVisibility(outcome.againInS)
  } catch (error) {
    log.error({ error, ...taskMessageOf(message) }, 'task could not be run; the message comes again')
    await extendVisibility(retryS).catch((cause) =>
      log.warn({ error: cause, ...taskMessageOf(message) }, 'the message comes again late'),
    )
  }
  return { itemIdentifier: record.messageId }
}

/** By whoever can sign for it. */
async function sendAgain(
  message: TaskMessage,
  { services, queue }: Pick<TaskRun, 'queue' | 'services'>,
): Promise<void> {
  const { log, jobs, queues } = services
  log.info(taskMessageOf(message), 'task is to be signed anew')
  const job = await jobs.store.getJob(message.jobId)
  await queues.send(jobs.taskSender.retryQueue(queue), [taskMessageOf(message)], job?.owner)
}
