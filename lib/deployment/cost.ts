// node lib/deployment/cost.ts: writes the costs of conversions, idle months and attacks, and the table of functions
// with outbound access, into lib/deployment/README.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { imageIds } from '../component-ids.ts'
import { outboundReasons } from '../resources/function-declaration.ts'
import { declarationOf, functionNames, functions } from '../resources/functions.ts'
import { queueIds } from '../resources/queues.ts'
import { sweepMetrics } from '../services/embedded-metric.ts'
import { alarmResources } from './alarms.ts'
import { jobInvocations, measuredFiguresOf, perJob } from './common-job.ts'
import { maxConcurrencyOf } from './concurrency.ts'
import { imageLimits } from './functions.ts'
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

const readme = fileURLToPath(new URL('README.md', import.meta.url))
const invocations = Object.values(jobInvocations)
/** With the function of the image, whose seconds differ by image. */
const invocationsPerJob = 1 + invocations.reduce((sum, { count }) => sum + count, 0)
const invocationGbSeconds = Object.entries(jobInvocations).reduce(
  (sum, [name, { count, seconds }]) => sum + count * seconds * ((declarationOf(name)?.memoryMb ?? 0) / 1024),
  0,
)

const overheadPerJob =
  invocationsPerJob * prices.invocation +
  invocationGbSeconds * prices.gbSecond +
  perJob.requests * (prices.httpRequest + prices.edgeRequest) +
  perJob.writeUnits * prices.tableWriteUnit +
  perJob.readUnits * prices.tableReadUnit +
  perJob.objects * (prices.objectWrite + prices.objectRead) +
  perJob.queue * prices.queueRequest +
  perJob.events * prices.event +
  perJob.logGb * prices.logGb +
  (typicalFileMb / 1000) * (2 * prices.storageGbDay + prices.egressGb)

const dollars = (amount: number) => `$${amount.toFixed(2)}`

const kindRows = imageIds.map((image) => {
  const seconds = measuredFiguresOf(image)?.warmS
  if (seconds === undefined) return `| ${image} | – | – |`
  const engine = (imageLimits(image).memorySize / 1024) * seconds * prices.gbSecond
  return `| ${image} | ${seconds} | ${dollars((engine + overheadPerJob) * 1000)} |`
})

const hours = 730
const zones = 2
const interfaces = 2
const sweepS = 0.2
const minutes = hours * 60
/** Lambda's connections to an idle queue, each of which waits up to 20 s for a message. */
const queuePolls = queueIds.length * 5 * 3 * minutes
const imagesGb = imageIds.reduce((sum, image) => sum + (measuredFiguresOf(image)?.mb ?? 0), 0) / 1000
const defaultStage = parseStage('dev', {})
const alarms = Object.values<{ readonly Type: string }>(alarmResources(defaultStage)).filter(
  ({ Type }) => Type === 'AWS::CloudWatch::Alarm',
)
const idleMonthCosts = {
  'interface endpoints, with `isolation: vpc`': hours * zones * interfaces * prices.endpointHour,
  'the sweep every minute':
    minutes *
    (prices.invocation +
      (functions.sweep.memoryMb / 1024) * sweepS * prices.gbSecond +
      16 * prices.tableReadUnit),
  alarms: alarms.length * prices.alarmMonth,
  dashboard: prices.dashboardMonth,
  [`polling of ${queueIds.length} queues by Lambda`]: queuePolls * prices.queueRequest,
  'metrics of the sweep from its log': Object.keys(sweepMetrics).length * prices.metricMonth,
  [`images in ECR, ${imagesGb.toFixed(1)} GB uncompressed`]: imagesGb * prices.imageGbMonth,
  'a table of 1 GB with point-in-time recovery': prices.tableGbMonth + prices.backupGbMonth,
  'KMS key for the secrets': prices.keyMonth,
  'CloudFront origin secret': prices.secretMonth,
}

/** Memory of all functions in MB when each runs at its concurrency limit. */
const maxConcurrentMb = [
  ...functionNames
    .filter((name) => isDeployed(name, defaultStage))
    .map((name) => maxConcurrencyOf(name, defaultStage) * functions[name].memoryMb),
  ...imageIds.map(
    (image) => maxConcurrencyOf(`convert-${image}`, defaultStage) * imageLimits(image).memorySize,
  ),
].reduce((sum, one) => sum + one)
const maxCostPerHour = (maxConcurrentMb / 1024) * 3600 * prices.gbSecond

/** A terabyte in files of the typical size. */
const downloadsOfTb = 1e6 / typicalFileMb
const tbCosts = {
  'from the bucket': 1000 * prices.egressGb,
  'through CloudFront, with `cdnPublicKeys`': 1000 * prices.edgeEgressGb + downloadsOfTb * prices.edgeRequest,
}

const costTable = [
  '| Image | Seconds (warm) | 1,000 conversions |',
  '|---|---|---|',
  ...kindRows,
  '',
  '| An idle month | |',
  '|---|---|',
  ...Object.entries(idleMonthCosts).map(([what, amount]) => `| ${what} | ${dollars(amount)} |`),
  `| total | ${dollars(Object.values(idleMonthCosts).reduce((sum, amount) => sum + amount, 0))} |`,
  '',
  `| Downloads of 1 TB in files of ${typicalFileMb} MB | |`,
  '|---|---|',
  ...Object.entries(tbCosts).map(([what, amount]) => `| ${what} | ${dollars(amount)} |`),
  '',
  '| An attack | |',
  '|---|---|',
  `| one hour with all functions at their concurrency limits | ${dollars(maxCostPerHour)} |`,
].join('\n')

const outboundTable = [
  '| Function | Target | Reason |',
  '|---|---|---|',
  ...functionNames.flatMap((name) =>
    (declarationOf(name)?.reaches ?? []).map((what) => `| ${name} | ${what} | ${outboundReasons[what]} |`),
  ),
].join('\n')

function replaceTable(name: string, text: string): void {
  const [before, , after] = readFileSync(readme, 'utf8').split(new RegExp(`<!-- ${name}(?: end)? -->`))
  writeFileSync(readme, `${before}<!-- ${name} -->\n${text}\n<!-- ${name} end -->${after}`)
  process.stdout.write(`${text}\n`)
}
replaceTable('cost', costTable)
replaceTable('ways out', outboundTable)
