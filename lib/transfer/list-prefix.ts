import { AppError } from '../errors.ts'
import { RemoteError } from './remote-error.ts'

/** Files of one import, most of which a prefix names. */
const maxFiles = 1000

interface ListedPrefix {
  /** The field that has the prefix. */
  readonly field: string
  readonly prefix: string
  /** As `bucket reports`. */
  readonly place: string
}

/** What a store lists below a prefix. @throws RemoteError for nothing, AppError for too many. */
export async function listPrefix<File extends { readonly name: string }>(
  listed: AsyncIterable<File>,
  { field, prefix, place }: ListedPrefix,
): Promise<File[]> {
  const files: File[] = []
  for await (const file of listed) {
    // Consoles show a folder where there is an empty file whose name ends in a slash.
    if (!file.name.endsWith('/')) files.push(file)
    if (files.length > maxFiles)
      throw new AppError(
        'INVALID_INPUT',
        `${field}: expected at most ${maxFiles} files below it. Name a longer one.`,
        { field, max: maxFiles },
      )
  }
  if (files.length > 0) return files
  throw new RemoteError('not-found', `There is no file below ${prefix} in the ${place}.`)
}

/** `b.txt` of `a/b.txt`. */
export const baseName = (name: string) => name.split('/').at(-1) || name
