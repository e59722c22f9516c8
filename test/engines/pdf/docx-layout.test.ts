import assert from 'node:assert/strict'
import { join, parse } from 'node:path'
import { after, describe, test } from 'node:test'
import { pdf } from '../../../lib/engines/pdf.ts'
import { createOfficeProfile } from '../../support/office-profile.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { countPdfPages, readStdout } from '../support/inspect-result.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'
import { convert, removeRuns } from '../support/run-engine.ts'

const stream = (content: string, dict = '<< >>') => ({ dict, data: Buffer.from(content) })
const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const createLine = (text: string, [x, y]: readonly [number, number], size = 11) =>
  `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`

/** Creates a PDF with one stream of drawing operators per page. */
const createPages = (...contents: readonly string[]) =>
  createPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: `<< /Type /Pages /Kids [${contents.map((_, at) => `${10 + at * 2} 0 R`).join(' ')}] /Count ${contents.length} >>`,
    5: helvetica,
    ...Object.fromEntries(
      contents.flatMap((content, at) => [
        [
          10 + at * 2,
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${11 + at * 2} 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
        ],
        [11 + at * 2, stream(content)],
      ]),
    ),
  })

const createParagraph = (top: number, lineCount: number, [left, pitch] = [60, 15]) =>
  Array.from({ length: lineCount }, (_, at) =>
    createLine(
      at === lineCount - 1
        ? 'the last of them is short.'
        : `Row ${at} of this text goes on about rivers and mountains far from the coast, row ${at}`,
      [left, top - at * pitch],
    ),
  ).join(' ')

/** Three chapters, each on a page of its own that is not full, with notes far below the text. */
const chapters = createPages(
  ...[1, 2, 3].map((chapter) =>
    [
      createLine(
        `Chapter ${['one', 'two', 'three'][chapter - 1]} ${'of all'.repeat(chapter)}`,
        [60, 760],
        20,
      ),
      createParagraph(720, 5),
      createParagraph(630, 4),
      createLine(`Note ${chapter} at the end`, [60, 200], 9),
    ].join(' '),
  ),
)

const drawBox = (y: number) => `1 w 60 ${y - 2} 10 10 re S`
const drawTick = (y: number) => `1.5 w 62 ${y + 3} m 64 ${y} l 68 ${y + 6} l S`
/** Two ticked boxes, one with a drawn tick and one with a character, and two empty boxes. */
const form = createPages(
  [
    createLine('Tick what applies to you and hand the sheet to the office.', [60, 760]),
    ...[drawBox(730), drawTick(730), createLine('I own a boat', [78, 730])],
    ...[drawBox(705), createLine('I rent a boat', [78, 705])],
    ...[drawBox(680), createLine('X', [61.5, 679.5], 10), createLine('I need a berth', [78, 680])],
    ...[drawBox(655), createLine('I want the newsletter', [78, 655])],
  ].join(' '),
)

const createColumn = (left: number, rows: readonly string[], top: number) =>
  rows.map((row, at) => createLine(row, [left, top - at * 15])).join(' ')
/** Two adjacent addresses; the right one has one more line. */
const addresses = createPages(
  [
    createColumn(60, ['Fjord Supplies Ltd', '12 Harbour Road', '9001 Northport'], 760),
    createColumn(400, ['Bill to:', 'Ada Thorn', '7 Lighthouse Lane', '9020 Westcliff'], 760),
    createParagraph(660, 4),
  ].join(' '),
)

const createColumnLine = (at: number) => `Line ${at} of a column that is full of more words`
/** An indented abstract, whose last line is short, above two columns. */
const abstract = createPages(
  [
    createLine('A title above everything', [200, 780], 18),
    createColumn(
      95,
      [
        'The abstract tells what the two columns below it are about in rather few',
        'words and fills its lines up to an edge that is left of that of its columns,',
        'as an abstract does.',
      ],
      745,
    ),
    ...Array.from({ length: 20 }, (_, at) => createLine(createColumnLine(at), [60, 670 - at * 15])),
    ...Array.from({ length: 20 }, (_, at) => createLine(createColumnLine(at + 20), [310, 676 - at * 15])),
  ].join(' '),
)

const getPath = await writeFiles({
  'chapters.pdf': chapters,
  'form.pdf': form,
  'addresses.pdf': addresses,
  'abstract.pdf': abstract,
})
const toWord = async (name: string) => (await convert(pdf, getPath(name), 'docx')).path
const toText = (path: string) => readStdout('pandoc', '--from=docx', '--to=plain', '--wrap=none', path)

/** Returns the page and the top of each line that starts with `Chapter`, `Row 0` or `Note`. */
async function readWordPositions(path: string): Promise<{ page: number; top: number; word: string }[]> {
  const html = await readStdout('pdftotext', '-bbox', path, '-')
  return html.split('<page ').flatMap((source, page) =>
    [...source.matchAll(/yMin="([\d.]+)"[^>]*>(Chapter|Row|Note)</g)].map(([, top = '', word = '']) => ({
      page,
      top: Number(top),
      word,
    })),
  )
}

describe('PDF layout to Word', () => {
  after(removeRuns)

  test('the lines of a PDF keep their vertical positions in Word, including notes far below the other text', async () => {
    const path = await toWord('chapters.pdf')
    const folder = scratchFolder('printed')
    const profile = createOfficeProfile(folder)
    await readStdout('soffice', profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, path)
    const printedPath = join(folder, `${parse(path).name}.pdf`)
    assert.equal(await countPdfPages(printedPath), 3)
    const [before, now] = [
      await readWordPositions(getPath('chapters.pdf')),
      await readWordPositions(printedPath),
    ]
    assert.equal(before.length, 27)
    assert.deepEqual(
      now.map(({ page, word }) => `${page} ${word}`),
      before.map(({ page, word }) => `${page} ${word}`),
    )
    for (const [at, { page, top, word }] of now.entries()) {
      const expectedTop = before[at]?.top ?? 0
      assert.ok(
        Math.abs(top - expectedTop) < 4,
        `${word} on page ${page} is at ${top}, not at ${expectedTop}`,
      )
    }
  })

  test('drawn PDF check boxes become characters that show whether they are ticked', async () => {
    const text = await toText(await toWord('form.pdf'))
    assert.match(text, /☒ I own a boat\n\n☐ I rent a boat\n\n☒ I need a berth\n\n☐ I want the newsletter/)
  })

  test('lines of an address in a PDF stay separate even if the adjacent address has fewer lines', async () => {
    const html = await readStdout('pandoc', '--from=docx', '--to=html', await toWord('addresses.pdf'))
    assert.doesNotMatch(html, /Lane\s+9020/)
    assert.match(html, /7 Lighthouse Lane[\s\S]*9020 Westcliff/)
  })

  test('an indented PDF abstract above columns becomes one Word paragraph with its short last line', async () => {
    const text = await toText(await toWord('abstract.pdf'))
    assert.match(text, /The abstract tells .* fills its lines .* columns, as an abstract does\.\n/)
    assert.match(text, /Line 19 of a column that is full of more words\s+Line 20 of a column/)
  })
})
