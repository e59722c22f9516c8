import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { defined } from '../../../validation/defined.ts'
import type { EngineResult, EngineWork, InputFile, Tools } from '../../engine.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { createCorruptPdfError, runQpdf } from '../qpdf.ts'
import { countPages, distill } from './distill.ts'
import { reencrypt, requireUnsigned, warnAboutInvalidSignatures } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'

type RepairAttempt = (source: string, target: string) => Promise<void>

/**
 * Repairs as much as possible: tries the program that changes least first, then those that recover more from badly
 * damaged files. Takes the first result that qpdf checks without a warning, or else the one with the most pages.
 */
export async function repairPdf(
  options: ToolOptions<'repair-pdf'>,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('repair-pdf was called without an input.')
  await requireUnsigned([{ source: input.path }], options)
  const { password } = options
  const { path: source, isEncrypted } = await tryDecrypt(input, password, tools)
  const attempts: Readonly<Record<string, RepairAttempt>> = {
    qpdf: async (from, to) => void (await runQpdf({ inputFile: from, outputFile: to }, tools)),
    mutool: async (from, to) => void (await tools.exec('mutool', ['clean', '-gg', from, to])),
    ghostscript: (from, output) => distill({ path: from, sizes: [] }, { args: [], output }, tools),
  }
  let bestRepair: { path: string; program: string; pages: number } | undefined
  for (const [index, [program, attempt]] of Object.entries(attempts).entries()) {
    const path = join(tools.workDir, `repaired-${index}.pdf`)
    const pages = await attempt(source, path).then(() => countPages(path, tools), countZeroIfDamaged)
    tools.progress((0.9 * (index + 1)) / 3)
    if (pages > (bestRepair?.pages ?? 0)) bestRepair = { path, program, pages }
    if (bestRepair && (await isIntact(bestRepair.path, tools))) break
  }
  if (!bestRepair) throw createCorruptPdfError(new Error('No program could read the PDF.'))
  await warnAboutInvalidSignatures([input.path], tools)
  const original = { isEncrypted, source: input.path, password }
  const file = await reencrypt(original, bestRepair.path, join(work.outDir, 'output.pdf'), tools)
  tools.progress(1)
  return { files: [file], details: { pages: bestRepair.pages, repairedBy: bestRepair.program } }
}

/** Counts a failed attempt as 0 pages; a time limit or a cancelled job still ends the work. */
function countZeroIfDamaged(error: unknown): number {
  const isDamage = error instanceof AppError && error.code === 'CORRUPT_FILE'
  if (error instanceof ProcessFailure || isDamage) return 0
  throw error
}

/** Decrypts the file if possible: without its trailer, it is unknown whether the file needs a password. */
async function tryDecrypt(
  input: InputFile,
  password: string | undefined,
  tools: Tools,
): Promise<{ readonly path: string; readonly isEncrypted: boolean }> {
  const path = join(tools.workDir, 'unlocked.pdf')
  const inputOptions = { inputFile: input.path, ...defined({ password }) }
  try {
    await runQpdf({ ...inputOptions, decrypt: '', outputFile: path }, tools)
    return { path, isEncrypted: await isEncryptedPdf(inputOptions, tools) }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'PDF_ENCRYPTED') throw error
    return { path: input.path, isEncrypted: false }
  }
}

async function isEncryptedPdf(inputOptions: { readonly inputFile: string }, tools: Tools): Promise<boolean> {
  try {
    await runQpdf({ ...inputOptions, isEncrypted: '' }, tools)
    return true
  } catch (error) {
    // qpdf reports that a PDF is not encrypted with an exit code of its own.
    if (error instanceof AppError && error.code === 'CORRUPT_FILE') return false
    throw error
  }
}

async function isIntact(path: string, tools: Tools): Promise<boolean> {
  try {
    return (await runQpdf({ inputFile: path, check: '' }, tools)) === ''
  } catch (error) {
    if (error instanceof AppError && error.code === 'CORRUPT_FILE') return false
    throw error
  }
}
