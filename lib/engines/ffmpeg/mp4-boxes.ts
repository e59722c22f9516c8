import type { ReadAt } from './header.ts'

/** Parts of MP4, QuickTime and their kin (ISO 14496-12, section 4.2). */

const maxBoxes = 1000

export interface Mp4Box {
  readonly type: string
  /** Of its content, in the file. */
  readonly start: number
  readonly end: number
}

type ByteRange = Pick<Mp4Box, 'start' | 'end'>

/** The first one at the end of a path of types. */
export async function findBox(
  readAt: ReadAt,
  box: ByteRange,
  path: readonly string[],
): Promise<Mp4Box | undefined> {
  let found: Mp4Box | undefined
  for (const type of path) {
    const within: ByteRange = found ?? box
    // What describes items begins with a version; in QuickTime it does not.
    const start = found?.type === 'meta' ? within.start + 4 : within.start
    found = await findChild(readAt, { start, end: within.end }, type)
    if (!found) return undefined
  }
  return found
}

export const findChild = async (readAt: ReadAt, within: ByteRange, type: string) =>
  (await listBoxes(readAt, within)).find((box) => box.type === type)

/** 4.2: a length of 0 goes on to the end, of 1 stands behind the type. */
export async function listBoxes(readAt: ReadAt, { start, end }: ByteRange): Promise<Mp4Box[]> {
  const boxes: Mp4Box[] = []
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
