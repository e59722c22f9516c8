import { locatePngChunks } from '../../binary/png.ts'
import { readRiffChunks, readRiffForm } from '../../binary/riff.ts'
import type { Feature } from '../../model/stored-summary.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'

/** Number of images in a file and whether they are transparent, from the metadata around the pixels. */
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

/** GIF89a, 20 and 23. @throws RangeError for larger files, whose frames would all have to be read. */
export async function readGif(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const data = await bytes.whole()
  if (data.toString('latin1', 0, 3) !== 'GIF') return undefined
  const skipBlocks = (from: number) => {
    let at = from
    while ((data[at] ?? 0) > 0) at += (data[at] ?? 0) + 1
    return at + 1
  }
  const colorTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  let frames = 0
  let isTransparent = false
  for (let at = 13 + colorTableBytes(data[10] ?? 0); at < data.length && frames < maxParts; ) {
    const kind = data[at]
    if (kind === 0x21) {
      isTransparent ||= data[at + 1] === 0xf9 && ((data[at + 3] ?? 0) & 1) === 1
      at = skipBlocks(at + 2)
    } else if (kind === 0x2c) {
      frames++
      at = skipBlocks(at + 11 + colorTableBytes(data[at + 9] ?? 0))
    } else break
  }
  return frames === 0 ? undefined : createSummary({ frames }, isTransparent)
}

/** RFC 9649. */
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

/** PNG, third edition, 11.2 and 11.3: reads the chunks before the pixels. */
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

/** TIFF 6.0, section 2: a chain of directories, one per page; small previews do not count. */
export async function readTiff(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 8)
  const isBig = head.toString('latin1', 0, 2) === 'MM'
  const short = (buffer: Buffer, at: number) => (isBig ? buffer.readUInt16BE(at) : buffer.readUInt16LE(at))
  const long = (buffer: Buffer, at: number) => (isBig ? buffer.readUInt32BE(at) : buffer.readUInt32LE(at))
  if (head.length < 8 || short(head, 2) !== 42) return undefined
  const seen = new Set<number>()
  let pages = 0
  let isTransparent = false
  for (let at = long(head, 4); at > 0 && at < bytes.size && seen.size < 10_000 && !seen.has(at); ) {
    seen.add(at)
    const count = short(await bytes.at(at, 2), 0)
    const directory = await bytes.at(at + 2, count * 12 + 4)
    if (directory.length < count * 12) break
    const tags = new Map(
      Array.from({ length: count }, (_, index) => [
        short(directory, index * 12),
        long(directory, index * 12 + 8),
      ]),
    )
    if (((tags.get(subfileTypeTag) ?? 0) & 1) === 0) pages++
    isTransparent ||= tags.has(extraSamplesTag)
    at = directory.length < count * 12 + 4 ? 0 : long(directory, count * 12)
  }
  return pages === 0 ? undefined : createSummary({ pages }, isTransparent, false)
}

/** Formats with exactly one image. */
export const summarizeSingleImage = async (bytes: FileBytes): Promise<ContentSummary | undefined> =>
  bytes.size === 0 ? undefined : createSummary({ frames: 1 }, false)
