import { createReadStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { createPdfPasswordMissingError, createPdfPasswordWrongError } from '../../../formats/locked-pdf.ts'
import { defined } from '../../../validation/defined.ts'
import type { EngineResult, EngineWork, InputFile, OutputFile, Tools } from '../../engine.ts'
import { type OpenPdf, openPdf } from '../open-pdf.ts'
import { runQpdf } from '../qpdf.ts'
import { PdfObjects } from './objects.ts'
import { reviewPdfAClaim } from './pdfa-claim.ts'

/** A PDF that tools may change. */
export interface EditablePdf extends OpenPdf {
  /** Path of the original file, still encrypted. */
  readonly source: string
  readonly password: string | undefined
}

/** The options of a tool and the document it works on. */
export interface PdfToolJob<Options> {
  readonly pdf: EditablePdf
  readonly options: Options
  readonly work: EngineWork
  readonly tools: Tools
}

/** The implementation of a PDF tool. Most tools change the PDF and end with `finishPdf`. */
export type PdfTool<Options> = (job: PdfToolJob<Options>) => Promise<EngineResult>

/**
 * Opens a PDF for editing, without its restrictions.
 * @param field name of the password option, for error messages.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED; the message contains the file name.
 */
export async function openEditable(
  input: InputFile,
  password: string | undefined,
  tools: Tools,
  field = 'password',
): Promise<EditablePdf> {
  const openedPdf = await openPdf(input.path, password, tools).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'PDF_ENCRYPTED') throw error
    const pdf = { filename: input.filename, field }
    throw password === undefined
      ? createPdfPasswordMissingError(pdf)
      : createPdfPasswordWrongError(pdf, error)
  })
  const originalPdf = { source: input.path, password }
  if (openedPdf.hasLockedAttachments) {
    const path = await removeAttachments(openedPdf.path, tools)
    return { ...openedPdf, ...originalPdf, path }
  }
  if (!openedPdf.isEncrypted || openedPdf.path !== input.path) return { ...openedPdf, ...originalPdf }
  // The PDF opens without a password but has restricted permissions, so most programs refuse to edit it.
  const path = join(tools.workDir, `open-${basename(input.path)}`)
  await runQpdf({ inputFile: input.path, decrypt: '', outputFile: path }, tools)
  return { ...openedPdf, ...originalPdf, path }
}

/** Warns that attachments that could not be decrypted are not in the result. */
export function warnAboutLockedAttachments({ hasLockedAttachments }: OpenPdf, tools: Tools): void {
  if (!hasLockedAttachments) return
  tools.warn(
    'ATTACHMENTS_DROPPED',
    'The attachments are encrypted and were left out. Send the password to keep them.',
  )
}

async function removeAttachments(source: string, tools: Tools): Promise<string> {
  const objects = await PdfObjects.load(source, tools)
  for (const ref of objects.refs) {
    const dict = objects.dict(ref)
    if (dict && '/EF' in dict) objects.set(ref, null)
  }
  for (const key of ['/AF', '/Collection']) delete objects.root[key]
  const names = objects.dict(objects.root['/Names'])
  if (names) {
    const { '/EmbeddedFiles': _, ...others } = names
    objects.root['/Names'] = others
  }
  objects.markRootChanged()
  const path = join(tools.workDir, `without-attachments-${basename(source)}`)
  await objects.save(path, tools)
  return path
}

/** Turns a changed file into a result, encrypted like its source, and warns about invalidated signatures. */
export async function finishPdf(
  { pdf, work, tools }: PdfToolJob<unknown>,
  changedPath: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<EngineResult> {
  await warnAboutInvalidSignatures([pdf.path], tools)
  const reviewedPath = await reviewPdfAClaim(pdf.path, changedPath, work.operation, tools)
  const file = await reencrypt(pdf, reviewedPath, join(work.outDir, 'output.pdf'), tools)
  tools.progress(1)
  return { files: [file], details }
}

/** Writes `changedPath` to `path` with the passwords and restrictions of the source. */
export async function reencrypt(
  { isEncrypted, source, password }: Pick<EditablePdf, 'isEncrypted' | 'source' | 'password'>,
  changedPath: string,
  path: string,
  tools: Tools,
): Promise<OutputFile> {
  if (!isEncrypted) await rename(changedPath, path)
  else {
    // Old ciphers are weak but are kept: a result without encryption would be even less protected.
    const encryption = {
      copyEncryption: source,
      ...defined({ encryptionFilePassword: password }),
      allowWeakCrypto: '',
    }
    await runQpdf({ inputFile: changedPath, ...encryption, outputFile: path }, tools)
  }
  return { path }
}

export function warnAboutRemovedEncryption({ isEncrypted }: OpenPdf, tools: Tools): void {
  if (!isEncrypted) return
  tools.warn('ENCRYPTION_REMOVED', 'The PDF was encrypted; the result is not.')
}

export function warnAboutRemovedTags({ isTagged }: OpenPdf, tools: Tools): void {
  if (!isTagged) return
  tools.warn(
    'TAGS_REMOVED',
    'The structure tags for screen readers were removed, because they described the original pages.',
  )
}

export async function warnAboutInvalidSignatures(paths: readonly string[], tools: Tools): Promise<void> {
  for (const path of paths) {
    if (!(await isSignedPdf(path))) continue
    tools.warn('SIGNATURE_INVALID', 'The PDF was signed; the changes invalidate its signatures.')
    return
  }
}

/** Refuses signed PDFs, unless the client accepts invalid signatures. @throws AppError UNSUPPORTED_CONVERSION. */
export async function requireUnsigned(
  pdfs: readonly Pick<EditablePdf, 'source'>[],
  { dropSignatures }: { readonly dropSignatures: boolean },
): Promise<void> {
  if (dropSignatures) return
  for (const { source } of pdfs) if (await isSignedPdf(source)) throw createSignedPdfError()
}

const createSignedPdfError = () =>
  new AppError(
    'UNSUPPORTED_CONVERSION',
    'The PDF is signed, and changing it would invalidate its signatures. Send dropSignatures=true to change it anyway.',
    { field: 'dropSignatures', reason: 'signed' },
  )

/**
 * Whether a PDF is signed. A signature lists the bytes that it covers, and even an encrypted file stores this list
 * unencrypted (ISO 32000-1, 12.8.1).
 */
export async function isSignedPdf(path: string): Promise<boolean> {
  let tail = ''
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    // Chunks are Buffers, because the stream has no encoding.
    const text = tail + (chunk as Buffer).toString('latin1')
    if (text.includes('/ByteRange')) return true
    tail = text.slice(-16)
  }
  return false
}

export const readFileSize = async (path: string) => (await stat(path)).size

/** @param message the rest of the message after the name of the field. */
export function createInvalidOptionError(
  field: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError('INVALID_INPUT', `${field}: ${message}`, { field, ...details })
}
