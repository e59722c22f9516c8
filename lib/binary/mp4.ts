import { DamagedFileError, FileLimitError, TruncatedFileError } from './errors.ts'
import type { RandomAccess } from './random-access.ts'

/** A box of MP4, QuickTime, HEIF and related formats (ISO 14496-12, section 4.2). */
export interface Mp4Box extends ByteRange {
  readonly type: string
}

/** File offsets of the content of a box. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

const shortHeaderBytes = 8
const longHeaderBytes = 16

/** Only fragmented files have more boxes than this, about one for each second. */
const maxTopLevelBoxes = 1000

const overrunMessage = 'it is cut off: a box extends beyond the end'

/**
 * Yields the boxes in a range of a file in order; by default, in all of the file.
 * @throws TruncatedFileError, DamagedFileError, FileLimitError
 */
export async function* readMp4Boxes(
  file: RandomAccess,
  maxBoxes: number,
  { start, end }: ByteRange = { start: 0, end: file.size },
): AsyncGenerator<Mp4Box> {
  for (let at = start, count = 0; at + shortHeaderBytes <= end; count++) {
    if (count === maxBoxes) throw new FileLimitError(`it has more than ${maxBoxes} boxes in one place`)
    const header = await file.at(at, longHeaderBytes)
    const declaredSize = header.readUInt32BE(0)
    const isLong = declaredSize === 1
    if (isLong && header.length < longHeaderBytes) throw new TruncatedFileError(overrunMessage)
    // A length of 0 means up to the end; a length of 1 means that the actual length follows the type.
    const length = declaredSize === 0 ? end - at : isLong ? Number(header.readBigUInt64BE(8)) : declaredSize
    const headerBytes = isLong ? longHeaderBytes : shortHeaderBytes
    if (length < headerBytes) throw new DamagedFileError('a box is shorter than its own header')
    if (at + length > end) throw new TruncatedFileError(overrunMessage)
    yield { type: header.toString('latin1', 4, 8), start: at + headerBytes, end: at + length }
    at += length
  }
}

/** Looks up boxes by their type. Walks each range of the file only once. */
export class Mp4Boxes {
  readonly #file: RandomAccess
  readonly #maxBoxes: number
  readonly #boxesByParentStart = new Map<number, readonly Mp4Box[]>()
  #count = 0

  /** @param maxBoxes limit for all ranges together */
  constructor(file: RandomAccess, maxBoxes: number) {
    this.#file = file
    this.#maxBoxes = maxBoxes
  }

  /** Finds the first top-level box of a type. Reads all of them, to check that those after it are complete as well. */
  async findTopLevel(type: string): Promise<Mp4Box | undefined> {
    let foundBox: Mp4Box | undefined
    for await (const box of readMp4Boxes(this.#file, maxTopLevelBoxes))
      if (box.type === type) foundBox ??= box
    return foundBox
  }

  /** @throws TruncatedFileError, DamagedFileError, FileLimitError */
  async list(parent: ByteRange): Promise<readonly Mp4Box[]> {
    const cachedBoxes = this.#boxesByParentStart.get(parent.start)
    if (cachedBoxes) return cachedBoxes
    const boxes: Mp4Box[] = []
    for await (const box of readMp4Boxes(this.#file, this.#maxBoxes - this.#count, parent)) boxes.push(box)
    this.#count += boxes.length
    this.#boxesByParentStart.set(parent.start, boxes)
    return boxes
  }

  /** Returns the first box at a path, which consists of box types. */
  async find(parent: ByteRange, ...path: readonly string[]): Promise<Mp4Box | undefined> {
    let foundBox: Mp4Box | undefined
    for (const type of path) {
      const containerBox = foundBox ?? parent
      // In MP4, `meta` boxes begin with a version; in QuickTime they do not.
      const start = foundBox?.type === 'meta' ? containerBox.start + 4 : containerBox.start
      foundBox = (await this.list({ start, end: containerBox.end })).find((box) => box.type === type)
      if (!foundBox) return undefined
    }
    return foundBox
  }

  /** Reads the first `length` bytes of a box, or all of a shorter one. */
  readStart({ start, end }: ByteRange, length: number): Promise<Buffer> {
    return this.#file.at(start, Math.min(length, end - start))
  }
}
