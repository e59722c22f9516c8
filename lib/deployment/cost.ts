// `node lib/deployment/cost.ts` writes two tables into lib/deployment/README.md:
// costs (of conversions, idle months and attacks), and functions with outbound access.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { imageIds } from '../component-ids.ts'
import { outboundReasons } from '../resources/function-declaration.ts'
import { findDeclaration, functionNames, functions } from '../resources/functions.ts'
import { queueIds } from '../resources/queues.ts'
import { sweepMetrics } from '../services/embedded-metric.ts'
import { createAlarmResources } from './alarms.ts'
import { getMeasuredFigures, jobInvocations, usagePerJob } from './common-job.ts'
import { getMaxConcurrency } from './concurrency.ts'
import { getImageLimits } from './functions.ts'
import { isDeployed, parseStage } from './stage.ts'

/**
 * Prices in dollars for eu-central-1 without free tiers, as of November 2026: check them before you rely on them. Files
 * are stored for a day.
 */
const prices = {
  gbSecond: 0.0000166667,
  invocation: 0.2e-6,
  httpRequest: 1.2e-6,
  tableWriteUnit: 0.7625e-6,
  tableReadUnit: 0.1525e-6,
  objectWrite: 5.4e-6,
  objectRead: 0.43e-6,
  queueRequest: 0.4e-6,
  event: 1e-6,
  logGb: 0.63,
  storageGbDay: 0.0245 / 30,
  egressGb: 0.09,
  edgeRequest: 1.2e-6,
  edgeEgressGb: 0.085,
  endpointHour: 0.012,
  keyMonth: 1,
  secretMonth: 0.4,
  alarmMonth: 0.1,
  dashboardMonth: 3,
  metricMonth: 0.3,
  imageGbMonth: 0.1,
  tableGbMonth: 0.306,
  backupGbMonth: 0.2448,
}

/** Total MB of the source file and its result, as in the tests of the images. */
const typicalFileMb = 1

const readmePath = fileURLToPath(new URL('README.md', import.meta.url))
const invocations = Object.values(jobInvocations)
/** Number of invocations per job, including the function of the image, whose duration depends on the image. */
const invocationsPerJob = 1 + invocations.reduce((sum, { count }) => sum + count, 0)
const invocationGbSeconds = Object.entries(jobInvocations).reduce(
  (sum, [name, { count, seconds }]) =>
    sum + count * seconds * ((findDeclaration(name)?.memoryMb ?? 0) / 1024),
  0,
)

const overheadPerJob =
  invocationsPerJob * prices.invocation +
  invocationGbSeconds * prices.gbSecond +
  usagePerJob.requests * (prices.httpRequest + prices.edgeRequest) +
  usagePerJob.writeUnits * prices.tableWriteUnit +
  usagePerJob.readUnits * prices.tableReadUnit +
  usagePerJob.objects * (prices.objectWrite + prices.objectRead) +
  usagePerJob.queue * prices.queueRequest +
  usagePerJob.events * prices.event +
  usagePerJob.logGb * prices.logGb +
  (typicalFileMb / 1000) * (2 * prices.storageGbDay + prices.egressGb)

const formatDollars = (amount: number) => `$${amount.toFixed(2)}`

const imageRows = imageIds.map((image) => {
  const seconds = getMeasuredFigures(image)?.warmConversionS
  if (seconds === undefined) return `| ${image} | – | – |`
  const engine = (getImageLimits(image).memorySize / 1024) * seconds * prices.gbSecond
  return `| ${image} | ${seconds} | ${formatDollars((engine + overheadPerJob) * 1000)} |`
})

