import { AppError } from '../errors.ts'
import { type ByteSource, corruptFileError, type OpenedFile, openFile } from './detect/byte-source.ts'
import { damageCheck } from './detect/damage-checks.ts'
import { mobipocketFormat } from './detect/ebook.ts'
import { familyOf, textFormatAliases, textFormats } from './detect/families.ts'
import { headerlessImages } from './detect/image-signatures.ts'
import { headerlessMedia } from './detect/media-signatures.ts'
import { hasMpegFrames } from './detect/mpeg-frames.ts'
import { oleFormat } from './detect/ole.ts'
import type { PdfHint } from './detect/pdf.ts'
import { type Sniffed, sniff } from './detect/sniff.ts'
import { type Trait, traitsOf } from './detect/svg-traits.ts'
import { type Format, type FormatId, formatByExtension, formatById } from './index.ts'

export type { ByteSource } from './detect/byte-source.ts'
export type { PdfHint } from './detect/pdf.ts'

export interface Detected {
  readonly format: FormatId
  readonly mimeType: string
  /** An office file that needs a password; those of 1997 to 2003 show it only to who opens them. */
  readonly locked?: true
  /** Only where there are some. */
  readonly traits?: readonly Trait[]
}

/**
 * What a file is, from its bytes first and its name second, and that it is whole. Only its ends and a few places
 * between are read.
 * @throws AppError INVALID_INPUT (empty), UNSUPPORTED_FORMAT, CORRUPT_FILE, PDF_ENCRYPTED, FILE_ENCRYPTED, FILE_TOO_LARGE.
 */
export async function detectFormat(source: ByteSource, hint: PdfHint = {}): Promise<Detected> {
  if (source.size === 0) {
    throw new AppError('INVALID_INPUT', 'The file is empty. Send it again.', { field: 'file' })
  }
  const file = await openFile(source)
  const named = parseExtension(source.filename)
  const { format: content, locked } = await contentFormat(await sniff(file), file, named)
  const format = reconcileWithName(content, named)
  await checkDamage(format, file, hint)
  const mimeType = formatById(format).mimeTypes[0] ?? 'application/octet-stream'
  const traits = await traitsOf(format, file)
  return { format, mimeType, ...(locked && { locked }), ...(traits.length > 0 && { traits }) }
}

async function checkDamage(format: FormatId, file: OpenedFile, hint: PdfHint): Promise<void> {
  try {
    await damageCheck(format)?.(file, hint)
  } catch (error) {
    // A number was read beyond the last byte.
    if (error instanceof RangeError)
      throw corruptFileError(`a ${formatById(format).name}`, 'it ends within its header')
    throw error
  }
}

interface NamedFormat {
  /** Lower case, without the dot; empty when the name has none. */
  readonly extension: string
  readonly format: Format | undefined
}

function parseExtension(name: string): NamedFormat {
  const extension = /\.((?:tar\.)?[A-Za-z0-9_-]{1,16})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return { extension, format: extension === '' ? undefined : formatByExtension(extension) }
}

/**
 * Samples without a mark look like anything, and as a rule like nothing: their name is believed, unless the bytes
 * are surely something else.
 */
function headerlessFormat(sniffed: Sniffed, { format }: NamedFormat): FormatId | undefined {
  if (!format || !(headerlessMedia.includes(format.id) || headerlessImages.includes(format.id)))
    return undefined
  const { category } = sniffed.kind === 'format' ? formatById(sniffed.format) : format
  const isOther = sniffed.kind === 'zip' || sniffed.kind === 'ole'
  return isOther || category !== format.category ? undefined : format.id
}

type ContentFormat = Pick<Detected, 'format' | 'locked'>

/** @throws AppError when the content is nothing that we know. */
async function contentFormat(sniffed: Sniffed, file: OpenedFile, named: NamedFormat): Promise<ContentFormat> {
  const headerless = headerlessFormat(sniffed, named)
  if (headerless) return { format: headerless }
  switch (sniffed.kind) {
    case 'format':
      return { format: sniffed.format === 'mobi' ? await mobipocketFormat(file) : sniffed.format }
    case 'zip': {
      // Loaded for the first ZIP: the gateway is idle most of the time, and small then.
      const { zipFormat } = await import('./detect/zip.ts')
      return zipFormat(file)
    }
    case 'ole':
      return (
        (await oleFormat(file, named.format?.id)) ??
        throwUnknownFormat('an Office 97-2003 file of an unknown program', named)
      )
    case 'text':
      return { format: textFormat(named) }
    case 'unknown':
      if (named.format && familyOf('mp3').includes(named.format.id) && hasMpegFrames(file.head))
        return { format: named.format.id }
      return throwUnknownFormat(sniffed.looksLike, named)
  }
}

function textFormat({ extension, format }: NamedFormat): FormatId {
  if (extension === '') return 'txt'
  const kind = format && (textFormatAliases[format.id] ?? format.id)
  if (kind && textFormats.includes(kind)) return kind
  if (format) throw nameMismatchError(format, 'plain text')
  const sentence = `Files named .${extension} are not supported; this one looks like plain text. Name it .txt to have it read as that.`
  throw new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', extension })
}

function throwUnknownFormat(looksLike: string, { extension, format }: NamedFormat): never {
  if (format) throw nameMismatchError(format, looksLike)
  const name = extension === '' ? 'has no extension' : `is named .${extension}`
  const sentence = `The format of the file is not supported: it ${name} and looks like ${looksLike}.`
  throw new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', extension, looksLike })
}

/** The content decides; the name chooses within its family, and may be wrong only where that harms nobody. */
function reconcileWithName(content: FormatId, { extension, format: named }: NamedFormat): FormatId {
  if (!named || named.id === content) return content
  // Two formats may share an extension.
  if (formatById(content).extensions.includes(extension)) return content
  if (familyOf(content).includes(named.id)) return named.id
  const { category, name } = formatById(content)
  if (named.category === category) return content
  throw nameMismatchError(named, `${name} (${content})`)
}

function nameMismatchError(named: Format, looksLike: string): AppError {
  const sentence = `The file is named as ${named.name} (${named.id}), but it looks like ${looksLike}. Rename it if that is right, or send the file that was meant.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', namedAs: named.id, looksLike })
}
