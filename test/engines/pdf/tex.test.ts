import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
// @ts-expect-error -- plain JavaScript without types
import { joinAccents } from '../../../layers/pdf/accents.mjs'
import { findBorderlessTables } from '../../../lib/engines/pdf/docx/borderless-tables.ts'
import { findRuledRegions } from '../../../lib/engines/pdf/docx/horizontal-rules.ts'
import { toLine } from '../../../lib/engines/pdf/docx/lines.ts'
import type { Style, Word } from '../../../lib/engines/pdf/docx/page-content.ts'
import { type PageItem, sortIntoReadingOrder } from '../../../lib/engines/pdf/docx/reading-order.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { extractNumbers } from '../support/columns-maker.ts'
import { readStdout } from '../support/inspect-result.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'
import { convert } from '../support/run-engine.ts'

const stream = (content: string) => ({ dict: '<< >>', data: Buffer.from(content, 'latin1') })
const createFont = (name: string) =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
const showTextAt = (left: number, baseline: number, text: string) =>
  `1 0 0 1 ${left} ${baseline} Tm (${text}) Tj`

/** Left edges of two columns of a TeX paper, ten points apart. Characters are six points wide, so 38 fill a line. */
const [left, right, charactersPerLine] = [72, 310.6, 38]
let number = 1000

function createColumn(at: number, count: number): string[] {
  return Array.from({ length: count }, (_, line) => {
    let text = ''
    while (text.length < charactersPerLine - 8) text += `${text && ' '}word${number++}`
    const baseline = 660 - line * 12
    // A sentence ends here, and TeX widens the gap after it to fill the line.
    if (line % 3 === 1) {
      const [end = '', rest = ''] = [text.slice(0, 17), text.slice(18)]
      return `${showTextAt(at, baseline, `${end}.`)} ${showTextAt(at + 6 * charactersPerLine - rest.length * 6, baseline, rest)}`
    }
    // This line is too long and extends into the gutter.
    return showTextAt(
      at,
      baseline,
      line === 6 ? text.padEnd(charactersPerLine + 1, 'x') : text.padEnd(charactersPerLine, 'x'),
    )
  })
}

const createPage = (name: string) =>
  stream(
    `BT /F1 10 Tf ${[...createColumn(left, 40), ...createColumn(right, 40), showTextAt(303, 89, name)].join('\n')} ET`,
  )

const paperPdf = createPdf({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /MediaBox [0 0 612 792] /Resources << /Font << /F1 9 0 R >> >> >>',
  ...Object.fromEntries(
    [3, 4, 5].map((at) => [at, `<< /Type /Page /Parent 2 0 R /Contents ${at + 3} 0 R >>`]),
  ),
  ...Object.fromEntries([6, 7, 8].map((at) => [at, createPage(String(at - 5))])),
  9: createFont('Courier'),
})

/** A list with bullets from a font without an encoding, and characters with overprinted accents. */
const accents = createPdf({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /T3 6 0 R >> >> >>',
  4: stream(
    `BT /F1 12 Tf 1 0 0 1 50 250 Tm [(The Caf) -111 (\u00b4) 444 (e is na) 27 (\\250) 306 (\\235) (ve)] TJ
    1 0 0 1 50 220 Tm [(On a d) -111 (e) 444 (\u00b4) -111 (j) 20 (a vu)] TJ
    ${['one', 'two', 'three']
      .map(
        (word, at) =>
          `/T3 12 Tf ${showTextAt(50, 190 - at * 20, '\u0088')} /F1 12 Tf ${showTextAt(62, 190 - at * 20, `Item ${word} of a list`)}`,
      )
      .join('\n')} ET`,
  ),
  5: createFont('Helvetica').replace(
    '/WinAnsiEncoding',
    '<< /BaseEncoding /WinAnsiEncoding /Differences [157 /dotlessi] >>',
  ),
  6: '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 136 /LastChar 136 /Widths [500] /Encoding << /Type /Encoding /Differences [136 /a136] >> /CharProcs << /a136 7 0 R >> /Resources << >> >>',
  7: stream('500 0 0 0 500 500 d1 100 100 300 300 re f'),
})

const getPath = await writeFiles({ 'paper.pdf': paperPdf, 'accents.pdf': accents })
const convertToText = async (name: string) => {
  const { path } = await convert(pdf, getPath(name), 'docx')
  return { path, text: await readStdout('pandoc', '--from=docx', '--to=plain', '--wrap=none', path) }
}

