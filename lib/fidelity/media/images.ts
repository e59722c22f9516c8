import { DamagedFileError } from '../../binary/errors.ts'
import { gifBlockKinds, readGifBlocks } from '../../binary/gif.ts'
import { locatePngChunks } from '../../binary/png.ts'
import { readRiffChunks, readRiffForm } from '../../binary/riff.ts'
import { Tiff } from '../../binary/tiff.ts'
import type { Feature } from '../../model/stored-summary.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'

/**
 * Summarizes an image: the number of images in the file, and whether they are transparent. Reads only the metadata
 * around the pixels.
 */
const createSummary = (
  counts: ContentSummary['counts'],
  isTransparent: boolean,
  isAnimated = (counts.frames ?? 1) > 1,
): ContentSummary => {
  const features: Feature[] = [
    ...(isAnimated ? (['animation'] as const) : []),
    ...(isTransparent ? (['transparency'] as const) : []),
  ]
  return { counts, features }
}

const maxParts = 100_000
const maxPngChunks = 1000

/** Label of the extension that describes how the next image is shown. */
const graphicControl = 0xf9

/**
 * Reads GIF89a (sections 20 and 23). @throws RangeError for a large file, because all of its frames would have to be
 * read.
 */
export async function readGif(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const data = await bytes.readWhole()
  if (data.toString('latin1', 0, 3) !== 'GIF') return undefined
  let frames = 0
  let isTransparent = false
  for (const { kind, start } of readGifBlocks(data)) {
    if (kind === gifBlockKinds.extension)
      isTransparent ||= data[start + 1] === graphicControl && ((data[start + 3] ?? 0) & 1) === 1
    else if (kind !== gifBlockKinds.image || ++frames === maxParts) break
  }
  return frames === 0 ? undefined : createSummary({ frames }, isTransparent)
}

/** Reads the chunks of a WebP (RFC 9649). */
export async function readWebp(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const form = await readRiffForm(bytes)
  if (form?.type !== 'WEBP') return undefined
  let frames = 0
  let isTransparent = false
  for await (const { id, start } of readRiffChunks(bytes, form, maxParts)) {
    if (id === 'VP8X') isTransparent = (((await bytes.at(start, 1))[0] ?? 0) & 0x10) !== 0
    if (id === 'VP8L') isTransparent ||= (((await bytes.at(start + 4, 1))[0] ?? 0) & 0x10) !== 0
    if (id === 'ANMF') frames++
  }
  return createSummary({ frames: Math.max(1, frames) }, isTransparent)
}

/** Reads the chunks of a PNG that precede the pixels (third edition, 11.2 and 11.3). */
export async function readPng(bytes: FileBytes): Promise<ContentSummary | undefined> {
  let frames = 1
  let isTransparent = false
  for await (const { type, start } of locatePngChunks(bytes, maxPngChunks)) {
    if (type === 'IHDR') isTransparent = (((await bytes.at(start + 9, 1))[0] ?? 0) & 4) !== 0
    if (type === 'tRNS') isTransparent = true
    if (type === 'acTL') frames = (await bytes.at(start, 4)).readUInt32BE(0)
    if (type === 'IDAT') break
  }
  return createSummary({ frames: Math.max(1, frames) }, isTransparent)
}

const extraSamplesTag = 338
const subfileTypeTag = 254

const maxTiffPages = 10_000
const classicTiff = 42

/**
 * Reads a TIFF, which has one directory per page (TIFF 6.0, section 2); small previews do not count. BigTIFF is not
 * summarized.
 */
export async function readTiff(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const tiff = await Tiff.open(bytes)
  if (tiff.version !== classicTiff) return undefined
  let pages = 0
  let isTransparent = false
  try {
    for await (const directory of tiff.directories(maxTiffPages)) {
      const entries = await tiff.entries(directory)
      const subfileType = entries.find(({ tag }) => tag === subfileTypeTag)
      if (!subfileType || (tiff.integer(subfileType.value) & 1) === 0) pages++
      isTransparent ||= entries.some(({ tag }) => tag === extraSamplesTag)
    }
  } catch (error) {
    // Counts the pages before the damage.
    if (!(error instanceof DamagedFileError)) throw error
  }
  return pages === 0 ? undefined : createSummary({ pages }, isTransparent, false)
}

/** Summarizes files of formats that contain exactly one image. */
export const summarizeSingleImage = async (bytes: FileBytes): Promise<ContentSummary | undefined> =>
  bytes.size === 0 ? undefined : createSummary({ frames: 1 }, false)
