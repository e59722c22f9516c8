/** `npm run sweep`: generates damaged and rare files and converts them with the service's routes; see `usage`. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { engines } from '../../lib/engines/index.ts'
import { categories } from '../../lib/formats/index.ts'
import { parseJobs, parseListOf, parsePart, parsePositive } from '../conformance/select-pairs.ts'
import { type Case, cases } from './cases.ts'
import { makeShared } from './make-file.ts'
import { badOutcomes, runCase, type SweepOutcome } from './outcome.ts'
import { type CompletedCase, saveSweep, table } from './table.ts'

const usage = `npm run sweep -- [options]
  --part 3/10      every tenth file, starting with the third
  --area a,b       only files of these categories
  --only text      only files with this text in their name or mutation
  --count 60       an even selection of this many files
  --minutes 4      starts no further file after this many minutes
  --jobs 2         number of parallel conversions
  --list           prints the outcome of each file
It fails if a file causes a crash, a hang or an error without a code, or loses more than 2 % without a warning.
A run of whole areas writes their figures to test/conformance/results/sweep.tsv.
`

function parseOptions() {
  try {
    const { values } = parseArgs({
      options: {
        part: { type: 'string' },
        area: { type: 'string' },
        only: { type: 'string' },
        count: { type: 'string' },
        minutes: { type: 'string' },
        jobs: { type: 'string', default: '2' },
        list: { type: 'boolean', default: false },
      },
    })
    return {
      part: parsePart(values.part),
      areas: parseListOf('area', values.area, categories),
      count: parsePositive('count', values.count),
      minutes: parsePositive('minutes', values.minutes),
      jobs: parseJobs(values.jobs),
      only: values.only,
      list: values.list,
    }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}

const { part, areas, only, count, minutes, jobs, list } = parseOptions()
const allCases = cases()
const matchingCases = allCases.filter(
  (testCase, at) =>
    (!areas || areas.includes(testCase.area)) &&
    (!part || at % part.of === part.index - 1) &&
    (!only || testCase.id.includes(only)),
)
const everyNth = Math.max(1, Math.ceil(matchingCases.length / (count ?? matchingCases.length)))
const selectedCases = matchingCases.filter((_, at) => at % everyNth === 0)
console.log(`${selectedCases.length} of ${allCases.length} files`)

const folder = await mkdtemp(join(tmpdir(), 'sweep-'))
const sharedFolder = join(folder, 'shared')
await mkdir(sharedFolder)
await makeShared(sharedFolder)
const endsAt = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
const results: CompletedCase[] = []

async function runCaseAndReport(sweepCase: Case): Promise<void> {
  const startedAtMs = performance.now()
  let result = await runCase(sweepCase, folder, sharedFolder)
  // Retry alone: failures under load or by chance say nothing about the file.
  if (badOutcomes.includes(result.outcome) && result.outcome !== 'hang')
    result = await runCase(sweepCase, folder, sharedFolder)
  const ms = Math.round(performance.now() - startedAtMs)
  results.push({ one: sweepCase, ...result, ms })
  if (list || badOutcomes.includes(result.outcome))
    console.log(
      `${result.outcome}\t${sweepCase.id}\t${sweepCase.from} to ${sweepCase.to}\t${result.why}\t${ms} ms`,
    )
}

const queue = selectedCases.values()
async function runWorker(): Promise<void> {
  for (const sweepCase of queue) {
    if (performance.now() > endsAt) return
    await runCaseAndReport(sweepCase)
  }
}
try {
  await Promise.all(Array.from({ length: jobs }, runWorker))
} finally {
  await Promise.all(engines.map((engine) => engine.close?.()))
  await rm(folder, { recursive: true, force: true })
}
if (!part && !only && !count && results.length === selectedCases.length) await saveSweep(results)
console.log(`\n${table(results)}`)
if (results.length < selectedCases.length)
  console.log(`${selectedCases.length - results.length} files were not tried because the time was over`)
const isBad = (outcome: SweepOutcome) => badOutcomes.includes(outcome)
process.exit(results.some(({ outcome }) => isBad(outcome)) ? 1 : 0)
