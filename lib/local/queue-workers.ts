import { tmpdir } from 'node:os'
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { Connection, FileExchange } from '../aws/connections.ts'
import type { Config } from '../config.ts'
import { engines } from '../engines/index.ts'
import { TaskMessage } from '../jobs/task-message.ts'
import type { Log } from '../log.ts'
import { functions } from '../resources/functions.ts'
import { functionOfQueue, mappingOf } from '../resources/queue-functions.ts'
import { type QueueId, queueIds } from '../resources/queues.ts'
import { concurrencyOf, type Environment } from './environment.ts'
import type { IsolatedFunctions } from './isolated-functions.ts'
import { FunctionError, type FunctionFailure } from './lambda/function-error.ts'
import type { Lambda, LocalFunction } from './lambda/runtime.ts'
import { OnDemandWorker } from './on-demand-worker.ts'
import type { ProvisionedQueues } from './provision.ts'
import { QueueMapping } from './queue-mapping.ts'
import { removeLeftoverFolders } from './remove-leftover-folders.ts'
import type { ServiceMessage } from './worker.ts'

/** Milliseconds of the longest job and some: within it the job's own limits apply. */
const functionTimeoutMs = 50 * 60_000
/** Node, our own code and the SDK beside the engines. */
const runtimeMb = 512
/** Seconds that a worker has to start and to claim the task; from then on it keeps the message hidden itself. */
const claimTimeoutS = 30

interface QueueWorkersOptions {
  readonly config: Config
  readonly environment: Environment
  readonly logFd: number
  readonly log: Log
  /** Where the queues' server is in this process. */
  readonly connection?: Connection | undefined
  readonly isolated?: IsolatedFunctions | undefined
  /** Where the bucket is in this process. */
  readonly exchange?: FileExchange | undefined
}

export interface QueueWorkers {
  /** One per queue, each in a worker process of its own. */
  readonly functions: readonly LocalFunction[]
  /** Reaches all worker processes. */
  broadcast(message: ServiceMessage): void
  /** Feeds them from their queues. */
  start(lambda: Lambda, queues: ProvisionedQueues['queues']): void
  close(): Promise<void>
}

export function openQueueWorkers(options: QueueWorkersOptions): QueueWorkers {
  const { config, environment, logFd, log, connection, exchange, isolated } = options
  const idleMs = config.WORKER_IDLE_S * 1000
  const mappings: QueueMapping[] = []
  const parts = queueIds.map((queue) => {
    const concurrency = concurrencyOf(config, queue)
    const memoryMb = workerMemoryMb(queue, concurrency)
    const worker = new OnDemandWorker({
      queue,
      // What engines make of it means nothing to who runs none.
      environment: {
        ...(isolated?.environmentFor(functionNameOf(queue), environment) ?? environment),
        ...(queue !== 'delivery' && !isolated && { PARALLEL: String(concurrency) }),
      },
      ...(isolated?.wrapCommand && {
        wrapCommand: (command) => isolated.wrapCommand?.(functionNameOf(queue), command) ?? command,
      }),
      logFd,
      log,
      idleMs,
      exchange,
      maxMemoryBytes: memoryMb * 1024 ** 2,
      cleanUp: (pid) => void removeLeftoverFolders(pid, [environment['WORK_DIR'] ?? tmpdir(), tmpdir()], log),
    })
    const local: LocalFunction = {
      name: functionNameOf(queue),
      memoryMb,
      timeoutMs: functionTimeoutMs,
      retryAttempts: 2,
      maximumConcurrency: concurrency,
      handler: (event, context) => worker.invoke(event, context),
    }
    return { queue, worker, local, concurrency }
  })
  return {
    functions: parts.map(({ local }) => local),
    broadcast: (message) => {
      for (const { worker } of parts) worker.broadcast(message)
    },
    start(lambda, queues) {
      for (const { queue, local, concurrency } of parts) {
        const { url: queueUrl, arn: queueArn } = queues[queue]
        // As Lambda does before it feeds a function.
        if (isolated)
          void readQueueAttributes(queueUrl, config.AWS_REGION, isolated.connectionFor(local.name))
        mappings.push(
          new QueueMapping({
            ...{ queueUrl, queueArn, region: config.AWS_REGION, concurrency, log },
            connection: isolated?.connectionFor(local.name) ?? connection,
            retriesEarly: !isolated,
            settings: mappingOf(queue),
            visibilityS: claimTimeoutS,
            invoke: async (event) => {
              const outcome = await lambda.invoke(local.name, event)
              if (!outcome.ok) {
                for (const record of event.Records) logLostAttempt(record.body, queue, outcome.failure, log)
                throw new FunctionError(outcome.failure)
              }
              return outcome.value
            },
          }),
        )
      }
    },
    close: async () => {
      // Workers first: they give their tasks back, and with that the mappings come to rest.
      const workers = parts.map(({ worker }) => worker.close())
      await Promise.all([...workers, ...mappings.map((mapping) => mapping.close())])
    },
  }
}

export const functionNameOf = (queue: QueueId) => functionOfQueue(queue) ?? `convert-${queue}`

const readQueueAttributes = (QueueUrl: string, region: string, connection: Connection) =>
  new SQSClient({ region, useQueueUrlAsEndpoint: true, ...connection }).send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] }),
  )

/** MiB of a worker that has so many tasks at a time; transfers stream, and need no more for more of them. */
function workerMemoryMb(queue: QueueId, concurrency: number): number {
  const functionName = functionOfQueue(queue)
  if (functionName) return functions[functionName].memoryMb
  const limits = engines.filter(({ image }) => image === queue).map((engine) => engine.limits.memoryMb)
  return concurrency * Math.max(512, ...limits) + runtimeMb
}

/** The process that died can no longer say whose task it had. */
function logLostAttempt(body: string, queue: QueueId, { errorMessage }: FunctionFailure, log: Log): void {
  const { data = { message: body } } = TaskMessage.safeParse(JSON.parse(body))
  log.error({ ...data, queue, reason: errorMessage }, 'attempt lost')
}
