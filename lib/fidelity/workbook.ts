import type { FileBytes } from './bytes.ts'
import { Cells } from './cells.ts'
import type { Feature, Holding } from './content-summary.ts'
import { textOfDrawing } from './drawing-text.ts'
import { attributeOf, decoded, readMarkup, type Tag } from './markup.ts'
import { OpenCells } from './open-cells.ts'
import { readCells } from './sheet-cells.ts'
import { visibleCells } from './visible-cells.ts'
import { mayHideSheets, visibleTables } from './visible-tables.ts'
import { Words } from './word-counts.ts'
import { openZip, type Zip } from './zip.ts'

/** Of Excel's workbooks (ECMA-376): hidden sheets too, which other workbooks keep. */
export async function workbook(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  if (!zip?.names.includes('xl/workbook.xml')) return undefined
  const texts = sharedTexts((await zip.text('xl/sharedStrings.xml')) ?? '')
  const cells = new Cells(texts)
  const sheets = await sheetsOf(zip)
  const paths = sheets.map(({ path }) => path)
  let hasFormulas = false
  let hides = sheets.some(({ isHidden }) => isHidden)
  for (const path of paths) {
    await zip.read(path, (xml) => {
      const sheet = readCells(xml, cells)
      hasFormulas ||= sheet.hasFormulas
      hides ||= sheet.hides
    })
    for (const words of await wordsOfShapes(zip, path)) cells.besides(words)
  }
  const features: Feature[] = [
    ...(hasFormulas ? (['formulas'] as const) : []),
    ...(zip.names.some((name) => name.startsWith('xl/media/')) ? (['pictures'] as const) : []),
    ...(zip.names.some((name) => /^xl\/(?:threaded)?comments/i.test(name)) ? (['comments'] as const) : []),
  ]
  const held = cells.holding(paths.length, features)
  const visibleWords = hides ? await shownWords(zip, sheets, texts) : undefined
  return visibleWords ? { ...held, visibleWords } : held
}

/** Undefined where it is not known what is hidden. */
async function shownWords(
  zip: Zip,
  sheets: readonly Sheet[],
  texts: readonly string[],
): Promise<Words | undefined> {
  const cells = new Cells(texts)
  for (const { path, isHidden } of sheets) {
    const xml = isHidden ? '' : visibleCells((await zip.text(path)) ?? '')
    if (xml === undefined) return undefined
    readCells(Buffer.from(xml), cells)
  }
  return cells.holding(0, []).words
}

interface Sheet {
  readonly path: string
  readonly isHidden: boolean
}

/** 18.2.19. */
async function sheetsOf(zip: Zip): Promise<Sheet[]> {
  const targets = new Map<string, string>()
  await eachTag(zip, 'xl/_rels/workbook.xml.rels', (tag) => {
    targets.set(attributeOf(tag, 'Id') ?? '', attributeOf(tag, 'Target') ?? '')
  })
  const sheets: Sheet[] = []
  await eachTag(zip, 'xl/workbook.xml', (tag) => {
    const isSheet = tag.localName === 'sheet'
    const target = targets.get(attributeOf(tag, 'r:id') ?? '')
    if (!isSheet || target === undefined) return
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
    sheets.push({ path, isHidden: /hidden/i.test(attributeOf(tag, 'state') ?? '') })
  })
  // A chart may be a sheet of its own.
  return sheets.filter(({ path }) => path.includes('worksheet') && zip.names.includes(path))
}

/** 20.5: drawn on a sheet, which its relations name. */
async function wordsOfShapes(zip: Zip, sheet: string): Promise<string[]> {
  const relations = sheet.replace(/([^/]+)$/, '_rels/$1.rels')
  const drawings: string[] = []
  if (zip.names.includes(relations))
    await eachTag(zip, relations, (tag) => {
      const name = /\bdrawings\/(drawing\d+\.xml)$/.exec(attributeOf(tag, 'Target') ?? '')?.[1]
      if (name !== undefined) drawings.push(`xl/drawings/${name}`)
    })
  return Promise.all(drawings.map(async (name) => textOfDrawing((await zip.text(name)) ?? '')))
}

async function eachTag(zip: Zip, name: string, see: (tag: Tag) => void): Promise<void> {
  const xml = (await zip.text(name)) ?? ''
  readMarkup(xml, {
    text: () => {},
    tag: (tag) => {
      if (!tag.isEnd) see(tag)
      return false
    },
  })
}

/** 18.4.8: a text stands once, however many cells show it. */
function sharedTexts(xml: string): string[] {
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
        texts.push(decoded(text))
        text = ''
      }
      // How Japanese names are read is not in the cell.
      return localName === 'rPh'
    },
  })
  return texts
}

/** Sheets of OpenDocument, in a ZIP or flat. */
export async function openWorkbook(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  return zip ? zip.read('content.xml', openSheets) : openSheets(await bytes.whole())
}

function openSheets(xml: Buffer): Holding {
  const { mayHide, held } = openCells(xml)
  if (!mayHide && !mayHideSheets(xml)) return held
  const shown = visibleTables(xml.toString())
  return shown === undefined ? held : { ...held, visibleWords: openCells(Buffer.from(shown)).held.words }
}

function openCells(xml: Buffer) {
  const words = new Words()
  const tables = new OpenCells(xml, words)
  tables.read()
  const { sheets, cells, features, mayHide } = tables
  return { mayHide, held: { words, counts: { sheets, cells }, features: [...features] } }
}
