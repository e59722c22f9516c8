import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { pdf } from '../../../lib/engines/pdf.ts'
import {
  countWordPairs,
  createBorderlessTable,
  createHeading,
  createProse,
  extractNumbers,
  makePdf,
  printDocuments,
  wrapInColumns,
} from '../support/columns-maker.ts'
import { countPdfPages, readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const sources = {
  // The second title is shorter than a column and does not cross the gutter.
  two: [
    createHeading('Chronicle of the northern lighthouse and its many keepers'),
    wrapInColumns('a', 2, createProse(1000, 4)),
    createHeading('Storms'),
    wrapInColumns('b', 2, createProse(2000, 4)),
    createHeading('Afterwards'),
    createProse(3000, 2),
  ].join(''),
  three: `${createHeading('News')}${wrapInColumns('a', 3, createProse(1000, 9))}`,
  pages: wrapInColumns('a', 2, createProse(1000, 40)),
  uneven: wrapInColumns('a', 'Uneven', createProse(1000, 8, 'Plain')),
  table: `${createHeading('A table')}${createBorderlessTable(6)}`,
}

interface ConvertedDocument {
  /** Text of the Word document, in reading order. */
  readonly text: string
  /** Number of columns of each section. */
  readonly sections: readonly number[]
  readonly printedPath: string
}

let folder = ''
let documents: Readonly<Record<string, ConvertedDocument>> = {}

const getDocument = (name: keyof typeof sources): ConvertedDocument => {
  const convertedDocument = documents[name]
  assert.ok(convertedDocument)
  return convertedDocument
}

async function countSectionColumns(path: string): Promise<number[]> {
  const xml = await readStdout('unzip', '-p', path, 'word/document.xml')
  return (xml.match(/<w:sectPr>.*?<\/w:sectPr>/gs) ?? []).map((section) =>
    Number(/<w:cols[^>]*w:num="(\d+)"/.exec(section)?.[1] ?? 1),
  )
}

/** Groups the numbered words of a page by line. */
async function groupWordsByLine(path: string, page: number) {
  const number = String(page)
  const boxes = await readStdout('pdftotext', '-bbox', '-f', number, '-l', number, path, '-')
  const words = boxes.matchAll(/xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)"[^>]*>[a-z]+(\d+)\.?</g)
  const allWords = [...words].map(([, left, top, right, digits]) => ({
    left: Number(left),
    top: Math.round(Number(top)),
    right: Number(right),
    number: Number(digits),
  }))
  return [...Map.groupBy(allWords, ({ top }) => top).values()]
}

/** Counts the lines of a page with words in the first and the last column and none in the gutters. */
async function countSideBySideLines(path: string, columns: number, page = 1): Promise<number> {
  const [left, right] = [57, 538]
  const gutters = Array.from({ length: columns - 1 }, (_, at) => left + ((right - left) * (at + 1)) / columns)
  const lines = await groupWordsByLine(path, page)
  return lines.filter(
    (words) =>
      words.some((word) => word.right < (gutters[0] ?? 0)) &&
      words.some((word) => word.left > (gutters.at(-1) ?? 0)) &&
      !words.some((word) => gutters.some((x) => word.left < x && word.right > x)),
  ).length
}

const listExpectedLengths = (paragraphCount: number) =>
  Array.from({ length: paragraphCount }, (_, index) => countWordPairs(index))

/** Returns the numbers of the words in consecutive paragraphs, in the order in which they were created. */
const listNumbersFrom = (firstNumber: number, paragraphCount: number) =>
  Array.from(
    { length: listExpectedLengths(paragraphCount).reduce((sum, length) => sum + length) },
    (_, index) => firstNumber + index,
  )

describe('PDF with columns to Word', () => {
  before(async () => {
    folder = await printDocuments(sources)
    const unzippedFolder = join(folder, 'opened')
    await mkdir(unzippedFolder)
    const convertedDocuments: Record<string, ConvertedDocument> = {}
    for (const name of Object.keys(sources)) {
      const { path, warnings } = await convert(pdf, join(folder, `${name}.pdf`), 'docx')
      assert.deepEqual(warnings, [])
      await copyFile(path, join(unzippedFolder, `${name}.docx`))
      convertedDocuments[name] = {
        text: await readStdout('pandoc', '--from=docx', '--to=plain', '--wrap=none', path),
        sections: await countSectionColumns(path),
        printedPath: join(unzippedFolder, `${name}.pdf`),
      }
    }
    documents = convertedDocuments
    await makePdf(
      unzippedFolder,
      Object.keys(sources).map((name) => join(unzippedFolder, `${name}.docx`)),
    )
  })

  test('columns of a PDF are next to each other in the Word document', async () => {
    const { printedPath } = getDocument('two')
    assert.equal(await countPdfPages(printedPath), 1)
    const linesBefore = await countSideBySideLines(join(folder, 'two.pdf'), 2)
    const now = await countSideBySideLines(printedPath, 2)
    assert.ok(linesBefore > 30 && now >= linesBefore * 0.9, `${now} of ${linesBefore} lines`)
  })

  test('PDF text in columns is read column by column, separately above and below each title', () => {
    const { text } = getDocument('two')
    const expectedNumbers = [
      ...listNumbersFrom(1000, 4),
      ...listNumbersFrom(2000, 4),
      ...listNumbersFrom(3000, 2),
    ]
    assert.deepEqual(extractNumbers(text), expectedNumbers)
    assert.match(text, /keepers\s+\w+ \w+1000 /)
    assert.match(text, /\.\s+Storms\s+\w+ \w+2000 /)
    assert.match(text, /\.\s+Afterwards\s+\w+ \w+3000 /)
  })

  test('each change of the number of PDF columns starts a new Word section', () => {
    assert.deepEqual(getDocument('two').sections, [1, 2, 1, 2, 1])
  })

  test('PDF paragraphs that continue in the next column stay whole in Word', () => {
    const paragraphs = getDocument('two')
      .text.split(/\n\n+/)
      .filter((paragraph) => extractNumbers(paragraph).length > 0)
    assert.deepEqual(
      paragraphs.map((paragraph) => extractNumbers(paragraph).length),
      [...listExpectedLengths(4), ...listExpectedLengths(4), ...listExpectedLengths(2)],
    )
  })

  test('three PDF columns at the end of a document are balanced in Word', async () => {
    const { text, printedPath, sections } = getDocument('three')
    assert.deepEqual(extractNumbers(text), listNumbersFrom(1000, 9))
    assert.deepEqual(sections, [1, 3, 1])
    assert.equal(await countPdfPages(printedPath), 1)
    const linesBefore = await countSideBySideLines(join(folder, 'three.pdf'), 3)
    const now = await countSideBySideLines(printedPath, 3)
    assert.ok(linesBefore > 20 && now >= linesBefore * 0.9, `${now} of ${linesBefore} lines`)
  })

  test('PDF columns over several pages form one Word section', async () => {
    const { text, printedPath, sections } = getDocument('pages')
    const pagesBefore = await countPdfPages(join(folder, 'pages.pdf'))
    assert.ok(pagesBefore > 1)
    assert.deepEqual(extractNumbers(text), listNumbersFrom(1000, 40))
    assert.equal(sections.filter((columns) => columns === 2).length, 1)
    assert.equal(await countPdfPages(printedPath), pagesBefore)
    const now = await countSideBySideLines(printedPath, 2, 1)
    assert.ok(now > 40, `${now} lines`)
  })

  test('PDF columns of different widths, and the columns of a table, do not become Word columns', () => {
    assert.deepEqual(getDocument('uneven').sections, [1])
    assert.deepEqual(extractNumbers(getDocument('uneven').text), listNumbersFrom(1000, 8))
    assert.deepEqual(getDocument('table').sections, [1])
  })
})
