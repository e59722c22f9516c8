import type { FileHandle } from 'node:fs/promises'
import { readingFrom } from '../../formats/detect/source.ts'
import { tiffLayout } from '../../formats/detect/tiff.ts'

/** Of a page, as TIFF 6.0 section 2 has it. */
export interface Field {
  readonly type: number
  readonly values: readonly number[]
  /** Place of the first value, and bytes of each. */
  readonly at: number
  readonly width: number
}

export type Fields = ReadonlyMap<number, Field>

export const shortType = 3

const headBytes = 8
const mostEntries = 1000
const mostPages = 10_000
/** Of all pages: those of a file may lie over each other, and be as many as somebody likes. */
const mostValues = 4_000_000
/** By type, of those that are whole numbers from 0 up, or letters. */
const widths: Readonly<Partial<Record<number, 1 | 2 | 4 | 8>>> = { 1: 1, 2: 1, [shortType]: 2, 4: 4, 16: 8 }

/**
 * What the pages of a file say under some of the tags, page after page up to one that cannot be read. A tag that is not
 * there, whose values lie nowhere, are of another type or too many is missing.
 */
export async function* tiffPages(file: FileHandle, tags: readonly number[]): AsyncGenerator<Fields> {
  const read = readingFrom(file)
  const bytesAt = async (at: number, length: number) => {
    // A place is any number that a stranger wrote.
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
  let left = mostValues
  const fieldIn = async (entry: Uint8Array, at: number): Promise<[tag: number, field: Field] | undefined> => {
    const tag = integer(entry.subarray(0, 2))
    const type = integer(entry.subarray(2, 4))
    const width = widths[type]
    const count = integer(entry.subarray(4, 4 + bytes.offset))
    if (!tags.includes(tag) || width === undefined || count > left) return undefined
    left -= count
    const own = 4 + bytes.offset
    // What does not fit into the entry is a place in it.
    const fits = count * width <= bytes.offset
    const place = fits ? at + own : integer(entry.subarray(own))
    const packed = await bytesAt(place, count * width)
    if (!packed) return undefined
    const values = Array.from({ length: count }, (_, index) => {
      const value = packed.subarray(index * width, (index + 1) * width)
      return value.length === 1 ? (value[0] ?? 0) : integer(value)
    })
    return [tag, { type, values, at: place, width }]
  }
  const seen = new Set<number>()
  let at = await numberAt(firstAt, bytes.offset)
  while (at !== undefined && at !== 0 && !seen.has(at) && seen.size < mostPages) {
    seen.add(at)
    const entries = await numberAt(at, bytes.count)
    if (entries === undefined) return
    const first = at + bytes.count
    const directory = await bytesAt(first, Math.min(entries, mostEntries) * bytes.entry)
    if (!directory) return
    const fields = new Map<number, Field>()
    for (let entry = 0; entry < directory.length; entry += bytes.entry) {
      const field = await fieldIn(directory.subarray(entry, entry + bytes.entry), first + entry)
      if (field) fields.set(...field)
    }
    yield fields
    at = await numberAt(at + bytes.count + entries * bytes.entry, bytes.offset)
  }
}
