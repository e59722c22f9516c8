import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes links, pipes and sockets from results: they could make the service read other files or block forever. */
export async function removeSpecialFiles(folder: string): Promise<void> {
  // The engine may have removed the folder meanwhile. `withFileTypes` avoids a `stat` of each entry.
  for (const folderEntry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, folderEntry.name)
    if (folderEntry.isDirectory()) await removeSpecialFiles(path)
    else if (!folderEntry.isFile()) await rm(path, { force: true })
  }
}

/** Ignores the error for a file that another process may have removed meanwhile. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
