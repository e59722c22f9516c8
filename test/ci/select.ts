import type { EngineId, ImageId } from '../../lib/component-ids.ts'
import type { Category } from '../../lib/formats/index.ts'
import { type Row, rows } from './affected.ts'
import { secondsOf, wallSeconds } from './durations.ts'

/** Slow checks of a commit. */
export interface Selection {
  /** Slow test files. */
  readonly slow: readonly string[]
  /** Areas of `test/mutate/areas.ts`. */
  readonly areas: readonly string[]
  readonly engines: readonly EngineId[]
  readonly sweep: readonly Category[]
  readonly image: ImageId | undefined
}

/** Seconds, by the recorded durations, that a commit can use at most for its slow tests and mutations. */
export const maxSlowSeconds = 480
export const maxMutationSeconds = 240

const contains = (path: string, file: string) => file === path || file.startsWith(`${path}/`)

/** Returns the row with the longest path that contains the file, or the file of `lib` that a test is about. */
export function rowOf(file: string): Row | undefined {
  const names = [file, file.replace(/^test\//, 'lib/')]
  const foundRows = rows.flatMap((row) =>
    row.paths
      .filter((path) => names.some((name) => contains(path, name)))
      .map((path) => ({ row, length: path.length })),
  )
  return foundRows.toSorted((a, b) => b.length - a.length)[0]?.row
}

/**
 * Returns the checks that belong to the changed files. What does not fit into the time of a run is left out: rows with
 * the most changed files come first, and of each row its first test before the second of any. The same files always
 * give the same selection.
 */
export function selectChecks(changedFiles: readonly string[]): Selection {
  const byRow = Map.groupBy(changedFiles, rowOf)
  const affected = rows
    .filter((row) => byRow.has(row))
    .toSorted((a, b) => (byRow.get(b)?.length ?? 0) - (byRow.get(a)?.length ?? 0))
  return {
    slow: fitSlow([
      ...changedFiles.filter((file) => file.endsWith('.slow.ts')).toSorted(),
      ...inTurn(affected),
    ]),
    areas: fitAreas(affected.flatMap(({ mutate }) => mutate ?? [])),
    engines: [...new Set(affected.flatMap(({ engines = [] }) => engines))],
    sweep: [...new Set(affected.flatMap(({ sweep = [] }) => sweep))],
    image: affected.find(({ image }) => image)?.image,
  }
}

/** Returns the first slow test of each row, then the second of each, and so on. */
function inTurn(affected: readonly Row[]): string[] {
  const lists = affected.map(({ slow = [] }) => slow)
  const turnCount = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: turnCount }, (_, turn) => lists.flatMap((list) => list[turn] ?? [])).flat()
}

/** Files of the images run with their image only; deleted files have no recorded duration. */
const isSelectable = (file: string) => !file.startsWith('test/layers/') && secondsOf(file) !== undefined

function fitSlow(files: readonly string[]): string[] {
  const fitting: string[] = []
  for (const file of new Set(files.filter(isSelectable)))
    if (wallSeconds([...fitting, file]) <= maxSlowSeconds) fitting.push(file)
  return fitting
}

function fitAreas(areas: readonly string[]): string[] {
  let left = maxMutationSeconds
  return [...new Set(areas)].filter((area) => {
    const seconds = secondsOf(`mutate ${area}`) ?? 0
    if (seconds > left) return false
    left -= seconds
    return true
  })
}
