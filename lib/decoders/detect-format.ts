import { totalmem } from 'node:os'
import * as z from 'zod'
import { getAvailableThreads } from '../engines/host-limits.ts'
import { type ErrorCode, errorCatalog } from '../error-catalog.ts'
import { AppError, type ErrorDetails } from '../errors.ts'
import { type ByteSource, edgeBytes } from '../formats/detect/byte-source.ts'
import { traits } from '../formats/detect/traits.ts'
import type { Detected, PdfHint } from '../formats/detect.ts'
import { type FormatId, formatById, isFormatId } from '../formats/index.ts'
import { DecoderPool } from './decoder-pool.ts'
import { DecoderEndedError, type EndReason } from './decoder-process.ts'
import type { FinalMessage } from './messages.ts'
import { type ProcessKind, readerKind } from './process-kinds.ts'
import { type OpenedFile, openFileEdges, ReadCall, type ReadLimits } from './read-call.ts'

/** Limits for one file. */
export const fileLimits: ReadLimits = {
  cpuS: 2,
  memoryBytes: Math.min(512 * 1024 ** 2, totalmem() / 2),
  maxReadBytes: 512 * 1024 ** 2,
  maxRangeBytes: 64 * 1024 ** 2,
  maxReads: 5000,
  // Even on a busy machine, a process reaches `cpuS` before this timeout.
  silenceMs: 25_000,
}

export const detectorKind: ProcessKind = {
  ...readerKind,
  maxProcesses: Math.max(2, Math.min(4, getAvailableThreads())),
  maxWaitMs: 20_000,
}

const sharedPool = new DecoderPool(detectorKind)

/** Starts a decoder process in advance. */
export const warmDecoders = () => sharedPool.warm()
export const stopDecoders = () => sharedPool.stop()

/**
 * The format that a decoder process reports for a file. The service adds the MIME type, which depends on the format.
 */
const DetectedFormat = z.object({
  format: z.custom<FormatId>((id) => typeof id === 'string' && isFormatId(id)),
  locked: z.literal(true).optional(),
  traits: z.array(z.enum(traits)).max(traits.length).optional(),
})

/**
 * Detects the format of a file, as `detectFormat` of lib/formats does, in a decoder process: a file that attacks its
 * reader can neither stop this process nor reach its keys.
 * @throws AppError with the codes of `detectFormat`, TIMEOUT or SERVICE_UNAVAILABLE.
 */
export async function detectFormat(
  source: ByteSource,
  hint: PdfHint = {},
  pool = sharedPool,
  limits = fileLimits,
): Promise<Detected> {
  const openedFile = await openFileEdges(source, { method: 'detectFormat', params: { hint } }, edgeBytes)
  const message = await run(openedFile, pool, limits)
  switch (message.type) {
    case 'result': {
      const { format, locked, traits } = DetectedFormat.parse(message.value)
      const mimeType = formatById(format).mimeTypes[0] ?? 'application/octet-stream'
      return { format, mimeType, ...(locked && { locked }), ...(traits && { traits }) }
    }
    case 'refusal':
      throw new AppError(parseErrorCode(message.code), message.message, message.details)
    default:
      throw new Error(`a decoder process failed: ${JSON.stringify(message)}`)
  }
}

/**
 * Maximum number of attempts for a file. A process that exceeded no limit may have been killed for a reason other than
 * the file, perhaps together with other processes.
 */
const maxAttempts = 3

async function run(
  openedFile: OpenedFile,
  pool: DecoderPool,
  limits: ReadLimits,
  attempt = 1,
): Promise<FinalMessage> {
  try {
    return await pool.run(new ReadCall(openedFile, limits))
  } catch (error) {
    if (!(error instanceof DecoderEndedError)) throw error
    if (error.reason !== 'crash' || attempt === maxAttempts) throw toClientError(error)
    return run(openedFile, pool, limits, attempt + 1)
  }
}

const parseErrorCode = (code: string): ErrorCode =>
  z.enum(Object.keys(errorCatalog) as [ErrorCode, ...ErrorCode[]]).parse(code) // keys of a const table

const field = 'file'
const clientErrors: Readonly<Record<EndReason, readonly [ErrorCode, string, ErrorDetails?]>> = {
  'processor time': describeComplexFile(`takes more than ${fileLimits.cpuS} s of processor time`),
  reads: describeComplexFile('would have to be read in full'),
  silence: describeComplexFile('takes too long'),
  memory: [
    'FILE_TOO_LARGE',
    `Checking the file needs more than ${Math.floor(fileLimits.memoryBytes / 1024 ** 2)} MiB of memory. Send a smaller or simpler file.`,
    { field },
  ],
  crash: [
    'SERVICE_UNAVAILABLE',
    'The file could not be checked, because the process that reads it exited each time. Send it again; if that fails as well, save it again in the program that created it.',
    { field },
  ],
  busy: [
    'SERVICE_UNAVAILABLE',
    'The file could not be checked, because too many other files are being checked. Send it again later.',
    { field },
  ],
}

function describeComplexFile(problem: string): readonly [ErrorCode, string, ErrorDetails] {
  const message = `Checking the file ${problem}. Save it again in the program that created it, or send a simpler or smaller file.`
  return ['TIMEOUT', message, { field }]
}

function toClientError(error: DecoderEndedError): AppError {
  const [code, message, details] = clientErrors[error.reason]
  return new AppError(code, message, details, { cause: error })
}
