import { DamagedFileError } from '../../binary/errors.ts'
import { findJpegStart } from '../../binary/jpeg-start.ts'
import { Tiff } from '../../binary/tiff.ts'
import { createCorruptFileError, decodeAscii, edgeBytes, type OpenedFile, view } from './byte-source.ts'

const endOfImageMarker = '\xff\xd9'
/** Number of bytes that are searched at a time. */
const maxScanBytes = 4 * 1024 * 1024

/**
 * Looks for the end marker of a JPEG after the start of its pixel data, from the end of the file. Phones append videos
 * and depth maps, so the marker need not be last; it cannot occur within pixel data.
 */
export async function checkJpeg(file: OpenedFile): Promise<void> {
  const scanStart = await findStartOfScan(file)
  if (scanStart === undefined) throw createCorruptFileError('a JPEG', 'it contains no image')
  let [end, length] = [file.size, edgeBytes]
  while (end > scanStart) {
    if (decodeAscii(await file.read(Math.max(scanStart, end - length), end)).includes(endOfImageMarker))
      return
    // The next part overlaps by one byte, because the marker has two.
    end -= length - 1
    length = Math.min(length * 2, maxScanBytes)
  }
  throw createCorruptFileError('a JPEG', 'its end is missing, as after an interrupted transfer')
}

/**
 * Returns the offset of the first scan. Thumbnails, which have their own end markers, come before it. Decoders skip
 * other bytes between two segments.
 */
async function findStartOfScan(file: OpenedFile): Promise<number | undefined> {
  let at = (findJpegStart(file.head) ?? 0) + 2
  for (let count = 0; count < 10_000 && at + 4 <= file.size; count++) {
    const head = view(await file.read(at, at + 4))
    const marker = head.getUint8(1)
    if (head.getUint8(0) !== 0xff || marker === 0) {
      at += 1
      continue
    }
    if (marker === 0xda) return at
    if (marker === 0xff) at += 1
    else at += 2 + head.getUint16(2)
  }
  return undefined
}

export function checkPng(file: OpenedFile): void {
  if (!decodeAscii(file.tail).includes('IEND')) throw createCorruptFileError('a PNG', 'its end is missing')
}

/** Checks that the file ends with a trailer; zeros after it are padding. */
export function checkGif(file: OpenedFile): void {
  const end = file.tail.findLastIndex((byte) => byte !== 0)
  const lastBytes = file.tail.subarray(Math.max(0, end - 63), end + 1)
  if (!lastBytes.includes(0x3b)) throw createCorruptFileError('a GIF', 'its end is missing')
}

/** Checks for the mandatory first cards (FITS 4.0, section 4.4.1), without which readers guess the image size. */
export function checkFits(file: OpenedFile): void {
  const readCard = (at: number) => decodeAscii(file.head, at * 80, at * 80 + 80)
  const axisCount = Number(/^NAXIS {3}= +(\d{1,3}) /.exec(readCard(2))?.[1] ?? Number.NaN)
  const names = [
    'SIMPLE',
    'BITPIX',
    'NAXIS',
    ...Array.from({ length: axisCount || 0 }, (_, at) => `NAXIS${at + 1}`),
  ]
  const hasCard = (name: string, at: number) => readCard(at).startsWith(`${name.padEnd(8)}= `)
  if (Number.isNaN(axisCount) || !names.every(hasCard))
    throw createCorruptFileError('a FITS image', 'its header is broken')
}

/** Maximum number of directories, each of which takes two small reads. */
const maxDirectories = 100

/** Checks that each directory, which contains the offset of the next, is inside the file. */
export async function checkTiff(file: OpenedFile): Promise<void> {
  let pages = 0
  try {
    const tiff = await Tiff.open(file)
    for await (const { count } of tiff.directories(maxDirectories)) {
      if (count === 0) throw new DamagedFileError('a directory is damaged')
      pages++
    }
  } catch (error) {
    throw error instanceof DamagedFileError ? createCorruptFileError('a TIFF', error.message) : error
  }
  if (pages === 0) throw createCorruptFileError('a TIFF', 'it has no pages')
}

/** Checks that the pixel offset is inside the file. The length field of the header is wrong in too many files. */
export function checkBmp(file: OpenedFile): void {
  if (file.size < 26 || view(file.head).getUint32(10, true) >= file.size)
    throw createCorruptFileError('a BMP', 'it is cut off')
}

/**
 * Checks an OpenEXR file, which consists of a header, the offset table of all scan line blocks, and the blocks. Readers
 * would show missing blocks in black. Tiled and multi-part files have another layout and are not checked.
 */
export async function checkExr(file: OpenedFile): Promise<void> {
  const kind = 'an OpenEXR image'
  const flags = view(file.head).getUint8(5)
  if ((flags & 0b10010) !== 0) return
  const tableStart = findExrHeaderEnd(file.head)
  if (tableStart === undefined) throw createCorruptFileError(kind, 'its header is damaged or cut off')
  // The table ends at the lowest block offset; blocks can be in ascending or descending order.
  let [firstNonZero, lastNonZero] = [file.size, 0]
  for (let at = tableStart; at < firstNonZero && at + 8 <= file.head.length; at += 8) {
    const offset = Number(view(file.head).getBigUint64(at, true))
    if (offset <= tableStart) throw createCorruptFileError(kind, 'writing it was interrupted')
    firstNonZero = Math.min(firstNonZero, offset)
    lastNonZero = Math.max(lastNonZero, offset)
  }
  const block = await file.read(lastNonZero, lastNonZero + 8)
  if (block.length < 8 || lastNonZero + 8 + view(block).getUint32(4, true) > file.size) {
    throw createCorruptFileError(kind, 'it is cut off: a block of scan lines is missing')
  }
}

/**
 * Returns the end of the header, where an empty name follows the attributes (each with name, type, length and value).
 */
function findExrHeaderEnd(head: Uint8Array): number | undefined {
  let at = 8
  while (at < head.length && head[at] !== 0) {
    const typeStart = head.indexOf(0, at) + 1
    const length = head.indexOf(0, typeStart) + 1
    if (typeStart === 0 || length === 0 || length + 4 > head.length) return undefined
    at = length + 4 + view(head).getUint32(length, true)
  }
  return at + 9 <= head.length ? at + 1 : undefined
}