describe('PDFs from TeX', () => {
  test('two columns of a PDF from TeX are read in order, despite page numbers and long lines in the gutter', async () => {
    const { path, text } = await convertToText('paper.pdf')
    const numbers = extractNumbers(text)
    assert.equal(numbers.length, number - 1000)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    assert.doesNotMatch(text, /^\s*[123]\s*$/m)
    assert.match(await readStdout('unzip', '-p', path, 'word/footer*.xml'), /PAGE/)
  })

  test('accents and bullets of a PDF from TeX are correct in the Word document', async () => {
    const { text } = await convertToText('accents.pdf')
    assert.match(text, /The Café is naïve/)
    assert.match(text, /On a déja vu/)
    assert.equal(text.match(/^\s*-\s+Item \w+ of a list$/gm)?.length, 3)
  })
})

test('accents and bullets of a PDF from TeX are correct in extracted text', async () => {
  const { path } = await convert(pdf, getPath('accents.pdf'), 'txt')
  const text = await readFile(path, 'utf8')
  assert.match(text, /The Café is naïve/)
  assert.equal(text.match(/^• Item \w+ of a list$/gm)?.length, 3)
})

describe('overprinted accents in PDF text', () => {
  type CharacterEvent = readonly [string, ...unknown[]]
  /** Joins accents with characters that are ten points wide, and returns the text. The character `|` ends a line. */
  const readText = (...characters: readonly (readonly [string, number, number?])[]): string => {
    let text = ''
    const accentJoiner = joinAccents({
      beginLine: () => {},
      onChar: (char: string) => {
        text += char
      },
      endLine: () => {
        text += '|'
      },
    })
    for (const [char, x, y = 0] of characters) {
      if (char === '|') {
        accentJoiner.endLine()
        accentJoiner.beginLine()
      } else
        accentJoiner.onChar(
          ...([char, [x, y], undefined, 10, [x, y, x + 10, y, x, y + 10, x + 10, y + 10]] as CharacterEvent),
        )
    }
    accentJoiner.end()
    return text
  }

  test('an overprinted accent joins the character below it, whichever is drawn first', () => {
    assert.equal(readText(['a', 0], ['´', 10], ['e', 11], ['b', 21]), 'aéb')
    assert.equal(readText(['a', 0], ['e', 10], ['´', 11], ['b', 20]), 'aéb')
    assert.equal(readText(['ˇ', 0, -3], ['S', 1]), 'Š')
    assert.equal(readText(['¨', 0], ['\u0131', 0]), 'ï')
  })

  test('an overprinted accent adds no space, and the accented character stays in its line', () => {
    assert.equal(readText(['a', 0], ['´', 10], [' ', 20], ['e', 11]), 'aé')
    assert.equal(readText(['a', 0], ['|', 0], ['ˇ', 40, -3], ['|', 0], ['S', 41], ['k', 51]), 'a||Šk')
    assert.equal(readText(['a', 0], [' ', 10], ['b', 20]), 'a b')
  })

  test('an accent next to or below a character, or over a character without an accented form, stays separate', () => {
    assert.equal(readText(['a', 0], ['^', 10], ['b', 20]), 'a^b')
    assert.equal(readText(['e', 0], ['´', 0, 12]), 'e´')
    assert.equal(readText(['´', 0], ['7', 0]), '´7')
    assert.equal(readText(['¨', 0], ['q', 0]), '¨q')
    assert.equal(readText(['´', 0], ['´', 0]), '´´')
  })
})

describe('reading order of two PDF columns', () => {
  const createItem = (from: number, to: number, baseline: number): PageItem => ({
    box: [from, baseline - 9, to, baseline],
    characters: Math.round((to - from) / 5),
    isRtl: false,
  })
  const createLines = (from: number) => Array.from({ length: 20 }, (_, at) => [from, 100 + at * 12] as const)
  /** Counts the items in each column of each band. */
  const countItems = (items: readonly PageItem[]) =>
    sortIntoReadingOrder(items, [72, 0, 540, 792]).map(({ columns }) =>
      columns.map((column) => column.items.length),
    )
  const twoColumns = [...createLines(72), ...createLines(311)].map(([from, baseline]) =>
    createItem(from, from + 229, baseline),
  )

  test('two PDF columns are separated even if the narrow gutter between them contains the page number', () => {
    assert.deepEqual(countItems([...twoColumns, createItem(303, 308, 700)]), [[20, 20], [1]])
  })

  test('PDF columns count as prose if wide gaps between sentences split most lines', () => {
    const brokenLines = [...createLines(72), ...createLines(311)].flatMap(([from, baseline], at) =>
      at % 4 === 0
        ? [createItem(from, from + 229, baseline)]
        : [
            createItem(from, from + 80 + at * 3, baseline),
            createItem(from + 96 + at * 3, from + 229, baseline),
          ],
    )
    assert.deepEqual(countItems(brokenLines), [[35, 35]])
    // The gaps between table cells are wider.
    const cells = [...createLines(72), ...createLines(311)].flatMap(([from, baseline]) => [
      createItem(from, from + 60, baseline),
      createItem(from + 89, from + 149, baseline),
    ])
    assert.equal(countItems(cells).length, 1)
    assert.equal(countItems(cells)[0]?.length, 1)
  })
})

