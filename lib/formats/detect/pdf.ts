import { pdfPasswordMissing, pdfPasswordWrong } from '../locked-pdf.ts'
import { ascii, corruptFileError, type OpenedFile } from './byte-source.ts'

export interface PdfHint {
  readonly password?: string | undefined
  /** The field of the request that it comes in, where that is not `password`. */
  readonly passwordField?: string | undefined
  /** It is to be repaired. */
  readonly mayBeDamaged?: boolean
  /** Whoever takes the file asks for its password itself, or needs none. */
  readonly mayBeLocked?: boolean
}

/** Bytes that a password check may fetch; a file whose objects lie wider is left to the engine. */
const maxCheckedBytes = 64 * 1024 * 1024
const openTimeoutMs = 10_000

/**
 * A PDF that has its end, and that opens.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED.
 */
export async function checkPdf(file: OpenedFile, hint: PdfHint): Promise<void> {
  const tail = ascii(file.tail)
  if (!hint.mayBeDamaged && !tail.includes('startxref') && !tail.includes('%%EOF')) {
    throw corruptFileError('a PDF', 'its end is missing, as after a transfer that stopped early')
  }
  if (!(await mentionsEncryption(file, tail))) return
  if (await canOpen(file, undefined)) return
  if (hint.mayBeLocked) return
  const pdf = { filename: file.filename, field: hint.passwordField }
  if (hint.password === undefined) throw pdfPasswordMissing(pdf)
  if (await canOpen(file, hint.password)) return
  throw pdfPasswordWrong(pdf)
}

/** `/Encrypt` stands in a trailer, which is near the end, near the start, or where startxref points to. */
async function mentionsEncryption(file: OpenedFile, tail: string): Promise<boolean> {
  const offset = Number(/startxref\s+(\d+)\s*(?:%%EOF\s*)?$/.exec(tail)?.[1] ?? 0)
  const table = ascii(await file.read(offset, offset + 8192))
  return [tail, ascii(file.head), table].some((text) => text.includes('/Encrypt'))
}

async function canOpen(file: OpenedFile, password: string | undefined): Promise<boolean> {
  const { getResolvedPDFJS } = await import('unpdf')
  const { PDFDataRangeTransport, getDocument } = await getResolvedPDFJS()
  const transport = new PDFDataRangeTransport(file.size, null)
  let fetched = 0
  const failed = Promise.withResolvers<never>()
  transport.requestDataRange = (begin: number, end: number) => {
    fetched += end - begin
    if (fetched > maxCheckedBytes) return failed.reject(new Error('Too much of the file is needed.'))
    file.read(begin, end).then((bytes) => transport.onDataRange(begin, Uint8Array.from(bytes)), failed.reject)
  }
  const timer = setTimeout(() => failed.reject(new Error('It took too long.')), openTimeoutMs)
  const task = getDocument({
    range: transport,
    ...(password !== undefined && { password }),
    disableAutoFetch: true,
    disableStream: true,
    verbosity: 0,
  })
  try {
    await Promise.race([task.promise, failed.promise])
    return true
  } catch (error) {
    // What else is wrong is for the engine to judge: it repairs more than this reader.
    return !(error instanceof Error && error.name === 'PasswordException')
  } finally {
    clearTimeout(timer)
    await task.destroy()
  }
}
