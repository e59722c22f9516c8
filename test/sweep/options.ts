/**
 * `nice node test/sweep/options.ts [--missing] [ENGINE…] [OPTION…]`: converts a small file with two values of each
 * option to each target, and writes to `options.tsv` whether the results differ for other programs (`effect`), or a
 * warning says that they do not (`reported`). Options of the source are tried with each source, too. Pairs that are not
 * chosen keep their lines; `--missing` also skips pairs that have one. Results without an effect (`none`) and pairs
 * that cannot be judged need a reason in the last column, which is written by hand and kept. The script fails if a
 * reason is missing.
 */
import { writeFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type * as z from 'zod'
import { runEngine } from '../../lib/decoders/run-engine.ts'
import { engines } from '../../lib/engines/index.ts'
import { createTools, type ToolsOptions } from '../../lib/engines/sandbox/exec.ts'
import { AppError } from '../../lib/errors.ts'
import type { Trait } from '../../lib/formats/detect/traits.ts'
import { type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'
import { detectFile } from '../engines/support/convert-along-routes.ts'
import { findOptionSource, fixturePath } from './option-files.ts'
import {
  describePair,
  formatOptionTable,
  getPairKey,
  type JudgedPair,
  keepOffered,
  listOptionPairs,
  type OptionPair,
  readOptionTable,
  tablePath,
} from './option-pairs.ts'
import { findTrial, type Options, type Trial } from './option-trials.ts'
import { differsBeyondNoise, readContent } from './result-content.ts'

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { missing: { type: 'boolean' } },
})
const isMissingOnly = values.missing === true
const isEngine = (name: string) => engines.some(({ id }) => id === name)
const chosenEngines = engines.filter(({ id }) => !names.some(isEngine) || names.includes(id))
const isChosen = ({ option }: OptionPair) => names.every(isEngine) || names.includes(option)
const folder = await mkdtemp(join(tmpdir(), 'option-sweep-'))

interface Source {
  readonly path: string
  readonly format: FormatId
  readonly traits: readonly Trait[]
}

interface Result {
  readonly content: string
  readonly warnings: string
}

