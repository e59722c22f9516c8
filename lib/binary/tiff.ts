import { DamagedFileError, TruncatedFileError } from './errors.ts'
import { type RandomAccess, readExactly } from './random-access.ts'

/** A directory describes one page of a TIFF. */
export interface TiffDirectory {
  /** Number of entries. */
  readonly count: number
  /** File offset of the first entry. */
  readonly start: number
}

export interface TiffEntry {
  readonly tag: number
  readonly type: number
  /** Number of values, not of bytes. */
  readonly count: number
  /** The value itself if it fits, otherwise its file offset. */
  readonly value: Buffer
  /** File offset of `value`. */
  readonly at: number
}

const bigTiffVersion = 43
const minHeaderBytes = 8
/**
 * Sizes of fields in bytes: `count` is the number of entries, `entry` a whole entry, and `offset` a file offset or the
 * number of an entry's values.
 */
const classicFieldSizes = { count: 2, entry: 12, offset: 4 } as const
const bigTiffFieldSizes = { count: 8, entry: 20, offset: 8 } as const
/** Entries beyond this are ignored; they are sorted by tag, and the tags that readers need come first. */
const maxEntries = 1000

/** Reader of the directories of a TIFF (TIFF 6.0, section 2) or BigTIFF, which has wider integers. */
export class Tiff {
  /** 42, or 43 for BigTIFF; raw formats of cameras use other numbers. */
  readonly version: number
  readonly #isLittleEndian: boolean
  readonly #file: RandomAccess
  readonly #fieldSizes: typeof classicFieldSizes | typeof bigTiffFieldSizes

  private constructor(file: RandomAccess, header: Buffer) {
    this.#file = file
    this.#isLittleEndian = header.toString('latin1', 0, 2) === 'II'
    this.version = this.integer(header.subarray(2, 4))
    this.#fieldSizes = this.version === bigTiffVersion ? bigTiffFieldSizes : classicFieldSizes
  }

  /** @throws TruncatedFileError */
  static async open(file: RandomAccess): Promise<Tiff> {
    if (file.size < minHeaderBytes) throw new TruncatedFileError('its header is cut off')
    return new Tiff(file, await file.at(0, minHeaderBytes))
  }

  /** Decodes an integer of two, four or eight bytes. */
  integer(bytes: Buffer): number {
    if (bytes.length === 2) return this.#isLittleEndian ? bytes.readUInt16LE() : bytes.readUInt16BE()
    if (bytes.length === 4) return this.#isLittleEndian ? bytes.readUInt32LE() : bytes.readUInt32BE()
    return Number(this.#isLittleEndian ? bytes.readBigUInt64LE() : bytes.readBigUInt64BE())
  }

  /**
   * Yields the directories, each of which contains the offset of the next one. A circular chain is followed once.
   * @param max further directories are not read
   * @throws TruncatedFileError, DamagedFileError
   */
  async *directories(max: number): AsyncGenerator<TiffDirectory> {
    const { count: countBytes, entry: entryBytes, offset: offsetBytes } = this.#fieldSizes
    const seenOffsets = new Set<number>()
    let bytesLeft = this.#file.size
    // The position of the first offset equals the size of an offset: 4 in TIFF, 8 in BigTIFF.
    let at = await this.#readInteger(offsetBytes, offsetBytes)
    while (at !== 0 && !seenOffsets.has(at) && seenOffsets.size < max) {
      seenOffsets.add(at)
      const count = await this.#readInteger(at, countBytes)
      const start = at + countBytes
      const end = start + count * entryBytes
      bytesLeft -= end - at
      // Directories that overlap could share their entries, so that a small file would have thousands of them.
      if (bytesLeft < 0 && end <= this.#file.size) throw new DamagedFileError('its directories overlap')
      yield { count, start }
      at = await this.#readInteger(end, offsetBytes)
    }
  }

  /** @throws TruncatedFileError */
  async entries({ count, start }: TiffDirectory): Promise<readonly TiffEntry[]> {
    const { entry: entryBytes, offset: offsetBytes } = this.#fieldSizes
    const length = Math.min(count, maxEntries)
    const bytes = await readExactly(this.#file, start, length * entryBytes)
    return Array.from({ length }, (_, index) => {
      const entryData = bytes.subarray(index * entryBytes, (index + 1) * entryBytes)
      return {
        tag: this.integer(entryData.subarray(0, 2)),
        type: this.integer(entryData.subarray(2, 4)),
        count: this.integer(entryData.subarray(4, 4 + offsetBytes)),
        value: entryData.subarray(4 + offsetBytes),
        at: start + index * entryBytes + 4 + offsetBytes,
      }
    })
  }

  async #readInteger(position: number, length: number): Promise<number> {
    const { size } = this.#file
    if (position + length > size) throw new TruncatedFileError('it is cut off: a directory is missing')
    return this.integer(await readExactly(this.#file, position, length))
  }
}
