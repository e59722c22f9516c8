import { maxSidePx } from '../image-limits.ts'
import { createCorruptFileError, type OpenedFile, view } from './byte-source.ts'

const headerBytes = 26

/**
 * Checks a Photoshop file (Adobe's file format specification): a header, three sections with their lengths, then the
 * merged image. Readers show missing parts in black. The engine rejects images that exceed its limits.
 */
export async function checkPhotoshop(file: OpenedFile): Promise<void> {
  const header = view(file.head)
  const isLargeFormat = header.getUint16(4) === 2
  const [channels, height, width] = [header.getUint16(12), header.getUint32(14), header.getUint32(18)]
  if (Math.max(width, height) > maxSidePx) return
  let at = headerBytes
  for (const isWide of [false, false, isLargeFormat]) {
    const lengthField = view(await file.read(at, at + (isWide ? 8 : 4)))
    at += isWide ? 8 + Number(lengthField.getBigUint64(0)) : 4 + lengthField.getUint32(0)
    if (at + 2 > file.size) throw createTruncatedError()
  }
  const compression = view(await file.read(at, at + 2)).getUint16(0)
  if (compression === 1) await checkRows(file, at + 2, channels * height, isLargeFormat ? 4 : 2)
}

/** Checks compressed rows: the lengths of all rows come first, followed by the rows. */
async function checkRows(
  file: OpenedFile,
  start: number,
  rowCount: number,
  lengthBytes: 2 | 4,
): Promise<void> {
  if (start + rowCount * lengthBytes > file.size) throw createTruncatedError()
  const lengths = view(await file.read(start, start + rowCount * lengthBytes))
  let end = start + rowCount * lengthBytes
  for (let row = 0; row < rowCount; row++) {
    end += lengthBytes === 2 ? lengths.getUint16(row * 2) : lengths.getUint32(row * 4)
  }
  if (end > file.size) throw createTruncatedError()
}

const createTruncatedError = () =>
  createCorruptFileError('a Photoshop document', 'it is cut off: a part of the image is missing')