async function convertOnce(
  { engine, row, from, to, option }: OptionPair,
  sources: readonly Source[],
  options: Options,
): Promise<Result> {
  const workDir = await mkdtemp(join(folder, 'work-'))
  try {
    const outDir = join(workDir, 'out')
    await mkdir(outDir)
    const inputs = await Promise.all(
      sources.map(async ({ path: source, format, traits }, at) => {
        const path = join(workDir, `source-${at + 1}.${formatById(format).extensions[0]}`)
        await copyFile(source, path)
        return { path, filename: `in.${format}`, format, traits, size: (await stat(path)).size }
      }),
    )
    const warnings: string[] = []
    const work = { operation: row.operation, inputs, from, to, options: row.options.parse(options), outDir }
    const toolsOptions: ToolsOptions = {
      workDir,
      signal: AbortSignal.timeout(300_000),
      limits: engine.limits,
      onProgress: () => undefined,
      onWarning: (code, message) => warnings.push(`${code} ${message}`),
    }
    // A process per conversion costs more than most of these conversions.
    const { files } = engine.host
      ? await runEngine(engine, { method: 'run', work }, toolsOptions)
      : await engine.run(work, createTools(toolsOptions))
    const contents = await Promise.all(
      files.map(async ({ path, format = to }) => readContent(path, format, option)),
    )
    return { content: [files.length, ...contents].join('\n'), warnings: warnings.join('\n') }
  } catch (error) {
    if (error instanceof AppError) return { content: `error ${error.code} ${error.message}`, warnings: '' }
    throw error
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

const isError = ({ content }: Result) => content.startsWith('error ')
const isReported = ({ warnings }: Result, option: string) =>
  warnings.split('\n').some((warning) => {
    const [code = '', ...words] = warning.split(' ')
    return (
      /^(?:OPTION|METADATA_NOT_KEPT|NOT_SMALLER|TARGET_NOT|FONTS_NOT)/.test(code) || words.includes(option)
    )
  })

async function createSources(
  { row, from, option }: OptionPair,
  trial: Trial,
): Promise<readonly Source[] | undefined> {
  const path = await findOptionSource({ operation: row.operation, from, option, trial, folder })
  if (path === undefined) return undefined
  const { traits = [] } = await detectFile(path).catch(() => ({ traits: [] }))
  const source = { path, format: from, traits }
  if (trial.secondFile !== undefined) {
    const format = formatByExtension(trial.secondFile)?.id ?? 'png'
    return [source, { path: fixturePath(trial.secondFile), format, traits: [] }]
  }
  return Array.from({ length: 1 + (row.more?.min ?? 0) }, () => source)
}

async function judgeOption(pair: OptionPair): Promise<string> {
  const { engine, row, option } = pair
  const trial = findTrial(engine.id, row.operation, option)
  if (!trial) return 'no values'
  const sources = await createSources(pair, trial)
  if (!sources) return 'not judged'
  const { shape } = row.options
  const schema = shape[option] as z.ZodType
  const [firstValue, secondValue] = trial.values.filter((value) => schema.safeParse(value).success)
  const beside = Object.entries(trial.beside ?? {}).filter(([name]) => Object.hasOwn(shape, name))
  const convert = (value: unknown) =>
    convertOnce(pair, sources, {
      ...Object.fromEntries(beside),
      ...(value !== undefined && { [option]: value }),
    })
  const [first, second] = [await convert(firstValue), await convert(secondValue)]
  if (isError(first) && isError(second) && first.content === second.content) return `fails: ${first.content}`
  // The compared content of these formats contains no random ids.
  const isStable =
    ['image', 'video', 'audio', 'font'].includes(formatById(pair.to).category) || pair.to === 'pdf'
  if (first.content !== second.content && isStable) return 'effect'
  if (first.content !== second.content) {
    const noise = [first.content, (await convert(firstValue)).content] as const
    if (differsBeyondNoise(second.content, noise)) return 'effect'
  }
  return isReported(first, option) || isReported(second, option) ? 'reported' : 'none'
}

/** Merges results into the table, which a run of other options may have changed in the meantime. */
function saveTable(results: readonly JudgedPair[]): readonly JudgedPair[] {
  const judgedPairs = new Map(readOptionTable().map((judged) => [getPairKey(judged), judged]))
  for (const result of results) {
    const before = judgedPairs.get(getPairKey(result))
    const reason = before?.outcome === result.outcome ? before.reason : ''
    judgedPairs.set(getPairKey(result), { ...result, reason })
  }
  const table = keepOffered([...judgedPairs.values()])
  writeFileSync(tablePath, formatOptionTable(table))
  return table
}

const judgedBefore = new Set(isMissingOnly ? readOptionTable().map(getPairKey) : [])
let results: JudgedPair[] = []
for (const pair of listOptionPairs(chosenEngines).filter(isChosen)) {
  const { engine, row, option } = pair
  const name = { engine: engine.id, operation: row.operation, option, pair: describePair(pair) }
  if (judgedBefore.has(getPairKey(name))) continue
  const outcome = await judgeOption(pair).catch((error: unknown) => `fails: ${error}`)
  const result: JudgedPair = { ...name, outcome: outcome.split('\n')[0] ?? '', reason: '' }
  console.log(Object.values(result).join('\t'))
  results.push(result)
  if (results.length < 5) continue
  saveTable(results)
  results = []
}
const table = saveTable(results)
const counts = Map.groupBy(table, ({ outcome }) => outcome)
console.log([...counts].map(([outcome, group]) => `${group.length} ${outcome}`).join(', '))
const isUnexplained = ({ outcome, reason }: JudgedPair) =>
  outcome !== 'effect' && outcome !== 'reported' && reason === ''
await Promise.all(engines.map((engine) => engine.close?.()))
await rm(folder, { recursive: true, force: true })
process.exit(table.some(isUnexplained) ? 1 : 0)
