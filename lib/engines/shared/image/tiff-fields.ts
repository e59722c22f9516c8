import type { FileHandle } from 'node:fs/promises'
import { readFrom } from '../../../formats/detect/byte-source.ts'
import { tiffLayout } from '../../../formats/detect/tiff.ts'

/** A field of a page's directory (TIFF 6.0, section 2). */
interface TiffField {
  readonly type: number
  readonly values: readonly number[]
  /** File offset of the first value, and bytes per value. */
  readonly at: number
  readonly width: number
}

export type TiffFields = ReadonlyMap<number, TiffField>

export const shortType = 3

const headBytes = 8
const maxEntriesPerPage = 1000
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
export async function* tiffPages(file: FileHandle, tags: readonly number[]): AsyncGenerator<TiffFields> {
  const read = readFrom(file)
  const bytesAt = async (at: number, length: number) => {
    // Offsets come from an untrusted file.
    const part = Number.isSafeInteger(at + length) ? await read(at, at + length) : undefined
    return part?.length === length ? part : undefined
  }
  const head = await bytesAt(0, headBytes)
  if (!head) return
  const { bytes, firstAt, integer } = tiffLayout(head)
  const numberAt = async (at: number, length: number) => {
    const part = await bytesAt(at, length)
    return part && integer(part)
  }
  let valuesLeft = maxValues
  const readField = async (
    entry: Uint8Array,
    at: number,
  ): Promise<[tag: number, field: TiffField] | undefined> => {
    const tag = integer(entry.subarray(0, 2))
    const type = integer(entry.subarray(2, 4))
    const width = bytesPerValue[type]
    const count = integer(entry.subarray(4, 4 + bytes.offset))
    if (!tags.includes(tag) || width === undefined || count > valuesLeft) return undefined
    valuesLeft -= count
    const valueOffset = 4 + bytes.offset
    // Values that do not fit in the entry are stored at the offset it contains.
    const fits = count * width <= bytes.offset
    const offset = fits ? at + valueOffset : integer(entry.subarray(valueOffset))
    const rawValues = await bytesAt(offset, count * width)
    if (!rawValues) return undefined
    const values = Array.from({ length: count }, (_, index) => {
      const value = rawValues.subarray(index * width, (index + 1) * width)
      return value.length === 1 ? (value[0] ?? 0) : integer(value)
    })
    return [tag, { type, values, at: offset, width }]
  }
  const seen = new Set<number>()
  let at = await numberAt(firstAt, bytes.offset)
  while (at !== undefined && at !== 0 && !seen.has(at) && seen.size < maxPages) {
    seen.add(at)
    const entries = await numberAt(at, bytes.count)
    if (entries === undefined) return
    const first = at + bytes.count
    const directory = await bytesAt(first, Math.min(entries, maxEntriesPerPage) * bytes.entry)
    if (!directory) return
    const fields = new Map<number, TiffField>()
    for (let entry = 0; entry < directory.length; entry += bytes.entry) {
      const field = await readField(directory.subarray(entry, entry + bytes.entry), first + entry)
      if (field) fields.set(...field)
    }
    yield fields
    at = await numberAt(at + bytes.count + entries * bytes.entry, bytes.offset)
  }
}
