import type { Feature } from '../../model/stored-summary.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { readAttribute, readMarkup } from '../text/markup.ts'
import { openZip, type Zip } from '../zip.ts'
import { CellCounter } from './cells.ts'

/** Types of the records that are read ([MS-XLSB] 2.3). */
const [sharedItem, sheetOfBook, richText] = [19, 156, 62]
type CellKind = 'number' | 'state' | 'text' | 'shared'
/** Kinds of cell records; for formulas, the kind of the result. */
const kindByRecordType: ReadonlyMap<number, CellKind> = new Map([
  ...[2, 5, 9, 13, 16].map((type) => [type, 'number'] as const),
  ...[3, 4, 10, 11, 14, 15].map((type) => [type, 'state'] as const),
  ...[6, 8, 17, richText].map((type) => [type, 'text'] as const),
  ...[7, 18].map((type) => [type, 'shared'] as const),
])
const formulaTypes = { from: 8, to: 11 } as const
/** Cell records without a column. */
const shortCellTypes = { from: 12, to: 18 } as const

interface BinaryRecord {
  readonly type: number
  readonly data: Buffer
}

/** Yields the records; their types and lengths have seven bits per byte (2.1.4). */
function* readRecords(part: Buffer): Generator<BinaryRecord> {
  for (let at = 0; at < part.length; ) {
    let type = part.readUInt8(at++)
    if (type > 127) type = (type & 127) | ((part.readUInt8(at++) & 127) << 7)
    let size = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = part.readUInt8(at++)
      size |= (byte & 127) << shift
      if (byte < 128) break
    }
    yield { type, data: part.subarray(at, at + size) }
    at += size
  }
}

/** Returns a string and its end (2.5.169). */
function readWideString(data: Buffer, at: number): readonly [text: string, end: number] {
  const end = at + 4 + 2 * data.readUInt32LE(at)
  return [data.toString('utf16le', at + 4, end), end]
}

/** Summarizes Excel binary workbooks, including hidden sheets. */
export async function readXlsb(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const ids = await zip?.read('xl/workbook.bin', readSheetIds)
  if (!zip || !ids) return undefined
  const cells = new CellCounter((await zip.read('xl/sharedStrings.bin', readSharedTexts)) ?? [])
  const paths = await findSheetPaths(ids, zip)
  let hasFormulas = false
  for (const path of paths)
    await zip.read(path, (sheet) => {
      for (const record of readRecords(sheet)) {
        hasFormulas ||= record.type >= formulaTypes.from && record.type <= formulaTypes.to
        countRecord(record, cells)
      }
    })
  const hasPart = (start: string) => zip.names.some((name) => name.startsWith(start))
  const features: Feature[] = [
    ...(hasFormulas ? (['formulas'] as const) : []),
    ...(hasPart('xl/media/') ? (['pictures'] as const) : []),
    ...(hasPart('xl/comments') ? (['comments'] as const) : []),
  ]
  return cells.summary(paths.length, features)
}

function countRecord({ type, data }: BinaryRecord, cells: CellCounter): void {
  const kind = kindByRecordType.get(type)
  // The record starts with the column, if any, and the style.
  const at = type >= shortCellTypes.from && type <= shortCellTypes.to ? 4 : 8
  if (kind === 'number') cells.addNumbers()
  else if (kind === 'state') cells.addState()
  else if (kind === 'shared') cells.addSharedText(data.readUInt32LE(at))
  // The first byte of a rich string is its flags field.
  else if (kind === 'text') cells.addText(readWideString(data, type === richText ? at + 1 : at)[0])
}

const readSharedTexts = (part: Buffer) => readTexts(part, sharedItem, 1)

const readSheetIds = (book: Buffer) => readTexts(book, sheetOfBook, 8)

/** Reads a string from each record of a type. */
function readTexts(part: Buffer, wantedType: number, at: number): string[] {
  const texts: string[] = []
  for (const { type, data } of readRecords(part))
    if (type === wantedType) texts.push(readWideString(data, at)[0])
  return texts
}

async function findSheetPaths(ids: readonly string[], zip: Zip): Promise<string[]> {
  const targets = new Map<string, string>()
  readMarkup((await zip.text('xl/_rels/workbook.bin.rels')) ?? '', {
    text: () => {},
    tag: (tag) => {
      targets.set(readAttribute(tag, 'Id') ?? '', readAttribute(tag, 'Target') ?? '')
      return false
    },
  })
  const paths = ids
    .map((id) => targets.get(id) ?? '')
    .map((target) => (target.startsWith('/') ? target.slice(1) : `xl/${target}`))
  return [...new Set(paths)].filter((path) => path.includes('worksheet') && zip.has(path))
}
