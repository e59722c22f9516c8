import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Connections } from '../../aws/connections.ts'
import type { Config } from '../../config.ts'
import { createServices } from '../../create-services.ts'
import { deployedConfig } from '../../deployed-config.ts'
import {
  removeOrphanedFolders,
  removeOwnFolders,
  taskFolderPrefix,
} from '../../engines/sandbox/process-folder.ts'
import type { QueueId } from '../../resources/queues.ts'
import type { Services } from '../../services.ts'
import { started } from '../../started.ts'
import { messageOf, TaskMessage } from '../task-message.ts'
import type { Work } from './claimed.ts'
import { runTask } from './run-task.ts'
import { servicesFor } from './signed-work.ts'
import type { TaskRun } from './task-run.ts'

/** Seconds after which a message comes again when the table or the queue did not answer. */
const retryS = 5
/** Milliseconds before the function's end in which the outcome is still stored. */
const reserveMs = 10_000

interface Serving {
  readonly queueOf: (config: Config) => QueueId
  /** What is done for each of its tasks. */
  readonly work: Work
  /** Ends what stays between tasks. */
  readonly close: () => Promise<unknown>
  readonly connections?: Connections | undefined
}

/** Runs the tasks of one queue, on Lambda and in the workers of one machine; messages that must come again are named. */
export function queueFunction({ queueOf, work, close, connections }: Serving) {
  const open = started(async () => createServices(await deployedConfig(), { connections }))
  const stopping = new AbortController()
  let outOfSpace = new AbortController()
  let atWork = 0
  return {
    async handler(
      event: SQSEvent,
      context: Pick<Context, 'getRemainingTimeInMillis'>,
    ): Promise<SQSBatchResponse> {
      const services = await open()
      const run = {
        services,
        queue: queueOf(services.config),
        stopping: stopping.signal,
        outOfSpace: outOfSpace.signal,
        remainingMs: Math.min(context.getRemainingTimeInMillis() - reserveMs, taskLimitMs(services.config)),
      }
      if (atWork === 0) await clearUp(services.config)
      atWork++
      const failures = await Promise.all(event.Records.map((record) => runOne(record, run, work))).finally(
        () => {
          atWork--
        },
      )
      return { batchItemFailures: failures.filter((failure) => failure !== undefined) }
    },

    /** Whatever runs has met a full disk, whether it noticed or not. */
    runOut(): void {
      outOfSpace.abort()
      outOfSpace = new AbortController()
    },

    /** Gives running tasks back, and ends what stays between tasks. */
    async stop(): Promise<void> {
      stopping.abort()
      await close()
    },
  }
}

const taskLimitMs = ({ TASK_LIMIT_S: limitS = Infinity }: Config) => limitS * 1000

/** What a hard end has left of tasks keeps its room otherwise: nothing of them runs here now. */
async function clearUp({ WORK_DIR }: Config): Promise<void> {
  await removeOwnFolders(WORK_DIR, taskFolderPrefix)
  await removeOrphanedFolders(WORK_DIR, taskFolderPrefix)
}

async function runOne(
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
    log.error({ error, ...messageOf(message) }, 'task could not be run; the message comes again')
    await extendVisibility(retryS).catch((cause) =>
      log.warn({ error: cause, ...messageOf(message) }, 'the message comes again late'),
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
  log.info(messageOf(message), 'task is to be signed anew')
  const job = await jobs.store.job(message.jobId)
  await queues.send(jobs.outlet.again(queue), [messageOf(message)], job?.owner)
}
