import { globSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { areas } from './areas.ts'
import { findTests } from './find-tests.ts'
import { findMutants, sampleMutants } from './mutants.ts'
import { ProjectCopy } from './project-copy.ts'
import { killTests } from './run-tests.ts'
import { MutationRunner, type Verdict } from './trials.ts'

/**
 * Mutation testing: puts faults into the code, one at a time, and reports which ones its tests detect:
 *
 *   npm run mutate -- [AREA | FOLDER | FILE …] [--count 40] [--seed WORD] [--part 2/5] [--at-once 2]
 *                     [--minutes 4] [--list]
 *
 * Only copies of the project are changed. A run that is stopped by `--minutes` counts the mutants that it has tried.
 * The run fails if less than `minDetectedPercent` of the mutants of an area are detected.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: 'mutabor' },
    part: { type: 'string', default: '1/1' },
    'at-once': { type: 'string', default: '2' },
    minutes: { type: 'string', default: '600' },

    list: { type: 'boolean', default: false },
  },
})

const minDetectedPercent = 80
/** With fewer mutants, the share is not meaningful. */
const minMutants = 8

const print = (line: string) => process.stdout.write(`${line}\n`)

function listFiles(name: string): string[] {
  const area = areas.find((each) => each.name === name)
  if (area) return globSync([...area.files])
  const info = statSync(name, { throwIfNoEntry: false })
  if (!info)
    throw new Error(
      `Expected an area (${areas.map((each) => each.name).join(', ')}), folder or file, got "${name}".`,
    )
  return info.isDirectory() ? globSync(`${name.replace(/\/$/, '')}/**/*.ts`) : [name]
}

/** Returns every n-th element, starting with the k-th, for a part `k/n`. */
function selectPart<T>(list: readonly T[], part: string): T[] {
  const [at = 1, of = 1] = part.split('/').map(Number)
  return list.filter((_, index) => index % of === at - 1)
}

const sampleArea = (name: string) => sampleMutants(findMutants(process.cwd(), listFiles(name)), values.seed)

function printResult({ mutant, ended, seconds }: Verdict): void {
  const location = `${mutant.file}:${mutant.line}`
  const durationText = `${seconds.toFixed(0)} s`
  if (ended.as !== 'passed') {
    print(
      `  detected ${location} (${mutant.fault}, ${durationText}): ${ended.name}${ended.as === 'hung' ? ' timed out' : ''}`,
    )
    return
  }
  print(`  MISSED  ${location} (${mutant.fault}, ${durationText})`)
  print(`    - ${mutant.before}`)
  print(`    + ${mutant.after}`)
}

/** Prints the detected mutants of an area and returns their percentage. */
function printSummary(name: string, verdicts: readonly Verdict[]): number {
  const detectedCount = verdicts.filter(({ ended: outcome }) => outcome.as !== 'passed').length
  const share = verdicts.length === 0 ? 100 : (100 * detectedCount) / verdicts.length
  print(`${name}: ${detectedCount} of ${verdicts.length} detected (${share.toFixed(0)} %)`)
  return share
}

async function mutate(names: readonly string[]): Promise<void> {
  const endsAt = Date.now() + Number(values.minutes) * 60_000
  const trials = new MutationRunner(
    Array.from({ length: Number(values['at-once']) }, () => new ProjectCopy(process.cwd())),
    endsAt,
    print,
  )
  // Without these handlers, a signal would leave copies and test processes behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      killTests()
      trials.remove()
      process.exit(130)
    })
  }
  try {
    await trials.requireTypes()
    for (const name of names) {
      print(name)
      const selectedMutants = selectPart(sampleArea(name), values.part)
      const maxMutants = Math.ceil(Number(values.count) / Number(values.part.split('/')[1] ?? 1))
      const verdicts = await trials.run(selectedMutants, maxMutants, findTests, printResult)
      const share = printSummary(name, verdicts)
      if (verdicts.length >= minMutants && share < minDetectedPercent) process.exitCode = 1
    }
  } finally {
    trials.remove()
  }
}

const names = positionals.length > 0 ? positionals : areas.map(({ name }) => name)
if (values.list) {
  for (const name of names) {
    for (const mutant of sampleArea(name).slice(0, Number(values.count))) {
      print(`${mutant.file}:${mutant.line} ${mutant.fault}\n    - ${mutant.before}\n    + ${mutant.after}`)
    }
  }
} else await mutate(names)
