import type { FileBytes } from './bytes.ts'
import { Cells } from './cells.ts'
import { textOfDrawing } from './drawing-text.ts'
import type { Feature, Holding } from './holding.ts'
import { attributeOf, decoded, readMarkup, type Tag } from './markup.ts'
import { OpenCells } from './open-cells.ts'
import { readCells } from './sheet-cells.ts'
import { Words } from './words.ts'
import { openZip, type Zip } from './zip.ts'

/** Of Excel's workbooks (ECMA-376): hidden sheets too, which other workbooks keep. */
export async function workbook(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  if (!zip?.names.includes('xl/workbook.xml')) return undefined
  const cells = new Cells(sharedTexts((await zip.text('xl/sharedStrings.xml')) ?? ''))
  const paths = await sheetsOf(zip)
  let hasFormulas = false
  for (const path of paths) {
    if (await zip.read(path, (xml) => readCells(xml, cells))) hasFormulas = true
    for (const words of await wordsOfShapes(zip, path)) cells.besides(words)
  }
  const features: Feature[] = [
    ...(hasFormulas ? (['formulas'] as const) : []),
    ...(zip.names.some((name) => name.startsWith('xl/media/')) ? (['pictures'] as const) : []),
    ...(zip.names.some((name) => /^xl\/(?:threaded)?comments/i.test(name)) ? (['comments'] as const) : []),
  ]
  return cells.holding(paths.length, features)
}

/** 18.2.19. */
async function sheetsOf(zip: Zip): Promise<string[]> {
  const targets = new Map<string, string>()
  await eachTag(zip, 'xl/_rels/workbook.xml.rels', (tag) => {
    targets.set(attributeOf(tag, 'Id') ?? '', attributeOf(tag, 'Target') ?? '')
  })
  const paths: string[] = []
  await eachTag(zip, 'xl/workbook.xml', (tag) => {
    const isSheet = tag.localName === 'sheet'
    const target = targets.get(attributeOf(tag, 'r:id') ?? '')
    if (isSheet && target !== undefined) paths.push(target.startsWith('/') ? target.slice(1) : `xl/${target}`)
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
  const words = new Words()
  const tables = new OpenCells(xml, words)
  tables.read()
  const { sheets, cells, features } = tables
  return { words, counts: { sheets, cells }, features: [...features] }
}
