// node lib/deployment/cost.ts: writes the costs of conversions, idle months and attacks, and the table of functions
// with outbound access, into lib/deployment/README.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ImageId } from '../component-ids.ts'
import { imageIds } from '../component-ids.ts'
import { outboundReasons } from '../resources/function-declaration.ts'
import { declarationOf, functionNames, functions } from '../resources/functions.ts'
import { alarmResources } from './alarms.ts'
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
  egressGb: 0.085,
  endpointHour: 0.012,
  keyMonth: 1,
  secretMonth: 0.4,
  alarmMonth: 0.1,
  dashboardMonth: 3,
}

/**
 * AWS calls of one conversion, as counted by the benchmark (section `control-plane`), including those for signed URLs.
 */
const perJob = {
  invocations: 6,
  requests: 3,
  writeUnits: 9,
  readUnits: 6,
  objects: 2,
  queue: 9,
  events: 2,
  logGb: 8e-6,
}
const requestGbSeconds = 0.6

/** Total MB of the source file and its result, as in the tests of the images. */
const typicalFileMb = 1

const readme = fileURLToPath(new URL('README.md', import.meta.url))
const imagesReadme = readFileSync(new URL('../../layers/README.md', import.meta.url), 'utf8')

/** Returns the seconds of a warm conversion from the table in layers/README.md, or undefined if none was measured. */
function warmSecondsOf(image: ImageId): number | undefined {
  const [, seconds] =
    new RegExp(`^\\| ${image} \\| [^|]+ \\| [^|]+ \\| ([\\d.]+) \\|`, 'm').exec(imagesReadme) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

const overheadPerJob =
  perJob.invocations * prices.invocation +
  requestGbSeconds * prices.gbSecond +
  perJob.requests * prices.httpRequest +
  perJob.writeUnits * prices.tableWriteUnit +
  perJob.readUnits * prices.tableReadUnit +
  perJob.objects * (prices.objectWrite + prices.objectRead) +
  perJob.queue * prices.queueRequest +
  perJob.events * prices.event +
  perJob.logGb * prices.logGb +
  (typicalFileMb / 1000) * (2 * prices.storageGbDay + prices.egressGb)

const dollars = (amount: number) => `$${amount.toFixed(2)}`

const kindRows = imageIds.map((image) => {
  const seconds = warmSecondsOf(image)
  if (seconds === undefined) return `| ${image} | – | – |`
  const engine = (imageLimits(image).memorySize / 1024) * seconds * prices.gbSecond
  return `| ${image} | ${seconds} | ${dollars((engine + overheadPerJob) * 1000)} |`
})

const hours = 730
const zones = 2
const interfaces = 2
const sweepS = 0.2
const minutes = hours * 60
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
