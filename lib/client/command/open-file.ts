import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/**
 * Files up to here are read whole: below it a job is one request, a form, and Node crashes where a file in a form can no
 * longer be read.
 */
const maxWholeReadBytes = 4 * 1024 ** 2

export async function openFile(path: string, size: number): Promise<File> {
  // Larger ones are read as they are sent.
  const bytes = size <= maxWholeReadBytes ? await readFile(path) : await openAsBlob(path)
  return new File([bytes], basename(path))
}
