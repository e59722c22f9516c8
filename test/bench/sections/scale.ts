import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { imageIds } from '../../../lib/component-ids.ts'
import { usagePerJob, usagePerNewClient, usagePerProgressEvent } from '../../../lib/deployment/common-job.ts'
import { parseStage } from '../../../lib/deployment/stage.ts'
import { profileNames } from '../../../lib/deployment/stage-profiles.ts'
import { openDynamoDb } from '../../../lib/embedded-aws/dynamodb/server.ts'
import { runCommonJob } from '../../support/common-job.ts'
import { isHeartbeat, isProgress, openTableMeter, type TableCall } from '../../support/table-meter.ts'
import { withService } from '../compare-with-engine.ts'
import { startCountedServers } from '../counted-servers.ts'
import type { Report } from '../report.ts'
import { calculateMaxJobsPerS, calculateUse, listResources, simulateBurst } from '../scale-model.ts'
import type { Section } from '../section.ts'

const dayS = 86_400
const jobsPerDay = 1_000_000
/** Load of the busiest minutes as a multiple of the average. */
const peakFactor = 3
const jobsAtOnce = 10_000

export const scale: Section = {
  name: 'scale',
  about: 'what saturates first on AWS, calculated for each profile; --check N compares it with N real jobs',
  async run({ report, checkedJobs }) {
    for (const name of profileNames) reportProfile(name, report)
    if (checkedJobs !== undefined) await checkCounts(checkedJobs, report)
  },
}

const formatAmount = (number: number) =>
  number.toLocaleString(
    'en',
    number < 1 ? { maximumSignificantDigits: 1 } : { maximumFractionDigits: number < 100 ? 1 : 0 },
  )
const formatPerDay = (jobsPerS: number) =>
  `${formatAmount(Math.round((jobsPerS * dayS) / peakFactor / 1000) * 1000)} a day`

function reportProfile(name: string, { print: say }: Report): void {
  const stage = parseStage(name, {})
  const resources = listResources(stage)
  const peak = (jobsPerDay / dayS) * peakFactor
  say(`\nProfile ${name}: ${formatAmount(jobsPerDay)} jobs a day, ${formatAmount(peak)} a second at the peak`)
  say(`  ${'resource'.padEnd(38)} ${'limit'.padStart(9)} ${'use'.padStart(9)}     used`)
  for (const { name: resource, limit, use, percent } of calculateUse(resources, peak))
    say(
      `  ${resource.padEnd(38)} ${formatAmount(limit).padStart(9)} ${formatAmount(use).padStart(9)} ${formatAmount(percent).padStart(6)} %`,
    )
  const most = calculateMaxJobsPerS(resources)
  const [first] = calculateUse(resources, most)
  say(
    `  saturates first: ${first?.name}, at ${formatAmount(most)} jobs a second (${formatPerDay(most)} with such a peak)`,
  )
  const rateByImage = imageIds.map(
    (image) => `${image} ${formatAmount(calculateMaxJobsPerS(listResources(stage, image)))}`,
  )
  say(`  jobs a second if all need the same image: ${rateByImage.join(', ')}`)
  const { seconds, bottleneck } = simulateBurst(stage, jobsAtOnce)
  say(
    `  ${formatAmount(jobsAtOnce)} jobs at once: all downloaded after ${seconds} s; most wait at ${bottleneck}`,
  )
}

/** Allowed difference in percent. Counts vary, because requests within the same second are counted in one write. */
const tolerancePercent = 15
/** Jobs that run at the same time. */
const maxParallelJobs = 16

/** Functions run as on AWS, and every job comes from a new client. */
const isolatedSettings = {
  REQUEST_BODIES: 'whole',
  TASK_FILES: 'signed',
  TRUSTED_PROXIES: '127.0.0.0/8',
} as const

/** Runs jobs on the embedded servers, and compares what they use with what the model assumes. */
async function checkCounts(jobs: number, report: Report): Promise<void> {
  report.title(`The model and ${jobs} real jobs`)
  for (const { progressEventCount, heartbeatCount, counts } of [
    await countUnits(jobs),
    await countCalls(jobs, report),
  ]) {
    report.print(
      `  ${formatAmount(progressEventCount / jobs)} events and ${formatAmount(heartbeatCount / jobs)} heartbeats a job while it runs`,
    )
    const extraUnitsPerClient = { writeUnits: usagePerNewClient.writeUnits + heartbeatCount / jobs }
    for (const [label, count] of Object.entries(counts) as [keyof typeof usagePerJob, number][]) {
      const countedPerJob = count / jobs
      const unitsPerEvent: Readonly<Record<string, number>> = usagePerProgressEvent
      const unitsPerClient: Readonly<Record<string, number>> = extraUnitsPerClient
      const expected =
        usagePerJob[label] +
        ((unitsPerEvent[label] ?? 0) * progressEventCount) / jobs +
        (unitsPerClient[label] ?? 0)
      const value = Math.abs(countedPerJob / expected - 1) * 100
      const remark = `counted ${countedPerJob.toFixed(2)} a job, the model has ${expected.toFixed(2)}`
      report.figure({ what: label, value, unit: '% off', aim: { most: tolerancePercent }, remark })
    }
  }
}

