import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { pdf } from '../../lib/engines/pdf.ts'
import {
  bareTable,
  heading,
  inColumns,
  lengthOf,
  numbersIn,
  print,
  printedDocuments,
  proseFrom,
} from './columns-maker.ts'
import { output, pdfPages } from './judge.ts'
import { convert } from './run-engine.ts'

const sources = {
  // The second title is shorter than a column and does not cross the strip between them.
  two: [
    heading('Chronicle of the northern lighthouse and its many keepers'),
    inColumns('a', 2, proseFrom(1000, 4)),
    heading('Storms'),
    inColumns('b', 2, proseFrom(2000, 4)),
    heading('Afterwards'),
    proseFrom(3000, 2),
  ].join(''),
  three: `${heading('News')}${inColumns('a', 3, proseFrom(1000, 9))}`,
  pages: inColumns('a', 2, proseFrom(1000, 40)),
  uneven: inColumns('a', 'Uneven', proseFrom(1000, 8, 'Plain')),
  table: `${heading('A table')}${bareTable(6)}`,
}

interface Made {
  /** As it is written in the document, in the order in which it is read. */
  readonly text: string
  /** Number of columns of each section. */
  readonly sections: readonly number[]
  readonly printed: string
}

let folder = ''
let made: Readonly<Record<string, Made>> = {}

const madeOf = (name: keyof typeof sources): Made => {
  const found = made[name]
  assert.ok(found)
  return found
}

async function sectionsOf(path: string): Promise<number[]> {
  const xml = await output('unzip', '-p', path, 'word/document.xml')
  return (xml.match(/<w:sectPr>.*?<\/w:sectPr>/gs) ?? []).map((section) =>
    Number(/<w:cols[^>]*w:num="(\d+)"/.exec(section)?.[1] ?? 1),
  )
}

/** Numbers of words by the line that they stand on, of a page. */
async function linesOn(path: string, page: number) {
  const number = String(page)
  const boxes = await output('pdftotext', '-bbox', '-f', number, '-l', number, path, '-')
  const words = boxes.matchAll(/xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)"[^>]*>[a-z]+(\d+)\.?</g)
  const all = [...words].map(([, left, top, right, digits]) => ({
    ...{ left: Number(left), top: Math.round(Number(top)), right: Number(right), number: Number(digits) },
  }))
  return [...Map.groupBy(all, ({ top }) => top).values()]
}

/** Lines of a page that have words in the first and in the last of some columns, and none in the strips between. */
async function linesSideBySide(path: string, columns: number, page = 1): Promise<number> {
  const [left, right] = [57, 538]
  const strips = Array.from({ length: columns - 1 }, (_, at) => left + ((right - left) * (at + 1)) / columns)
  const lines = await linesOn(path, page)
  return lines.filter(
    (words) =>
      words.some((word) => word.right < (strips[0] ?? 0)) &&
      words.some((word) => word.left > (strips.at(-1) ?? 0)) &&
      !words.some((word) => strips.some((x) => word.left < x && word.right > x)),
  ).length
}

const lengths = (paragraphs: number) => Array.from({ length: paragraphs }, (_, index) => lengthOf(index))

/** The numbers of the words of some paragraphs, as they were written. */
const written = (first: number, paragraphs: number) =>
  Array.from({ length: lengths(paragraphs).reduce((sum, one) => sum + one) }, (_, index) => first + index)

describe('a PDF in columns becomes a Word document', () => {
  before(async () => {
    folder = await printedDocuments(sources)
    const opened = join(folder, 'opened')
    await mkdir(opened)
    const found: Record<string, Made> = {}
    for (const name of Object.keys(sources)) {
      const { path, warnings } = await convert(pdf, join(folder, `${name}.pdf`), 'docx')
      assert.deepEqual(warnings, [])
      await copyFile(path, join(opened, `${name}.docx`))
      found[name] = {
        text: await output('pandoc', '--from=docx', '--to=plain', '--wrap=none', path),
        sections: await sectionsOf(path),
        printed: join(opened, `${name}.pdf`),
      }
    }
    made = found
    await print(
      opened,
      Object.keys(sources).map((name) => join(opened, `${name}.docx`)),
    )
  })

  test('whose lines stand side by side when it is opened again', async () => {
    const { printed } = madeOf('two')
    assert.equal(await pdfPages(printed), 1)
    const before = await linesSideBySide(join(folder, 'two.pdf'), 2)
    const now = await linesSideBySide(printed, 2)
    assert.ok(before > 30 && now >= before * 0.9, `${now} of ${before} lines`)
  })

  test('whose text is read column by column, above and below each title', () => {
    const { text } = madeOf('two')
    const parts = [...written(1000, 4), ...written(2000, 4), ...written(3000, 2)]
    assert.deepEqual(numbersIn(text), parts)
    assert.match(text, /keepers\s+\w+ \w+1000 /)
    assert.match(text, /\.\s+Storms\s+\w+ \w+2000 /)
    assert.match(text, /\.\s+Afterwards\s+\w+ \w+3000 /)
  })

  test('with a section for each change of the number of columns', () => {
    assert.deepEqual(madeOf('two').sections, [1, 2, 1, 2, 1])
  })

  test('in which paragraphs go on from one column to the next', () => {
    const paragraphs = madeOf('two')
      .text.split(/\n\n+/)
      .filter((part) => numbersIn(part).length > 0)
    assert.deepEqual(
      paragraphs.map((part) => numbersIn(part).length),
      [...lengths(4), ...lengths(4), ...lengths(2)],
    )
  })

  test('in three columns, which are even at the end though nothing comes below them', async () => {
    const { text, printed, sections } = madeOf('three')
    assert.deepEqual(numbersIn(text), written(1000, 9))
    assert.deepEqual(sections, [1, 3, 1])
    assert.equal(await pdfPages(printed), 1)
    const before = await linesSideBySide(join(folder, 'three.pdf'), 3)
    const now = await linesSideBySide(printed, 3)
    assert.ok(before > 20 && now >= before * 0.9, `${now} of ${before} lines`)
  })

  test('whose columns go on from page to page as one section', async () => {
    const { text, printed, sections } = madeOf('pages')
    const before = await pdfPages(join(folder, 'pages.pdf'))
    assert.ok(before > 1)
    assert.deepEqual(numbersIn(text), written(1000, 40))
    assert.equal(sections.filter((columns) => columns === 2).length, 1)
    assert.equal(await pdfPages(printed), before)
    assert.ok((await linesSideBySide(printed, 2, 1)) > 40)
  })

  test('without columns where they are not of one width, or are those of a table', () => {
    assert.deepEqual(madeOf('uneven').sections, [1])
    assert.deepEqual(numbersIn(madeOf('uneven').text), written(1000, 8))
    assert.deepEqual(madeOf('table').sections, [1])
  })
})
