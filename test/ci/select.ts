import type { EngineId, ImageId } from '../../lib/component-ids.ts'
import type { Category } from '../../lib/formats/index.ts'
import { type Row, rows } from './affected.ts'
import { estimateWallSeconds, getSeconds } from './durations.ts'

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

/** Maximum total of the recorded durations of the slow tests that a commit selects. */
export const maxSlowSeconds = 480
/** Maximum total of the recorded durations of the mutation areas that a commit selects. */
export const maxMutationSeconds = 240

const contains = (path: string, file: string) => file === path || file.startsWith(`${path}/`)

/**
 * Returns the row with the longest path that contains the file. A test file also matches the paths that contain the
 * corresponding file below `lib`.
 */
export function findRow(file: string): Row | undefined {
  const names = [file, file.replace(/^test\//, 'lib/')]
  const foundRows = rows.flatMap((row) =>
    row.paths
      .filter((path) => names.some((name) => contains(path, name)))
      .map((path) => ({ row, length: path.length })),
  )
  return foundRows.toSorted((a, b) => b.length - a.length)[0]?.row
}

/**
 * Returns the checks that belong to the changed files. Checks that do not fit into the time of a run are left out: rows
 * with the most changed files come first, and the first test of each row comes before the second test of any row. The
 * same files always give the same selection.
 */
export function selectChecks(changedFiles: readonly string[]): Selection {
  const filesByRow = Map.groupBy(changedFiles, findRow)
  const affectedRows = rows
    .filter((row) => filesByRow.has(row))
    .toSorted((a, b) => (filesByRow.get(b)?.length ?? 0) - (filesByRow.get(a)?.length ?? 0))
  return {
    slow: limitSlowTests([
      ...changedFiles.filter((file) => file.endsWith('.slow.ts')).toSorted(),
      ...interleaveSlowTests(affectedRows),
    ]),
    areas: limitAreas(affectedRows.flatMap(({ mutate }) => mutate ?? [])),
    engines: [...new Set(affectedRows.flatMap(({ engines = [] }) => engines))],
    sweep: [...new Set(affectedRows.flatMap(({ sweep = [] }) => sweep))],
    image: affectedRows.find(({ image }) => image)?.image,
  }
}

/** Returns the first slow test of each row, then the second of each, and so on. */
function interleaveSlowTests(rows: readonly Row[]): string[] {
  const lists = rows.map(({ slow = [] }) => slow)
  const maxLength = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: maxLength }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
}

/** Tests of images only run together with their image; deleted files have no recorded duration. */
const isSelectable = (file: string) => !file.startsWith('test/layers/') && getSeconds(file) !== undefined

function limitSlowTests(files: readonly string[]): string[] {
  const selectedFiles: string[] = []
  for (const file of new Set(files.filter(isSelectable)))
    if (estimateWallSeconds([...selectedFiles, file]) <= maxSlowSeconds) selectedFiles.push(file)
  return selectedFiles
}

function limitAreas(areas: readonly string[]): string[] {
  let secondsLeft = maxMutationSeconds
  return [...new Set(areas)].filter((area) => {
    const seconds = getSeconds(`mutate ${area}`) ?? 0
    if (seconds > secondsLeft) return false
    secondsLeft -= seconds
    return true
  })
}
