import { openAsBlob } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { TruncatedFileError } from './errors.ts'

/** A file in memory, on disk or remote, whose bytes can be read at any position. */
export interface RandomAccess {
  /** In bytes. */
  readonly size: number
  /** Reads `length` bytes, or fewer at the end of the file. */
  at(position: number, length: number): Promise<Buffer>
}

export const openBuffer = (bytes: Buffer): RandomAccess => ({
  size: bytes.length,
  at: async (position, length) => bytes.subarray(position, position + length),
})

const defaultWindowBytes = 64 * 1024

/** Reads a file on disk in larger windows, because header parsers make many small reads. */
export async function openRandomAccess(
  file: FileHandle,
  windowBytes = defaultWindowBytes,
): Promise<RandomAccess> {
  const { size } = await file.stat()
  let start = 0
  let window: Buffer = Buffer.alloc(0)
  const readAt = async (position: number, length: number) => {
    const readLength = Math.min(length, size - position)
    if (!(readLength > 0)) return Buffer.alloc(0)
    if (position < start || position + readLength > start + window.length) {
      const target = Buffer.allocUnsafe(Math.max(readLength, Math.min(windowBytes, size)))
      const { buffer, bytesRead } = await file.read(target, 0, target.length, position)
      start = position
      window = buffer.subarray(0, bytesRead)
    }
    return window.subarray(position - start, position - start + readLength)
  }
  return { size, at: readAt }
}

/** Gives access to a file on disk without a handle that the caller would have to close. */
export async function openByPath(path: string): Promise<RandomAccess> {
  const file = await openAsBlob(path)
  const readAt = async (position: number, length: number) =>
    Buffer.from(await file.slice(position, position + length).arrayBuffer())
  return { size: file.size, at: readAt }
}

/** Checks the length against the size of the file before anything is allocated. @throws TruncatedFileError */
export async function readExactly(file: RandomAccess, position: number, length: number): Promise<Buffer> {
  if (position + length > file.size) throw new TruncatedFileError('it is cut off')
  const bytes = await file.at(position, length)
  if (bytes.length < length) throw new TruncatedFileError('it is cut off')
  return bytes
}
