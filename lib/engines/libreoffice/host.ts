import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type FormatId, isFormatId } from '../../formats/index.ts'
import {
  canBeLocked,
  createDocumentPasswordMissingError,
  createDocumentPasswordWrongError,
  createDocumentProtectionUnknownError,
} from '../../formats/locked-office.ts'
import type { EngineHost, EngineLimits } from '../engine.ts'
import { OfficeCrash, type OfficeFacts, OfficeStartFailure } from './bridge.ts'
import type { OfficePool } from './pool.ts'
import { OfficeRefusal, type OfficeRequest } from './process.ts'

const format = z.custom<FormatId>((id) => typeof id === 'string' && isFormatId(id))

const HostedOfficeJob = z.strictObject({
  // Not checked further, because LibreOffice, which receives the request, is sandboxed like the sender.
  request: z.custom<OfficeRequest>((value) => z.looseObject({}).safeParse(value).success),
  from: format,
  to: format,
  inputPath: z.string(),
  outputPath: z.string(),
})
/** A document to convert in a LibreOffice process. `outputPath` is directly in the work folder, not in a subfolder. */
export type HostedOfficeJob = z.infer<typeof HostedOfficeJob>

/** Converts documents in the processes of the pool, notifies when a document is loaded, and replies with its facts. */
export const createOfficeHost = (pool: OfficePool, limits: EngineLimits): EngineHost => ({
  serve: ({ take, give, createPath, tools }) => ({
    async answer(request, notify): Promise<OfficeFacts> {
      const job = HostedOfficeJob.parse(request)
      const outputPath = createPath(`.${job.to}`)
      const timeoutSignal = AbortSignal.timeout(limits.timeoutS * 1000)
      try {
        const facts = await pool.convert(
          {
            request: job.request,
            inputPath: await take(job.inputPath),
            inputExtension: job.from,
            outputPath,
            outputExtension: job.to,
            onLoaded: () => notify('loaded'),
          },
          AbortSignal.any([tools.signal, timeoutSignal]),
        )
        await give(outputPath, job.outputPath)
        return facts
      } catch (error) {
        throw timeoutSignal.aborted && !tools.signal.aborted
          ? createTimeoutError(limits, error)
          : explainFailure(error, job)
      }
    },
  }),
})

function createTimeoutError({ timeoutS }: EngineLimits, cause: unknown): AppError {
  const message = `The document exceeded the time limit of ${timeoutS} seconds. Send a smaller one, or request fewer pages.`
  return new AppError('TIMEOUT', message, { timeoutS }, { cause })
}

function explainFailure(error: unknown, job: HostedOfficeJob): unknown {
  if (error instanceof OfficeRefusal) return createRefusalError(error, job)
  if (error instanceof OfficeCrash && !(error instanceof OfficeStartFailure)) {
    const message = `The document could not be converted to ${job.to}: it crashes LibreOffice. Save it again in the program that created it and retry.`
    return new AppError('CONVERSION_FAILED', message, { from: job.from, to: job.to }, { cause: error })
  }
  return error
}

function createRefusalError(error: OfficeRefusal, { from, to, request }: HostedOfficeJob): AppError {
  switch (error.reason) {
    case 'password':
      if (request.password !== undefined) return createDocumentPasswordWrongError(error)
      return canBeLocked(from)
        ? createDocumentPasswordMissingError(error)
        : createDocumentProtectionUnknownError(error)
    case 'corrupt':
      return new AppError(
        'CORRUPT_FILE',
        `The file could not be opened: it is damaged or not a ${from} file.`,
        { field: 'file', format: from },
        { cause: error },
      )
    case 'margins':
      return new AppError(
        'INVALID_INPUT',
        'The margins leave no room on the page: choose smaller ones or a larger pageSize.',
        { field: 'marginTop', reason: 'no-room' },
        { cause: error },
      )
    case 'wide':
      return new AppError(
        'FILE_TOO_LARGE',
        `A sheet has ${error.message} up to its last cell, including empty ones, which is too much for ${to}. Delete cells far away from the rest, or choose another target format.`,
        { field: 'file', format: from },
        { cause: error },
      )
    case 'export':
      return new AppError(
        'CONVERSION_FAILED',
        `The ${from} file could be opened, but not saved as ${to}.`,
        { from, to },
        { cause: error },
      )
  }
}
