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
import { type Environment, parallelOf } from './environment.ts'
import type { Apart } from './isolated-functions.ts'
import { type Failure, FunctionError } from './lambda/function-error.ts'
import type { Lambda, LocalFunction } from './lambda/runtime.ts'
import type { Provisioned } from './provision.ts'
import { QueueMapping } from './queue-mapping.ts'
import { removeFoldersOf } from './remove-leftover-folders.ts'
import type { ServiceMessage } from './worker.ts'
import { Worker } from './on-demand-worker.ts'

/** Milliseconds of the longest job and some: within it the job's own limits apply. */
const longestMs = 50 * 60_000
/** Node, our own code and the SDK beside the engines. */
const runtimeMb = 512
/** Seconds that a worker has to start and to claim the task; from then on it keeps the message hidden itself. */
const claimS = 30

interface ConversionParts {
  readonly config: Config
  readonly environment: Environment
  readonly logFd: number
  readonly log: Log
  /** Where the queues' server is in this process. */
  readonly connection?: Connection | undefined
  readonly apart?: Apart | undefined
  /** Where the bucket is in this process. */
  readonly exchange?: FileExchange | undefined
}

export interface Conversions {
  /** One per queue, each in a worker process of its own. */
  readonly functions: readonly LocalFunction[]
  /** Reaches all worker processes. */
  tell(message: ServiceMessage): void
  /** Feeds them from their queues. */
  start(lambda: Lambda, queues: Provisioned['queues']): void
  close(): Promise<void>
}

export function openConversions(given: ConversionParts): Conversions {
  const { config, environment, logFd, log, connection, exchange, apart } = given
  const idleMs = config.WORKER_IDLE_S * 1000
  const mappings: QueueMapping[] = []
  const parts = queueIds.map((queue) => {
    const concurrency = parallelOf(config, queue)
    const memoryMb = memoryOf(queue, concurrency)
    const worker = new Worker({
      queue,
      // What engines make of it means nothing to who runs none.
      environment: {
        ...(apart?.environmentOf(functionOf(queue), environment) ?? environment),
        ...(queue !== 'delivery' && !apart && { PARALLEL: String(concurrency) }),
      },
      ...(apart?.commandOf && {
        startedBy: (command) => apart.commandOf?.(functionOf(queue), command) ?? command,
      }),
      logFd,
      log,
      idleMs,
      exchange,
      maxMemoryBytes: memoryMb * 1024 ** 2,
      clearUp: (pid) => void removeFoldersOf(pid, [environment['WORK_DIR'] ?? tmpdir(), tmpdir()], log),
    })
    const local: LocalFunction = {
      name: functionOf(queue),
      memoryMb,
      timeoutMs: longestMs,
      retryAttempts: 2,
      maximumConcurrency: concurrency,
      handler: (event, context) => worker.invoke(event, context),
    }
    return { queue, worker, local, concurrency }
  })
  return {
    functions: parts.map(({ local }) => local),
    tell: (message) => {
      for (const { worker } of parts) worker.tell(message)
    },
    start(lambda, queues) {
      for (const { queue, local, concurrency } of parts) {
        const { url: queueUrl, arn: queueArn } = queues[queue]
        // As Lambda does before it feeds a function.
        if (apart) void attributesOf(queueUrl, config.AWS_REGION, apart.connectionOf(local.name))
        mappings.push(
          new QueueMapping({
            ...{ queueUrl, queueArn, region: config.AWS_REGION, concurrency, log },
            connection: apart?.connectionOf(local.name) ?? connection,
            givesBack: !apart,
            settings: mappingOf(queue),
            visibilityS: claimS,
            invoke: async (event) => {
              const outcome = await lambda.invoke(local.name, event)
              if (!outcome.ok) {
                for (const record of event.Records) logLost(record.body, queue, outcome.failure, log)
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

export const functionOf = (queue: QueueId) => functionOfQueue(queue) ?? `convert-${queue}`

const attributesOf = (QueueUrl: string, region: string, connection: Connection) =>
  new SQSClient({ region, useQueueUrlAsEndpoint: true, ...connection }).send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] }),
  )

/** MiB of a worker that has so many tasks at a time; transfers stream, and need no more for more of them. */
function memoryOf(queue: QueueId, concurrency: number): number {
  const own = functionOfQueue(queue)
  if (own) return functions[own].memoryMb
  const limits = engines.filter(({ image }) => image === queue).map((engine) => engine.limits.memoryMb)
  return concurrency * Math.max(512, ...limits) + runtimeMb
}

/** The process that died can no longer say whose task it had. */
function logLost(body: string, queue: QueueId, { errorMessage }: Failure, log: Log): void {
  const { data = { message: body } } = TaskMessage.safeParse(JSON.parse(body))
  log.error({ ...data, queue, reason: errorMessage }, 'attempt lost')
}
