import { open, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { edgeBytes } from '../../formats/detect/byte-source.ts'
import { encryptsOnlyAttachments, removeEncryption } from '../../formats/locked-attachments.ts'
import { createPdfPasswordMissingError } from '../../formats/locked-pdf.ts'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { createCorruptPdfError, runQpdf } from './qpdf.ts'

/** Size of a page in points, as displayed after rotation. */
export interface PdfPageSize {
  readonly width: number
  readonly height: number
}

/** Metadata from the document information dictionary. */
export interface DocumentInfo {
  readonly title?: string
  readonly author?: string
  readonly subject?: string
  readonly keywords?: string
}

/** A PDF that every tool can read. */
export interface OpenPdf {
  /** Path of a file that needs no password. */
  readonly path: string
  /** Sizes of the pages, one per page. */
  readonly sizes: readonly PdfPageSize[]
  /** Whether the source needs a password or has restricted permissions. */
  readonly isEncrypted: boolean
  readonly hasForm: boolean
  /** Whether only the attachments of the PDF are encrypted; `path` is a file without them. */
  readonly hasLockedAttachments?: boolean
  /** Whether the PDF has structure tags for screen readers. */
  readonly isTagged: boolean
  readonly documentInfo: DocumentInfo
}

type PdfFacts = Omit<OpenPdf, 'path'>

/**
 * Opens a PDF so that every later tool can read it, decrypting it if necessary. @throws AppError CORRUPT_FILE,
 * PDF_ENCRYPTED.
 */
export async function openPdf(
  sourcePath: string,
  password: string | undefined,
  tools: Tools,
): Promise<OpenPdf> {
  const pdfFacts = await readFacts(sourcePath, tools)
  if (pdfFacts !== 'locked' && (pdfFacts.isEncrypted || !(await hasOnlyLockedAttachments(sourcePath))))
    return { path: sourcePath, ...pdfFacts }
  if (password === undefined) return openWithoutAttachments(sourcePath, tools)
  const path = join(tools.workDir, `open-${basename(sourcePath)}`)
  await runQpdf({ inputFile: sourcePath, password, decrypt: '', outputFile: path }, tools)
  const decryptedFacts = await readFacts(path, tools)
  if (decryptedFacts === 'locked') throw new Error('qpdf did not remove the encryption.')
  return { path, ...decryptedFacts, isEncrypted: true }
}

/** Whether a PDF encrypts only its attachments. Poppler opens such a PDF; all other programs ask for the password. */
async function hasOnlyLockedAttachments(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    for (const position of [0, Math.max(0, size - edgeBytes)]) {
      const { buffer } = await file.read(Buffer.alloc(edgeBytes), { position })
      if (buffer.includes('/Encrypt')) return encryptsOnlyAttachments(await readText(path))
    }
    return false
  } finally {
    await file.close()
  }
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path)
  return bytes.length > maxTextLength ? '' : bytes.toString('latin1')
}

/** Length of the largest file that fits into a string. */
const maxTextLength = 2 ** 29 - 24

/** Opens a PDF that encrypts only its attachments. @throws AppError PDF_ENCRYPTED if it encrypts more. */
async function openWithoutAttachments(sourcePath: string, tools: Tools): Promise<OpenPdf> {
  const text = await readText(sourcePath)
  if (!encryptsOnlyAttachments(text)) throw createPdfPasswordMissingError()
  const path = join(tools.workDir, `pages-${basename(sourcePath)}`)
  await writeFile(path, removeEncryption(text), 'latin1')
  const facts = await readFacts(path, tools)
  if (facts === 'locked') throw createPdfPasswordMissingError()
  return { path, ...facts, hasLockedAttachments: true }
}

async function readFacts(path: string, tools: Tools): Promise<PdfFacts | 'locked'> {
  try {
    const { stdout } = await tools.exec('pdfinfo', ['-f', '1', '-l', '1000000', path])
    return {
      sizes: parsePageSizes(stdout),
      documentInfo: parseDocumentInfo(stdout),
      isEncrypted: /^Encrypted:\s+yes/m.test(stdout),
      isTagged: /^Tagged:\s+yes/m.test(stdout),
      hasForm: /^Form:\s+(AcroForm|XFA)/m.test(stdout),
    }
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    if (/Incorrect password/i.test(error.stderr)) return 'locked'
    throw createCorruptPdfError(error)
  }
}

function parseDocumentInfo(stdout: string): DocumentInfo {
  const entries = ['title', 'author', 'subject', 'keywords'].flatMap((name) => {
    const text = new RegExp(`^${name}:[ \\t]+(\\S.*)$`, 'im').exec(stdout)?.[1]?.trim()
    return text === undefined ? [] : [[name, text.replaceAll(/\p{Cc}/gu, ' ')]]
  })
  return Object.fromEntries(entries)
}

function parsePageSizes(stdout: string): PdfPageSize[] {
  const sizes = [...stdout.matchAll(/^Page\s+\d+ size:\s+([\d.e+]+) x ([\d.e+]+) pts/gm)]
  const rotations = [...stdout.matchAll(/^Page\s+\d+ rot:\s+(\d+)/gm)]
  const pageCount = Number(/^Pages:\s+(\d+)/m.exec(stdout)?.[1] ?? 0)
  if (pageCount === 0 || sizes.length !== pageCount)
    throw createCorruptPdfError(new Error(`pdfinfo reported ${sizes.length} of ${pageCount} page sizes`))
  return sizes.map(([, width, height], index) => {
    const isSideways = Number(rotations[index]?.[1] ?? 0) % 180 !== 0
    const size = { width: Number(width), height: Number(height) }
    return isSideways ? { width: size.height, height: size.width } : size
  })
}
