import { inflateRawSync } from 'node:zlib'
import { type FileBytes, freeBuffer, maxReadBytes } from './bytes.ts'

/**
 * Directory and members of a ZIP (PKWARE's APPNOTE 6.3.10; numbers are its sections). zip.js pipes each member through
 * a chain of streams, which takes longer than counting its words.
 */
export interface Zip {
  readonly names: readonly string[]
  has(name: string): boolean
  /**
   * @param use receives the content, which is freed afterwards.
   * @returns undefined if the member does not exist.
   * @throws RangeError if the member is too large or damaged, CountingStopped if all members together are too large.
   */
  read<Result>(name: string, use: (content: Buffer) => Result): Promise<Result | undefined>
  /** Reads a member as text. */
  text(name: string): Promise<string | undefined>
}

interface ZipMember {
  readonly method: number
  readonly compressedSize: number
  readonly uncompressedSize: number
  readonly start: number
}

const maxEndRecordBytes = 65_557
const maxMembers = 200_000
/** The minimum that zlib accepts. */
const minChunkBytes = 64

/** Undefined if it is not a ZIP, has several disks or more than 4 GiB. */
export async function openZip(bytes: FileBytes): Promise<Zip | undefined> {
  const tail = await bytes.at(
    Math.max(0, bytes.size - maxEndRecordBytes),
    Math.min(bytes.size, maxEndRecordBytes),
  )
  // 4.3.16.
  const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0 || end + 22 > tail.length) return undefined
  const size = tail.readUInt32LE(end + 12)
  const start = tail.readUInt32LE(end + 16)
  if (start + size > bytes.size) return undefined
  const members = readDirectory(await bytes.at(start, size))
  const read = async <Result>(name: string, use: (content: Buffer) => Result) => {
    const member = members.get(name)
    return member && useMember(member, bytes, use)
  }
  return {
    names: [...members.keys()],
    has: (name) => members.has(name),
    read,
    text: (name) => read(name, (content) => content.toString()),
  }
}

/** 4.3.12. */
function readDirectory(directory: Buffer): ReadonlyMap<string, ZipMember> {
  const members = new Map<string, ZipMember>()
  for (let at = 0; at + 46 <= directory.length && members.size < maxMembers; ) {
    if (directory.readUInt32LE(at) !== 0x02014b50) break
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
    members.set(directory.toString('utf8', at + 46, nameEnd), {
      method: directory.readUInt16LE(at + 10),
      compressedSize: directory.readUInt32LE(at + 20),
      uncompressedSize: directory.readUInt32LE(at + 24),
      start: directory.readUInt32LE(at + 42),
    })
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return members
}

/** 4.3.7: only the local header contains its own length. */
async function useMember<Result>(
  { method, compressedSize, uncompressedSize: unpacked, start }: ZipMember,
  bytes: FileBytes,
  use: (content: Buffer) => Result,
): Promise<Result> {
  if (unpacked > maxReadBytes) throw new RangeError('a member is too large')
  const header = await bytes.at(start, 30)
  const from = start + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const data = await bytes.at(from, compressedSize)
  if (method === 0) {
    bytes.countDecompressed(data.length)
    return use(data)
  }
  if (method !== 8) throw new RangeError('the compression method of a member is not supported')
  // The directory's size, which may be wrong, lets zlib use one buffer instead of concatenating many. One byte is
  // added, because zlib allocates another buffer when the last byte fills it.
  const chunkSize = Math.min(Math.max(unpacked + 1, minChunkBytes), maxReadBytes)
  const content = inflateRawSync(data, { maxOutputLength: maxReadBytes, chunkSize })
  bytes.countDecompressed(content.length)
  try {
    return use(content)
  } finally {
    freeBuffer(content)
  }
}
