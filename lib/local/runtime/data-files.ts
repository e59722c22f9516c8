import { open } from 'node:fs/promises'

/** Syncs the names in a folder to disk, so that renamed and new files keep their names after a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const describeFileError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
