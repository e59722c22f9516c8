import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { UsageError } from './exit-codes.ts'

/** A file to convert, and the folder for its result. */
export interface CommandInput {
  /** Absolute path. */
  readonly path: string
  /** The path as the user typed it, for messages. */
  readonly typedPath: string
  readonly size: number
  readonly mtimeMs: number
  /** Absolute path of the folder for the result. */
  readonly folder: string
}

/** Finds the files for paths, globs and folders. Folders only contribute the files whose extension is wanted. */
export async function findInputs(
  patterns: readonly string[],
  outputPath: string | undefined,
  loadExtensionFilter: () => Promise<(extension: string) => boolean>,
): Promise<readonly CommandInput[]> {
  const foundInputs = new Map<string, CommandInput>()
  for (const pattern of patterns) {
    const { paths, base } = await resolvePattern(pattern, loadExtensionFilter)
    for (const path of paths) await addInput(foundInputs, path, outputPath, base)
  }
  return [...foundInputs.values()]
}

/** Finds the files for one path, glob or folder. @returns their paths, and the folder whose tree the output keeps */
async function resolvePattern(
  pattern: string,
  loadExtensionFilter: () => Promise<(extension: string) => boolean>,
): Promise<{ paths: readonly string[]; base: string }> {
  const stats = await tryStat(pattern)
  if (stats?.isDirectory()) {
    const isWantedExtension = await loadExtensionFilter()
    const paths = await listFiles(pattern)
    return {
      paths: paths.filter((path) => isWantedExtension(extname(path).slice(1).toLowerCase())),
      base: pattern,
    }
  }
  if (stats) return { paths: [pattern], base: dirname(pattern) }
  const { base, matches } = compileGlob(pattern)
  const paths = base === undefined ? [] : (await listFiles(base)).filter(matches)
  if (base === undefined || paths.length === 0) throw new UsageError(`File not found: ${pattern}.`)
  return { paths, base }
}

const tryStat = (path: string) => stat(path).catch(() => undefined)

/** Adds a file. @param base the folder whose tree is reproduced below the output path */
async function addInput(
  foundInputs: Map<string, CommandInput>,
  typedPath: string,
  outputPath: string | undefined,
  base: string,
): Promise<void> {
  const path = resolve(typedPath)
  const { size, mtimeMs } = await stat(path)
  const folder =
    outputPath === undefined ? dirname(path) : resolve(outputPath, relative(base, dirname(typedPath)))
  foundInputs.set(path, { path, typedPath, size, mtimeMs, folder })
}

/** Lists all files below a folder in order, except hidden ones. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const visibleEntries = entries
    .filter(({ name }) => !name.startsWith('.'))
    .sort((entry, other) => (entry.name < other.name ? -1 : 1))
  const paths: string[] = []
  for (const entry of visibleEntries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) paths.push(...(await listFiles(path)))
    else if (entry.isFile()) paths.push(path)
  }
  return paths
}

/** Compiles a glob with `*`, `?`, `**`, `[…]` and `{a,b}`, for shells that do not expand them. */
export function compileGlob(pattern: string): {
  readonly base: string | undefined
  readonly matches: (path: string) => boolean
} {
  const segments = pattern.split('/')
  const firstWildcard = segments.findIndex((segment) => /[*?[{]/.test(segment))
  if (firstWildcard < 0) return { base: undefined, matches: () => false }
  const base = segments.slice(0, firstWildcard).join('/') || (pattern.startsWith('/') ? '/' : '.')
  const source = segments
    .slice(firstWildcard)
    .map((segment, index, all) =>
      segment === '**' ? '(?:[^/]+/)*' : `${toSegmentPattern(segment)}${index < all.length - 1 ? '/' : ''}`,
    )
    .join('')
  const expression = new RegExp(`^${source}$`)
  return { base, matches: (path) => expression.test(relative(base, path).split(sep).join('/')) }
}

const toSegmentPattern = (segment: string) =>
  segment
    .replace(/[.+^$()|\\]/g, '\\$&')
    .replace(/\*/g, '[^/]*')
    .replace(/\?/g, '[^/]')
    .replace(/\{([^{}]*)\}/g, (_, choices: string) => `(?:${choices.split(',').join('|')})`)
    .replace(/\[!/g, '[^')

/** Returns the default output path: the name of the source with the extension of the target format. */
export const getDefaultOutput = (
  { path, folder }: Pick<CommandInput, 'path' | 'folder'>,
  format: string,
): string => join(folder, `${basename(path, extname(path))}.${format}`)

/** Gives results unique names when their sources differ only in extension or in folders that are not kept. */
export class OutputNames {
  readonly #sources = new Map<string, string>()

  /**
   * Returns a name for the next result; undefined for the first source of that name, whose result gets the default
   * name.
   */
  next(input: Pick<CommandInput, 'path' | 'folder'>, format: string): string | undefined {
    const defaultPath = getDefaultOutput(input, format)
    if (this.#isFree(defaultPath, input)) return undefined
    for (let copy = 1; ; copy += 1) {
      const number = copy > 1 ? ` ${copy}` : ''
      const name = join(input.folder, `${basename(input.path)}${number}.${format}`)
      if (this.#isFree(name, input)) return name
    }
  }

  #isFree(output: string, { path }: Pick<CommandInput, 'path'>): boolean {
    const source = this.#sources.get(output) ?? path
    this.#sources.set(output, source)
    return source === path
  }
}
