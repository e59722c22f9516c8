import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
// @ts-expect-error -- a part of a program that is no TypeScript
import { withAccents } from '../../layers/pdf/accents.mjs'
import { findBorderlessTables } from '../../lib/engines/pdf/docx/borderless-tables.ts'
import { findRuledRegions } from '../../lib/engines/pdf/docx/horizontal-rules.ts'
import { toLine } from '../../lib/engines/pdf/docx/lines.ts'
import type { Style, Word } from '../../lib/engines/pdf/docx/page-content.ts'
import { type PageItem, sortIntoReadingOrder } from '../../lib/engines/pdf/docx/reading-order.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { numbersIn } from './columns-maker.ts'
import { output } from './judge.ts'
import { pdfOf, shelf } from './pdf-maker.ts'
import { convert } from './run-engine.ts'

const stream = (content: string) => ({ dict: '<< >>', data: Buffer.from(content, 'latin1') })
const font = (name: string) =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
const put = (left: number, base: number, text: string) => `1 0 0 1 ${left} ${base} Tm (${text}) Tj`

/** Two columns of a paper of TeX, ten points apart. Letters are six points wide: a column is full with 38 of them. */
const [left, right, full] = [72, 310.6, 38]
let number = 1000

function linesDown(at: number, count: number): string[] {
  return Array.from({ length: count }, (_, line) => {
    let text = ''
    while (text.length < full - 8) text += `${text && ' '}word${number++}`
    const base = 660 - line * 12
    // A sentence ends here, and the gap after it is what TeX needs to fill the line.
    if (line % 3 === 1) {
      const [end = '', rest = ''] = [text.slice(0, 17), text.slice(18)]
      return `${put(at, base, `${end}.`)} ${put(at + 6 * full - rest.length * 6, base, rest)}`
    }
    // One that nobody could break, and that runs into the gap.
    return put(at, base, line === 6 ? text.padEnd(full + 1, 'x') : text.padEnd(full, 'x'))
  })
}

const pageOf = (name: string) =>
  stream(
    `BT /F1 10 Tf ${[...linesDown(left, 40), ...linesDown(right, 40), put(303, 89, name)].join('\n')} ET`,
  )

const paper = pdfOf({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /MediaBox [0 0 612 792] /Resources << /Font << /F1 9 0 R >> >> >>',
  ...Object.fromEntries(
    [3, 4, 5].map((at) => [at, `<< /Type /Page /Parent 2 0 R /Contents ${at + 3} 0 R >>`]),
  ),
  ...Object.fromEntries([6, 7, 8].map((at) => [at, pageOf(String(at - 5))])),
  9: font('Courier'),
})

/** A list whose bullets are drawn by a font without names, and letters with accents painted over them. */
const letters = pdfOf({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /T3 6 0 R >> >> >>',
  4: stream(
    `BT /F1 12 Tf 1 0 0 1 50 250 Tm [(The Caf) -111 (\u00b4) 444 (e is na) 27 (\\250) 306 (\\235) (ve)] TJ
    1 0 0 1 50 220 Tm [(On a d) -111 (e) 444 (\u00b4) -111 (j) 20 (a vu)] TJ
    ${['one', 'two', 'three']
      .map(
        (word, at) =>
          `/T3 12 Tf ${put(50, 190 - at * 20, '\u0088')} /F1 12 Tf ${put(62, 190 - at * 20, `Item ${word} of a list`)}`,
      )
      .join('\n')} ET`,
  ),
  5: font('Helvetica').replace(
    '/WinAnsiEncoding',
    '<< /BaseEncoding /WinAnsiEncoding /Differences [157 /dotlessi] >>',
  ),
  6: '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 136 /LastChar 136 /Widths [500] /Encoding << /Type /Encoding /Differences [136 /a136] >> /CharProcs << /a136 7 0 R >> /Resources << >> >>',
  7: stream('500 0 0 0 500 500 d1 100 100 300 300 re f'),
})

