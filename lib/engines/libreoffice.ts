import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { Capability, Engine, Result, Tools, Work } from './engine.ts'
import { filtersOf, readable, writable } from './office-formats.ts'
import { createOfficePool, type OfficePool } from './office-pool.ts'
import { OfficeCrash, type OfficeFilter, OfficeRefusal } from './office-process.ts'

const noOptions = z.object({})

const pdfOptions = z.object({})

const capabilities: readonly Capability[] = [
  { operation: 'convert', from: readable('text'), to: ['pdf'], options: pdfOptions, cost: 0.3 },
  { operation: 'convert', from: readable('text'), to: writable('text'), options: noOptions, cost: 0.3 },
]

const limits = { memoryMb: 3008, diskMb: 2048, timeoutS: 600 }

export interface LibreOfficeSettings {
  /** Office processes at a time; each takes a core and 150 to 700 MB. */
  readonly processes?: number
  /** Folder for the work of the processes; best on the disk of the work folders. */
  readonly baseDir?: string
  readonly bridgeDir?: string
}

export function createLibreOffice(settings: LibreOfficeSettings = {}): Engine {
  const pool = createOfficePool({
    size: settings.processes ?? 2,
    baseDir: settings.baseDir ?? tmpdir(),
    bridgeDir: settings.bridgeDir ?? fileURLToPath(new URL('../../layers/office', import.meta.url)),
  })
  return {
    id: 'libreoffice',
    image: 'office',
    capabilities,
    limits,
    version: ['soffice', '--version'],
    run: (work, tools) => convert(pool, work, tools),
    warm: () => pool.warm(),
    close: () => pool.close(),
  }
}

export const libreoffice = createLibreOffice()

async function convert(pool: OfficePool, work: Work, tools: Tools): Promise<Result> {
  const [input] = work.inputs
  if (!input) throw new Error('The office was given no document.')
  const request = filtersOf(work.from, work.to)
  const path = join(work.outDir, `result.${work.to}`)
  const limit = AbortSignal.timeout(limits.timeoutS * 1000)
  try {
    const facts = await pool.convert(
      {
        request: { ...request, target: targetOf(request.target, work) },
        inputPath: input.path,
        inputExtension: work.from,
        outputPath: path,
        outputExtension: work.to,
        onLoaded: () => tools.progress(0.5, 'loaded'),
      },
      AbortSignal.any([tools.signal, limit]),
    )
    tools.progress(1, 'stored')
    return { files: [{ path }], ...(facts.pages === undefined ? {} : { details: { pages: facts.pages } }) }
  } catch (error) {
    if (limit.aborted && !tools.signal.aborted) throw timedOut(error)
    throw explained(error, work)
  }
}

function targetOf(target: OfficeFilter, work: Work): OfficeFilter {
  if (work.to !== 'pdf') return target
  return { ...target, data: { UseTaggedPDF: true, EmbedStandardFonts: true } }
}

function timedOut(cause: unknown): AppError {
  const sentence = `The document took longer than the limit of ${limits.timeoutS} seconds.`
  return new AppError('TIMEOUT', sentence, { timeoutS: limits.timeoutS }, { cause })
}

function explained(error: unknown, work: Work): unknown {
  if (error instanceof OfficeRefusal) return refused(error, work)
  if (error instanceof OfficeCrash) {
    const sentence = `The document could not be converted to ${work.to}: it crashes the office program. Save it again in the program that made it and retry.`
    return new AppError('CONVERSION_FAILED', sentence, { from: work.from, to: work.to }, { cause: error })
  }
  return error
}

function refused(error: OfficeRefusal, { from, to }: Work): AppError {
  switch (error.reason) {
    case 'password':
      return new AppError(
        'INVALID_INPUT',
        `The ${from} file is protected by a password. Save it without the password and send it again.`,
        { field: 'file', reason: 'password' },
        { cause: error },
      )
    case 'corrupt':
      return new AppError(
        'CORRUPT_FILE',
        `The file is damaged or is no ${from} file: it could not be opened.`,
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
