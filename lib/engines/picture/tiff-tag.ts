import { open } from 'node:fs/promises'

/** Tags of TIFF 6.0 that say what samples are. */
export const tags = { extraSamples: 338, sampleFormat: 339 } as const

const shortType = 3

/**
 * The first of the numbers that a tag of the first page has; it has to be of two bytes each, as all of `tags` are.
 * TIFF 6.0, section 2: a directory of entries of 12 bytes, in which what does not fit is a place. BigTIFF has wider ones.
 */
export async function tiffTag(path: string, tag: number): Promise<number | undefined> {
  await using file = await open(path)
  const read = async (at: number, length: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  }
  const head = await read(0, 16)
  const isBig = head.toString('latin1', 0, 2) === 'MM'
  const number = (bytes: Buffer) => {
    const ordered = isBig ? bytes : Buffer.from(bytes).reverse()
    return ordered.length === 0 ? 0 : Number(`0x${ordered.toString('hex')}`)
  }
  const wide = number(head.subarray(2, 4)) === 43
  const [count, place, entry] = wide ? [8, 8, 20] : [2, 4, 12]
  const directory = number(head.subarray(place, place * 2))
  const entries = number(await read(directory, count))
  for (let index = 0; index < Math.min(entries, 1000); index++) {
    const bytes = await read(directory + count + index * entry, entry)
    if (number(bytes.subarray(0, 2)) !== tag) continue
    if (number(bytes.subarray(2, 4)) !== shortType) return undefined
    const values = bytes.subarray(4 + place)
    const fits = number(bytes.subarray(4, 4 + place)) * 2 <= place
    return number(fits ? values.subarray(0, 2) : await read(number(values), 2))
  }
  return undefined
}
