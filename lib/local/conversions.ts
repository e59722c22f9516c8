import type { Connection, FileExchange } from '../aws/connections.ts'
import type { Config } from '../config.ts'
import type { ImageId } from '../engines/engine.ts'
import { engines } from '../engines/index.ts'
import { TaskMessage } from '../jobs/task-message.ts'
import type { Log } from '../log.ts'
import { imageIds, queueMapping } from '../resources.ts'
import { type Environment, parallelOf } from './environment.ts'
import { type Failure, FunctionError } from './lambda/failure.ts'
import type { Lambda, LocalFunction } from './lambda/runtime.ts'
import type { Provisioned } from './provision.ts'
import { QueueMapping } from './queue-mapping.ts'
import { Worker } from './workers.ts'

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
  /** Where the bucket is in this process. */
  readonly exchange?: FileExchange | undefined
}

export interface Conversions {
  /** `convert-<image>`, each in a worker process of its own. */
  readonly functions: readonly LocalFunction[]
  /** Feeds them from their queues. */
  start(lambda: Lambda, queues: Provisioned['queues']): void
  close(): Promise<void>
}

export function openConversions(given: ConversionParts): Conversions {
  const { config, environment, logFd, log, connection, exchange } = given
  const idleMs = config.WORKER_IDLE_S * 1000
  const mappings: QueueMapping[] = []
  const parts = imageIds.map((image) => {
    const concurrency = parallelOf(config, image)
    const memoryMb = concurrency * memoryOf(image) + runtimeMb
    const worker = new Worker({
      image,
      environment: { ...environment, PARALLEL: String(concurrency) },
      logFd,
      log,
      idleMs,
      exchange,
      maxMemoryBytes: memoryMb * 1024 ** 2,
    })
    const local: LocalFunction = {
      name: `convert-${image}`,
      memoryMb,
      timeoutMs: longestMs,
      retryAttempts: 2,
      maximumConcurrency: concurrency,
      handler: (event, context) => worker.invoke(event, context),
    }
    return { image, worker, local, concurrency }
  })
  return {
    functions: parts.map(({ local }) => local),
    start(lambda, queues) {
      for (const { image, local, concurrency } of parts) {
        const { url: queueUrl, arn: queueArn } = queues[image]
        mappings.push(
          new QueueMapping({
            ...{ queueUrl, queueArn, region: config.AWS_REGION, concurrency, log, connection },
            settings: queueMapping,
            visibilityS: claimS,
            invoke: async (event) => {
              const outcome = await lambda.invoke(local.name, event)
              if (!outcome.ok) {
                for (const record of event.Records) logLost(record.body, image, outcome.failure, log)
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

function memoryOf(image: ImageId): number {
  const limits = engines.filter((engine) => engine.image === image).map((engine) => engine.limits.memoryMb)
  return Math.max(512, ...limits)
}

/** The process that died can no longer say whose task it had. */
function logLost(body: string, image: ImageId, { errorMessage }: Failure, log: Log): void {
  const message = TaskMessage.parse(JSON.parse(body))
  log.error({ ...message, image, reason: errorMessage }, 'attempt lost')
}
