import { inflateRawSync } from 'node:zlib'
import { type FileBytes, mostAtOnce } from './bytes.ts'

/**
 * The list of a ZIP and single members of it (PKWARE's APPNOTE 6.3.10; numbers are its sections). zip.js sends each
 * member through a chain of streams, which takes longer than to count its words.
 */
export interface Zip {
  readonly names: readonly string[]
  /** Undefined where it is not there. @throws RangeError for what is too large or damaged. */
  read(name: string): Promise<Buffer | undefined>
}

interface Member {
  readonly method: number
  readonly packed: number
  readonly unpacked: number
  readonly start: number
}

const longestEnd = 65_557
const mostMembers = 200_000
/** zlib takes no smaller one. */
const leastChunk = 64

/** Undefined for what is no ZIP, or one of several disks or of more than 4 GiB. */
export async function openZip(bytes: FileBytes): Promise<Zip | undefined> {
  const tail = await bytes.at(Math.max(0, bytes.size - longestEnd), Math.min(bytes.size, longestEnd))
  // 4.3.16.
  const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0 || end + 22 > tail.length) return undefined
  const size = tail.readUInt32LE(end + 12)
  const start = tail.readUInt32LE(end + 16)
  if (start + size > bytes.size) return undefined
  const members = membersIn(await bytes.at(start, size))
  return {
    names: [...members.keys()],
    read: async (name) => {
      const member = members.get(name)
      return member && contentOf(member, bytes)
    },
  }
}

/** 4.3.12. */
function membersIn(directory: Buffer): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>()
  for (let at = 0; at + 46 <= directory.length && members.size < mostMembers; ) {
    if (directory.readUInt32LE(at) !== 0x02014b50) break
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
    members.set(directory.toString('utf8', at + 46, nameEnd), {
      method: directory.readUInt16LE(at + 10),
      packed: directory.readUInt32LE(at + 20),
      unpacked: directory.readUInt32LE(at + 24),
      start: directory.readUInt32LE(at + 42),
    })
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return members
}

/** 4.3.7: how long the local header is, only it says. */
async function contentOf({ method, packed, unpacked, start }: Member, bytes: FileBytes): Promise<Buffer> {
  if (unpacked > mostAtOnce) throw new RangeError('a member is too large')
  const header = await bytes.at(start, 30)
  const content = start + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const data = await bytes.at(content, packed)
  if (method === 0) return data
  if (method !== 8) throw new RangeError('a member is packed in a rare way')
  // One piece of memory of the size that the list tells, which may lie, instead of many that are put together.
  const chunkSize = Math.min(Math.max(unpacked, leastChunk), mostAtOnce)
  return inflateRawSync(data, { maxOutputLength: mostAtOnce, chunkSize })
}
