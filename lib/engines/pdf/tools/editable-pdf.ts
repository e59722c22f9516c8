import { createReadStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { passwordMissing, passwordWrong } from '../../../formats/locked-pdf.ts'
import type { EngineResult, EngineWork, InputFile, OutputFile, Tools } from '../../engine.ts'
import { type OpenPdf, openPdf } from '../open-pdf.ts'
import { qpdf } from '../qpdf.ts'

/** A PDF that tools may change. */
export interface EditablePdf extends OpenPdf {
  /** As it came, still protected. */
  readonly source: string
  readonly password: string | undefined
}

/** What a tool is asked to do, and for which document. */
export interface ToolJob<Options> {
  readonly pdf: EditablePdf
  readonly options: Options
  readonly work: EngineWork
  readonly tools: Tools
}

/** Most tools open one PDF, change it and end with `finish`. */
export type Tool<Options> = (job: ToolJob<Options>) => Promise<EngineResult>

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
  const asCame = { source: input.path, password }
  if (!opened.encrypted || opened.path !== input.path) return { ...opened, ...asCame }
  // It opens for everybody, but restricts what may be done with it; most tools refuse such a file.
  const path = join(tools.workDir, `open-${basename(input.path)}`)
  await qpdf({ inputFile: input.path, decrypt: '', outputFile: path }, tools)
  return { ...opened, ...asCame, path }
}

/** Makes a result of a changed file: protected as its source was, with a word on signatures that no longer hold. */
export async function finish(
  { pdf, work, tools }: ToolJob<unknown>,
  changed: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<EngineResult> {
  await warnSigned([pdf.path], tools)
  const file = await lockAgain(pdf, changed, join(work.outDir, 'output.pdf'), tools)
  tools.progress(1)
  return { files: [file], details }
}

/** Writes `changed` to `path` with the passwords and restrictions that the source has. */
export async function lockAgain(
  { encrypted, source, password }: EditablePdf,
  changed: string,
  path: string,
  tools: Tools,
): Promise<OutputFile> {
  if (!encrypted) await rename(changed, path)
  else {
    // Old ciphers are weak, but none at all would be weaker.
    const lock = {
      copyEncryption: source,
      ...(password !== undefined && { encryptionFilePassword: password }),
      allowWeakCrypto: '',
    }
    await qpdf({ inputFile: changed, ...lock, outputFile: path }, tools)
  }
  return { path }
}

export function warnUnlocked({ encrypted }: OpenPdf, tools: Tools): void {
  if (!encrypted) return
  tools.warn('ENCRYPTION_REMOVED', 'The PDF was protected; the result is not.')
}

export function warnUntagged({ isTagged }: OpenPdf, tools: Tools): void {
  if (!isTagged) return
  tools.warn(
    'TAGS_REMOVED',
    'The structure for screen readers was lost: it described the pages as they were.',
  )
}

export async function warnSigned(paths: readonly string[], tools: Tools): Promise<void> {
  for (const path of paths) {
    if (!(await isSigned(path))) continue
    tools.warn('SIGNATURE_INVALID', 'The PDF was signed. A changed file no longer matches its signatures.')
    return
  }
}

/** A signature names the bytes that it covers in plain text, even in an encrypted file (ISO 32000-1, 12.8.1). */
export async function isSigned(path: string): Promise<boolean> {
  let tail = ''
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    // A Buffer, as the stream has no encoding.
    const text = tail + (chunk as Buffer).toString('latin1')
    if (text.includes('/ByteRange')) return true
    tail = text.slice(-16)
  }
  return false
}

export const bytesOf = async (path: string) => (await stat(path)).size

/** The sentence goes on from the name of the field. */
export function invalid(field: string, sentence: string, cause?: Error): AppError {
  return new AppError('INVALID_INPUT', `${field}: ${sentence}`, { field }, { cause })
}
