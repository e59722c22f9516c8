import { createReadStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { passwordMissing, passwordWrong } from '../../../formats/locked-pdf.ts'
import type { EngineResult, EngineWork, InputFile, OutputFile, Tools } from '../../engine.ts'
import { type OpenPdf, openPdf } from '../open-pdf.ts'
import { runQpdf } from '../qpdf.ts'

/** A PDF that tools may change. */
export interface EditablePdf extends OpenPdf {
  /** As it came, still protected. */
  readonly source: string
  readonly password: string | undefined
}

/** What a tool is asked to do, and for which document. */
export interface PdfToolJob<Options> {
  readonly pdf: EditablePdf
  readonly options: Options
  readonly work: EngineWork
  readonly tools: Tools
}

/** Most tools open one PDF, change it and end with `finish`. */
export type PdfTool<Options> = (job: PdfToolJob<Options>) => Promise<EngineResult>

/**
 * @param field that the password comes in.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, which name the file.
 */
export async function openEditable(
  input: InputFile,
  password: string | undefined,
  tools: Tools,
  field = 'password',
): Promise<EditablePdf> {
  const opened = await openPdf(input.path, password, tools).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'PDF_ENCRYPTED') throw error
    const pdf = { filename: input.filename, field }
    throw password === undefined ? passwordMissing(pdf) : passwordWrong(pdf, error)
  })
  const original = { source: input.path, password }
  if (!opened.isEncrypted || opened.path !== input.path) return { ...opened, ...original }
  // It opens for everybody, but restricts what may be done with it; most tools refuse such a file.
  const path = join(tools.workDir, `open-${basename(input.path)}`)
  await runQpdf({ inputFile: input.path, decrypt: '', outputFile: path }, tools)
  return { ...opened, ...original, path }
}

/** Makes a result of a changed file: protected as its source was, with a word on signatures that no longer hold. */
export async function finishPdf(
  { pdf, work, tools }: PdfToolJob<unknown>,
  changed: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<EngineResult> {
  await warnSignatureInvalid([pdf.path], tools)
  const file = await reencrypt(pdf, changed, join(work.outDir, 'output.pdf'), tools)
  tools.progress(1)
  return { files: [file], details }
}

/** Writes `changed` to `path` with the passwords and restrictions that the source has. */
export async function reencrypt(
  { isEncrypted, source, password }: EditablePdf,
  changed: string,
  path: string,
  tools: Tools,
): Promise<OutputFile> {
  if (!isEncrypted) await rename(changed, path)
  else {
    // Old ciphers are weak, but none at all would be weaker.
    const encryption = {
      copyEncryption: source,
      ...(password !== undefined && { encryptionFilePassword: password }),
      allowWeakCrypto: '',
    }
    await runQpdf({ inputFile: changed, ...encryption, outputFile: path }, tools)
  }
  return { path }
}

export function warnEncryptionRemoved({ isEncrypted }: OpenPdf, tools: Tools): void {
  if (!isEncrypted) return
  tools.warn('ENCRYPTION_REMOVED', 'The PDF was protected; the result is not.')
}

export function warnTagsRemoved({ isTagged }: OpenPdf, tools: Tools): void {
  if (!isTagged) return
  tools.warn(
    'TAGS_REMOVED',
    'The structure for screen readers was lost: it described the pages as they were.',
  )
}

export async function warnSignatureInvalid(paths: readonly string[], tools: Tools): Promise<void> {
  for (const path of paths) {
    if (!(await isSignedPdf(path))) continue
    tools.warn('SIGNATURE_INVALID', 'The PDF was signed. A changed file no longer matches its signatures.')
    return
  }
}

/** A signature names the bytes that it covers in plain text, even in an encrypted file (ISO 32000-1, 12.8.1). */
export async function isSignedPdf(path: string): Promise<boolean> {
  let tail = ''
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    // A Buffer, as the stream has no encoding.
    const text = tail + (chunk as Buffer).toString('latin1')
    if (text.includes('/ByteRange')) return true
    tail = text.slice(-16)
  }
  return false
}

export const fileSize = async (path: string) => (await stat(path)).size

/** The sentence goes on from the name of the field. */
export function invalidOption(field: string, sentence: string, cause?: Error): AppError {
  return new AppError('INVALID_INPUT', `${field}: ${sentence}`, { field }, { cause })
}