const at = await shelf({ 'paper.pdf': paper, 'letters.pdf': letters })
const written = async (name: string) => {
  const { path } = await convert(pdf, at(name), 'docx')
  return { path, text: await output('pandoc', '--from=docx', '--to=plain', '--wrap=none', path) }
}

describe('pages as TeX sets them', () => {
  test('are read column by column, with numbers of pages and lines that run into the gap', async () => {
    const { path, text } = await written('paper.pdf')
    const numbers = numbersIn(text)
    assert.equal(numbers.length, number - 1000)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    assert.doesNotMatch(text, /^\s*[123]\s*$/m)
    assert.match(await output('unzip', '-p', path, 'word/footer*.xml'), /PAGE/)
  })

  test('have their accents on their letters, and their bullets', async () => {
    const { text } = await written('letters.pdf')
    assert.match(text, /The Café is naïve/)
    assert.match(text, /On a déja vu/)
    assert.equal(text.match(/^\s*-\s+Item \w+ of a list$/gm)?.length, 3)
  })
})

test('the text of such pages has whole letters and bullets', async () => {
  const { path } = await convert(pdf, at('letters.pdf'), 'txt')
  const text = await readFile(path, 'utf8')
  assert.match(text, /The Café is naïve/)
  assert.equal(text.match(/^• Item \w+ of a list$/gm)?.length, 3)
})

describe('an accent', () => {
  type Told = readonly [string, ...unknown[]]
  /** Letters by where they begin, ten points wide; `|` ends a line. */
  const told = (...letters: readonly (readonly [string, number, number?])[]): string => {
    let said = ''
    const walker = withAccents({
      beginLine: () => {},
      onChar: (char: string) => {
        said += char
      },
      endLine: () => {
        said += '|'
      },
    })
    for (const [char, x, y = 0] of letters) {
      if (char === '|') {
        walker.endLine()
        walker.beginLine()
      } else
        walker.onChar(
          ...([char, [x, y], undefined, 10, [x, y, x + 10, y, x, y + 10, x + 10, y + 10]] as Told),
        )
    }
    walker.end()
    return said
  }

  test('belongs to the letter that it is painted over, before or after it', () => {
    assert.equal(told(['a', 0], ['´', 10], ['e', 11], ['b', 21]), 'aéb')
    assert.equal(told(['a', 0], ['e', 10], ['´', 11], ['b', 20]), 'aéb')
    assert.equal(told(['ˇ', 0, -3], ['S', 1]), 'Š')
    assert.equal(told(['¨', 0], ['\u0131', 0]), 'ï')
  })

  test('takes no gap with it, and the letter stays where its line is', () => {
    assert.equal(told(['a', 0], ['´', 10], [' ', 20], ['e', 11]), 'aé')
    assert.equal(told(['a', 0], ['|', 0], ['ˇ', 40, -3], ['|', 0], ['S', 41], ['k', 51]), 'a||Šk')
    assert.equal(told(['a', 0], [' ', 10], ['b', 20]), 'a b')
  })

  test('beside a letter, below it, or over what takes none, stands for itself', () => {
    assert.equal(told(['a', 0], ['^', 10], ['b', 20]), 'a^b')
    assert.equal(told(['e', 0], ['´', 0, 12]), 'e´')
    assert.equal(told(['´', 0], ['7', 0]), '´7')
    assert.equal(told(['¨', 0], ['q', 0]), '¨q')
    assert.equal(told(['´', 0], ['´', 0]), '´´')
  })
})

