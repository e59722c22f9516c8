import { AppError } from '../errors.ts'
import { RemoteError } from './remote-error.ts'

/** Files of one import, most of which a prefix names. */
const mostFiles = 1000

interface Asked {
  /** The field that has the prefix. */
  readonly field: string
  readonly prefix: string
  /** As `bucket reports`. */
  readonly place: string
}

/** The names that a store lists below a prefix. @throws RemoteError for none, AppError for too many. */
export async function foundNames(
  listed: AsyncIterable<string>,
  { field, prefix, place }: Asked,
): Promise<string[]> {
  const names: string[] = []
  for await (const name of listed) {
    // Consoles show a folder where there is an empty file whose name ends in a slash.
    if (!name.endsWith('/')) names.push(name)
    if (names.length > mostFiles)
      throw new AppError(
        'INVALID_INPUT',
        `${field}: expected at most ${mostFiles} files below it. Name a longer one.`,
        { field, max: mostFiles },
      )
  }
  if (names.length > 0) return names
  throw new RemoteError('not-found', `There is no file below ${prefix} in the ${place}.`)
}

/** `b.txt` of `a/b.txt`. */
export const lastPart = (name: string) => name.split('/').at(-1) || name