describe('reading order of adjacent PDF texts', () => {
  const createLines = (from: number, to: number, top: number, pitch: number, count: number) =>
    Array.from({ length: count }, (_, at): PageItem => {
      const baseline = top + at * pitch
      return {
        box: [from, baseline - 10, to, baseline],
        characters: Math.round((to - from) / 5),
        isRtl: false,
      }
    })
  const countItems = (items: readonly PageItem[]) =>
    sortIntoReadingOrder(items, [20, 0, 560, 792]).map(({ columns }) =>
      columns.map((column) => column.items.length),
    )
  /** Titles on the left and dates on the right, which do not count as prose. */
  const main = [...createLines(200, 300, 60, 15, 20), ...createLines(480, 540, 60, 45, 7)]

  test('independent adjacent PDF texts, as in a résumé, are read one after the other', () => {
    assert.deepEqual(countItems([...createLines(20, 90, 57, 17.3, 9), ...main]), [[9, 27]])
  })

  test('adjacent PDF texts are read line by line if their lines align or one text is short', () => {
    assert.deepEqual(countItems([...createLines(20, 90, 60, 15, 9), ...main]), [[36]])
    assert.deepEqual(countItems([...createLines(20, 90, 57, 17.3, 7), ...main]), [[34]])
    assert.deepEqual(countItems([...createLines(20, 90, 57, 11.3, 9), ...main]), [[36]])
  })
})

describe('gaps in widely spaced PDF lines', () => {
  const style: Style = {
    font: 'CMR',
    bold: false,
    italic: false,
    mono: false,
    serif: true,
    size: 10,
    color: '000000',
  }
  const createLine = (baseline: number, ...starts: readonly number[]) =>
    toLine(
      starts.map(
        (x): Word => ({
          text: 'word',
          box: [x, baseline - 8, x + 22, baseline],
          baseline,
          style,
          hasSpaceBefore: true,
        }),
      ),
    )

  test('wide gaps after sentences in PDF text do not count as table columns', () => {
    const wideStarts = [0, 30, 60, 99, 129]
    assert.deepEqual(
      findBorderlessTables([
        createLine(10, ...wideStarts),
        createLine(22, ...wideStarts),
        createLine(34, ...wideStarts),
      ]),
      [],
    )
    const cells = [0, 25, 60, 85, 120]
    assert.equal(
      findBorderlessTables([createLine(10, ...cells), createLine(22, ...cells), createLine(34, ...cells)])
        .length,
      1,
    )
  })

  test('in PDF text, narrow gaps separate table columns if the rows are between horizontal rules', () => {
    const rows = [10, 22, 34, 46].map((baseline) => createLine(baseline, 0, 32, 64))
    assert.deepEqual(findBorderlessTables(rows), [])
    const createRule = (top: number, right = 87) =>
      ({ box: [-1, top, right, top + 0.4], color: '000000', isStroked: true, isRectangle: true }) as const
    const [table] = findBorderlessTables(
      rows,
      findRuledRegions([createRule(0), createRule(13), createRule(48)]),
    )
    assert.equal(table?.rows.length, 4)
    assert.equal(table?.rows[3]?.length, 3)
    // Because of the padding, columns after the first begin two points before their text.
    assert.deepEqual(table?.xs, [0, 30, 62, 91])
    // Rules of other widths do not belong to the region, nor do rows outside of it.
    assert.deepEqual(findRuledRegions([createRule(0), createRule(13, 120)]), [])
    assert.deepEqual(findBorderlessTables(rows, findRuledRegions([createRule(0), createRule(8)])), [])
  })
})
