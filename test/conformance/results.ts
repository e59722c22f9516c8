import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Category, type FormatId, formatById } from '../../lib/formats/index.ts'
import type { Conversion, Route } from '../../lib/plan/index.ts'

export const resultsFolder = fileURLToPath(new URL('results', import.meta.url))

/** The result of one conversion, a line of `results/<category of the source>.csv`. */
export interface ResultLine {
  readonly from: string
  readonly to: string
  /** Engine ids, separated by `>`. */
  readonly route: string
  /** Intermediate formats, separated by `>`. */
  readonly via: string
  readonly result: 'ok' | 'failed'
  /** Short facts from another program, or the error. */
  readonly seen: string
  readonly ms: number
  /** Date of the run. */
  readonly date: string
  /** Shares of the source that the service finds in the result, such as `words=1 pages=1`; empty if unknown. */
  readonly kept: string
}

export type ResultsByPair = ReadonlyMap<string, ResultLine>

const header = 'from,to,route,via,result,seen,ms,date,kept'

export const getPairKey = ({ from, to }: { readonly from: string; readonly to: string }) => `${from} ${to}`

export const getEngineNames = ({ steps }: Route) => steps.map(({ engine }) => engine).join('>')

export const getIntermediateFormats = ({ steps }: Route) =>
  steps
    .slice(0, -1)
    .map(({ to }) => to)
    .join('>')

/** Returns whether the conversion has succeeded with its current route. */
export function isProven({ from, to, route }: Conversion, lines: ResultsByPair): boolean {
  const line = lines.get(getPairKey({ from, to }))
  return (
    line?.result === 'ok' &&
    line.route === getEngineNames(route) &&
    line.via === getIntermediateFormats(route)
  )
}

/** Returns the results of all categories. */
export async function readResults(folder = resultsFolder): Promise<ResultsByPair> {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => name.endsWith('.csv'))
  const lines = await Promise.all(files.map((name) => readLines(`${folder}/${name}`)))
  return new Map(lines.flatMap((lines) => [...lines]))
}

async function readLines(path: string): Promise<ResultsByPair> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const lines = text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map(parseLine)
  return new Map(lines.map((line) => [getPairKey(line), line]))
}

/** Fields contain no commas or quotes: they are removed from `seen`. */
function parseLine(text: string): ResultLine {
  const [from = '', to = '', route = '', via = '', result = '', seen = '', ms = '', date = '', kept = ''] =
    text.split(',')
  return {
    from,
    to,
    route,
    via,
    result: result === 'ok' ? 'ok' : 'failed',
    seen,
    ms: Number(ms),
    date,
    kept,
  }
}

const formatLine = ({ from, to, route, via, result, seen, ms, date, kept }: ResultLine) =>
  [
    from,
    to,
    route,
    via,
    result,
    seen.replaceAll(/[,"\s]+/g, ' ').trim(),
    ms,
    date,
    ...(kept ? [kept] : []),
  ].join(',')

/** Adds lines to the files, which another run may have changed in the meantime. */
export async function saveResults(lines: readonly ResultLine[], folder = resultsFolder): Promise<void> {
  await mkdir(folder, { recursive: true })
  // Lines only contain format ids of the registry.
  const getCategory = (line: ResultLine): Category => formatById(line.from as FormatId).category
  for (const [category, addedLines] of Map.groupBy(lines, getCategory)) {
    const path = `${folder}/${category}.csv`
    await writeLines(path, [...(await readLines(path)).values(), ...addedLines])
  }
}

/** Removes the lines of conversions that are no longer listed. */
export async function pruneResults(listedKeys: ReadonlySet<string>, folder = resultsFolder): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.csv')) continue
    const lines = await readLines(`${folder}/${name}`)
    await writeLines(
      `${folder}/${name}`,
      [...lines.values()].filter((line) => listedKeys.has(getPairKey(line))),
    )
  }
}

/** Writes the latest line of each conversion. */
async function writeLines(path: string, lines: readonly ResultLine[]): Promise<void> {
  const latestByPair = new Map(lines.map((line) => [getPairKey(line), line]))
  const sortedLines = [...latestByPair.values()].map(formatLine).sort((a, b) => (a < b ? -1 : 1))
  await writeFile(`${path}.${process.pid}`, `${[header, ...sortedLines].join('\n')}\n`)
  await rename(`${path}.${process.pid}`, path)
}
