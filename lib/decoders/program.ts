/**
 * The program of a decoder process, which reads files of clients. The service, which holds the keys, runs in another
 * process. This program handles one call at a time, so its reads and writes may block. It exits when the service closes
 * its input.
 */
import './unhandled-rejections.ts'
import { readSync, writeSync } from 'node:fs'
import { AppError } from '../errors.ts'
import { freeBuffer } from '../fidelity/bytes.ts'
import { CountingStoppedError } from '../fidelity/read-errors.ts'
import type { ByteSource } from '../formats/detect/byte-source.ts'
import { encodeFrame, frameHeaderBytes, readFrameLengths } from './frames.ts'
import type { CallMessage, DecoderMessage, ServiceMessage } from './messages.ts'
import { runMethod } from './methods.ts'

interface Frame {
  readonly message: ServiceMessage
  readonly bytes: Buffer
}

/** File descriptors; everything that libraries print goes to other descriptors. */
const [input, output] = [0, 3]

function readExactly(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  for (let at = 0; at < length; ) {
    const count = readSync(input, bytes, at, length - at, null)
    if (count === 0) process.exit(0)
    at += count
  }
  return bytes
}

function receive(): Frame {
  const lengths = readFrameLengths(readExactly(frameHeaderBytes))
  const message = JSON.parse(readExactly(lengths.json).toString()) as ServiceMessage // only the service writes to it
  return { message, bytes: readExactly(lengths.bytes) }
}

function send(message: DecoderMessage): void {
  for (const chunk of encodeFrame(message))
    for (let at = 0; at < chunk.length; ) at += writeSync(output, chunk, at, chunk.length - at)
}

/** At least this many bytes are fetched at a time, so that small ranges close to each other need a single request. */
const minFetchBytes = 64 * 1024
const maxKeptRanges = 4

interface FetchedRange {
  readonly start: number
  readonly bytes: Buffer
}

function fetchRange(start: number, end: number): FetchedRange {
  send({ type: 'read', start, end })
  const { message, bytes } = receive()
  if (message.type !== 'range' || message.failed) throw new Error('the range could not be read')
  return { start, bytes }
}

function openSource(
  { filename, size, headBytes }: CallMessage,
  edges: Buffer,
): { readonly source: ByteSource; readonly fetched: readonly FetchedRange[] } {
  const head = { start: 0, bytes: edges.subarray(0, headBytes) }
  const tail = { start: size - (edges.length - headBytes), bytes: edges.subarray(headBytes) }
  const keptRanges: FetchedRange[] = []
  const read = async (start: number, end: number): Promise<Uint8Array> => {
    const isInRange = (range: FetchedRange) => range.start <= start && end <= range.start + range.bytes.length
    let range = [head, tail, ...keptRanges].find(isInRange)
    if (!range) {
      range = fetchRange(start, Math.min(size, Math.max(end, start + minFetchBytes)))
      keptRanges.unshift(range)
      keptRanges.length = Math.min(keptRanges.length, maxKeptRanges)
    }
    return range.bytes.subarray(start - range.start, end - range.start)
  }
  return { source: { filename, size, read }, fetched: keptRanges }
}

async function answer({ message, bytes }: Frame): Promise<DecoderMessage> {
  if (message.type !== 'call') throw new Error(`expected a call, got ${message.type}`)
  const { source, fetched } = openSource(message, bytes)
  try {
    return { type: 'result', value: await runMethod(source, message) }
  } catch (error) {
    if (error instanceof CountingStoppedError) return { type: 'stopped', reason: error.message }
    if (error instanceof AppError) {
      const { code, message: sentence, details } = error
      return { type: 'refusal', code, message: sentence, ...(details && { details: { ...details } }) }
    }
    return {
      type: 'failure',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }
  } finally {
    for (const buffer of [bytes, ...fetched.map((range) => range.bytes)]) freeBuffer(buffer)
  }
}

send({ type: 'ready' })
for (;;) send(await answer(receive()))
