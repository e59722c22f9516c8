import type { FileHandle } from 'node:fs/promises'
import { DamagedFileError } from '../../../binary/errors.ts'
import { openRandomAccess, type RandomAccess } from '../../../binary/random-access.ts'
import { Tiff, type TiffEntry } from '../../../binary/tiff.ts'

/** A field of a page's directory (TIFF 6.0, section 2). */
interface TiffField {
  readonly type: number
  readonly values: readonly number[]
  /** File offset of the first value. */
  readonly at: number
  /** Number of bytes per value. */
  readonly width: number
}

export type TiffFields = ReadonlyMap<number, TiffField>

export const shortType = 3

/** Number of bytes to read at a time; small, because the directories of a large file are far apart. */
const windowBytes = 4096
const maxPages = 10_000
/** Limit for all pages together: a malicious file can have many fields that share the same bytes. */
const maxValues = 4_000_000
/** Bytes per value for the unsigned integer and ASCII types. */
const bytesPerValue: Readonly<Partial<Record<number, 1 | 2 | 4 | 8>>> = {
  1: 1,
  2: 1,
  [shortType]: 2,
  4: 4,
  16: 8,
}

/**
 * Yields the requested fields of each page, up to the first page that cannot be read. A field is missing if its tag is
 * absent, or if its values are outside the file, of another type, or too many.
 */
export async function* readTiffPages(
  handle: FileHandle,
  tags: readonly number[],
): AsyncGenerator<TiffFields> {
  const file = await openRandomAccess(handle, windowBytes)
  try {
    const tiff = await Tiff.open(file)
    let valuesLeft = maxValues
    for await (const directory of tiff.directories(maxPages)) {
      const fields = new Map<number, TiffField>()
      for (const entry of await tiff.entries(directory)) {
        if (!tags.includes(entry.tag) || entry.count > valuesLeft) continue
        const field = await readField(entry, tiff, file)
        if (!field) continue
        valuesLeft -= entry.count
        fields.set(entry.tag, field)
      }
      yield fields
    }
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error
  }
}

async function readField(
  { type, count, value, at }: TiffEntry,
  tiff: Tiff,
  file: RandomAccess,
): Promise<TiffField | undefined> {
  const width = bytesPerValue[type]
  if (width === undefined) return undefined
  const isInside = count * width <= value.length
  const offset = isInside ? at : tiff.integer(value)
  if (offset + count * width > file.size) return undefined
  const bytes = isInside ? value : await file.at(offset, count * width)
  const values = Array.from({ length: count }, (_, index) =>
    width === 1 ? bytes.readUInt8(index) : tiff.integer(bytes.subarray(index * width, (index + 1) * width)),
  )
  return { type, values, at: offset, width }
}