const hoursPerMonth = 730
const zoneCount = 2
const endpointCount = 2
const secondsPerSweep = 0.2
const minutesPerMonth = hoursPerMonth * 60
/** Polls in a month: Lambda has five connections to each idle queue, and each of them polls every 20 s. */
const queuePollsPerMonth = queueIds.length * 5 * 3 * minutesPerMonth
const imagesGb = imageIds.reduce((sum, image) => sum + (getMeasuredFigures(image)?.imageMb ?? 0), 0) / 1000
const defaultStage = parseStage('dev', {})
const alarms = Object.values<{ readonly Type: string }>(createAlarmResources(defaultStage)).filter(
  ({ Type }) => Type === 'AWS::CloudWatch::Alarm',
)
const idleMonthCosts = {
  'interface endpoints, with `isolation: vpc`':
    hoursPerMonth * zoneCount * endpointCount * prices.endpointHour,
  'the sweep every minute':
    minutesPerMonth *
    (prices.invocation +
      (functions.sweep.memoryMb / 1024) * secondsPerSweep * prices.gbSecond +
      16 * prices.tableReadUnit),
  alarms: alarms.length * prices.alarmMonth,
  dashboard: prices.dashboardMonth,
  [`polling of ${queueIds.length} queues by Lambda`]: queuePollsPerMonth * prices.queueRequest,
  'metrics of the sweep from its log': Object.keys(sweepMetrics).length * prices.metricMonth,
  [`images in ECR, ${imagesGb.toFixed(1)} GB uncompressed`]: imagesGb * prices.imageGbMonth,
  'a table of 1 GB with point-in-time recovery': prices.tableGbMonth + prices.backupGbMonth,
  'KMS key for the secrets': prices.keyMonth,
  'CloudFront origin secret': prices.secretMonth,
}

/** Memory of all functions in MB if each runs at its concurrency limit. */
const maxConcurrentMb = [
  ...functionNames
    .filter((name) => isDeployed(name, defaultStage))
    .map((name) => getMaxConcurrency(name, defaultStage) * functions[name].memoryMb),
  ...imageIds.map(
    (image) => getMaxConcurrency(`convert-${image}`, defaultStage) * getImageLimits(image).memorySize,
  ),
].reduce((sum, cost) => sum + cost)
const maxCostPerHour = (maxConcurrentMb / 1024) * 3600 * prices.gbSecond

/** Number of downloads in a terabyte of files of the typical size. */
const downloadsPerTb = 1e6 / typicalFileMb
const costsPerTb = {
  'from the bucket': 1000 * prices.egressGb,
  'through CloudFront, with `cdnPublicKeys`':
    1000 * prices.edgeEgressGb + downloadsPerTb * prices.edgeRequest,
}

const costTable = [
  '| Image | Seconds (warm) | 1,000 conversions |',
  '|---|---|---|',
  ...imageRows,
  '',
  '| An idle month | |',
  '|---|---|',
  ...Object.entries(idleMonthCosts).map(([costName, amount]) => `| ${costName} | ${formatDollars(amount)} |`),
  `| total | ${formatDollars(Object.values(idleMonthCosts).reduce((sum, amount) => sum + amount, 0))} |`,
  '',
  `| Downloads of 1 TB in files of ${typicalFileMb} MB | |`,
  '|---|---|',
  ...Object.entries(costsPerTb).map(([costItem, amount]) => `| ${costItem} | ${formatDollars(amount)} |`),
  '',
  '| An attack | |',
  '|---|---|',
  `| one hour with all functions at their concurrency limits | ${formatDollars(maxCostPerHour)} |`,
].join('\n')

const outboundTable = [
  '| Function | Target | Reason |',
  '|---|---|---|',
  ...functionNames.flatMap((name) =>
    (findDeclaration(name)?.reaches ?? []).map(
      (destination) => `| ${name} | ${destination} | ${outboundReasons[destination]} |`,
    ),
  ),
].join('\n')

function replaceTable(name: string, text: string): void {
  const [before, , after] = readFileSync(readmePath, 'utf8').split(new RegExp(`<!-- ${name}(?: end)? -->`))
  writeFileSync(readmePath, `${before}<!-- ${name} -->\n${text}\n<!-- ${name} end -->${after}`)
  process.stdout.write(`${text}\n`)
}
replaceTable('cost', costTable)
replaceTable('ways out', outboundTable)
