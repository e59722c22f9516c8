/**
 * `nice node test/sweep/options.ts [--missing] [ENGINE…] [OPTION…]`: converts a small file with two values of each
 * option to each target, and writes to `options.tsv` whether the results differ for other programs (`effect`), or a
 * warning says that they do not (`reported`). Options of the source are tried with each source, too. Pairs that are not
 * chosen keep their lines; `--missing` also skips pairs whose class (`getConversionClass`) has one. Results without an
 * effect (`none`) and pairs that cannot be judged need a reason in the last column, which is written by hand and kept.
 * The script fails if a reason is missing.
 */
import { writeFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type * as z from 'zod'
import { forEachConcurrently } from '../../lib/async/for-each-concurrently.ts'
import { runEngine } from '../../lib/decoders/run-engine.ts'
import type { Tools } from '../../lib/engines/engine.ts'
import { engines } from '../../lib/engines/index.ts'
import { createTools, type ToolsOptions } from '../../lib/engines/sandbox/exec.ts'
import { AppError } from '../../lib/errors.ts'
import type { Trait } from '../../lib/formats/detect/traits.ts'
import { type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'
import { detectFile } from '../engines/support/convert-along-routes.ts'
import { isAboutMetadata, sizeOptions } from './media-content.ts'
import { findOptionSource, fixturePath } from './option-files.ts'
import {
  describePair,
  formatOptionTable,
  getConversionClass,
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

const probes = new Map<string, ReturnType<Tools['exec']>>()

/** Runs ffprobe once for all conversions of a source, because it takes as long as most of these conversions. */
function cacheProbes(tools: Tools, input: string, source: string): Tools {
  const exec: Tools['exec'] = (bin, args, options) => {
    if (bin !== 'ffprobe' || options?.onLine || !args.includes(input)) return tools.exec(bin, args, options)
    const key = args.map((arg) => (arg === input ? source : arg)).join(' ')
    const probe = probes.get(key) ?? tools.exec(bin, args, options)
    probes.set(key, probe)
    return probe
  }
  return { ...tools, exec }
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
      : await engine.run(
          work,
          cacheProbes(createTools(toolsOptions), inputs[0]?.path ?? '', sources[0]?.path ?? ''),
        )
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
/** Whether the error is about the value of the option, such as a size that cannot be reached. */
const isRefused = ({ content }: Result, option: string) => new RegExp(`^error \\w+ ${option}: `).test(content)
const isReported = ({ warnings }: Result, option: string) =>
  warnings.split('\n').some((warning) => {
    const [code = '', ...words] = warning.split(' ')
    return (
      /^(?:OPTION|METADATA_NOT_KEPT|NOT_SMALLER|TARGET_NOT|FONTS_NOT)/.test(code) ||
      words.some((word) => word === option || word.startsWith(`${option}=`))
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

/** Options without whose right value the conversion fails. With other options, a failure shows no effect. */
const requiredForSource = ['password', 'currentPassword', 'dropSignatures']

const stabilities = new Map<string, boolean>()

/**
 * Whether a second conversion has the same content, which then contains no random ids. Tried once for each target, but
 * not for videos and audio, where it would cost as much as the judgement.
 */
async function isStable(
  { engine, row, option, to }: OptionPair,
  result: Result,
  convertAgain: () => Promise<Result>,
): Promise<boolean> {
  if (['video', 'audio'].includes(formatById(to).category)) return true
  const key = [engine.id, row.operation, to, isAboutMetadata(option), sizeOptions.includes(option)].join('\t')
  const stability = stabilities.get(key) ?? (await convertAgain()).content === result.content
  stabilities.set(key, stability)
  return stability
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
  const [first, second] = await Promise.all([convert(firstValue), convert(secondValue)])
  const failure = [first, second].find(isError)
  const isEffect = first.content !== second.content
  if (failure && isRefused(failure, option)) return 'reported'
  if (failure && !(isEffect && requiredForSource.includes(option))) return `fails: ${failure.content}`
  if (isEffect && (await isStable(pair, first, () => convert(firstValue)))) return 'effect'
  if (isEffect) {
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

const getPairName = (pair: OptionPair) => ({
  engine: pair.engine.id,
  operation: pair.row.operation,
  option: pair.option,
  pair: describePair(pair),
})
const chosenPairs = listOptionPairs(chosenEngines).filter(isChosen)
const judgedKeys = new Set(readOptionTable().map(getPairKey))
const judgedClasses = new Set(
  chosenPairs.filter((pair) => judgedKeys.has(getPairKey(getPairName(pair)))).map(getConversionClass),
)
const pairsToJudge = chosenPairs.filter((pair) => {
  const conversionClass = getConversionClass(pair)
  if (isMissingOnly && judgedClasses.has(conversionClass)) return false
  judgedClasses.add(conversionClass)
  return true
})
let results: JudgedPair[] = []
await forEachConcurrently(pairsToJudge, 3, async (pair) => {
  const outcome = await judgeOption(pair).catch((error: unknown) => `fails: ${error}`)
  const result: JudgedPair = { ...getPairName(pair), outcome: outcome.split('\n')[0] ?? '', reason: '' }
  console.log(Object.values(result).join('\t'))
  results.push(result)
  if (results.length < 5) return
  saveTable(results)
  results = []
})
const table = saveTable(results)
const counts = Map.groupBy(table, ({ outcome }) => outcome)
console.log([...counts].map(([outcome, group]) => `${group.length} ${outcome}`).join(', '))
const isUnexplained = ({ outcome, reason }: JudgedPair) =>
  outcome !== 'effect' && outcome !== 'reported' && reason === ''
await Promise.all(engines.map((engine) => engine.close?.()))
await rm(folder, { recursive: true, force: true })
process.exit(table.some(isUnexplained) ? 1 : 0)
