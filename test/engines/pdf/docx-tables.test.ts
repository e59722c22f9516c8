import assert from 'node:assert/strict'
import { join, parse } from 'node:path'
import { after, describe, test } from 'node:test'
import { pdf } from '../../../lib/engines/pdf.ts'
import { createOfficeProfile } from '../../support/office-profile.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'
import { convert, removeRuns } from '../support/run-engine.ts'

const createLine = (text: string, [x, y]: readonly [number, number], size = 11) =>
  `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`

/** Creates a PDF with an image, and with one stream of drawing operators per page. */
const createPages = (...contents: readonly string[]) =>
  createPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: `<< /Type /Pages /Kids [${contents.map((_, at) => `${10 + at * 2} 0 R`).join(' ')}] /Count ${contents.length} >>`,
    5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    6: {
      dict: '<< /Type /XObject /Subtype /Image /Width 20 /Height 20 /ColorSpace /DeviceGray /BitsPerComponent 8 >>',
      data: Buffer.alloc(400, 90),
    },
    ...Object.fromEntries(
      contents.flatMap((content, at) => [
        [
          10 + at * 2,
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${11 + at * 2} 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /I 6 0 R >> >> >>`,
        ],
        [11 + at * 2, { dict: '<< >>', data: Buffer.from(content) }],
      ]),
    ),
  })

const drawProse = (top: number) =>
  [
    'Each of these lines is as long as the page is wide so that its edges are known',
    'and the last of them is shorter.',
  ]
    .map((text, at) => createLine(text, [60, top - at * 15]))
    .join(' ')

const columnX = [60, 200, 340, 480] as const
const drawRuledRow = (cells: readonly string[], top: number) =>
  cells
    .map(
      (text, at) =>
        `${columnX[at]} ${top - 24} 140 24 re S ${createLine(text, [(columnX[at] ?? 0) + 10, top - 15])}`,
    )
    .join(' ')
const ruledTable = createPages(
  [
    drawProse(760),
    ...[0, 1, 2].map((row) =>
      drawRuledRow(
        ['Alpha', 'Beta', 'Gamma'].map((word) => `${word}${row}`),
        700 - row * 24,
      ),
    ),
  ].join(' '),
)

const coloredRules = createPages(
  [
    drawProse(760),
    '1 0 0 rg',
    ...[700, 676, 652].map((y) => `60 ${y} 282 2 re f`),
    ...[60, 200, 340].map((x) => `${x} 652 2 50 re f`),
    '0 g',
    ...['Alpha', 'Beta', 'Gamma', 'Delta'].map((text, at) =>
      createLine(text, [70 + (at % 2) * 140, at < 2 ? 685 : 661]),
    ),
  ].join(' '),
)

const drawNumberRow = (name: string, price: string, y: number) =>
  `${createLine(name, [60, y])} ${createLine(price, [330 - price.length * 6.12, y])} ${createLine('each', [400, y])}`
const prices = createPages(
  [
    drawProse(760),
    createLine('Fruit', [60, 705], 16),
    ...['Apples', 'Pears', 'Quinces of the valley', 'Plums'].map((name, at) =>
      drawNumberRow(name, `${'1'.repeat(at + 2)}`, 680 - at * 16),
    ),
    createLine('Vegetables', [60, 600], 16),
    ...['Leeks', 'Beans', 'Cabbages of the hills', 'Peas'].map((name, at) =>
      drawNumberRow(name, `${'1'.repeat(at + 2)}`, 575 - at * 16),
    ),
  ].join(' '),
)

const drawLongTablePage = (first: number) =>
  [
    'Item Weight Price'.split(' '),
    ...Array.from({ length: 44 }, (_, at) =>
      ['Item', 'Weight', 'Price'].map((word) => `${word.toLowerCase()}${first + at}`),
    ),
  ]
    .map((cells, row) =>
      cells.map((text, at) => createLine(text, [columnX[at] ?? 0, 790 - row * 16])).join(' '),
    )
    .join(' ')
const longTable = createPages(drawLongTablePage(1), drawLongTablePage(45), drawLongTablePage(89))

const illustratedPdf = createPages(
  [drawProse(760), 'q 120 0 0 90 84 630 cm /I Do Q', createLine('Below the image', [60, 600])].join(' '),
)

const getPath = await writeFiles({
  'ruled-table.pdf': ruledTable,
  'colored-rules.pdf': coloredRules,
  'prices.pdf': prices,
  'long-table.pdf': longTable,
  'illustrated.pdf': illustratedPdf,
})
const toWord = async (name: string) => (await convert(pdf, getPath(name), 'docx')).path
const toHtml = async (name: string) =>
  readStdout('pandoc', '--from=docx', '--to=html', '--wrap=none', await toWord(name))

/** Returns the left and top position of each word, as Poppler finds it. */
async function findPositions(path: string, words: readonly string[]) {
  const html = await readStdout('pdftotext', '-bbox', path, '-')
  const wordMatches = html.matchAll(/xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>([^<]*)</g)
  return new Map(
    [...wordMatches].flatMap(([, x, y, word = '']) =>
      words.includes(word) ? [[word, [Number(x), Number(y)]] as const] : [],
    ),
  )
}

async function print(path: string): Promise<string> {
  const folder = scratchFolder('printed-tables')
  const profile = createOfficeProfile(folder)
  await readStdout('soffice', profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, path)
  return join(folder, `${parse(path).name}.pdf`)
}

async function assertKeepsPlaces(name: string, words: readonly string[], maxDistance = 3) {
  const before = await findPositions(getPath(name), words)
  const now = await findPositions(await print(await toWord(name)), words)
  assert.equal(before.size, words.length)
  for (const [word, place] of before)
    for (const axis of [0, 1] as const) {
      const distance = Math.abs((now.get(word)?.[axis] ?? 0) - place[axis])
      assert.ok(distance < maxDistance, `${word} is at ${now.get(word)}, not at ${place}`)
    }
}

describe('tables and images of a PDF in Word', () => {
  after(removeRuns)

  test('the text of a ruled PDF table keeps its distance from the rules in Word', () =>
    assertKeepsPlaces('ruled-table.pdf', ['Alpha0', 'Beta0', 'Gamma0', 'Beta1', 'Gamma2']))

  test('the rules of a PDF table keep their color and width in Word', async () => {
    const xml = await readStdout('unzip', '-p', await toWord('colored-rules.pdf'), 'word/document.xml')
    for (const side of ['top', 'left', 'insideH', 'insideV']) {
      const [border = ''] = new RegExp(`<w:${side} w:val="single"[^>]*>`).exec(xml) ?? []
      assert.match(border, /w:color="ff0000"/i)
      assert.match(border, /w:sz="16"/)
    }
  })

  test('names and right-aligned numbers in a PDF table keep their positions in Word', () =>
    assertKeepsPlaces('prices.pdf', ['Apples', '11', '1111', 'Quinces']))

  test('text above and below an indented PDF image keeps its position in Word', () =>
    // Word adds room for descenders below an image, which LibreOffice does not.
    assertKeepsPlaces('illustrated.pdf', ['Below', 'Each'], 5))

  test('a line of larger text between two PDF tables with the same columns does not become a table row in Word', async () => {
    const html = await toHtml('prices.pdf')
    assert.equal(html.split('<table').length - 1, 2)
    assert.match(html, /<\/table>\s*<h\d[^>]*>(?:<strong>)?Vegetables/)
  })

  test('a PDF table on three pages with repeated headers becomes one Word table with one header', async () => {
    const html = await toHtml('long-table.pdf')
    assert.equal(html.split('<table').length - 1, 1)
    assert.equal(html.split('Weight').length - 1, 1)
    assert.equal(html.split('<tr').length - 1, 3 * 44 + 1)
    assert.match(html, /item1\b[\s\S]*item44\b[\s\S]*item45\b[\s\S]*item132\b/)
  })
})
