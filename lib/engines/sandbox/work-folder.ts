import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A link, pipe or socket among the results could make us read elsewhere or wait for ever. */
export async function removeSpecialFiles(folder: string): Promise<void> {
  // The engine itself may just have removed what it has used. The kinds come with the names, without a look at each.
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await removeSpecialFiles(path)
    else if (!entry.isFile()) await rm(path, { force: true })
  }
}

/** For a file that somebody else may have removed meanwhile. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
