import type { OnReadOpts } from 'node:net'
import { createGarbageCollector } from './collect-garbage.ts'
import { allocateAligned } from './direct-io.ts'

/** Size of a buffer, which is also the maximum size of one read. */
export const pooledBufferBytes = 256 * 1024
/**
 * Smaller reads are copied into a buffer of their own, because a caller that keeps a small read in memory would
 * otherwise keep a whole pooled buffer.
 */
export const minPooledReadBytes = 64 * 1024
/** Maximum number of unused buffers that the pool retains. */
const maxIdleBuffers = 16

const idleBuffers: Uint8Array<ArrayBuffer>[] = []
/** Number of bytes not released yet, for each buffer in use. */
const outstandingBytesByBuffer = new WeakMap<ArrayBufferLike, number>()

const collectGarbage = createGarbageCollector()

function acquireBuffer(): Uint8Array<ArrayBuffer> {
  const idleBuffer = idleBuffers.pop()
  if (idleBuffer) return idleBuffer
  collectGarbage(pooledBufferBytes)
  return new Uint8Array(allocateAligned(pooledBufferBytes), 0, pooledBufferBytes)
}

/**
 * Makes a socket read into pooled buffers, which are reused once all their bytes are released. So the data is still in
 * the CPU cache when it is written and hashed, and there is no garbage to collect. Releasing is optional; a buffer that
 * is not released is garbage-collected as usual.
 * @param push receives what was read and returns whether the socket may go on reading.
 */
export function createPooledReadOptions(push: (bytes: Buffer) => boolean): OnReadOpts {
  let currentBuffer = acquireBuffer()
  return {
    buffer: () => currentBuffer,
    callback: (length) => {
      const readBytes = Buffer.from(currentBuffer.buffer, 0, length)
      if (length < minPooledReadBytes) return push(Buffer.from(readBytes))
      outstandingBytesByBuffer.set(currentBuffer.buffer, length)
      currentBuffer = acquireBuffer()
      return push(readBytes)
    },
  }
}

/**
 * Reads a chunk of a file into a pooled buffer, which is aligned to memory pages.
 * @param read like `FileHandle.read`; returns the number of bytes read.
 */
export async function readIntoPooledBuffer(
  read: (into: Uint8Array<ArrayBuffer>) => Promise<{ readonly bytesRead: number }>,
): Promise<Buffer> {
  const into = acquireBuffer()
  const { bytesRead } = await read(into)
  outstandingBytesByBuffer.set(into.buffer, bytesRead)
  return Buffer.from(into.buffer, 0, bytesRead)
}

/** Whether these bytes belong to a pooled buffer in use, so that they can be released. */
export const isPooled = ({ buffer }: Buffer): boolean => outstandingBytesByBuffer.has(buffer)

/**
 * Releases bytes exactly as they were read; they will be overwritten.
 * @returns whether they belong to a pooled buffer.
 */
export function releaseBuffer({ buffer, length }: Buffer): boolean {
  const remainingBytes = outstandingBytesByBuffer.get(buffer)
  if (remainingBytes === undefined) return false
  outstandingBytesByBuffer.set(buffer, remainingBytes - length)
  if (remainingBytes > length) return true
  outstandingBytesByBuffer.delete(buffer)
  // The buffer is never a SharedArrayBuffer, because a socket has read into it.
  if (idleBuffers.length < maxIdleBuffers && buffer instanceof ArrayBuffer)
    idleBuffers.push(new Uint8Array(buffer, 0, pooledBufferBytes))
  return true
}
