/** `npm run sweep`: damaged and rare files, made on the fly, through the service's own ways; see `usage`. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { engines } from '../../lib/engines/index.ts'
import { categories } from '../../lib/formats/index.ts'
import { parseJobs, parseMinutes, parseOneOf, parsePart } from '../conformance/select-pairs.ts'
import { type Case, cases } from './cases.ts'
import { makeShared } from './make-file.ts'
import { badOutcomes, type Outcome, runCase } from './outcome.ts'
import { type CompletedCase, saveSweep, table } from './table.ts'

const usage = `npm run sweep -- [options]
  --part 3/10      every tenth file, from the third
  --area image     only files of this category
  --only text      only files with this in their name or in what is done to them
  --minutes 4      begins with no further file after so many minutes
  --jobs 2         how many at a time
  --list           tells of each file how it ended
It fails when a file ends by a crash, a hang, an error without a code, or has lost more than 2 % in silence.
A run of whole areas keeps their figures in test/conformance/results/sweep.tsv.
`

function parseOptions() {
  try {
    const { values } = parseArgs({
      options: {
        part: { type: 'string' },
        area: { type: 'string' },
        only: { type: 'string' },
        minutes: { type: 'string' },
        jobs: { type: 'string', default: '2' },
        list: { type: 'boolean', default: false },
      },
    })
    return {
      ...{ part: parsePart(values.part), area: parseOneOf('area', values.area, categories) },
      ...{ minutes: parseMinutes(values.minutes), jobs: parseJobs(values.jobs) },
      ...{ only: values.only, list: values.list },
    }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}

const { part, area, only, minutes, jobs, list } = parseOptions()
const all = cases()
const selected = all.filter(
  (one, at) =>
    (!area || one.area === area) &&
    (!part || at % part.of === part.index - 1) &&
    (!only || one.id.includes(only)),
)
console.log(`${selected.length} of ${all.length} files`)

const folder = await mkdtemp(join(tmpdir(), 'sweep-'))
const shared = join(folder, 'shared')
await mkdir(shared)
await makeShared(shared)
const endsAt = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
const results: CompletedCase[] = []

async function runOne(one: Case): Promise<void> {
  const started = performance.now()
  let told = await runCase(one, folder, shared)
  // What fails only beside others, or by a moment, is no trait of the file.
  if (badOutcomes.includes(told.outcome) && told.outcome !== 'hang') told = await runCase(one, folder, shared)
  const ms = Math.round(performance.now() - started)
  results.push({ one, ...told, ms })
  if (list || badOutcomes.includes(told.outcome))
    console.log(`${told.outcome}\t${one.id}\t${one.from} to ${one.to}\t${told.why}\t${ms} ms`)
}

const queue = selected.values()
async function work(): Promise<void> {
  for (const one of queue) {
    if (performance.now() > endsAt) return
    await runOne(one)
  }
}
try {
  await Promise.all(Array.from({ length: jobs }, work))
} finally {
  await Promise.all(engines.map((engine) => engine.close?.()))
  await rm(folder, { recursive: true, force: true })
}
if (!part && !only && results.length === selected.length) await saveSweep(results)
console.log(`\n${table(results)}`)
if (results.length < selected.length)
  console.log(`${selected.length - results.length} files were left for want of time`)
const isBad = (outcome: Outcome) => badOutcomes.includes(outcome)
process.exit(results.some(({ outcome }) => isBad(outcome)) ? 1 : 0)
