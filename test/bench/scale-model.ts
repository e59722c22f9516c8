import type { ImageId } from '../../lib/component-ids.ts'
import { getMeasuredFigures, jobInvocations, usagePerJob } from '../../lib/deployment/common-job.ts'
import {
  canReserveConcurrency,
  getMaxConcurrency,
  hasReservedConcurrency,
  sumReservedConcurrency,
} from '../../lib/deployment/concurrency.ts'
import jobCalls from '../../lib/deployment/job-calls.json' with { type: 'json' }
import type { Stage } from '../../lib/deployment/stage.ts'
import { accountQuotas, serviceQuotas } from '../../lib/embedded-aws/quotas.ts'
import { findDeclaration } from '../../lib/resources/functions.ts'
import { getQueueMapping } from '../../lib/resources/queue-functions.ts'
import { wakeShardCount } from '../../lib/resources/storage.ts'

/** A limited resource, and how much of it is used at one job per second. */
export interface Resource {
  readonly name: string
  readonly limit: number
  readonly perJob: number
}

/** The container image that runs the most common job. */
export const commonImage: ImageId = 'image'

const getConversionSeconds = (image: ImageId) => getMeasuredFigures(image)?.warmConversionS ?? 0

interface FunctionUse {
  readonly name: string
  /** Concurrent executions at one job per second. */
  readonly perJob: number
  /** Whether the function processes messages of a queue, which limits its concurrency. */
  readonly hasQueue: boolean
}

function listFunctions(image: ImageId): FunctionUse[] {
  const declared = Object.entries(jobInvocations).map(([name, { count, seconds }]): FunctionUse => {
    const trigger = findDeclaration(name)?.trigger
    const queue = trigger && 'queue' in trigger ? trigger.queue : undefined
    // When messages wait, each invocation receives a full batch, which it handles at the same time.
    const batchSize = queue === undefined ? 1 : getQueueMapping(queue).batchSize
    return { name, perJob: (count * seconds) / batchSize, hasQueue: queue !== undefined }
  })
  return [...declared, { name: `convert-${image}`, perJob: getConversionSeconds(image), hasQueue: true }]
}

/** Returns the functions with their limits, and the pool that functions without reserved concurrency share. */
function getConcurrency(stage: Stage, image: ImageId) {
  const isReserved = canReserveConcurrency(stage)
  const functions = listFunctions(image).map((deployedFunction) => {
    const declared = findDeclaration(deployedFunction.name)
    const isReservedFunction = isReserved && declared !== undefined && hasReservedConcurrency(declared)
    const limit =
      deployedFunction.hasQueue || isReservedFunction
        ? getMaxConcurrency(deployedFunction.name, stage)
        : Infinity
    return { ...deployedFunction, limit, sharesPool: !isReservedFunction }
  })
  const reserved = isReserved ? sumReservedConcurrency(stage) : 0
  const pool: Resource = {
    name: isReserved ? 'concurrency that is not reserved' : 'concurrency of the account',
    limit: stage.functionsAtATime - reserved,
    perJob: functions
      .filter(({ sharesPool }) => sharesPool)
      .reduce((sum, deployedFunction) => sum + deployedFunction.perJob, 0),
  }
  return { functions, pool }
}

/** Partitions that all jobs write: the counters of the day, and the shards of the wake-up index. */
const sharedPartitions = {
  'partition SLO#<day>, writes': jobCalls.writes.byKind.SLO,
  'partition of the index byWake, writes': jobCalls.writes.byKind.byWake / wakeShardCount,
}

