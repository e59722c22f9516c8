import { findJpegStart } from '../binary/jpeg-start.ts'
import { AppError } from '../errors.ts'
import { defined } from '../validation/defined.ts'
import {
  type ByteSource,
  createCorruptFileError,
  type OpenedFile,
  openByteSource,
} from './detect/byte-source.ts'
import { getDamageCheck } from './detect/damage-checks.ts'
import { detectMobipocketFormat } from './detect/ebook.ts'
import { getFamily, textFormatAliases, textFormats } from './detect/families.ts'
import { hasFlacFrame } from './detect/flac-frames.ts'
import { headerlessImages } from './detect/image-signatures.ts'
import { headerlessMedia } from './detect/media-signatures.ts'
import { hasMpegFrames } from './detect/mpeg-frames.ts'
import { detectOleFormat } from './detect/ole.ts'
import type { PdfHint } from './detect/pdf.ts'
import { rethrowReadFailures } from './detect/read-failures.ts'
import { type Sniffed, sniff } from './detect/sniff.ts'
import { refuseSplitArchive } from './detect/split-archive.ts'
import { detectTraits, type Trait } from './detect/traits.ts'
import { type Format, type FormatId, formatByExtension, formatById } from './index.ts'

export type { ByteSource } from './detect/byte-source.ts'
export type { PdfHint } from './detect/pdf.ts'

export interface Detected {
  readonly format: FormatId
  readonly mimeType: string
  /** Set for an office file that needs a password. Files of Office 97-2003 reveal that only when they are opened. */
  readonly locked?: true
  /** Traits of the file; unset if there are none. */
  readonly traits?: readonly Trait[]
}

/**
 * Detects the format of a file, from its content first and its name second, and checks that the file is complete. Reads
 * only its start, its end and a few places in between.
 * @throws AppError INVALID_INPUT (empty), UNSUPPORTED_FORMAT, CORRUPT_FILE, PDF_ENCRYPTED, FILE_ENCRYPTED,
 * FILE_TOO_LARGE; the error of a read that fails.
 */
export async function detectFromContent(source: ByteSource, hint: PdfHint = {}): Promise<Detected> {
  if (source.size === 0) {
    throw new AppError('INVALID_INPUT', 'The file is empty. Check it and send it again.', { field: 'file' })
  }
  return rethrowReadFailures(source, (readable) => detectReadable(readable, hint))
}

async function detectReadable(source: ByteSource, hint: PdfHint): Promise<Detected> {
  const file = await openByteSource(source)
  refuseSplitArchive(file)
  const namedFormat = parseExtension(source.filename)
  const { format: contentFormat, locked } = await detectContentFormat(await sniff(file), file, namedFormat)
  const format = reconcileWithName(contentFormat, namedFormat)
  await checkDamage(format, file, hint)
  const mimeType = formatById(format).mimeTypes[0] ?? 'application/octet-stream'
  const traits = await detectTraits(format, file)
  return { format, mimeType, ...defined({ locked }), ...(traits.length > 0 && { traits }) }
}

async function checkDamage(format: FormatId, file: OpenedFile, hint: PdfHint): Promise<void> {
  try {
    await getDamageCheck(format)?.(file, hint)
  } catch (error) {
    // The error comes from reading a DataView beyond its end.
    if (error instanceof RangeError)
      throw createCorruptFileError(`a ${formatById(format).name}`, 'its header is cut off')
    throw error
  }
}

interface NamedFormat {
  /** In lower case, without the dot; empty if the name has no extension. */
  readonly extension: string
  readonly format: Format | undefined
}

function parseExtension(name: string): NamedFormat {
  const extension = /\.((?:tar\.)?[A-Za-z0-9_-]{1,16})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return { extension, format: extension === '' ? undefined : formatByExtension(extension) }
}

/**
 * Returns the format that the file name suggests if that format has no magic bytes, unless the content clearly belongs
 * to another category.
 */
function getHeaderlessFormat(sniffed: Sniffed, { format }: NamedFormat): FormatId | undefined {
  if (!format || !(headerlessMedia.includes(format.id) || headerlessImages.includes(format.id)))
    return undefined
  const { category } = sniffed.kind === 'format' ? formatById(sniffed.format) : format
  const isContainer = sniffed.kind === 'zip' || sniffed.kind === 'ole'
  return isContainer || category !== format.category ? undefined : format.id
}

