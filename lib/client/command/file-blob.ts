import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/**
 * Files up to here are read whole: below it a job is one request, a form, and Node crashes where a file in a form can no
 * longer be read.
 */
const smallBytes = 4 * 1024 ** 2

export async function fileBlob(path: string, size: number): Promise<File> {
  // Larger ones are read as they are sent.
  const bytes = size <= smallBytes ? await readFile(path) : await openAsBlob(path)
  return new File([bytes], basename(path))
}
