import type { FileBytes } from './bytes.ts'
import { Cells } from './cells.ts'
import { textOfDrawing } from './drawing-text.ts'
import type { Feature, Holding } from './holding.ts'
import { attributeOf, decoded, readMarkup, type Tag } from './markup.ts'
import { readCells } from './sheet-cells.ts'
import { Words } from './words.ts'
import { openZip, type Zip } from './zip.ts'

/** Of Excel's workbooks (ECMA-376): the sheets that are shown. */
export async function workbook(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  if (!zip?.names.includes('xl/workbook.xml')) return undefined
  const cells = new Cells(sharedTexts((await zip.read('xl/sharedStrings.xml'))?.toString() ?? ''))
  const paths = await shownSheets(zip)
  let hasFormulas = false
  for (const path of paths) {
    const xml = await zip.read(path)
    if (xml && readCells(xml, cells)) hasFormulas = true
    for (const words of await wordsOfShapes(zip, path)) cells.besides(words)
  }
  const features: Feature[] = [
    ...(hasFormulas ? (['formulas'] as const) : []),
    ...(zip.names.some((name) => name.startsWith('xl/media/')) ? (['pictures'] as const) : []),
    ...(zip.names.some((name) => /^xl\/(?:threaded)?comments/i.test(name)) ? (['comments'] as const) : []),
  ]
  return cells.holding(paths.length, features)
}

/** 18.2.19 and 18.18.68. */
async function shownSheets(zip: Zip): Promise<string[]> {
  const targets = new Map<string, string>()
  await eachTag(zip, 'xl/_rels/workbook.xml.rels', (tag) => {
    targets.set(attributeOf(tag, 'Id') ?? '', attributeOf(tag, 'Target') ?? '')
  })
  const paths: string[] = []
  await eachTag(zip, 'xl/workbook.xml', (tag) => {
    const isSheet = tag.localName === 'sheet'
    const isShown = !/hidden/i.test(attributeOf(tag, 'state') ?? '')
    const target = targets.get(attributeOf(tag, 'r:id') ?? '')
    if (isSheet && isShown && target !== undefined)
      paths.push(target.startsWith('/') ? target.slice(1) : `xl/${target}`)
  })
  // A chart may be a sheet of its own.
  return paths.filter((path) => path.includes('worksheet') && zip.names.includes(path))
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
  return Promise.all(drawings.map(async (name) => textOfDrawing((await zip.read(name))?.toString() ?? '')))
}

async function eachTag(zip: Zip, name: string, see: (tag: Tag) => void): Promise<void> {
  const xml = (await zip.read(name))?.toString() ?? ''
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

/** Whole columns in one color are no content. */
const mostRepeats = 10_000
const besides = new Set([
  ...['office:annotation', 'office:automatic-styles', 'office:styles', 'office:master-styles', 'office:meta'],
  ...['office:settings', 'office:scripts', 'office:font-face-decls', 'office:forms'],
  ...['table:tracked-changes', 'table:content-validations', 'office:binary-data', 'draw:object'],
])

/** What is drawn on a sheet with words in it, each by itself (OpenDocument 1.3, part 3, 10.3). */
const shapes = new Set(
  [
    'custom-shape',
    'text-box',
    'rect',
    'ellipse',
    'circle',
    'line',
    'polyline',
    'polygon',
    'path',
    'connector',
  ]
    .concat(['measure', 'caption', 'regular-polygon'])
    .map((name) => `draw:${name}`),
)

/** Sheets of OpenDocument, in a ZIP or flat. */
export async function openWorkbook(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  const xml = (zip ? await zip.read('content.xml') : await bytes.whole())?.toString()
  if (xml === undefined) return undefined
  const words = new Words()
  const tables = new TablesReader(words)
  readMarkup(xml, tables)
  const features: Feature[] = [
    ...(xml.includes('table:formula=') ? (['formulas'] as const) : []),
    ...(xml.includes('<office:annotation') ? (['comments'] as const) : []),
    ...(xml.includes('<draw:image') ? (['pictures'] as const) : []),
  ]
  return { words, counts: { sheets: tables.sheets, cells: tables.cells }, features }
}

/** Rows and cells that are the same stand there once (OpenDocument 1.3, part 3, 19.675 and 19.678). */
class TablesReader {
  sheets = 0
  cells = 0
  readonly #words: Words
  #rows = 1
  #columns = 1
  #parts: string[] = []
  /** Of the cell that a shape is in. */
  #around: string[] = []

  constructor(words: Words) {
    this.#words = words
  }

  text(text: string): void {
    this.#parts.push(text)
  }

  tag(tag: Tag): boolean {
    const { name, isEnd, isEmpty } = tag
    if (name === 'table:table' && !isEnd) this.sheets++
    else if (name === 'table:table-row' && !isEnd) this.#rows = repeats(tag, 'table:number-rows-repeated')
    else if (name === 'table:table-cell') {
      if (isEnd) this.#end()
      else if (!isEmpty) this.#columns = repeats(tag, 'table:number-columns-repeated')
      this.#parts = []
    } else if (shapes.has(name) && !isEmpty) this.#shape(isEnd)
    else if (name === 'text:p' || name === 'text:s' || name === 'text:line-break') this.#parts.push(' ')
    return !isEnd && besides.has(name)
  }

  #shape(isEnd: boolean): void {
    if (isEnd) this.#words.add(decoded(this.#parts.join('')))
    else this.#around = this.#parts
    this.#parts = isEnd ? this.#around : []
  }

  #end(): void {
    const text = decoded(this.#parts.join(''))
    if (text.trim() === '') return
    this.cells += this.#rows * this.#columns
    this.#words.add(text, this.#rows * this.#columns)
  }
}

function repeats(tag: Tag, name: string): number {
  const times = Number(attributeOf(tag, name) ?? 1)
  return times > 0 && times <= mostRepeats ? times : 1
}