describe('two columns', () => {
  const piece = (from: number, to: number, base: number): PageItem => ({
    ...{ box: [from, base - 9, to, base], characters: Math.round((to - from) / 5), isRtl: false },
  })
  const lines = (from: number) => Array.from({ length: 20 }, (_, at) => [from, 100 + at * 12] as const)
  /** How many stand in each column of each band. */
  const counts = (atoms: readonly PageItem[]) =>
    sortIntoReadingOrder(atoms, [72, 0, 540, 792]).map(({ columns }) =>
      columns.map((one) => one.items.length),
    )
  const whole = [...lines(72), ...lines(311)].map(([from, base]) => piece(from, from + 229, base))

  test('are parted by a narrow strip, though the number of the page stands in it', () => {
    assert.deepEqual(counts([...whole, piece(303, 308, 700)]), [[20, 20], [1]])
  })

  test('are prose where most lines are read in two pieces, as sentences stand far apart', () => {
    const broken = [...lines(72), ...lines(311)].flatMap(([from, base], at) =>
      at % 4 === 0
        ? [piece(from, from + 229, base)]
        : [piece(from, from + 80 + at * 3, base), piece(from + 96 + at * 3, from + 229, base)],
    )
    assert.deepEqual(counts(broken), [[35, 35]])
    // Cells stand further apart.
    const cells = [...lines(72), ...lines(311)].flatMap(([from, base]) => [
      piece(from, from + 60, base),
      piece(from + 89, from + 149, base),
    ])
    assert.equal(counts(cells).length, 1)
    assert.equal(counts(cells)[0]?.length, 1)
  })
})

describe('text beside text', () => {
  const lines = (from: number, to: number, top: number, pitch: number, count: number) =>
    Array.from({ length: count }, (_, at): PageItem => {
      const base = top + at * pitch
      return { box: [from, base - 10, to, base], characters: Math.round((to - from) / 5), isRtl: false }
    })
  const counts = (atoms: readonly PageItem[]) =>
    sortIntoReadingOrder(atoms, [20, 0, 560, 792]).map(({ columns }) =>
      columns.map((one) => one.items.length),
    )
  /** Titles, and dates at the other side: no prose. */
  const main = [...lines(200, 300, 60, 15, 20), ...lines(480, 540, 60, 45, 7)]

  test('that has nothing to do with it is read by itself, as in a résumé', () => {
    assert.deepEqual(counts([...lines(20, 90, 57, 17.3, 9), ...main]), [[9, 27]])
  })

  test('is read line by line where lines stand beside lines, and where there is little of it', () => {
    assert.deepEqual(counts([...lines(20, 90, 60, 15, 9), ...main]), [[36]])
    assert.deepEqual(counts([...lines(20, 90, 57, 17.3, 7), ...main]), [[34]])
    assert.deepEqual(counts([...lines(20, 90, 57, 11.3, 9), ...main]), [[36]])
  })
})

describe('gaps of lines that are set wide', () => {
  const style: Style = {
    font: 'CMR',
    bold: false,
    italic: false,
    mono: false,
    serif: true,
    size: 10,
    color: '000000',
  }
  const line = (base: number, ...starts: readonly number[]) =>
    toLine(
      starts.map(
        (x): Word => ({
          text: 'word',
          box: [x, base - 8, x + 22, base],
          baseline: base,
          style,
          hasSpaceBefore: true,
        }),
      ),
    )

  test('are none of a table, though they are wide after a sentence', () => {
    const wide = [0, 30, 60, 99, 129]
    assert.deepEqual(findBorderlessTables([line(10, ...wide), line(22, ...wide), line(34, ...wide)]), [])
    const cells = [0, 25, 60, 85, 120]
    assert.equal(findBorderlessTables([line(10, ...cells), line(22, ...cells), line(34, ...cells)]).length, 1)
  })

  test('are those of a table between lines that are drawn, though they are narrow', () => {
    const rows = [10, 22, 34, 46].map((base) => line(base, 0, 32, 64))
    assert.deepEqual(findBorderlessTables(rows), [])
    const rule = (top: number, right = 87) =>
      ({ box: [-1, top, right, top + 0.4], color: '000000', isStroked: true, isRectangle: true }) as const
    const [table] = findBorderlessTables(rows, findRuledRegions([rule(0), rule(13), rule(48)]))
    assert.equal(table?.rows.length, 4)
    assert.equal(table?.rows[3]?.length, 3)
    assert.deepEqual(table?.xs, [0, 27, 59, 91])
    // Lines of other widths are none of it, nor are rows outside.
    assert.deepEqual(findRuledRegions([rule(0), rule(13, 120)]), [])
    assert.deepEqual(findBorderlessTables(rows, findRuledRegions([rule(0), rule(8)])), [])
  })
})
