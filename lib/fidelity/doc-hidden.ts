/** Where bytes of a document of Word 97 to 2003 are not seen: hidden, or deleted while changes were tracked. */

/** [MS-DOC] 2.5.6: the list of pages that say how letters look. */
const pageListOffset = 0x00fa
/** 2.9.33. */
const pageBytes = 512
/** 2.6.1: properties whose operand is a byte. */
const hidingProperties: ReadonlyMap<number, 'hiddenText' | 'changes'> = new Map([
  [0x083c, 'hiddenText'],
  [0x0800, 'changes'],
])
/** By the size that the upper three bits of a property name (2.2.5.1); 6 tells it by itself. */
const operandBytes = [1, 1, 2, 4, 2, 2, undefined, 3] as const

export interface HiddenRange {
  readonly start: number
  readonly end: number
  readonly reason: 'hiddenText' | 'changes'
}

/** Styles (2.9.271), of which it is enough to know whether one of them hides. */
const stylesOffset = 0x00a2
const hidingSequence = Buffer.of(0x3c, 0x08, 0x01)

/** Then words may be hidden without a mark of their own. */
export function hasHidingStyle(main: Buffer, table: Buffer): boolean {
  const start = main.readUInt32LE(stylesOffset)
  return table.subarray(start, start + main.readUInt32LE(stylesOffset + 4)).includes(hidingSequence)
}

/** In the order of the file, of its stream `WordDocument`. What a style alone hides is not among them. */
export function findHiddenRanges(main: Buffer, table: Buffer): readonly HiddenRange[] {
  const start = main.readUInt32LE(pageListOffset)
  const list = table.subarray(start, start + main.readUInt32LE(pageListOffset + 4))
  // One offset more than pages.
  const count = Math.max(0, Math.floor((list.length - 4) / 8))
  const numbers = Array.from(
    { length: count },
    (_, index) => list.readUInt32LE(4 * (count + 1) + 4 * index) & 0x3fffff,
  )
  // A list that names a page again and again would take more memory than its file.
  const found = [...new Set(numbers)].map((number) =>
    hiddenRangesOnPage(main.subarray(number * pageBytes, (number + 1) * pageBytes)),
  )
  return found.flat().toSorted((a, b) => a.start - b.start)
}

function hiddenRangesOnPage(page: Buffer): HiddenRange[] {
  const count = page[pageBytes - 1] ?? 0
  return Array.from({ length: count }, (_, index) => {
    // Half of where its properties stand; 0 for none.
    const at = 2 * (page[4 * (count + 1) + index] ?? 0)
    const reason = at === 0 ? undefined : hidingReason(page.subarray(at + 1, at + 1 + (page[at] ?? 0)))
    return reason
      ? [{ start: page.readUInt32LE(4 * index), end: page.readUInt32LE(4 * index + 4), reason }]
      : []
  }).flat()
}

function hidingReason(properties: Buffer): HiddenRange['reason'] | undefined {
  for (let at = 0; at + 2 < properties.length; ) {
    const property = properties.readUInt16LE(at)
    const reason = hidingProperties.get(property)
    // 2.9.322: on, or the opposite of its style.
    if (reason && [0x01, 0x81].includes(properties[at + 2] ?? 0)) return reason
    at += 2 + (operandBytes[property >> 13] ?? 1 + (properties[at + 2] ?? 0))
  }
  return undefined
}
