import type { ByteSource } from '../formats/detect/byte-source.ts'
import type { Call, CalledProcess, CallLimits } from './decoder-process.ts'
import { type FinalMessage, ReaderMessage } from './messages.ts'
import type { MethodCall } from './methods.ts'

export interface ReadLimits extends CallLimits {
  /** Maximum bytes that are read in addition to head and tail. */
  readonly maxReadBytes: number
  /** Maximum bytes of one range, which the service holds in memory. */
  readonly maxRangeBytes: number
  readonly maxReads: number
}

/** A file whose head and tail are in memory, and the method to call with it. */
export interface OpenedFile {
  readonly call: MethodCall
  readonly source: ByteSource
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

/** Reads `edgeBytes` at the start and at the end of a file. */
export async function openFileEdges(
  source: ByteSource,
  call: MethodCall,
  edgeBytes: number,
): Promise<OpenedFile> {
  const { size, read } = source
  const headBytes = Math.min(size, edgeBytes)
  const tailStart = Math.max(headBytes, size - edgeBytes)
  const [head, tail] = await Promise.all([
    size > 0 ? read(0, headBytes) : new Uint8Array(),
    tailStart < size ? read(tailStart, size) : new Uint8Array(),
  ])
  return { call, source, head, tail }
}

/** A call that reads one file. The process has no access to the storage, so the service reads the ranges for it. */
export class ReadCall implements Call<FinalMessage> {
  readonly limits: ReadLimits
  waitingSince: number | undefined = Date.now()
  readonly #file: OpenedFile
  readonly #finalMessage = Promise.withResolvers<FinalMessage>()
  #process: CalledProcess | undefined
  #bytesRead = 0
  #readCount = 0
  /** The error of a range that could not be read. It is reported even if the process ignores it. */
  #readError: { readonly cause: unknown } | undefined

  constructor(openedFile: OpenedFile, limits: ReadLimits) {
    this.#file = openedFile
    this.limits = limits
  }

  /** Sends the call to a process and returns its final message. @throws whatever the source throws. */
  run(process: CalledProcess): Promise<FinalMessage> {
    this.#process = process
    const { call, source, head, tail } = this.#file
    const { filename, size } = source
    process.send({ type: 'call', ...call, filename, size, headBytes: head.length }, head, tail)
    return this.#finalMessage.promise
  }

  onMessage(value: unknown): void {
    const message = ReaderMessage.parse(value)
    if (message.type === 'read') void this.#sendRange(message.start, message.end)
    else if (this.#readError) this.#finalMessage.reject(this.#readError.cause)
    else this.#finalMessage.resolve(message)
  }

  async #sendRange(start: number, end: number): Promise<void> {
    const { read, size } = this.#file.source
    const process = this.#process
    const rangeEnd = Math.min(end, size)
    const length = Math.max(0, rangeEnd - start)
    this.#bytesRead += length
    this.#readCount++
    const { maxRangeBytes, maxReadBytes, maxReads } = this.limits
    const isOverLimit = length > maxRangeBytes || this.#bytesRead > maxReadBytes || this.#readCount > maxReads
    // The program waits for each range. If it sends another request too early, a file has taken over the program.
    const sentTooEarly = this.waitingSince === undefined || (process?.unsentBytes ?? 0) > maxRangeBytes
    if (isOverLimit || sentTooEarly) return process?.kill('reads')
    this.waitingSince = undefined
    try {
      const bytes = length > 0 ? await read(start, rangeEnd) : new Uint8Array()
      process?.send({ type: 'range', failed: false }, bytes)
    } catch (cause) {
      this.#readError = { cause }
      process?.send({ type: 'range', failed: true })
    }
    this.waitingSince = Date.now()
  }
}
