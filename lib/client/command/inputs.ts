import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { UsageError } from './exit-codes.ts'

/** A file to convert, and where its result belongs. */
export interface Input {
  /** Absolute. */
  readonly path: string
  /** As it was typed, for whoever reads. */
  readonly typedPath: string
  readonly size: number
  readonly mtimeMs: number
  /** Absolute folder of the result. */
  readonly folder: string
}

/** Files, globs and folders as they were typed. In folders only what `isWanted` says, by its extension. */
export async function findInputs(
  patterns: readonly string[],
  out: string | undefined,
  isWanted: () => Promise<(extension: string) => boolean>,
): Promise<readonly Input[]> {
  const found = new Map<string, Input>()
  for (const pattern of patterns) {
    const { paths, base } = await resolveWord(pattern, isWanted)
    for (const path of paths) await addInput(found, path, out, base)
  }
  return [...found.values()]
}

/** @returns what a word stands for, and the folder whose tree is kept */
async function resolveWord(
  pattern: string,
  isWanted: () => Promise<(extension: string) => boolean>,
): Promise<{ paths: readonly string[]; base: string }> {
  const stats = await tryStat(pattern)
  if (stats?.isDirectory()) {
    const isWantedExtension = await isWanted()
    const paths = await listFiles(pattern)
    return {
      paths: paths.filter((path) => isWantedExtension(extname(path).slice(1).toLowerCase())),
      base: pattern,
    }
  }
  if (stats) return { paths: [pattern], base: dirname(pattern) }
  const { base, matches } = compileGlob(pattern)
  const paths = base === undefined ? [] : (await listFiles(base)).filter(matches)
  if (base === undefined || paths.length === 0) throw new UsageError(`There is no file ${pattern}.`)
  return { paths, base }
}

const tryStat = (path: string) => stat(path).catch(() => undefined)

/** @param base folder whose tree is kept under `out` */
async function addInput(
  found: Map<string, Input>,
  typedPath: string,
  out: string | undefined,
  base: string,
): Promise<void> {
  const path = resolve(typedPath)
  const { size, mtimeMs } = await stat(path)
  const folder = out === undefined ? dirname(path) : resolve(out, relative(base, dirname(typedPath)))
  found.set(path, { path, typedPath, size, mtimeMs, folder })
}

/** Those that a file manager shows, in order. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const visible = entries
    .filter(({ name }) => !name.startsWith('.'))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const paths: string[] = []
  for (const entry of visible) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) paths.push(...(await listFiles(path)))
    else if (entry.isFile()) paths.push(path)
  }
  return paths
}

/** Of `*`, `?`, `**`, `[…]` and `{a,b}`, as shells have them, for where no shell does it. */
export function compileGlob(pattern: string): {
  readonly base: string | undefined
  readonly matches: (path: string) => boolean
} {
  const segments = pattern.split('/')
  const first = segments.findIndex((segment) => /[*?[{]/.test(segment))
  if (first < 0) return { base: undefined, matches: () => false }
  const base = segments.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.')
  const source = segments
    .slice(first)
    .map((segment, index, all) =>
      segment === '**' ? '(?:[^/]+/)*' : `${segmentPattern(segment)}${index < all.length - 1 ? '/' : ''}`,
    )
    .join('')
  const expression = new RegExp(`^${source}$`)
  return { base, matches: (path) => expression.test(relative(base, path).split(sep).join('/')) }
}

const segmentPattern = (segment: string) =>
  segment
    .replace(/[.+^$()|\\]/g, '\\$&')
    .replace(/\*/g, '[^/]*')
    .replace(/\?/g, '[^/]')
    .replace(/\{([^}]*)\}/g, (_, choices: string) => `(?:${choices.split(',').join('|')})`)
    .replace(/\[!/g, '[^')

/** A result beside its source, when it has the name that results usually have. */
export const defaultOutput = ({ path, folder }: Pick<Input, 'path' | 'folder'>, format: string): string =>
  join(folder, `${basename(path, extname(path))}.${format}`)

/** Results of files that differ in their endings, or in folders that are not kept, alone: each has a name of its own. */
export class OutputNames {
  readonly #sources = new Map<string, string>()

  /** Undefined for the first that comes, whose result has the name that results usually have. */
  next(input: Pick<Input, 'path' | 'folder'>, format: string): string | undefined {
    const defaultPath = defaultOutput(input, format)
    if (this.#isFree(defaultPath, input)) return undefined
    for (let copy = 1; ; copy += 1) {
      const number = copy > 1 ? ` ${copy}` : ''
      const name = join(input.folder, `${basename(input.path)}${number}.${format}`)
      if (this.#isFree(name, input)) return name
    }
  }

  #isFree(output: string, { path }: Pick<Input, 'path'>): boolean {
    const source = this.#sources.get(output) ?? path
    this.#sources.set(output, source)
    return source === path
  }
}
