import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { pdf } from '../../../lib/engines/pdf.ts'
import { readStdout } from '../support/inspect-result.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'
import { convert, removeRuns } from '../support/run-engine.ts'

/** Creates a page with text in Helvetica (F1) and ZapfDingbats (F2). */
const createPage = (...content: readonly string[]) =>
  createPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 595 842] >>',
    3: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>',
    4: { dict: '<< >>', data: Buffer.from(content.join(' ')) },
    5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    6: '<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>',
  })

const createText = (words: string, [x, y]: readonly [number, number], font = 'F1') =>
  `BT /${font} 11 Tf ${x} ${y} Td (${words}) Tj ET`
const drawSquare = (x: number, y: number) => `1 w ${x} ${y - 3} 14 14 re S`

/** Draws a code with a frame for each character, `pitch` points apart; a space leaves the frame empty. */
const drawComb = (code: string, y: number, pitch: number) =>
  [...code]
    .map((char, at) => `${drawSquare(150 + at * pitch, y)} ${createText(char, [154 + at * pitch, y])}`)
    .join(' ')

const getPath = await writeFiles({
  'codes.pdf': createPage(
    createText('Fill in your code and send the form to the office.', [60, 780]),
    ...[createText('Customer', [60, 740]), drawComb('48X57  ', 740, 14)],
    ...[createText('Reference', [60, 700]), drawComb('6X84x ', 700, 20)],
    ...[
      createText('Part', [60, 660]),
      drawSquare(150, 660),
      createText('7', [154, 660]),
      createText('wages', [172, 660]),
    ],
  ),
  'lone.pdf': createPage(
    createText('A board for a game of two players, with one move in it.', [60, 780]),
    ...[drawSquare(150, 700), createText('X', [153.5, 700])],
  ),
  'symbols.pdf': createPage(
    createText('Tick what applies to you and hand the sheet to the office.', [60, 780]),
    ...[drawSquare(60, 740), createText('4', [63, 740], 'F2'), createText('I own a boat', [82, 740])],
    ...[drawSquare(60, 715), createText('8', [63, 715], 'F2'), createText('I need a berth', [82, 715])],
    ...[drawSquare(60, 690), createText('I rent a boat', [82, 690])],
    ...[createText('Such as', [60, 650]), createText('4 8', [110, 650], 'F2')],
  ),
})

const toText = async (name: string) => {
  const { path } = await convert(pdf, getPath(name), 'docx', { options: { mode: 'fast' } })
  return readStdout('pandoc', '--from=docx', '--to=plain', '--wrap=none', path)
}

describe('PDF check boxes to Word', () => {
  after(removeRuns)

  test('characters of a reference number that each have a frame in a PDF do not become check boxes in Word', async () => {
    const words = (await toText('codes.pdf')).replaceAll(/\s|[|+-]/g, '')
    assert.doesNotMatch(words, /[☐☒]/)
    assert.match(words, /Customer48X57Reference6X84xPart7wages/)
  })

  test('a framed character without a label in a PDF stays a character in Word', async () => {
    const words = await toText('lone.pdf')
    assert.match(words, /one move in it\.\s+X/)
  })

  test('a check mark of a symbol font in a PDF ticks the box around it in Word', async () => {
    assert.match(await toText('symbols.pdf'), /☒ I own a boat\n\n☒ I need a berth\n\n☐ I rent a boat/)
  })

  test('spaces of a symbol font in a PDF become spaces in Word', async () => {
    assert.match(await toText('symbols.pdf'), /Such as\s+✔ ✘/)
  })
})
