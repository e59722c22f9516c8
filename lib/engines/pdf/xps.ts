import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { openPdf } from './open-pdf.ts'

const sources: readonly FormatId[] = ['xps', 'oxps']

export const xpsCapability: Capability = {
  operation: 'convert',
  from: sources,
  to: ['pdf'],
  options: z.object({}),
  cost: 0.3,
}

export const isXps = (id: FormatId): boolean => sources.includes(id)

/**
 * Converts XPS to PDF, keeping its text, with MuPDF's command-line program, which stays separate because of its license
 * (AGPL).
 * @throws AppError CORRUPT_FILE.
 */
export async function xpsToPdf({ inputs: [input], outDir }: EngineWork, tools: Tools): Promise<EngineResult> {
  if (!input) throw new Error('xps was called without an input.')
  const path = join(outDir, 'output.pdf')
  try {
    // Without this option the text is uncompressed and the PDF twice as large.
    await tools.exec('mutool', ['convert', '-O', 'compress', '-o', path, input.path])
    const { sizes } = await openPdf(path, undefined, tools)
    tools.progress(1)
    return { files: [{ path }], details: { pages: sizes.length } }
  } catch (error) {
    const isDamage = [ProcessFailure, EngineCrash, AppError].some((kind) => error instanceof kind)
    throw isDamage ? createCorruptXpsError(input.format, error) : error
  }
}

function createCorruptXpsError(format: FormatId, cause: unknown): AppError {
  const message = `The ${formatById(format).name} (${format}) is damaged or incomplete.`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format }, { cause })
}