/** Checks for formats whose data may follow other data or lack a header. */
const customSignatures: readonly (readonly [FormatId, (head: Uint8Array) => boolean])[] = [
  ['mp3', hasMpegFrames],
  ['flac', hasFlacFrame],
  ['jpg', (head) => findJpegStart(head) !== undefined],
]

/**
 * Returns the format that the file name suggests if the content contains data of this format and is not certainly
 * something else.
 */
function matchCustomSignature(
  sniffed: Sniffed,
  { head }: OpenedFile,
  { format }: NamedFormat,
): FormatId | undefined {
  // An initial 0xff is not certain, because frames of different formats begin with the same bits.
  const isCertain = sniffed.kind !== 'unknown' && (sniffed.kind !== 'format' || head[0] !== 0xff)
  const matchesName = sniffed.kind === 'format' && sniffed.format === format?.id
  const row = customSignatures.find(([id]) => format && getFamily(id).includes(format.id))
  return !isCertain && !matchesName && format && row?.[1](head) ? format.id : undefined
}

type ContentFormat = Pick<Detected, 'format' | 'locked'>

/** Returns the format of the content; where that is ambiguous, the file name decides. @throws AppError if unknown. */
async function detectContentFormat(
  sniffed: Sniffed,
  file: OpenedFile,
  namedFormat: NamedFormat,
): Promise<ContentFormat> {
  const headerlessFormat =
    getHeaderlessFormat(sniffed, namedFormat) ?? matchCustomSignature(sniffed, file, namedFormat)
  if (headerlessFormat) return { format: headerlessFormat }
  switch (sniffed.kind) {
    case 'format':
      return { format: sniffed.format === 'mobi' ? await detectMobipocketFormat(file) : sniffed.format }
    case 'zip': {
      // Loaded for the first ZIP file, so that an idle gateway uses little memory.
      const { detectZipFormat } = await import('./detect/zip.ts')
      return detectZipFormat(file)
    }
    case 'ole':
      return (
        (await detectOleFormat(file, namedFormat.format?.id)) ??
        throwUnknownFormat('an Office 97-2003 file of an unknown program', namedFormat)
      )
    case 'text':
      return { format: getTextFormat(namedFormat) }
    case 'unknown':
      return throwUnknownFormat(sniffed.looksLike, namedFormat)
  }
}

function getTextFormat({ extension, format }: NamedFormat): FormatId {
  if (extension === '') return 'txt'
  const kind = format && (textFormatAliases[format.id] ?? format.id)
  if (kind && textFormats.includes(kind)) return kind
  if (format) throw createNameMismatchError(format, 'plain text')
  const sentence = `Files named .${extension} are not supported; this one looks like plain text. Rename it to .txt to convert it as plain text.`
  throw new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', extension })
}

function throwUnknownFormat(looksLike: string, { extension, format }: NamedFormat): never {
  if (format) throw createNameMismatchError(format, looksLike)
  const namePhrase = extension === '' ? 'has no extension' : `is named .${extension}`
  const sentence = `The format of the file is not supported: it ${namePhrase} and looks like ${looksLike}.`
  throw new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', extension, looksLike })
}

/**
 * Combines content and file name: the content decides on the family, and the name on the format within it.
 * @throws AppError if they are incompatible.
 */
function reconcileWithName(
  contentFormat: FormatId,
  { extension, format: namedFormat }: NamedFormat,
): FormatId {
  if (!namedFormat || namedFormat.id === contentFormat) return contentFormat
  // Two formats may share an extension.
  if (formatById(contentFormat).extensions.includes(extension)) return contentFormat
  if (getFamily(contentFormat).includes(namedFormat.id)) return namedFormat.id
  const { category, name } = formatById(contentFormat)
  if (namedFormat.category === category) return contentFormat
  throw createNameMismatchError(namedFormat, `${name} (${contentFormat})`)
}

function createNameMismatchError(namedFormat: Format, looksLike: string): AppError {
  const sentence = `The file name says ${namedFormat.name} (${namedFormat.id}), but the content looks like ${looksLike}. Rename the file, or send the intended file.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', namedAs: namedFormat.id, looksLike })
}
