import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A link, pipe or socket among the results could make us read elsewhere or wait for ever. */
export async function removeOddFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    // The engine itself may just have removed what it has used.
    const stats = await lstat(path).catch(ignoreGone)
    if (stats?.isDirectory()) await removeOddFiles(path)
    else if (stats && !stats.isFile()) await rm(path, { force: true })
  }
}

/** For a file that somebody else may have removed meanwhile. */
export function ignoreGone(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
