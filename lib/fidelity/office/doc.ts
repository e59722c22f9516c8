import { CompoundFile } from '../../binary/cfb.ts'
import type { Feature } from '../../model/stored-summary.ts'
import { type FileBytes, maxReadBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { WordCounts } from '../text/word-counts.ts'
import { findHiddenRanges, type HiddenRange, hasHidingStyle } from './doc-hidden.ts'

/** Magic number of the file header of Word 97 and later, and offsets in that header ([MS-DOC] 2.5.1). */
const fibOffsets = { magic: 0xa5ec, flags: 0x0a, counts: 0x4c, pieces: 0x01a2, end: 0x01aa } as const
const encryptedFlag = 0x0100
const secondTableFlag = 0x0200
/** Size of a piece descriptor ([MS-DOC] 2.8.35). */
const pieceDescriptorBytes = 8
const compressedFlag = 0x4000_0000

/**
 * Parts of a document's text. They follow each other without gaps, in the order of their lengths at `fibOffsets.counts`
 * (2.4.1).
 */
const parts = ['main', 'notes', 'margins', 'macros', 'comments', 'endNotes', 'textBoxes'] as const
const visibleStories = ['main', 'notes', 'endNotes', 'textBoxes']

/** Start of a field, separator between its instructions and its result, and end (2.8.25). */
const [fieldBegin, fieldSeparator, fieldEnd] = ['\u0013', '\u0014', '\u0015']
const fieldMarkPattern = new RegExp(`([${fieldBegin}-${fieldEnd}])`)
const imageCharacter = '\u0001'

/** Summarizes documents of Word 97 to 2003. */
export async function readDoc(file: FileBytes): Promise<ContentSummary | undefined> {
  const compoundFile = await CompoundFile.open(file, maxReadBytes)
  const main = await compoundFile.read('WordDocument')
  if (!main || main.length < fibOffsets.end || main.readUInt16LE(0) !== fibOffsets.magic) return undefined
  const flags = main.readUInt16LE(fibOffsets.flags)
  const table = await compoundFile.read((flags & secondTableFlag) === 0 ? '0Table' : '1Table')
  if ((flags & encryptedFlag) !== 0 || !table) return undefined
  const start = main.readUInt32LE(fibOffsets.pieces)
  const hiddenRanges = findHiddenRanges(main, table)
  const text = readPieces(
    main,
    table.subarray(start, start + main.readUInt32LE(fibOffsets.pieces + 4)),
    hiddenRanges,
  )
  const words = new WordCounts()
  const commentWords = new WordCounts()
  const isUncertain = hasHidingStyle(main, table)
  const hiddenFeatures = [
    ...hiddenRanges.map(({ reason }) => reason),
    ...(isUncertain ? (['hiddenText'] as const) : []),
  ]
  const features: Feature[] = [...new Set(hiddenFeatures)]
  let at = 0
  for (const [index, name] of parts.entries()) {
    const end = at + main.readUInt32LE(fibOffsets.counts + 4 * index)
    const partText = text.slice(at, end)
    if (visibleStories.includes(name)) words.add(removeFieldInstructions(partText))
    else if (
      (name === 'comments' || name === 'margins') &&
      /\p{L}/u.test(removeFieldInstructions(partText))
    ) {
      features.push(name)
      if (name === 'comments') commentWords.add(removeFieldInstructions(partText))
    }
    at = end
  }
  if (removeFieldInstructions(text).includes(imageCharacter)) features.push('pictures')
  const comments = commentWords.total > 0 ? { commentWords } : {}
  return { ...(!isUncertain && { words }), ...comments, counts: {}, features }
}

const maxComparisons = 20_000_000

/** Skips property changes, then reads the list of pieces that form the text ([MS-DOC] 2.9.38). */
function readPieces(main: Buffer, pieceList: Buffer, hiddenRanges: readonly HiddenRange[]): string {
  let at = 0
  while (pieceList[at] === 1) at += 3 + pieceList.readUInt16LE(at + 1)
  if (pieceList[at] !== 2) throw new RangeError('the document has no piece table')
  const pieces = pieceList.subarray(at + 5, at + 5 + pieceList.readUInt32LE(at + 1))
  const count = Math.floor((pieces.length - 4) / (4 + pieceDescriptorBytes))
  // Each piece is compared with each hidden range. No program writes more pieces and ranges than this, and comparing
  // them would take minutes.
  if (count * hiddenRanges.length > maxComparisons) throw new RangeError('the document has too many pieces')
  let charactersLeft = main.length
  const pieceTexts = Array.from({ length: count }, (_, index) => {
    const length = pieces.readUInt32LE(4 * index + 4) - pieces.readUInt32LE(4 * index)
    const location = pieces.readUInt32LE(4 * (count + 1) + pieceDescriptorBytes * index + 2)
    const bytesPerCharacter = (location & compressedFlag) === 0 ? 2 : 1
    const from = bytesPerCharacter === 2 ? location : (location & (compressedFlag - 1)) / 2
    const bytes = main.subarray(from, from + bytesPerCharacter * length)
    // Limits the text: overlapping pieces could make it many times as large as the file.
    charactersLeft -= bytes.length
    if (charactersLeft < 0) throw new RangeError('the pieces of the document overlap')
    const text = bytesPerCharacter === 2 ? bytes.toString('utf16le') : windows1252.decode(bytes)
    return blankOutHidden(text, hiddenRanges, (at) => (at - from) / bytesPerCharacter)
  })
  return pieceTexts.join('')
}

/**
 * Replaces hidden text with spaces, because parts are located by length.
 * @param toTextOffset converts a file offset to an offset in the text.
 */
function blankOutHidden(
  text: string,
  hiddenRanges: readonly HiddenRange[],
  toTextOffset: (at: number) => number,
): string {
  let [visibleText, from] = ['', 0]
  for (const { start, end } of hiddenRanges) {
    const [firstOffset, lastOffset] = [
      Math.max(from, toTextOffset(start)),
      Math.min(text.length, toTextOffset(end)),
    ]
    if (firstOffset >= lastOffset) continue
    visibleText += text.slice(from, firstOffset) + ' '.repeat(lastOffset - firstOffset)
    from = lastOffset
  }
  return visibleText + text.slice(from)
}

const windows1252 = new TextDecoder('windows-1252')

/** Removes field instructions, such as link URLs and bookmark names. */
function removeFieldInstructions(text: string): string {
  const visibleParts: string[] = []
  // One entry per open field: whether its result has started.
  const openFields: boolean[] = []
  /** Number of open fields whose result has not started. */
  let openInstructions = 0
  for (const segment of text.split(fieldMarkPattern)) {
    if (segment === fieldBegin) {
      openFields.push(false)
      openInstructions++
    } else if (segment === fieldEnd) {
      if (openFields.pop() === false) openInstructions--
    } else if (segment === fieldSeparator) {
      if (openFields.at(-1) === false) openInstructions--
      openFields.splice(-1, 1, true)
    } else if (openInstructions === 0) visibleParts.push(segment)
  }
  return visibleParts.join('').replaceAll('\u001f', '')
}
