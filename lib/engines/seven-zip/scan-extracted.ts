import { isUtf8 } from 'node:buffer'
import type { Stats } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createTooManyEntriesError, maxEntries } from '../../formats/archive-limits.ts'
import { ignoreMissing } from '../sandbox/work-folder.ts'

/** Numbers of files, folders and bytes that were unpacked from an archive. */
export interface UnpackedContents {
  readonly files: number
  /** Number of folders, without the top folder. */
  readonly folders: number
  readonly bytes: number
}

interface FoundEntry {
  /** Bytes, because names from old archives may not be valid UTF-8. */
  readonly path: Buffer
  readonly name: Buffer
  readonly stats: Stats
}

const joinPath = (folder: Buffer, name: Buffer) => Buffer.concat([folder, Buffer.from('/'), name])

/** Walks a folder that a program may be filling at the same time; folders come before their content. */
async function* walk(folder: Buffer): AsyncGenerator<FoundEntry> {
  for (const name of (await readdir(folder, { encoding: 'buffer' }).catch(ignoreMissing)) ?? []) {
    const path = joinPath(folder, name)
    const stats = await lstat(path).catch(ignoreMissing)
    if (!stats) continue
    yield { path, name, stats }
    if (stats.isDirectory()) yield* walk(path)
  }
}

/** Counts files, folders and bytes in a folder. @throws AppError FILE_TOO_LARGE when it has too many entries. */
export async function measureFolder(folder: string): Promise<UnpackedContents> {
  let files = 0
  let folders = 0
  let bytes = 0
  for await (const { stats } of walk(Buffer.from(folder))) {
    if (stats.isDirectory()) folders++
    else files++
    bytes += stats.isFile() ? stats.size : 0
    if (files + folders > maxEntries) throw createTooManyEntriesError()
  }
  return { files, folders, bytes }
}

/**
 * Makes all files readable for the packer, which runs as another user, whatever their modes. Converts names to UTF-8,
 * guessing one encoding from all invalid names together.
 */
export async function makeReadable(folder: string, expectedCharset: string): Promise<void> {
  const invalidNames: FoundEntry[] = []
  for await (const entry of walk(Buffer.from(folder))) {
    const { path, stats } = entry
    const isExecutable = stats.isDirectory() || (stats.mode & 0o100) !== 0
    if (stats.isDirectory() || stats.isFile()) await chmod(path, isExecutable ? 0o755 : 0o644)
    if (!isUtf8(entry.name)) invalidNames.push(entry)
  }
  const [{ guessCharset }, { decodeText }] = await Promise.all([
    import('../shared/text/detect-charset.ts'),
    import('../shared/text/decode.ts'),
  ])
  const charset = guessCharset(
    Buffer.concat(invalidNames.flatMap(({ name }) => [name, Buffer.from('\n')])),
    expectedCharset,
  )
  // Rename the content of a folder before the folder itself, because renaming the folder changes its paths.
  for (const { path, name } of invalidNames.reverse()) {
    const parent = path.subarray(0, path.length - name.length - 1)
    const target = joinPath(parent, Buffer.from(decodeText(name, charset).replaceAll('/', '_')))
    const isTaken = (await lstat(target).catch(ignoreMissing)) !== undefined
    await rename(path, isTaken ? Buffer.concat([target, Buffer.from('_')]) : target)
  }
}

/**
 * Moves files whose names contain backslashes into folders: some programs write Windows paths, although the ZIP format
 * requires slashes (APPNOTE 4.4.17).
 */
export async function splitBackslashes(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  // Starts with the deepest entries, because moving a folder changes the paths of its content.
  for (const { name, parentPath } of entries.reverse()) {
    const segments = name.split('\\').filter((segment) => segment !== '' && segment !== '.')
    const file = segments.pop()
    if (!name.includes('\\') || file === undefined || file === '..' || segments.includes('..')) continue
    const parent = await makeFolders(parentPath, segments)
    if (parent === undefined) continue
    const target = join(parent, file)
    const isTaken = (await lstat(target).catch(ignoreMissing)) !== undefined
    if (!isTaken) await rename(join(parentPath, name), target)
  }
}

/** Makes nested folders and returns the path of the last one; undefined if a file or link already has such a name. */
async function makeFolders(parent: string, names: readonly string[]): Promise<string | undefined> {
  let path = parent
  for (const name of names) {
    path = join(path, name)
    const stats = await lstat(path).catch(ignoreMissing)
    if (stats && !stats.isDirectory()) return undefined
    if (!stats) await mkdir(path, { mode: 0o755 })
  }
  return path
}
