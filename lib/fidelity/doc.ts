import type { FileBytes } from './bytes.ts'
import { openCompound } from './cfb.ts'
import type { Feature, Holding } from './content-summary.ts'
import { hasHidingStyle, type Unseen, unseenIn } from './doc-hidden.ts'
import { Words } from './word-counts.ts'

/** Offsets in [MS-DOC] 2.5.1, of Word 97 and later. */
const fib = { mark: 0xa5ec, flags: 0x0a, counts: 0x4c, pieces: 0x01a2, end: 0x01aa } as const
const isEncrypted = 0x0100
const isSecondTable = 0x0200
/** 2.8.35. */
const pieceBytes = 8
const isCompressed = 0x4000_0000

/** 2.4.1: the text stands in one run of characters, one part after the other, in the order of `fib.counts`. */
const parts = ['main', 'notes', 'margins', 'macros', 'comments', 'endNotes', 'boxes'] as const
const shown = ['main', 'notes', 'endNotes', 'boxes']

/** Begin of a field, its end, and what divides how it is made from what it shows (2.8.25). */
const [fieldBegin, fieldDivider, fieldEnd] = ['\u0013', '\u0014', '\u0015']
const fieldMarks = new RegExp(`([${fieldBegin}-${fieldEnd}])`)
const picture = '\u0001'

/** Documents of Word 97 to 2003. */
export async function word97(file: FileBytes): Promise<Holding | undefined> {
  const streamOf = await openCompound(file)
  const main = streamOf?.('WordDocument')
  if (!streamOf || !main || main.length < fib.end || main.readUInt16LE(0) !== fib.mark) return undefined
  const flags = main.readUInt16LE(fib.flags)
  const table = streamOf((flags & isSecondTable) === 0 ? '0Table' : '1Table')
  if ((flags & isEncrypted) !== 0 || !table) return undefined
  const start = main.readUInt32LE(fib.pieces)
  const unseen = unseenIn(main, table)
  const text = textOf(main, table.subarray(start, start + main.readUInt32LE(fib.pieces + 4)), unseen)
  const words = new Words()
  const commentWords = new Words()
  const isUncertain = hasHidingStyle(main, table)
  const hidden = [...unseen.map(({ why }) => why), ...(isUncertain ? (['hiddenText'] as const) : [])]
  const features: Feature[] = [...new Set(hidden)]
  let at = 0
  for (const [index, name] of parts.entries()) {
    const end = at + main.readUInt32LE(fib.counts + 4 * index)
    const part = text.slice(at, end)
    if (shown.includes(name)) words.add(withoutFields(part))
    else if ((name === 'comments' || name === 'margins') && /\p{L}/u.test(withoutFields(part))) {
      features.push(name)
      if (name === 'comments') commentWords.add(withoutFields(part))
    }
    at = end
  }
  if (withoutFields(text).includes(picture)) features.push('pictures')
  const comments = commentWords.total > 0 ? { commentWords } : {}
  return { ...(!isUncertain && { words }), ...comments, counts: {}, features }
}

const mostComparisons = 20_000_000

/** 2.9.38: changes that do not matter here, then the list of pieces of which the text is put together. */
function textOf(main: Buffer, list: Buffer, unseen: readonly Unseen[]): string {
  let at = 0
  while (list[at] === 1) at += 3 + list.readUInt16LE(at + 1)
  if (list[at] !== 2) throw new RangeError('a document without its pieces')
  const pieces = list.subarray(at + 5, at + 5 + list.readUInt32LE(at + 1))
  const count = Math.floor((pieces.length - 4) / (4 + pieceBytes))
  // Each piece is held against each of them: no program writes so many, and they would take minutes.
  if (count * unseen.length > mostComparisons) throw new RangeError('more pieces than a document has')
  const read = Array.from({ length: count }, (_, index) => {
    const length = pieces.readUInt32LE(4 * index + 4) - pieces.readUInt32LE(4 * index)
    const where = pieces.readUInt32LE(4 * (count + 1) + pieceBytes * index + 2)
    const width = (where & isCompressed) === 0 ? 2 : 1
    const from = width === 2 ? where : (where & (isCompressed - 1)) / 2
    const bytes = main.subarray(from, from + width * length)
    const text = width === 2 ? bytes.toString('utf16le') : western.decode(bytes)
    return withoutUnseen(text, unseen, (at) => (at - from) / width)
  })
  return read.join('')
}

/**
 * Spaces in place of what is not seen: parts are found by their length.
 * @param placeOf a byte of the file, in the text.
 */
function withoutUnseen(text: string, unseen: readonly Unseen[], placeOf: (at: number) => number): string {
  let [seen, from] = ['', 0]
  for (const { start, end } of unseen) {
    const [first, last] = [Math.max(from, placeOf(start)), Math.min(text.length, placeOf(end))]
    if (first >= last) continue
    seen += text.slice(from, first) + ' '.repeat(last - first)
    from = last
  }
  return seen + text.slice(from)
}

const western = new TextDecoder('windows-1252')

/** Without how fields are made: addresses of links, names of marks. */
function withoutFields(text: string): string {
  const kept: string[] = []
  // Of each field that is open, whether it is at what it shows.
  const open: boolean[] = []
  for (const part of text.split(fieldMarks)) {
    if (part === fieldBegin) open.push(false)
    else if (part === fieldEnd) open.pop()
    else if (part === fieldDivider) open.splice(-1, 1, true)
    else if (open.every(Boolean)) kept.push(part)
  }
  return kept.join('').replaceAll('\u001f', '')
}
