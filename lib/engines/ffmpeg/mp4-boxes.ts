import type { ReadAt } from './header.ts'

/** Boxes of MP4, QuickTime and related formats (ISO 14496-12, section 4.2). */

const maxBoxes = 1000

export interface Mp4Box {
  readonly type: string
  /** File offsets of the content. */
  readonly start: number
  readonly end: number
}

type ByteRange = Pick<Mp4Box, 'start' | 'end'>

/** Returns the first box at a path of types. */
export async function findBox(
  readAt: ReadAt,
  box: ByteRange,
  path: readonly string[],
): Promise<Mp4Box | undefined> {
  let found: Mp4Box | undefined
  for (const type of path) {
    const within: ByteRange = found ?? box
    // In MP4, `meta` boxes begin with a version; in QuickTime they do not.
    const start = found?.type === 'meta' ? within.start + 4 : within.start
    found = await findChild(readAt, { start, end: within.end }, type)
    if (!found) return undefined
  }
  return found
}

export const findChild = async (readAt: ReadAt, within: ByteRange, type: string) =>
  (await listBoxes(readAt, within)).find((box) => box.type === type)

/** Section 4.2: a length of 0 means up to the end; for 1, the actual length follows the type. */
export async function listBoxes(readAt: ReadAt, { start, end }: ByteRange): Promise<Mp4Box[]> {
  const boxes: Mp4Box[] = []
  for (let at = start; at + 8 <= end; ) {
    if (boxes.length === maxBoxes) throw new RangeError('too many boxes')
    const head = await readAt(at, 16)
    const short = head.readUInt32BE(0)
    const length = short === 0 ? end - at : short === 1 ? Number(head.readBigUInt64BE(8)) : short
    const content = at + (short === 1 ? 16 : 8)
    if (at + length > end || content > at + length) throw new RangeError('a box is longer than its parent')
    boxes.push({ type: head.toString('latin1', 4, 8), start: content, end: at + length })
    at += length
  }
  return boxes
}
