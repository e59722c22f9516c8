import type { ReadAt } from './header.ts'

/** Parts of MP4, QuickTime and their kin (ISO 14496-12, section 4.2). */

const maxBoxes = 1000

export interface Box {
  readonly type: string
  /** Of its content, in the file. */
  readonly start: number
  readonly end: number
}

type Extent = Pick<Box, 'start' | 'end'>

/** The first one at the end of a path of types. */
export async function inside(readAt: ReadAt, box: Extent, path: readonly string[]): Promise<Box | undefined> {
  let found: Box | undefined
  for (const type of path) {
    const within: Extent = found ?? box
    // What describes items begins with a version; in QuickTime it does not.
    const start = found?.type === 'meta' ? within.start + 4 : within.start
    found = await one(readAt, { start, end: within.end }, type)
    if (!found) return undefined
  }
  return found
}

export const one = async (readAt: ReadAt, within: Extent, type: string) =>
  (await all(readAt, within)).find((box) => box.type === type)

/** 4.2: a length of 0 goes on to the end, of 1 stands behind the type. */
export async function all(readAt: ReadAt, { start, end }: Extent): Promise<Box[]> {
  const boxes: Box[] = []
  for (let at = start; at + 8 <= end; ) {
    if (boxes.length === maxBoxes) throw new RangeError('there are too many parts')
    const head = await readAt(at, 16)
    const short = head.readUInt32BE(0)
    const length = short === 0 ? end - at : short === 1 ? Number(head.readBigUInt64BE(8)) : short
    const content = at + (short === 1 ? 16 : 8)
    if (at + length > end || content > at + length)
      throw new RangeError('a part is longer than what holds it')
    boxes.push({ type: head.toString('latin1', 4, 8), start: content, end: at + length })
    at += length
  }
  return boxes
}
