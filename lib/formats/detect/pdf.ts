import { defined } from '../../validation/defined.ts'
import { encryptsOnlyAttachments } from '../locked-attachments.ts'
import { createPdfPasswordMissingError, createPdfPasswordWrongError } from '../locked-pdf.ts'
import { createCorruptFileError, decodeAscii, type OpenedFile } from './byte-source.ts'

export interface PdfHint {
  readonly password?: string | undefined
  /** The request field for the password; `password` by default. */
  readonly passwordField?: string | undefined
  /** Whether the file will be repaired, so that damage is no reason to reject it. */
  readonly mayBeDamaged?: boolean
  /** Whether the conversion checks the password itself, or needs none. */
  readonly mayBeLocked?: boolean
}

/** Maximum bytes that a password check reads; for files that need more, the engine checks the password. */
const maxCheckedBytes = 64 * 1024 * 1024
const openTimeoutMs = 10_000

/**
 * Checks that a PDF is complete and can be opened.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED.
 */
export async function checkPdf(file: OpenedFile, hint: PdfHint): Promise<void> {
  const tail = decodeAscii(file.tail)
  if (!hint.mayBeDamaged && !tail.includes('startxref') && !tail.includes('%%EOF')) {
    throw createCorruptFileError('a PDF', 'its end is missing, as after an interrupted transfer')
  }
  const edgeText = await readEdges(file, tail)
  if (!edgeText.includes('/Encrypt')) return
  if (await canOpen(file, undefined)) return
  if (hint.mayBeLocked) return
  const pdf = { filename: file.filename, field: hint.passwordField }
  if (hint.password === undefined) {
    if (encryptsOnlyAttachments(edgeText)) return
    throw createPdfPasswordMissingError(pdf)
  }
  if (await canOpen(file, hint.password)) return
  throw createPdfPasswordWrongError(pdf)
}

/**
 * Reads the parts with trailers, which contain `/Encrypt`: near the end, near the start, and at the offset in
 * startxref.
 */
async function readEdges(file: OpenedFile, tail: string): Promise<string> {
  const offset = Number(/startxref\s+(\d+)\s*(?:%%EOF\s*)?$/.exec(tail)?.[1] ?? 0)
  const table = decodeAscii(await file.read(offset, offset + 8192))
  return [decodeAscii(file.head), table, tail].join('\n')
}

async function canOpen(file: OpenedFile, password: string | undefined): Promise<boolean> {
  const { getResolvedPDFJS } = await import('unpdf')
  const { PDFDataRangeTransport, getDocument } = await getResolvedPDFJS()
  const transport = new PDFDataRangeTransport(file.size, null)
  let fetchedBytes = 0
  const failurePromise = Promise.withResolvers<never>()
  transport.requestDataRange = (begin: number, end: number) => {
    fetchedBytes += end - begin
    if (fetchedBytes > maxCheckedBytes)
      return failurePromise.reject(new Error('The password check would have to read too much of the file.'))
    file
      .read(begin, end)
      .then((bytes) => transport.onDataRange(begin, Uint8Array.from(bytes)), failurePromise.reject)
  }
  const timer = setTimeout(
    () => failurePromise.reject(new Error('The password check timed out.')),
    openTimeoutMs,
  )
  const task = getDocument({
    range: transport,
    ...defined({ password }),
    disableAutoFetch: true,
    disableStream: true,
    verbosity: 0,
  })
  try {
    await Promise.race([task.promise, failurePromise.promise])
    return true
  } catch (error) {
    // The engine handles all other errors, because it can repair more than this reader.
    return !(error instanceof Error && error.name === 'PasswordException')
  } finally {
    clearTimeout(timer)
    await task.destroy()
  }
}
