import type { FileHandle } from 'node:fs/promises'
import type { RandomAccess } from '../../binary/random-access.ts'
import { AppError } from '../../errors.ts'

/** A file, on disk or remote, that is read in ranges. */
export interface ByteSource {
  /** File name that the client sent. */
  readonly filename: string
  /** In bytes. */
  readonly size: number
  /** Returns the bytes from `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** Creates the function `read` for a file on disk. */
export const createReader =
  (handle: FileHandle): ByteSource['read'] =>
  async (start, end) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
    return buffer.subarray(0, bytesRead)
  }

export const edgeBytes = 64 * 1024

/** A source whose first and last 64 KiB are in memory, where nearly all reads take place. */
export interface OpenedFile extends ByteSource, RandomAccess {
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

export async function openByteSource(source: ByteSource): Promise<OpenedFile> {
  const { filename, size } = source
  const headEnd = Math.min(size, edgeBytes)
  const head = await source.read(0, headEnd)
  const tail = size > headEnd ? await source.read(Math.max(0, size - edgeBytes), size) : head
  const read = async (start: number, end: number) => {
    const from = Math.max(0, Math.min(start, size))
    const to = Math.max(from, Math.min(end, size))
    if (to <= headEnd) return head.subarray(from, to)
    if (from >= size - tail.length)
      return tail.subarray(from - (size - tail.length), to - (size - tail.length))
    return source.read(from, to)
  }
  const readAt = async (position: number, length: number) => toBuffer(await read(position, position + length))
  return { filename, size, read, at: readAt, head, tail }
}

export function decodeAscii(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return toBuffer(bytes).toString('latin1', start, end)
}

const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Creates the error for a truncated or damaged file; `problem` is a clause that describes the damage. */
export function createCorruptFileError(kind: string, problem: string): AppError {
  return new AppError(
    'CORRUPT_FILE',
    `The file looks like ${kind}, but ${problem}. Send it again, or repair it first.`,
    {
      field: 'file',
    },
  )
}
