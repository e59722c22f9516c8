import { AppError } from '../errors.ts'
import { RemoteError } from './remote-error.ts'

/** Maximum number of files per import. */
const maxFiles = 1000

interface ListedPrefix {
  /** The field that contains the prefix. */
  readonly field: string
  readonly prefix: string
  /** The searched place as error messages show it: `bucket reports` for a bucket named `reports`. */
  readonly location: string
}

/** Collects the files below a prefix. @throws RemoteError if there are none, AppError if there are too many. */
export async function listPrefix<File extends { readonly name: string }>(
  listedFiles: AsyncIterable<File>,
  { field, prefix, location }: ListedPrefix,
): Promise<File[]> {
  const files: File[] = []
  for await (const file of listedFiles) {
    // Empty files whose names end with a slash are skipped, because web consoles create them as folders.
    if (!file.name.endsWith('/')) files.push(file)
    if (files.length > maxFiles)
      throw new AppError(
        'INVALID_INPUT',
        `${field}: expected at most ${maxFiles} files with this prefix. Use a longer prefix.`,
        { field, max: maxFiles },
      )
  }
  if (files.length > 0) return files
  throw new RemoteError('not-found', `There is no file with the prefix ${prefix} in the ${location}.`)
}

/** Returns the last part of a name: `b.txt` for `a/b.txt`. */
export const getBaseName = (name: string) => name.split('/').at(-1) || name
