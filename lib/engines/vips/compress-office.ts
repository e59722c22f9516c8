import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { FileLimitError } from '../../binary/errors.ts'
import { openByPath } from '../../binary/random-access.ts'
import { rewriteZip } from '../../binary/rewrite-zip.ts'
import { openZipArchive, type ZipArchive, type ZipArchiveEntry } from '../../binary/zip.ts'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../engine.ts'
import { integer, type QualityScale, quality, toQualityNumber } from '../options.ts'
import { loadSharp } from './image.ts'

const officeFormats = [
  'docx',
  'docm',
  'dotx',
  'xlsx',
  'xlsm',
  'pptx',
  'pptm',
  'ppsx',
  'odt',
  'ods',
  'odp',
  'odg',
] as const satisfies readonly FormatId[]

const Options = z.object({
  quality: quality.optional(),
  targetSize: integer(1000, 2_000_000_000)
    .optional()
    .describe('Maximum size of the result in bytes; image quality is reduced until it fits.'),
})

/** Quality of the images in the document, by name. */
const scale: QualityScale = { low: 40, medium: 60, high: 75, highest: 90 }
const qualitySteps = [90, 75, 60, 40, 25] as const

export const officeCompressRows: readonly Capability[] = officeFormats.map((id) => ({
  operation: 'compress',
  from: [id],
  to: [id],
  same: true,
  options: Options,
  cost: 1,
}))

export const isOfficePackage = (id: FormatId): boolean => officeFormats.some((candidate) => candidate === id)

const maxEntries = 20_000
/** Larger images are copied unchanged, because they would not fit in memory together with the result. */
const maxImageBytes = 64 * 1024 * 1024
/** Matches the paths of images in Office Open XML and OpenDocument packages. */
const imagePathPattern = /^(?:(?:word|xl|ppt)\/media|Pictures)\/[^/]+\.(jpe?g|png)$/i
const signaturePathPattern = /^(?:_xmlsignatures\/|META-INF\/documentsignatures\.xml$)/

interface Attempt {
  readonly path: string
  readonly size: number
}

/** Recompresses the images of a document; text, formulas and everything else stay unchanged bit for bit. */
export async function compressOffice(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('The step has no document to compress.')
  const { targetSize, ...options } = Options.parse(work.options)
  const zip = await openPackage(input.path, work.from)
  const requestedQuality = toQualityNumber(options.quality ?? 'medium', scale)
  const qualityLevels =
    targetSize === undefined
      ? [requestedQuality]
      : qualitySteps.filter((step) => step <= (options.quality === undefined ? 90 : requestedQuality))
  let bestAttempt: Attempt = { path: input.path, size: input.size }
  for (const [index, level] of qualityLevels.entries()) {
    if (targetSize !== undefined && bestAttempt.size <= targetSize) break
    const path = join(tools.workDir, `attempt-${index}`)
    const progress = (ratio: number) => tools.progress((0.95 * (index + ratio)) / qualityLevels.length)
    await repack(zip, path, level, { tools, progress }).catch((cause: unknown) => {
      throw cause instanceof RangeError ? createCorruptError(work.from, 'one of its parts', cause) : cause
    })
    const { size } = await stat(path)
    if (size < bestAttempt.size) bestAttempt = { path, size }
  }
  if (bestAttempt.path !== input.path && zip.entries.some(({ name }) => signaturePathPattern.test(name)))
    tools.warn('SIGNATURE_BROKEN', 'The document is signed; its signature is not valid for the changed file.')
  warnAboutSize(bestAttempt.size, input.size, targetSize, work.from, tools)
  const path = join(work.outDir, `output.${formatById(work.to).extensions[0]}`)
  await copyFile(bestAttempt.path, path)
  const targetFacts = targetSize === undefined ? {} : { targetSize, reached: bestAttempt.size <= targetSize }
  return {
    files: [{ path }],
    details: { sizeBefore: input.size, sizeAfter: bestAttempt.size, ...targetFacts },
  }
}

async function openPackage(path: string, format: FormatId): Promise<ZipArchive> {
  try {
    const zip = await openZipArchive(await openByPath(path), maxEntries)
    if (zip.hasMoreEntries) throw new FileLimitError(`more than ${maxEntries} parts`)
    return zip
  } catch (cause) {
    throw cause instanceof RangeError ? createCorruptError(format, 'its list of parts', cause) : cause
  }
}

function createCorruptError(format: FormatId, subject: string, cause: RangeError): AppError {
  const message = `The ${formatById(format).name} (${format}) is damaged: ${subject} cannot be read.`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format }, { cause })
}

interface ProgressReporter {
  readonly tools: Tools
  progress(ratio: number): void
}

async function repack(
  zip: ZipArchive,
  path: string,
  level: number,
  { tools, progress }: ProgressReporter,
): Promise<void> {
  let count = 0
  const replace = async (entry: ZipArchiveEntry) => {
    tools.signal.throwIfAborted()
    progress(count++ / zip.entries.length)
    return imagePathPattern.test(entry.name) ? shrinkImage(zip, entry, level) : undefined
  }
  await rewriteZip(zip, path, replace, 0)
}

/** Recompresses an image. Returns undefined if it cannot be read or would not shrink; the original is then kept. */
async function shrinkImage(
  zip: ZipArchive,
  entry: ZipArchiveEntry,
  level: number,
): Promise<Uint8Array | undefined> {
  if (entry.uncompressedSize > maxImageBytes) return undefined
  try {
    const originalImage = await zip.read(entry, maxImageBytes)
    const sharp = await loadSharp()
    // A page is rarely larger than a screen, so additional pixels are never seen.
    const side = 1000 + level * 20
    const shrunkImage = sharp(originalImage).resize({
      width: side,
      height: side,
      fit: 'inside',
      withoutEnlargement: true,
    })
    const isJpeg = /\.jpe?g$/i.test(entry.name)
    const encoder = isJpeg
      ? shrunkImage.jpeg({ quality: level, mozjpeg: true })
      : shrunkImage.png({ compressionLevel: 9, palette: level < 75, quality: level })
    // The orientation is in the metadata, and office programs respect it.
    const bytes = await encoder.keepExif().keepIccProfile().toBuffer()
    return bytes.length < entry.compressedSize * 0.95 ? bytes : undefined
  } catch {
    return undefined
  }
}

function warnAboutSize(
  size: number,
  sizeBefore: number,
  targetSize: number | undefined,
  format: FormatId,
  tools: Tools,
): void {
  if (targetSize !== undefined && size > targetSize) {
    const message = `The ${format} file could not be reduced to ${targetSize} bytes: the smallest possible result has ${size} bytes.`
    tools.warn('TARGET_NOT_REACHED', message)
  } else if (size === sizeBefore && targetSize === undefined) {
    const message = `The ${format} file contains no image that could be made smaller, so it is returned unchanged.`
    tools.warn('NOT_SMALLER', message)
  }
}
