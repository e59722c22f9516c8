import type { Feature } from '../../model/stored-summary.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { decodeMarkupEntities, readAttribute, readMarkup, type Tag } from '../text/markup.ts'
import { WordCounts } from '../text/word-counts.ts'
import { openZip, type Zip } from '../zip.ts'
import { countAbsentFrameImages, countAbsentImages, createImageFinder } from './absent-images.ts'
import { CellCounter } from './cells.ts'
import { readDrawingText } from './drawing-text.ts'
import { OpenSheetReader } from './open-document-sheets.ts'
import { mayHideSheets, removeHiddenTables } from './open-document-visible-tables.ts'
import { readCells } from './xlsx-cells.ts'
import { removeHiddenCells } from './xlsx-visible-cells.ts'

/** Summarizes Excel workbooks (ECMA-376), including hidden sheets, which other workbook formats retain. */
export async function readXlsx(bytes: FileBytes, isResult = false): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  if (!zip?.names.includes('xl/workbook.xml')) return undefined
  const texts = readSharedTexts((await zip.text('xl/sharedStrings.xml')) ?? '')
  const cells = new CellCounter(texts)
  const sheets = await readSheets(zip)
  const paths = sheets.map(({ path }) => path)
  const drawings = new Set<string>()
  let hasFormulas = false
  let hasHidden = sheets.some(({ isHidden }) => isHidden)
  for (const path of paths) {
    await zip.read(path, (xml) => {
      const sheet = readCells(xml, cells)
      hasFormulas ||= sheet.hasFormulas
      hasHidden ||= sheet.hasHidden
    })
    for (const name of await findDrawings(zip, path)) drawings.add(name)
  }
  for (const name of drawings) cells.addTextOutsideCells(readDrawingText((await zip.text(name)) ?? ''))
  const features: Feature[] = [
    ...(hasFormulas ? (['formulas'] as const) : []),
    ...(zip.names.some((name) => name.startsWith('xl/media/')) ? (['pictures'] as const) : []),
    ...(zip.names.some((name) => /^xl\/(?:threaded)?comments/i.test(name)) ? (['comments'] as const) : []),
  ]
  const absentImages = isResult ? 0 : await countAbsentImages(zip, drawings)
  const summary = { ...cells.summary(paths.length, features), absentImages }
  const visibleWords = hasHidden ? await countVisibleWords(zip, sheets, texts) : undefined
  return visibleWords ? { ...summary, visibleWords } : summary
}

/** Counts visible words; returns undefined if it is unknown which cells are hidden. */
async function countVisibleWords(
  zip: Zip,
  sheets: readonly Sheet[],
  texts: readonly string[],
): Promise<WordCounts | undefined> {
  const cells = new CellCounter(texts)
  for (const { path, isHidden } of sheets) {
    const xml = isHidden ? '' : removeHiddenCells((await zip.text(path)) ?? '')
    if (xml === undefined) return undefined
    readCells(Buffer.from(xml), cells)
  }
  return cells.summary(0, []).words
}

interface Sheet {
  readonly path: string
  readonly isHidden: boolean
}

/** Lists the sheets (18.2.19). Several entries for the same part, which no program writes, count as one sheet. */
async function readSheets(zip: Zip): Promise<Sheet[]> {
  const targets = new Map<string, string>()
  await forEachTag(zip, 'xl/_rels/workbook.xml.rels', (tag) => {
    targets.set(readAttribute(tag, 'Id') ?? '', readAttribute(tag, 'Target') ?? '')
  })
  const sheets = new Map<string, Sheet>()
  await forEachTag(zip, 'xl/workbook.xml', (tag) => {
    const isSheet = tag.localName === 'sheet'
    const target = targets.get(readAttribute(tag, 'r:id') ?? '')
    if (!isSheet || target === undefined) return
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
    sheets.set(path, { path, isHidden: /hidden/i.test(readAttribute(tag, 'state') ?? '') })
  })
  // Chart sheets are skipped.
  return [...sheets.values()].filter(({ path }) => path.includes('worksheet') && zip.has(path))
}

/** Finds the drawings that a sheet's relationships list (20.5). */
async function findDrawings(zip: Zip, sheet: string): Promise<string[]> {
  const relationsPath = sheet.replace(/(?<![^/])([^/]+)$/, '_rels/$1.rels')
  const drawings: string[] = []
  await forEachTag(zip, relationsPath, (tag) => {
    const name = /\bdrawings\/(drawing\d+\.xml)$/.exec(readAttribute(tag, 'Target') ?? '')?.[1]
    if (name !== undefined) drawings.push(`xl/drawings/${name}`)
  })
  return drawings
}

async function forEachTag(zip: Zip, name: string, onTag: (tag: Tag) => void): Promise<void> {
  const xml = (await zip.text(name)) ?? ''
  readMarkup(xml, {
    text: () => {},
    tag: (tag) => {
      if (!tag.isEnd) onTag(tag)
      return false
    },
  })
}

/** Reads the texts that are stored once, however many cells show them (18.4.8). */
function readSharedTexts(xml: string): string[] {
  const texts: string[] = []
  let text = ''
  let isText = false
  readMarkup(xml, {
    text: (part) => {
      if (isText) text += part
    },
    tag: ({ localName, isEnd, isEmpty }) => {
      if (localName === 't') isText = !isEnd && !isEmpty
      else if (localName === 'si' && (isEnd || isEmpty)) {
        texts.push(decodeMarkupEntities(text))
        text = ''
      }
      // Phonetic text is not shown in the cell.
      return localName === 'rPh'
    },
  })
  return texts
}

/** Summarizes OpenDocument sheets, in a ZIP or flat XML. */
export async function readOpenSpreadsheet(
  bytes: FileBytes,
  isResult = false,
): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const summarize = (xml: Buffer): ContentSummary => {
    const summary = summarizeSheets(xml)
    const mayLackImages = !isResult && summary.features.includes('pictures')
    return mayLackImages
      ? { ...summary, absentImages: countAbsentFrameImages(xml.toString(), createImageFinder(zip)) }
      : summary
  }
  return zip ? zip.read('content.xml', summarize) : summarize(await bytes.readWhole())
}

function summarizeSheets(xml: Buffer): ContentSummary {
  const { hasHiddenCandidates, summary } = countCells(xml)
  if (!hasHiddenCandidates && !mayHideSheets(xml)) return summary
  const shownXml = removeHiddenTables(xml.toString())
  return shownXml === undefined
    ? summary
    : { ...summary, visibleWords: countCells(Buffer.from(shownXml)).summary.words }
}

function countCells(xml: Buffer) {
  const words = new WordCounts()
  const tables = new OpenSheetReader(xml, words)
  tables.read()
  const { sheets, cells, features, hasHiddenCandidates } = tables
  return { hasHiddenCandidates, summary: { words, counts: { sheets, cells }, features: [...features] } }
}