/** Returns all resources that the most common job uses in a stage. */
export function listResources(stage: Stage, image: ImageId = commonImage): Resource[] {
  const { functions, pool } = getConcurrency(stage, image)
  const { partitionWriteUnits, putEventsPerS } = accountQuotas
  const { tableWriteUnits, tableReadUnits, eventInvocationsPerS, messagesInFlight } = serviceQuotas
  const listeners = Object.entries(jobInvocations).filter(
    ([name]) => 'events' in (findDeclaration(name)?.trigger ?? {}),
  )
  return [
    { name: 'requests per second of the API', limit: stage.requestsPerSecond, perJob: usagePerJob.requests },
    ...functions
      .filter(({ limit }) => Number.isFinite(limit))
      .map(({ name, limit, perJob: use }) => ({ name: `concurrency of ${name}`, limit, perJob: use })),
    pool,
    {
      name: `queue ${image}, messages in flight`,
      limit: messagesInFlight.value,
      perJob: getConversionSeconds(image),
    },
    { name: 'table, write units', limit: tableWriteUnits.value, perJob: usagePerJob.writeUnits },
    { name: 'table, read units', limit: tableReadUnits.value, perJob: usagePerJob.readUnits },
    ...Object.entries(sharedPartitions).map(([name, units]) => ({
      name,
      limit: partitionWriteUnits.value,
      perJob: units,
    })),
    { name: 'event bus, PutEvents', limit: putEventsPerS.value, perJob: usagePerJob.eventCalls },
    { name: 'event bus, functions invoked', limit: eventInvocationsPerS.value, perJob: listeners.length },
  ]
}

export interface ResourceUse extends Resource {
  readonly use: number
  /** Use in percent of the limit. */
  readonly percent: number
}

/** Returns the use of all resources at a number of jobs per second, the most used resource first. */
export const calculateUse = (resources: readonly Resource[], jobsPerS: number): ResourceUse[] =>
  resources
    .map((resource) => ({
      ...resource,
      use: resource.perJob * jobsPerS,
      percent: (100 * resource.perJob * jobsPerS) / resource.limit,
    }))
    .sort((a, b) => b.percent - a.percent)

export const calculateMaxJobsPerS = (resources: readonly Resource[]): number =>
  Math.min(...resources.map(({ limit, perJob: use }) => limit / use))

/**
 * Number of concurrent executions with which Lambda starts to poll a queue, and the number that it adds per second.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const pollers = { first: 5, addedPerS: 5 }

/** The steps of a job in order: the requests of each, and the function that processes them. */
const listJobSteps = (image: ImageId) => [
  { name: 'POST /v1/convert', requests: 1, by: 'conversion' },
  { name: 'queue ready', requests: 0, by: 'prepare' },
  { name: `queue ${image}`, requests: 0, by: `convert-${image}` },
  { name: 'status and download', requests: usagePerJob.requests - 1, by: 'jobs' },
]

/** Returns for how many jobs the remaining capacity is enough. */
const calculateMaxJobs = (capacity: number, usePerJob: number) =>
  usePerJob > 0 ? capacity / usePerJob : Infinity

export interface Burst {
  readonly seconds: number
  /** The step at which jobs waited longest in total. */
  readonly bottleneck: string
}

/**
 * Simulates, in steps of a second, a burst of jobs that are sent at the same time, until all results are downloaded.
 * Jobs at later steps go first, and refused requests are repeated.
 */
export function simulateBurst(stage: Stage, jobs: number, image: ImageId = commonImage): Burst {
  const { functions, pool } = getConcurrency(stage, image)
  const steps = listJobSteps(image).flatMap((jobStep) => {
    const by = functions.find(({ name }) => name === jobStep.by)
    const poolPerJob = by?.sharesPool ? by.perJob : 0
    return by ? [{ ...by, ...jobStep, poolPerJob, waitingJobs: 0, waitedS: 0 }] : []
  })
  const [first] = steps
  if (first) first.waitingJobs = jobs
  let [downloadedJobs, seconds] = [0, 0]
  for (; jobs - downloadedJobs > 1e-6; seconds++) {
    let requests: number = stage.requestsPerSecond
    let executions = pool.limit
    for (const [at, step] of [...steps.entries()].reverse()) {
      const movedJobs = Math.min(
        step.waitingJobs,
        Math.min(step.limit, step.hasQueue ? pollers.first + pollers.addedPerS * seconds : Infinity) /
          step.perJob,
        calculateMaxJobs(requests, step.requests),
        calculateMaxJobs(executions, step.poolPerJob),
      )
      requests -= movedJobs * step.requests
      executions -= movedJobs * step.poolPerJob
      step.waitingJobs -= movedJobs
      step.waitedS += step.waitingJobs
      const next = steps[at + 1]
      if (next) next.waitingJobs += movedJobs
      else downloadedJobs += movedJobs
    }
  }
  const [slowestStep] = steps.sort((a, b) => b.waitedS - a.waitedS)
  return { seconds, bottleneck: slowestStep?.name ?? '' }
}
