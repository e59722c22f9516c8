import { DamagedFileError, FileLimitError, TruncatedFileError } from './errors.ts'
import type { RandomAccess } from './random-access.ts'

/** An element of EBML (RFC 8794), the container of Matroska and WebM, with the offsets of its content. */
export interface EbmlElement {
  readonly id: number
  readonly start: number
  /** Infinite if the length is unknown: such an element extends to the end of its parent. */
  readonly end: number
}

const maxIdBytes = 4
const maxLengthBytes = 8

/** Reads the header of the element at a position of a file. @throws DamagedFileError */
export async function readEbmlElement(file: RandomAccess, position: number): Promise<EbmlElement> {
  const { id, start, end } = parseHeader(await file.at(position, maxIdBytes + maxLengthBytes), 0)
  return { id, start: position + start, end: position + end }
}

/**
 * Returns the contents of a parent's elements in file order, grouped by id.
 * @throws DamagedFileError, FileLimitError
 */
export function readEbmlChildren(
  parent: Buffer,
  maxElements: number,
): ReadonlyMap<number, readonly Buffer[]> {
  const children = new Map<number, Buffer[]>()
  for (let at = 0, count = 0; at < parent.length; count++) {
    if (count === maxElements)
      throw new FileLimitError(`it has more than ${maxElements} elements in one place`)
    const { id, start, end } = parseHeader(parent, at)
    if (end > parent.length) throw new TruncatedFileError('an element is longer than its parent')
    const knownContents = children.get(id)
    if (knownContents) knownContents.push(parent.subarray(start, end))
    else children.set(id, [parent.subarray(start, end)])
    at = end
  }
  return children
}

/**
 * Parses an id and a length, whose leading zero bits tell how many bytes they have (EBML, RFC 8794, sections 4.4, 5 and
 * 6.2).
 */
function parseHeader(bytes: Buffer, at: number): EbmlElement {
  const idBytes = countNumberBytes(bytes[at], maxIdBytes)
  const lengthBytes = countNumberBytes(bytes[at + idBytes], maxLengthBytes)
  const start = at + idBytes + lengthBytes
  if (start > bytes.length) throw new TruncatedFileError('an element is cut off')
  let length = bytes.readUInt8(at + idBytes) & (0xff >> lengthBytes)
  for (let index = at + idBytes + 1; index < start; index++) length = length * 256 + bytes.readUInt8(index)
  // A length whose bits are all ones means that the length is unknown.
  const isKnown = length < 2 ** (7 * lengthBytes) - 1
  return {
    id: bytes.readUIntBE(at, idBytes),
    start,
    end: isKnown ? start + length : Number.POSITIVE_INFINITY,
  }
}

function countNumberBytes(firstByte: number | undefined, max: number): number {
  if (firstByte === undefined) throw new TruncatedFileError('an element is cut off')
  const bytes = Math.clz32(firstByte) - 23
  if (bytes > max) throw new DamagedFileError('an element has an invalid header')
  return bytes
}
