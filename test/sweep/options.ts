/**
 * `nice node test/sweep/options.ts [ENGINE…] [OPTION…]`: converts a small file with two values of each option to each
 * target, and prints whether the results differ for a reader (`effect`), or a warning says that they do not
 * (`reported`). Options of the source are tried with each source, too. `options.tsv` has the results of documents,
 * some of them from single conversions with the same judge, and those of images and media without an effect, each with
 * its reason.
 */
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runEngine } from '../../lib/decoders/run-engine.ts'
import type { Capability, Engine } from '../../lib/engines/engine.ts'
import { engines } from '../../lib/engines/index.ts'
import { isInputOption } from '../../lib/engines/options.ts'
import { AppError } from '../../lib/errors.ts'
import { type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'
import { findSample } from '../conformance/samples.ts'
import { addEncodedByte, makeOptionSource } from './option-sources.ts'
import { type Options, type Trial, trials } from './option-trials.ts'
import { differsBeyondNoise, readContent } from './result-content.ts'

const names = process.argv.slice(2)
const isEngine = (name: string) => engines.some(({ id }) => id === name)
const chosenEngines = engines.filter(({ id }) => !names.some(isEngine) || names.includes(id))
const isChosen = (option: string) => names.every(isEngine) || names.includes(option)
const typicalSources: readonly FormatId[] = [
  'png',
  'jpg',
  'svg',
  'mp4',
  'wav',
  'srt',
  'docx',
  'epub',
  'md',
  'csv',
  'odp',
]
const folder = await mkdtemp(join(tmpdir(), 'option-sweep-'))

interface Attempt {
  readonly engine: Engine
  readonly row: Capability
  readonly from: FormatId
  readonly to: FormatId
}

const fixturePath = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname
const officeSources: Partial<Record<FormatId, string>> = {
  xlsx: fixturePath('office/workbook.xlsx'),
  odp: fixturePath('office/slides.odp'),
  odg: fixturePath('office/drawing.odg'),
}

function chooseSource(from: FormatId, option: string, { fixtures = [] }: Trial): string | undefined {
  const fixture = fixtures.find((name) => formatByExtension(name)?.id === from)
  if (fixture !== undefined) return fixturePath(fixture)
  const madeSource = makeOptionSource(from, join(folder, from))
  if (madeSource === undefined) return officeSources[from] ?? findSample(from)
  return option === 'encoding' ? addEncodedByte(madeSource) : madeSource
}

interface Result {
  readonly content: string
  readonly warnings: string
}

async function convertOnce(
  { engine, row, from, to }: Attempt,
  source: string,
  options: Options,
): Promise<Result> {
  const workDir = await mkdtemp(join(folder, 'work-'))
  try {
    const outDir = join(workDir, 'out')
    await mkdir(outDir)
    const paths = Array.from({ length: 1 + (row.more?.min ?? 0) }, (_, at) =>
      join(workDir, `source-${at + 1}.${formatById(from).extensions[0]}`),
    )
    for (const path of paths) await copyFile(source, path)
    const { size } = await stat(source)
    const inputs = paths.map((path) => ({ path, filename: `in.${from}`, format: from, size }))
    const warnings: string[] = []
    const work = { operation: row.operation, inputs, from, to, options: row.options.parse(options), outDir }
    const { files } = await runEngine(
      engine,
      { method: 'run', work },
      {
        workDir,
        signal: AbortSignal.timeout(60_000),
        limits: engine.limits,
        onProgress: () => undefined,
        onWarning: (code, message) => warnings.push(`${code} ${message}`),
      },
    )
    const content = await readContent(files[0].path, formatById(to).category === 'archive')
    return { content: `${files.length} ${content}`, warnings: warnings.join('\n') }
  } catch (error) {
    if (error instanceof AppError) return { content: `error ${error.code}`, warnings: '' }
    throw error
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

const isError = ({ content }: Result) => content.startsWith('error ')
const isReported = ({ warnings }: Result) => /OPTION_(?:IGNORED|NOT_HELD)|METADATA_NOT_KEPT/.test(warnings)

async function judgeOption(attempt: Attempt, option: string): Promise<string> {
  const { engine, row, from } = attempt
  const trial = trials[`${engine.id}.${option}`] ?? trials[option]
  const source = trial && chooseSource(from, option, trial)
  if (!trial || !source) return trial ? 'no source' : 'no values'
  const beside = Object.entries(trial.beside ?? {}).filter(([name]) => Object.hasOwn(row.options.shape, name))
  const convert = (value: unknown) =>
    convertOnce(attempt, source, { ...Object.fromEntries(beside), [option]: value })
  const [firstValue, secondValue] = trial.values
  const [first, second] = [await convert(firstValue), await convert(secondValue)]
  if (isError(first) && isError(second)) return `fails: ${first.content}`
  if (isError(first) || isError(second)) return 'effect'
  if (first.content !== second.content) {
    const noise = [first.content, (await convert(firstValue)).content] as const
    if (differsBeyondNoise(second.content, noise)) return 'effect'
  }
  return isReported(first) || isReported(second) ? 'reported' : 'none'
}

/** Returns each target with one source, and for options of the source also each source with one target. */
function listPairs({ from, to, options }: Capability, option: string): (readonly [FormatId, FormatId])[] {
  const sources = [...typicalSources.filter((one) => from.includes(one)), ...from]
  const withTarget = (target: FormatId) => sources.find((one) => one !== target) ?? target
  const pairs = to.map((target) => [withTarget(target), target] as const)
  if (!isInputOption(options.shape[option])) return pairs
  const tried = pairs.map(([source]) => source)
  return [
    ...pairs,
    ...from.flatMap((source) => {
      const target = to.find((one) => one !== source)
      return target && !tried.includes(source) ? [[source, target] as const] : []
    }),
  ]
}

/** Results that are the same for several pairs share a line. */
const table = new Map<string, Set<string>>()
for (const engine of chosenEngines)
  for (const row of engine.capabilities)
    for (const option of Object.keys(row.options.shape).filter(isChosen))
      for (const [from, to] of listPairs(row, option)) {
        const outcome = await judgeOption({ engine, row, from, to }, option).catch(
          (error: unknown) => `fails: ${String(error).split('\n')[0]}`,
        )
        const line = [engine.id, row.operation, option, outcome].join('\t')
        console.error([line, from, to].join('\t'))
        table.set(line, (table.get(line) ?? new Set()).add(`${from}-${to}`))
      }
console.log('engine\toperation\toption\toutcome\tpairs')
for (const [line, pairs] of table) console.log(`${line}\t${[...pairs].join(' ')}`)
await Promise.all(engines.map((engine) => engine.close?.()))
await rm(folder, { recursive: true, force: true })
process.exit()