/** Runs several jobs at a time, after a first, uncounted job that fills the caches of all processes. */
async function runJobs(
  jobs: number,
  runSome: (numbers: readonly number[], isCounted: boolean) => Promise<void>,
): Promise<void> {
  await runSome([0], false)
  for (let from = 1; from <= jobs; from += maxParallelJobs)
    await runSome(
      Array.from({ length: Math.min(maxParallelJobs, jobs + 1 - from) }, (_, at) => from + at),
      true,
    )
}

/** Counts the read and write units of the table, except for those of the sweep, which runs each minute anyway. */
async function countUnits(jobs: number) {
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-scale-'))
  const database = await openDynamoDb({
    file: join(dir, 'dynamodb.sqlite'),
    port: 0,
    log: pino({ level: 'silent' }),
  })
  const meter = await openTableMeter(database.url)
  const calls: TableCall[] = []
  const env = { ...isolatedSettings, AWS_ENDPOINT_URL_DYNAMODB: meter.url, ANONYMOUS_PLAN: 'anonymous' }
  try {
    await withService(
      (_, service) =>
        runJobs(jobs, async (numbers, isWarm) => {
          meter.calls.length = 0
          const countFinishedJobs = () =>
            meter.calls.filter(({ isWrite, sent }) => isWrite && sent.includes('"SLO#'))
          const isCounted = () => countFinishedJobs().length >= numbers.length
          await Promise.all(
            numbers.map((number) =>
              runCommonJob(service, { isCounted, headers: { 'x-forwarded-for': createAddress(number) } }),
            ),
          )
          if (isWarm) calls.push(...meter.calls.filter(({ sent }) => !sent.includes('byWake')))
        }),
      env,
    )
  } finally {
    await meter.close()
    await database.close()
    await rm(dir, { recursive: true })
  }
  const sumUnits = (isWrite: boolean) =>
    calls.filter((call) => call.isWrite === isWrite).reduce((sum, { units }) => sum + units, 0)
  const counts = { writeUnits: sumUnits(true), readUnits: sumUnits(false) }
  return { counts, ...countWritesWhileRunning(calls) }
}

/** Counts the writes that jobs only cause while they run. */
const countWritesWhileRunning = (calls: readonly TableCall[]) => ({
  progressEventCount: calls.filter(isProgress).length,
  heartbeatCount: calls.filter(isHeartbeat).length,
})

/** Counts the calls to the other servers, which run as separate programs and invoke no functions for events. */
async function countCalls(jobs: number, { print: say }: Report) {
  const servers = await startCountedServers()
  const meter = await openTableMeter(servers.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '')
  const tableCalls: TableCall[] = []
  try {
    await withService(
      (_, service) =>
        runJobs(jobs, async (numbers, isWarm) => {
          meter.calls.length = 0
          await Promise.all(numbers.map(() => runCommonJob(service)))
          if (isWarm) tableCalls.push(...meter.calls)
          else servers.calls.clear()
        }),
      { ...servers.env, ...isolatedSettings, AWS_ENDPOINT_URL_DYNAMODB: meter.url },
    )
  } finally {
    await meter.close()
    await servers.close()
  }
  const all = [...servers.calls].filter(([kind]) => !kind.startsWith('DynamoDB'))
  say(`  calls a job: ${all.map(([kind, count]) => `${kind} ${formatAmount(count / jobs)}`).join(', ')}`)
  const count = (...kinds: string[]) => kinds.reduce((sum, kind) => sum + (servers.calls.get(kind) ?? 0), 0)
  const counts = {
    eventCalls: count('EventBridge PutEvents'),
    messages: count('SQS SendMessage'),
    objects: count('S3 PUT', 'S3 POST'),
  }
  return { counts, ...countWritesWhileRunning(tableCalls) }
}

/** Returns the IP address of a client; rate limits apply per IP address. */
const createAddress = (number: number) => `198.18.${number >> 8}.${number & 255}`
