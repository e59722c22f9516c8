import { FileLimitError } from '../binary/errors.ts'
import { openZipArchive } from '../binary/zip.ts'
import { type FileBytes, freeBuffer, maxReadBytes } from './bytes.ts'

/** A ZIP whose members are read by name, within the limits of the file. */
export interface Zip {
  readonly names: readonly string[]
  has(name: string): boolean
  /**
   * Reads a member.
   * @param use receives the content, which is freed afterwards.
   * @returns undefined if the member does not exist.
   * @throws RangeError if the member is too large or damaged, CountingStoppedError if all members together are too
   * large.
   */
  read<Result>(name: string, use: (content: Buffer) => Result): Promise<Result | undefined>
  /** Reads a member as text. */
  text(name: string): Promise<string | undefined>
}

const maxMembers = 20_000
const storedMethod = 0

/**
 * Opens a ZIP; undefined for another kind of file. @throws RangeError if the ZIP is damaged or has too many members.
 */
export async function openZip(bytes: FileBytes): Promise<Zip | undefined> {
  if ((await bytes.at(0, 2)).toString('latin1') !== 'PK') return undefined
  const archive = await openZipArchive(bytes, maxMembers)
  if (archive.hasMoreEntries) throw new FileLimitError(`it has more than ${maxMembers} members`)
  const members = new Map(archive.entries.map((entry) => [entry.name, entry]))
  const read = async <Result>(name: string, use: (content: Buffer) => Result) => {
    const member = members.get(name)
    if (!member) return undefined
    const content = await archive.readUnchecked(member, maxReadBytes)
    bytes.countDecompressed(content.length)
    try {
      return use(content)
    } finally {
      // Uncompressed content is a part of the file's buffer, so it must not be freed.
      if (member.method !== storedMethod) freeBuffer(content)
    }
  }
  return {
    names: [...members.keys()],
    has: (name) => members.has(name),
    read,
    text: (name) => read(name, (content) => content.toString()),
  }
}
