import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import type { Config } from '../../config.ts'
import {
  FunctionError,
  type FunctionFailure,
  ThrottledInvocation,
} from '../../embedded-aws/lambda/function-error.ts'
import { QueueMapping } from '../../embedded-aws/lambda/queue-mapping.ts'
import type { Lambda, LocalFunction } from '../../embedded-aws/lambda/runtime.ts'
import { engines } from '../../engines/index.ts'
import type { ClientConnection, FileExchange } from '../../io/local-connections.ts'
import type { Log } from '../../log.ts'
import { TaskMessage } from '../../model/task-message.ts'
import { findDeclaration, functions } from '../../resources/functions.ts'
import {
  getFunctionForQueue,
  getQueueMapping,
  getRecursiveLoop,
  getVisibilityTimeoutS,
} from '../../resources/queue-functions.ts'
import { type QueueId, queueIds } from '../../resources/queues.ts'
import { defined } from '../../validation/defined.ts'
import { type Environment, getConcurrency } from './environment.ts'
import type { IsolatedFunctions } from './isolated-functions.ts'
import { OnDemandWorker } from './on-demand-worker.ts'
import type { ProvisionedQueues } from './provision.ts'
import { removeLeftoverFolders } from './remove-leftover-folders.ts'
import type { ServiceMessage } from './worker.ts'
import { createWorkerEnvironment } from './worker-environment.ts'
import type { WorkerUser } from './worker-user.ts'

/** Time limit of functions, longer than any job may take, so that the job's own limits apply. */
const functionTimeoutMs = 50 * 60_000
/** Memory in MB for Node, the service's code and the SDK, in addition to the engines. */
const runtimeMb = 512
/**
 * How long a worker may take to start and claim the task, in seconds. From then on, it keeps the message hidden itself.
 */
const claimTimeoutS = 30

interface QueueWorkersOptions {
  readonly config: Config
  readonly environment: Environment
  readonly logFd: number
  readonly log: Log
  /** Connection to the queues' server, if that server runs in this process. */
  readonly connection?: ClientConnection | undefined
  readonly isolated?: IsolatedFunctions | undefined
  /** User of the worker processes; by default, the user of the service. */
  readonly user?: WorkerUser | undefined
  /** Direct access to the bucket, if its server runs in this process. */
  readonly exchange?: FileExchange | undefined
}

export interface QueueWorkers {
  /** Functions of queues, each with its own worker process. */
  readonly functions: readonly LocalFunction[]
  /** Sends a message to all worker processes. */
  broadcast(message: ServiceMessage): void
  /** Starts feeding the functions from their queues. */
  start(lambda: Lambda, queues: ProvisionedQueues['queues']): void
  close(): Promise<void>
}

