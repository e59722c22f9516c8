/** Finds invisible text in documents of Word 97 to 2003: text that is hidden, or deleted with tracked changes. */

/** Offset of the list of pages with character formatting ([MS-DOC] 2.5.6). */
const pageListOffset = 0x00fa
/** Size of a page with character formatting ([MS-DOC] 2.9.33). */
const pageBytes = 512
/** The properties that hide text; their operand is a byte (2.6.1). */
const reasonByProperty: ReadonlyMap<number, 'hiddenText' | 'changes'> = new Map([
  [0x083c, 'hiddenText'],
  [0x0800, 'changes'],
])
/** Operand sizes in bytes by the upper three bits of a property (2.2.5.1); for 6, the operand starts with its size. */
const operandBytes = [1, 1, 2, 4, 2, 2, undefined, 3] as const

export interface HiddenRange {
  readonly start: number
  readonly end: number
  readonly reason: 'hiddenText' | 'changes'
}

/** Offset of the styles (2.9.271); they are searched only for a style that hides text. */
const stylesOffset = 0x00a2
const hidingSequence = Buffer.of(0x3c, 0x08, 0x01)

/** Whether a style hides text, so that words may be hidden without direct formatting. */
export function hasHidingStyle(main: Buffer, table: Buffer): boolean {
  const start = main.readUInt32LE(stylesOffset)
  return table.subarray(start, start + main.readUInt32LE(stylesOffset + 4)).includes(hidingSequence)
}

/** Returns hidden ranges of the stream `WordDocument` in file order, except text that only a style hides. */
export function findHiddenRanges(main: Buffer, table: Buffer): readonly HiddenRange[] {
  const start = main.readUInt32LE(pageListOffset)
  const pageList = table.subarray(start, start + main.readUInt32LE(pageListOffset + 4))
  // The list has one offset more than pages.
  const count = Math.max(0, Math.floor((pageList.length - 4) / 8))
  const pageNumbers = Array.from(
    { length: count },
    (_, index) => pageList.readUInt32LE(4 * (count + 1) + 4 * index) & 0x3fffff,
  )
  // Removes duplicates: a list that repeats a page would otherwise need more memory than the file.
  const foundRanges = [...new Set(pageNumbers)].map((number) =>
    findHiddenRangesOnPage(main.subarray(number * pageBytes, (number + 1) * pageBytes)),
  )
  return foundRanges.flat().toSorted((a, b) => a.start - b.start)
}

function findHiddenRangesOnPage(page: Buffer): HiddenRange[] {
  const count = page[pageBytes - 1] ?? 0
  return Array.from({ length: count }, (_, index) => {
    // The page stores half of the offset of the properties; 0 means none.
    const at = 2 * (page[4 * (count + 1) + index] ?? 0)
    const reason = at === 0 ? undefined : findHidingReason(page.subarray(at + 1, at + 1 + (page[at] ?? 0)))
    return reason
      ? [{ start: page.readUInt32LE(4 * index), end: page.readUInt32LE(4 * index + 4), reason }]
      : []
  }).flat()
}

function findHidingReason(properties: Buffer): HiddenRange['reason'] | undefined {
  for (let at = 0; at + 2 < properties.length; ) {
    const property = properties.readUInt16LE(at)
    const reason = reasonByProperty.get(property)
    // The operand means "on", or the opposite of the style (2.9.322).
    if (reason && [0x01, 0x81].includes(properties[at + 2] ?? 0)) return reason
    at += 2 + (operandBytes[property >> 13] ?? 1 + (properties[at + 2] ?? 0))
  }
  return undefined
}
