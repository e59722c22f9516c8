import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** Files up to this size are read into memory, because Node crashes if a file in a form can no longer be read. */
const maxWholeReadBytes = 4 * 1024 ** 2

export async function readLocalFile(path: string, size: number): Promise<File> {
  // Larger files are read while they are sent, in a request without a form.
  const bytes = size <= maxWholeReadBytes ? await readFile(path) : await openAsBlob(path)
  return new File([bytes], basename(path))
}