export function openQueueWorkers(options: QueueWorkersOptions): QueueWorkers {
  const { config, environment, logFd, log, connection, exchange, isolated, user } = options
  const idleMs = config.WORKER_IDLE_S * 1000
  const runId = randomUUID()
  const mappings: QueueMapping[] = []
  const queuesWithWorkers = queueIds.map((queue) => {
    const deployedConcurrency = isolated?.getConcurrency?.(getFunctionName(queue))
    const concurrency = Math.min(
      getConcurrency(config, queue),
      deployedConcurrency?.maximumConcurrency ?? Infinity,
    )
    const memoryMb = getWorkerMemoryMb(queue, concurrency)
    const worker = new OnDemandWorker({
      queue,
      // Only engines use PARALLEL, and deliveries run no engine.
      environment: {
        ...(isolated?.createEnvironment(getFunctionName(queue), environment) ??
          createWorkerEnvironment(queue, environment, user)),
        ...(queue !== 'delivery' && !isolated && { PARALLEL: String(concurrency), RUN_ID: runId }),
      },
      ...defined({
        wrapCommand:
          isolated?.wrapCommand &&
          ((command) => isolated.wrapCommand?.(getFunctionName(queue), command) ?? command),
      }),
      logFd,
      log,
      idleMs,
      exchange,
      user,
      maxMemoryBytes: memoryMb * 1024 ** 2,
      cleanUp: (pid) => void removeLeftoverFolders(pid, [environment['WORK_DIR'] ?? tmpdir(), tmpdir()], log),
    })
    const localFunction: LocalFunction = {
      name: getFunctionName(queue),
      memoryMb,
      timeoutMs: getFunctionTimeoutMs(queue, isolated),
      retryAttempts: 2,
      maximumConcurrency: concurrency,
      ...defined({ recursiveLoop: getRecursiveLoop(queue) }),
      handler: (event, context, traceHeader) =>
        worker.invoke(event, context, { traceHeader, apart: mustRunInOwnProcess(event) }),
    }
    return { queue, worker, localFunction, concurrency }
  })
  return {
    functions: queuesWithWorkers.map(({ localFunction }) => localFunction),
    broadcast: (message) => {
      for (const { worker } of queuesWithWorkers) worker.broadcast(message)
    },
    start(lambda, queues) {
      for (const { queue, localFunction, concurrency } of queuesWithWorkers) {
        const { url: queueUrl, arn: queueArn } = queues[queue]
        // Lambda makes this call before it feeds a function, so isolated functions must have the permission.
        if (isolated)
          void readQueueAttributes(queueUrl, config.AWS_REGION, isolated.createConnection(localFunction.name))
        mappings.push(
          new QueueMapping({
            queueUrl,
            queueArn,
            region: config.AWS_REGION,
            concurrency,
            log,
            connection: isolated?.createConnection(localFunction.name) ?? connection,
            retriesEarly: !isolated,
            settings: getQueueMapping(queue),
            visibilityS: isolated?.quotas ? getVisibilityTimeoutS(queue) : claimTimeoutS,
            invoke: async (event, traceHeaders) => {
              const outcome = await lambda.invoke(localFunction.name, event, { traceHeaders })
              if (!outcome.ok) {
                if (outcome.isThrottled) throw new ThrottledInvocation(outcome.failure)
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
      // Workers are closed first, because the mappings become idle once they have released their tasks.
      const workers = queuesWithWorkers.map(({ worker }) => worker.close())
      await Promise.all([...workers, ...mappings.map((mapping) => mapping.close())])
    },
  }
}

export const getFunctionName = (queue: QueueId) => getFunctionForQueue(queue) ?? `convert-${queue}`

/** Returns the time limit of a function: the deployed limit where AWS's limits are enforced. */
function getFunctionTimeoutMs(queue: QueueId, isolated: IsolatedFunctions | undefined): number {
  const limitS = isolated?.quotas?.functionTimeoutS
  if (limitS === undefined) return functionTimeoutMs
  return Math.min(limitS, findDeclaration(getFunctionForQueue(queue))?.timeoutS ?? limitS) * 1000
}

const readQueueAttributes = (QueueUrl: string, region: string, connection: ClientConnection) =>
  new SQSClient({ region, useQueueUrlAsEndpoint: true, ...connection }).send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] }),
  )

const QueueEvent = z.object({ Records: z.array(z.object({ body: z.string() })) })

/**
 * Whether an event is the message of a task that may have crashed its worker. The type of the event is checked, because
 * anyone may invoke a function.
 */
function mustRunInOwnProcess(event: unknown): boolean {
  const { data } = QueueEvent.safeParse(event)
  return data?.Records.some(({ body }) => parseTaskMessage(body)?.apart === true) === true
}

function parseTaskMessage(body: string): TaskMessage | undefined {
  try {
    return TaskMessage.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

/**
 * Returns the memory in MB of a worker that runs this many tasks at a time. Transfers stream, so they need the same
 * memory for any number of tasks.
 */
function getWorkerMemoryMb(queue: QueueId, concurrency: number): number {
  const functionName = getFunctionForQueue(queue)
  if (functionName) return functions[functionName].memoryMb
  const limits = engines.filter(({ image }) => image === queue).map((engine) => engine.limits.memoryMb)
  return concurrency * Math.max(512, ...limits) + runtimeMb
}

/** Logs the task of a process that died and can no longer report it. */
function logLostAttempt(body: string, queue: QueueId, { errorMessage }: FunctionFailure, log: Log): void {
  log.error({ ...(parseTaskMessage(body) ?? { message: body }), queue, reason: errorMessage }, 'attempt lost')
}
