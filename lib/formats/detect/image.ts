import { ascii, damaged, edgeBytes, type OpenedFile, view } from './source.ts'

const endOfImage = '\xff\xd9'

/**
 * A JPEG has its end marker somewhere behind its pixels. Phones append films and depth maps, so the last bytes prove
 * nothing; inside the pixels the marker cannot occur, so finding it late proves the end.
 */
export async function checkJpeg(file: OpenedFile): Promise<void> {
  const scan = await startOfScan(file)
  if (scan === undefined) throw damaged('a JPEG', 'it has no picture')
  for (let end = file.size; end > scan; end -= edgeBytes - 1) {
    const start = Math.max(scan, end - edgeBytes)
    if (ascii(await file.read(start, end)).includes(endOfImage)) return
  }
  throw damaged('a JPEG', 'its end is missing, as after a transfer that stopped early')
}

/** Offset of the first scan; thumbnails with end markers of their own lie before it. */
async function startOfScan(file: OpenedFile): Promise<number | undefined> {
  let at = 2
  for (let count = 0; count < 10_000 && at + 4 <= file.size; count++) {
    const head = view(await file.read(at, at + 4))
    if (head.getUint8(0) !== 0xff) return undefined
    const marker = head.getUint8(1)
    if (marker === 0xda) return at
    if (marker === 0xff) at += 1
    else at += 2 + head.getUint16(2)
  }
  return undefined
}

export function checkPng(file: OpenedFile): void {
  if (!ascii(file.tail).includes('IEND')) throw damaged('a PNG', 'its end is missing')
}

/** Zeros behind the trailer are padding. */
export function checkGif(file: OpenedFile): void {
  const end = file.tail.findLastIndex((byte) => byte !== 0)
  const last = file.tail.subarray(Math.max(0, end - 63), end + 1)
  if (!last.includes(0x3b)) throw damaged('a GIF', 'its end is missing')
}

/** TIFF 6.0 section 2: the first directory lies inside the file. BigTIFF has eight bytes for the offset. */
export async function checkTiff(file: OpenedFile): Promise<void> {
  const head = view(file.head)
  const little = ascii(file.head, 0, 2) === 'II'
  const big = head.getUint16(2, little) === 43
  const offset = big ? Number(head.getBigUint64(8, little)) : head.getUint32(4, little)
  const count = await file.read(offset, offset + (big ? 8 : 2))
  if (count.length < (big ? 8 : 2)) throw damaged('a TIFF', 'it is cut off: its directory is missing')
  const entries = big ? Number(view(count).getBigUint64(0, little)) : view(count).getUint16(0, little)
  const end = offset + count.length + entries * (big ? 20 : 12)
  if (entries === 0 || end > file.size) throw damaged('a TIFF', 'its directory is damaged')
}

/** The pixels begin where the header says, inside the file. Its own length field is wrong in too many files. */
export function checkBmp(file: OpenedFile): void {
  if (file.size < 26 || view(file.head).getUint32(10, true) >= file.size)
    throw damaged('a BMP', 'it is cut off')
}
