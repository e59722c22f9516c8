import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { getContentReader } from '../fidelity/content-formats.ts'
import { type ContentSummary, fromMessage, SummaryMessage } from '../fidelity/content-summary.ts'
import { CountingStoppedError } from '../fidelity/read-errors.ts'
import type { SummaryRequest } from '../fidelity/summarize.ts'
import type { TextEncodingHint } from '../fidelity/text/decode-text.ts'
import { edgeBytes } from '../formats/detect/byte-source.ts'
import type { FormatId } from '../formats/index.ts'
import { DecoderPool } from './decoder-pool.ts'
import { DecoderEndedError, type EndReason } from './decoder-process.ts'
import { dayMs, readerKind } from './process-kinds.ts'
import { type OpenedFile, openFileEdges, ReadCall, type ReadLimits } from './read-call.ts'

interface ReadOptions extends TextEncodingHint {
  readonly isResult: boolean
  readonly signal?: AbortSignal
}

const MiB = 1024 ** 2

/** Limits for counting one file; a workbook with a million cells needs a tenth of them. */
export const countingLimits: ReadLimits = {
  cpuS: 10,
  memoryBytes: 1024 * MiB,
  maxReadBytes: 4096 * MiB,
  maxRangeBytes: 64 * MiB,
  maxReads: 50_000,
  // Even on a busy machine, a process reaches `cpuS` before this timeout.
  silenceMs: 120_000,
}

/** Has so many processes that files rarely wait for each other. */
export const countingPool = new DecoderPool({ ...readerKind, maxProcesses: 16, maxWaitMs: dayMs })

export const warmCounting = () => countingPool.warm()
export const stopCounting = () => countingPool.stop()

/**
 * Summarizes a file in a decoder process, which can be stopped whatever the file makes it do. Returns undefined if the
 * file cannot be summarized, for example because it is damaged or too large.
 * @throws CountingStoppedError when it needs too much time or memory; the signal's reason when aborted.
 */
export function readSummary(
  path: string,
  format: FormatId,
  { signal, ...options }: ReadOptions,
): Promise<ContentSummary | undefined> {
  const reader = getContentReader(format)
  return summarizeFile(path, reader ? { kind: 'content', reader, ...options } : { kind: 'headers', format }, {
    signal,
  })
}

/** Counts the pages in a result that is a ZIP with one file per page. */
export const countPagesInZip = (path: string, format: FormatId): Promise<ContentSummary | undefined> =>
  summarizeFile(path, { kind: 'zipped-pages', format })

/** Smaller files are sent as a whole if their whole content is counted. */
const maxSentBytes = MiB

export async function summarizeFile(
  path: string,
  request: SummaryRequest,
  { signal, limits = countingLimits }: { signal?: AbortSignal | undefined; limits?: ReadLimits } = {},
): Promise<ContentSummary | undefined> {
  signal?.throwIfAborted()
  // Without O_NONBLOCK, opening a named pipe would block.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const openedFile = await openFile(fd, request)
    const value = openedFile && (await readInProcess(openedFile, limits, signal))
    return value ? fromMessage(SummaryMessage.parse(value)) : undefined
  } finally {
    closeSync(fd)
  }
}

async function openFile(fd: number, request: SummaryRequest): Promise<OpenedFile | undefined> {
  const stats = fstatSync(fd)
  if (!stats.isFile()) return undefined
  const { size } = stats
  // The file was just written or fetched, so a synchronous read from the page cache is faster than a thread.
  const read = async (start: number, end: number) => {
    const bytes = Buffer.allocUnsafe(end - start)
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start))
  }
  const isSentWhole = request.kind === 'content' && size <= maxSentBytes
  return openFileEdges(
    { filename: '', size, read },
    { method: 'summarize', params: request },
    isSentWhole ? size : edgeBytes,
  )
}

/** Maximum number of attempts: a process within its limits may have been killed for a reason other than its file. */
const maxAttempts = 2

/**
 * Returns the unchecked result of a call.
 * @throws CountingStoppedError when it needs too much time or memory; the signal's reason when aborted.
 */
export async function readInProcess(
  openedFile: OpenedFile,
  limits: ReadLimits = countingLimits,
  signal?: AbortSignal,
  attempt = 1,
): Promise<unknown> {
  try {
    const end = await countingPool.run(new ReadCall(openedFile, limits), signal)
    if (end.type === 'result') return end.value
    if (end.type === 'stopped') throw new CountingStoppedError(end.reason)
    throw new Error(`a decoder process failed: ${JSON.stringify(end)}`)
  } catch (error) {
    if (!(error instanceof DecoderEndedError)) throw error
    const stopReason = describeLimit(error.reason, limits)
    if (stopReason !== undefined) throw new CountingStoppedError(stopReason)
    if (attempt === maxAttempts) throw error
    return readInProcess(openedFile, limits, signal, attempt + 1)
  }
}

function describeLimit(reason: EndReason, { cpuS, memoryBytes, silenceMs }: ReadLimits): string | undefined {
  switch (reason) {
    case 'processor time':
      return `more than ${cpuS * 1000} ms of processor time`
    case 'memory':
      return `more than ${memoryBytes / MiB} MiB of memory`
    case 'reads':
      return 'too many bytes to read'
    case 'silence':
      return `longer than ${silenceMs} ms`
    default:
      return undefined
  }
}
