import type { Stats } from 'node:fs'
import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { mostEntries, tooMany } from './archive-limits.ts'
import { ignoreGone } from './work-folder.ts'

export interface Unpacked {
  /** Relative to the folder. */
  readonly files: readonly string[]
  /** Their number, without the outermost. */
  readonly folders: number
  readonly bytes: number
}

interface Found {
  readonly path: string
  readonly stats: Stats
}

/** Everything below a folder, which a program may be filling meanwhile. */
async function* walk(folder: string, below = ''): AsyncGenerator<Found> {
  for (const name of (await readdir(join(folder, below)).catch(ignoreGone)) ?? []) {
    const path = join(below, name)
    const stats = await lstat(join(folder, path)).catch(ignoreGone)
    if (!stats) continue
    yield { path, stats }
    if (stats.isDirectory()) yield* walk(folder, path)
  }
}

export async function survey(folder: string): Promise<Unpacked> {
  const files: string[] = []
  let folders = 0
  let bytes = 0
  for await (const { path, stats } of walk(folder)) {
    if (stats.isDirectory()) folders++
    else files.push(path)
    bytes += stats.isFile() ? stats.size : 0
    if (files.length + folders > mostEntries) throw tooMany()
  }
  return { files, folders, bytes }
}

/** Packers run as a user of their own and have to read all of it, whatever modes it came with. */
export async function makeReadable(folder: string): Promise<void> {
  for await (const { path, stats } of walk(folder)) {
    const runs = stats.isDirectory() || (stats.mode & 0o100) !== 0
    if (stats.isDirectory() || stats.isFile()) await chmod(join(folder, path), runs ? 0o755 : 0o644)
  }
}
