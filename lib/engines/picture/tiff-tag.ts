import { open } from 'node:fs/promises'
import { readingFrom } from '../../formats/detect/source.ts'
import { tiffLayout } from '../../formats/detect/tiff.ts'

/** Tags of TIFF 6.0 that say what samples are. */
export const tags = { extraSamples: 338, sampleFormat: 339 } as const

const headBytes = 8
const shortType = 3
const shortBytes = 2
const mostEntries = 1000

/**
 * The first of the numbers that a tag of the first page has; it has to be of two bytes each, as all of `tags` are.
 * Undefined where there is none, and where the file ends before it.
 */
export async function tiffTag(path: string, tag: number): Promise<number | undefined> {
  await using file = await open(path)
  const read = readingFrom(file)
  const bytesAt = async (at: number, length: number) => {
    // A place is any number that a stranger wrote.
    const part = Number.isSafeInteger(at + length) ? await read(at, at + length) : undefined
    return part?.length === length ? part : undefined
  }
  const head = await bytesAt(0, headBytes)
  if (!head) return undefined
  const { bytes, firstAt, integer } = tiffLayout(head)
  const numberAt = async (at: number, length: number) => {
    const part = await bytesAt(at, length)
    return part && integer(part)
  }
  const directory = await numberAt(firstAt, bytes.offset)
  if (directory === undefined) return undefined
  const entries = (await numberAt(directory, bytes.count)) ?? 0
  for (let index = 0; index < Math.min(entries, mostEntries); index++) {
    const entry = await bytesAt(directory + bytes.count + index * bytes.entry, bytes.entry)
    if (!entry) return undefined
    if (integer(entry.subarray(0, 2)) !== tag) continue
    if (integer(entry.subarray(2, 4)) !== shortType) return undefined
    const values = entry.subarray(4 + bytes.offset)
    // What does not fit into the entry is a place in it.
    const fits = integer(entry.subarray(4, 4 + bytes.offset)) * shortBytes <= bytes.offset
    return fits ? integer(values.subarray(0, shortBytes)) : numberAt(integer(values), shortBytes)
  }
  return undefined
}
