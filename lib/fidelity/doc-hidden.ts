/** Where bytes of a document of Word 97 to 2003 are not seen: hidden, or deleted while changes were tracked. */

/** [MS-DOC] 2.5.6: the list of pages that say how letters look. */
const pagesInFib = 0x00fa
/** 2.9.33. */
const pageBytes = 512
/** 2.6.1: properties whose operand is a byte. */
const unseen: ReadonlyMap<number, 'hiddenText' | 'changes'> = new Map([
  [0x083c, 'hiddenText'],
  [0x0800, 'changes'],
])
/** By the size that the upper three bits of a property name (2.2.5.1); 6 tells it by itself. */
const operandBytes = [1, 1, 2, 4, 2, 2, undefined, 3] as const

export interface Unseen {
  readonly start: number
  readonly end: number
  readonly why: 'hiddenText' | 'changes'
}

/** Styles (2.9.271), of which it is enough to know whether one of them hides. */
const stylesInFib = 0x00a2
const hides = Buffer.of(0x3c, 0x08, 0x01)

/** Then words may be hidden without a mark of their own. */
export function hasHidingStyle(main: Buffer, table: Buffer): boolean {
  const start = main.readUInt32LE(stylesInFib)
  return table.subarray(start, start + main.readUInt32LE(stylesInFib + 4)).includes(hides)
}

/** In the order of the file, of its stream `WordDocument`. What a style alone hides is not among them. */
export function unseenIn(main: Buffer, table: Buffer): readonly Unseen[] {
  const start = main.readUInt32LE(pagesInFib)
  const list = table.subarray(start, start + main.readUInt32LE(pagesInFib + 4))
  // One offset more than pages.
  const count = Math.max(0, Math.floor((list.length - 4) / 8))
  const numbers = Array.from(
    { length: count },
    (_, index) => list.readUInt32LE(4 * (count + 1) + 4 * index) & 0x3fffff,
  )
  // A list that names a page again and again would take more memory than its file.
  const found = [...new Set(numbers)].map((number) =>
    unseenOnPage(main.subarray(number * pageBytes, (number + 1) * pageBytes)),
  )
  return found.flat().toSorted((a, b) => a.start - b.start)
}

function unseenOnPage(page: Buffer): Unseen[] {
  const count = page[pageBytes - 1] ?? 0
  return Array.from({ length: count }, (_, index) => {
    // Half of where its properties stand; 0 for none.
    const at = 2 * (page[4 * (count + 1) + index] ?? 0)
    const why = at === 0 ? undefined : whyUnseen(page.subarray(at + 1, at + 1 + (page[at] ?? 0)))
    return why ? [{ start: page.readUInt32LE(4 * index), end: page.readUInt32LE(4 * index + 4), why }] : []
  }).flat()
}

function whyUnseen(properties: Buffer): Unseen['why'] | undefined {
  for (let at = 0; at + 2 < properties.length; ) {
    const property = properties.readUInt16LE(at)
    const why = unseen.get(property)
    // 2.9.322: on, or the opposite of its style.
    if (why && [0x01, 0x81].includes(properties[at + 2] ?? 0)) return why
    at += 2 + (operandBytes[property >> 13] ?? 1 + (properties[at + 2] ?? 0))
  }
  return undefined
}
