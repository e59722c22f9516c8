import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pdf } from '../../../lib/engines/pdf.ts'
import { readStdout } from '../support/inspect-result.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'
import { convert } from '../support/run-engine.ts'

const showTextAt = (left: number, y: number, text: string) => `1 0 0 1 ${left} ${y} Tm (${text}) Tj`
const stream = (content: string) => ({ dict: '<< >>', data: Buffer.from(content) })
const drawBodyLines = (page: number) =>
  Array.from({ length: 8 }, (_, line) =>
    showTextAt(
      72,
      700 - line * 14,
      `Line ${line} of part ${page} speaks of a river and a mountain, and of more than these.`,
    ),
  )

/** Short pages with headers and footers on both sides and in the center. */
const report = createPdf({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /MediaBox [0 0 612 792] /Resources << /Font << /F1 9 0 R >> >> >>',
  ...Object.fromEntries(
    [3, 4, 5].map((at) => [at, `<< /Type /Page /Parent 2 0 R /Contents ${at + 3} 0 R >>`]),
  ),
  ...Object.fromEntries(
    [1, 2, 3].map((page) => [
      page + 5,
      stream(
        `BT /F1 11 Tf ${[
          ...[showTextAt(72, 750, 'Annual report'), showTextAt(440, 750, 'Confidential draft')],
          ...[
            showTextAt(72, 40, 'Company'),
            showTextAt(270, 40, 'Department'),
            showTextAt(505, 40, String(page)),
          ],
          ...drawBodyLines(page),
        ].join(' ')} ET`,
      ),
    ]),
  ),
  9: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
})

const getPath = await writeFiles({ 'report.pdf': report })

describe('PDF headers and footers to Word', () => {
  test('headers and footers of a PDF become those of the Word document, each part at its position', async () => {
    const { path } = await convert(pdf, getPath('report.pdf'), 'docx')
    const readPart = async (name: string) => {
      const xml = await readStdout('unzip', '-p', path, `word/${name}`)
      const stops = [...xml.matchAll(/<w:tab w:val="(\w+)" w:pos="(\d+)"/g)].map(([, type, position]) => ({
        type,
        at: Math.round(Number(position) / 20),
      }))
      const text = xml
        .replaceAll(/<w:tab\/>/g, '|')
        .replaceAll(/<w:instrText[^>]*>\s*(\w+)[^<]*/g, '<a>$1')
        .replaceAll(/<[^>]+>/g, '')
      return { text, stops }
    }
    const header = await readPart('header1.xml')
    const [right] = header.stops
    assert.equal(header.text.trim(), 'Annual report|Confidential draft')
    assert.equal(right?.type, 'right')
    // The position is measured from the left edge of the text, and is beyond the right edge at 358.
    assert.ok(Math.abs((right?.at ?? 0) - 451) < 2, `${right?.at} points`)
    const footer = await readPart('footer1.xml')
    assert.equal(footer.text.trim(), 'Company|Department|PAGE')
    assert.deepEqual(footer.stops, [
      { type: 'center', at: 220 },
      { type: 'right', at: 439 },
    ])
    assert.equal(
      (await readStdout('pandoc', '--from=docx', '--to=plain', path)).match(/Annual|Company/g),
      null,
    )
  })
})
