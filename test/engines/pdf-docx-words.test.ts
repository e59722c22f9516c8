import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Paragraph } from '../../lib/engines/pdf/docx/blocks.ts'
import { isReadable, parseLines } from '../../lib/engines/pdf/docx/fallback-text.ts'
import { joinTitleLines, markHeadings } from '../../lib/engines/pdf/docx/headings.ts'
import { findBodyStyle } from '../../lib/engines/pdf/docx/paragraph-styles.ts'
import { isTextMissing } from '../../lib/engines/pdf/docx/parse-pages.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { output, zipNames } from './judge.ts'
import { pdfOf, shelf } from './pdf-maker.ts'
import { convert } from './run-engine.ts'

const page =
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 500] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >>'
const stream = (content: string, dict = '<< >>') => ({ dict, data: Buffer.from(content) })
const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const pages = { 1: '<< /Type /Catalog /Pages 2 0 R >>', 2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>' }
const line = (text: string, top: number, size = 12) => `BT /F1 ${size} Tf 50 ${top} Td (${text}) Tj ET`

/** A gray picture with words painted over it, and words beside it. */
const painted = pdfOf({
  ...pages,
  3: `${page} /XObject << /Im 6 0 R >> >> >>`,
  4: stream(
    `${line('Above stands a line', 450)} q 300 0 0 200 40 150 cm /Im Do Q
    ${line('Painted over the picture', 250, 20)} ${line('Below stands another', 100)}`,
  ),
  5: helvetica,
  6: stream(
    'abcd',
    '<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray >>',
  ),
})

/** A slide: shapes with curves behind lines of text. */
const slide = pdfOf({
  ...pages,
  3: `${page} >> >>`,
  4: stream(
    `0.4 0.6 0.9 rg ${[0, 1, 2, 3].map((at) => `${40 + at * 60} 120 m ${60 + at * 60} 480 ${90 + at * 60} 60 ${110 + at * 60} 400 c h f`).join(' ')}
    0 g ${['one', 'two', 'three'].map((word, at) => line(`Sentence ${word} of the slide stands on its shapes`, 350 - at * 40)).join(' ')}`,
  ),
  5: helvetica,
})

const codes = Array.from({ length: 95 }, (_, at) => at + 32)
/** Names of glyphs that only say their number, as some printer drivers make them. */
const odd = pdfOf({
  ...pages,
  3: `${page} >> >>`,
  4: stream(
    [0, 1, 2].map((at) => line(`Sentence ${at} speaks of rivers and mountains`, 400 - at * 16)).join(' '),
  ),
  5: `<< /Type /Font /Subtype /Type1 /BaseFont /Odd /FirstChar 32 /LastChar 126 /Widths [${codes.map(() => 500).join(' ')}]
    /FontDescriptor 6 0 R /Encoding << /Differences [32 ${codes.map((code) => `/g${code}`).join(' ')}] >> >>`,
  6: '<< /Type /FontDescriptor /FontName /Odd /Flags 4 /FontBBox [0 -200 900 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
})

/** Arabic as browsers print it: glyphs from left to right, lam and alef as one. */
const ligature = pdfOf({
  ...pages,
  3: `${page} >> >>`,
  4: stream(line('dcba', 400)),
  5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
  6: stream(
    'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 4 beginbfchar <61> <FEFB> <62> <FEA7> <63> <FE97> <64> <FE92> endbfchar endcmap',
  ),
})

/** An item of a list that is read from the right, with a bullet that is drawn. */
const hebrew = pdfOf({
  ...pages,
  3: `${page} >> >>`,
  4: stream(`${line('cba', 400)} 76 402 4 4 re f`),
  5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
  6: stream(
    'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 3 beginbfchar <61> <05D0> <62> <05D1> <63> <05D2> endbfchar endcmap',
  ),
})

const at = await shelf({
  'hebrew.pdf': hebrew,
  'painted.pdf': painted,
  'slide.pdf': slide,
  'odd.pdf': odd,
  'ligature.pdf': ligature,
})
const written = async (name: string) => {
  const { path } = await convert(pdf, at(name), 'docx')
  const names = await zipNames(path)
  const pictures = names.filter((one) => one.startsWith('word/media/')).length
  return { text: await output('pandoc', '--from=docx', '--to=plain', '--wrap=none', path), pictures }
}

describe('words of a PDF are in the Word document', () => {
  test('that are painted over a picture, beside the picture', async () => {
    const { text, pictures } = await written('painted.pdf')
    assert.match(text, /Above stands a line[\s\S]*Painted over the picture\s+Below stands another/)
    assert.equal(pictures, 1)
  })

  test('that stand on the shapes of a slide, which are drawn without them', async () => {
    const { text, pictures } = await written('slide.pdf')
    for (const word of ['one', 'two', 'three'])
      assert.match(text, new RegExp(`Sentence ${word} of the slide`))
    assert.equal(pictures, 1)
  })

  test('whose Arabic letters were joined in print', async () => {
    const { text } = await written('ligature.pdf')
    assert.equal(text.trim(), 'لاختب')
  })

  test('with a drawn bullet to the right of Hebrew', async () => {
    const { text } = await written('hebrew.pdf')
    assert.match(text, /[•-]\s+אבג/)
  })

  test('whose font MuPDF does not understand, as another reader reads them', async () => {
    const { text } = await written('odd.pdf')
    assert.match(text, /Sentence 0 speaks of rivers and mountains[\s\S]*Sentence 2 speaks/)
  })
})

describe('a second reader', () => {
  test('is asked where it finds half as much again', () => {
    assert.equal(isTextMissing(1, 723), true)
    assert.equal(isTextMissing(600, 723), false)
    assert.equal(isTextMissing(0, 12), false)
  })

  test('is believed where its letters make words', () => {
    assert.equal(isReadable('Sentences of rivers and mountains, and of the quiet sea beyond them.'), true)
    assert.equal(isReadable('日本語の文章です。'), true)
    assert.equal(isReadable('!"#$ %&\'( )*+, -./0 12 !"#$ %&\'('), false)
    assert.equal(isReadable('Xtsyjshjx tk wnajwx fsi rtzsyfnsx, fsi tk ymj vznjy xjf gjdtsi ymjr.'), false)
  })

  test('tells letters that HTML writes otherwise', () => {
    const html = '<line ><word xMin="1" yMin="2.5" xMax="30" yMax="12">R&amp;D&lt;</word></line>'
    assert.deepEqual(parseLines(html), [[{ text: 'R&D<', box: [1, 2.5, 30, 12] }]])
  })
})

describe('headings', () => {
  const plainStyle = {
    font: 'Serif',
    bold: false,
    italic: false,
    mono: false,
    serif: true,
    size: 11,
    color: '000000',
  }
  let top = 0
  const paragraph = (text: string, look: Partial<typeof plainStyle> = {}, spaceBefore = 6): Paragraph => {
    const style = { ...plainStyle, ...look }
    const from = top
    top += spaceBefore + style.size
    return {
      ...{
        kind: 'paragraph',
        box: [0, from, 100, top],
        runs: [{ text, style }],
        alignment: 'left',
        style,
        lineCount: 1,
      },
      ...{ mayContinue: false, spaceBefore, indent: 0, firstIndent: 0, isRtl: false },
    }
  }
  const text = () =>
    paragraph('Words of the text that go on for long enough to be most of all letters. '.repeat(3))
  const marked = (blocks: readonly Paragraph[]) =>
    markHeadings(blocks, []).flatMap(({ heading, runs }) => (heading ? [runs[0]?.text] : []))

  test('are lines of another font and color where all that look so stand above text', () => {
    const blue = { font: 'Sans', color: '1f4e79' }
    const blocks = [1, 2, 3].flatMap((at) => [paragraph(`Chapter ${at}`, blue, 12), text()])
    assert.deepEqual(marked(blocks), ['Chapter 1', 'Chapter 2', 'Chapter 3'])
  })

  test('are no captions, no signatures and no quotations', () => {
    const bold = { bold: true }
    const large = { size: 14, italic: true }
    const blocks = [
      ...[
        paragraph('A heading', bold, 12),
        text(),
        paragraph('Another', bold, 12),
        text(),
        paragraph('Table 3: Ships by year', bold, 12),
        text(),
      ],
      ...[paragraph('Anna Example', bold, 12), paragraph('Chair of the council', bold, 2), text()],
      ...[paragraph('Somebody said', large, 12), paragraph('that rivers rise.', large, 2), text()],
    ]
    assert.deepEqual(marked(blocks), ['A heading', 'Another'])
  })

  test('that their author broke into two lines are one', () => {
    const large = { size: 20 }
    const blocks = [paragraph('The annual brief', large), paragraph('on rivers', large, 3), text(), text()]
    assert.deepEqual(marked(joinTitleLines(blocks, findBodyStyle(blocks))).length, 1)
  })
})
