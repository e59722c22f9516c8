import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Paragraph } from '../../../lib/engines/pdf/docx/blocks.ts'
import { isReadable, parseLines } from '../../../lib/engines/pdf/docx/fallback-text.ts'
import { joinTitleLines, markHeadings } from '../../../lib/engines/pdf/docx/headings.ts'
import { findBodyStyle } from '../../../lib/engines/pdf/docx/paragraph-styles.ts'
import { isTextMissing } from '../../../lib/engines/pdf/docx/parse-pages.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { listZipNames, readStdout } from '../support/inspect-result.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'
import { convert } from '../support/run-engine.ts'

const page =
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 500] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >>'
const stream = (content: string, dict = '<< >>') => ({ dict, data: Buffer.from(content) })
const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const pages = { 1: '<< /Type /Catalog /Pages 2 0 R >>', 2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>' }
const createLine = (text: string, top: number, size = 12) => `BT /F1 ${size} Tf 50 ${top} Td (${text}) Tj ET`

/** A gray image with words on top of it, above and below it. */
const textOverImage = createPdf({
  ...pages,
  3: `${page} /XObject << /Im 6 0 R >> >> >>`,
  4: stream(
    `${createLine('Above stands a line', 450)} q 300 0 0 200 40 150 cm /Im Do Q
    ${createLine('Painted over the image', 250, 20)} ${createLine('Below stands another', 100)}`,
  ),
  5: helvetica,
  6: stream(
    'abcd',
    '<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray >>',
  ),
})

/** A slide: shapes with curves behind lines of text. */
const slide = createPdf({
  ...pages,
  3: `${page} >> >>`,
  4: stream(
    `0.4 0.6 0.9 rg ${[0, 1, 2, 3].map((at) => `${40 + at * 60} 120 m ${60 + at * 60} 480 ${90 + at * 60} 60 ${110 + at * 60} 400 c h f`).join(' ')}
    0 g ${['one', 'two', 'three'].map((word, at) => createLine(`Sentence ${word} of the slide stands on its shapes`, 350 - at * 40)).join(' ')}`,
  ),
  5: helvetica,
})

const codes = Array.from({ length: 95 }, (_, at) => at + 32)
/** A font whose glyph names are just numbered, such as `g65`, as some printer drivers write them. */
const pdfWithOddEncoding = createPdf({
  ...pages,
  3: `${page} >> >>`,
  4: stream(
    [0, 1, 2]
      .map((at) => createLine(`Sentence ${at} speaks of rivers and mountains`, 400 - at * 16))
      .join(' '),
  ),
  5: `<< /Type /Font /Subtype /Type1 /BaseFont /Odd /FirstChar 32 /LastChar 126 /Widths [${codes.map(() => 500).join(' ')}]
    /FontDescriptor 6 0 R /Encoding << /Differences [32 ${codes.map((code) => `/g${code}`).join(' ')}] >> >>`,
  6: '<< /Type /FontDescriptor /FontName /Odd /Flags 4 /FontBBox [0 -200 900 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
})

/** Arabic as printed by browsers: glyphs from left to right, with a lam-alef ligature. */
const ligaturePdf = createPdf({
  ...pages,
  3: `${page} >> >>`,
  4: stream(createLine('dcba', 400)),
  5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
  6: stream(
    'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 4 beginbfchar <61> <FEFB> <62> <FEA7> <63> <FE97> <64> <FE92> endbfchar endcmap',
  ),
})

const createArabicPdf = (showOperators: string, codes: readonly string[], widths = '') =>
  createPdf({
    ...pages,
    3: `${page} >> >>`,
    4: stream(`BT /F1 12 Tf 50 400 Td ${showOperators} ET`),
    5: `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R ${widths} >>`,
    6: stream(
      `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${codes.length} beginbfchar
      ${codes.map((code, at) => `<${(0x61 + at).toString(16)}> <${code}>`).join(' ')} endbfchar endcmap`,
    ),
  })
/** "سلام" with the ligature in the middle. The PDF contains the text of the ligature in reading order. */
const ligatureWithActualText = createArabicPdf(
  '(c) Tj /Span << /ActualText <FEFF06440627> >> BDC (b) Tj EMC (a) Tj',
  ['0633', '0644', '0645'],
)

/** The same word as browsers print it: the alef is a separate glyph without width. */
const pdfWithNarrowAlef = createArabicPdf(
  '(dcba) Tj',
  ['0633', '0644', '0627', '0645'],
  '/FirstChar 97 /LastChar 100 /Widths [500 500 0 500]',
)

/** A right-to-left list item with a bullet drawn as a shape. */
const hebrewPdf = createPdf({
  ...pages,
  3: `${page} >> >>`,
  4: stream(`${createLine('cba', 400)} 76 402 4 4 re f`),
  5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
  6: stream(
    'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 3 beginbfchar <61> <05D0> <62> <05D1> <63> <05D2> endbfchar endcmap',
  ),
})

const getPath = await writeFiles({
  'hebrew.pdf': hebrewPdf,
  'painted.pdf': textOverImage,
  'slide.pdf': slide,
  'odd.pdf': pdfWithOddEncoding,
  'ligature.pdf': ligaturePdf,
  'named.pdf': ligatureWithActualText,
  'narrow.pdf': pdfWithNarrowAlef,
  'shapes.pdf': createArabicPdf('(cba) Tj', ['FEB3', 'FEFC', 'FEE1']),
  'allah.pdf': createArabicPdf('(a) Tj', ['FDF2']),
})
const convertToText = async (name: string) => {
  const { path } = await convert(pdf, getPath(name), 'docx')
  const names = await listZipNames(path)
  const images = names.filter((one) => one.startsWith('word/media/')).length
  return { text: await readStdout('pandoc', '--from=docx', '--to=plain', '--wrap=none', path), images }
}

describe('PDF text to Word', () => {
  test('words on top of a PDF image become text next to the image', async () => {
    const { text, images } = await convertToText('painted.pdf')
    assert.match(text, /Above stands a line[\s\S]*Painted over the image\s+Below stands another/)
    assert.equal(images, 1)
  })

  test('words on the shapes of a PDF slide become text in Word, and the shapes become an image', async () => {
    const { text, images } = await convertToText('slide.pdf')
    for (const word of ['one', 'two', 'three'])
      assert.match(text, new RegExp(`Sentence ${word} of the slide`))
    assert.equal(images, 1)
  })

  test('Arabic ligatures of a PDF are split into their characters', async () => {
    const { text } = await convertToText('ligature.pdf')
    assert.equal(text.trim(), 'لاختب')
    assert.equal((await convertToText('named.pdf')).text.trim(), 'سلام')
    assert.equal((await convertToText('narrow.pdf')).text.trim(), 'سلام')
    assert.equal((await convertToText('shapes.pdf')).text.trim(), 'سلام')
    assert.equal((await convertToText('allah.pdf')).text.trim(), 'الله')
  })

  test('a bullet drawn to the right of Hebrew PDF text becomes a list item', async () => {
    const { text } = await convertToText('hebrew.pdf')
    assert.match(text, /^-\s+אבג/)
  })

  test('words of a PDF font that MuPDF cannot decode are read with Poppler', async () => {
    const { text } = await convertToText('odd.pdf')
    assert.match(text, /Sentence 0 speaks of rivers and mountains[\s\S]*Sentence 2 speaks/)
  })
})

describe('fallback to Poppler for PDF text', () => {
  test('Poppler is used for PDF text if it finds many more characters than MuPDF', () => {
    assert.equal(isTextMissing(1, 723), true)
    assert.equal(isTextMissing(600, 723), false)
    assert.equal(isTextMissing(0, 12), false)
  })

  test('text from Poppler is accepted when it looks like words', () => {
    assert.equal(isReadable('Sentences of rivers and mountains, and of the quiet sea beyond them.'), true)
    assert.equal(isReadable('日本語の文章です。'), true)
    assert.equal(isReadable('!"#$ %&\'( )*+, -./0 12 !"#$ %&\'('), false)
    assert.equal(isReadable('Xtsyjshjx tk wnajwx fsi rtzsyfnsx, fsi tk ymj vznjy xjf gjdtsi ymjr.'), false)
  })

  test('HTML entities in the output of pdftotext are decoded', () => {
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
  const createParagraph = (
    text: string,
    overrides: Partial<typeof plainStyle> = {},
    spaceBefore = 6,
  ): Paragraph => {
    const style = { ...plainStyle, ...overrides }
    const from = top
    top += spaceBefore + style.size
    return {
      kind: 'paragraph',
      box: [0, from, 100, top],
      runs: [{ text, style }],
      alignment: 'left',
      style,
      lineCount: 1,
      mayContinue: false,
      spaceBefore,
      indent: 0,
      firstIndent: 0,
      isRtl: false,
    }
  }
  const readText = () =>
    createParagraph('Words of the text that go on for long enough to be most of all characters. '.repeat(3))
  const findHeadings = (blocks: readonly Paragraph[]) =>
    markHeadings(blocks, []).flatMap(({ heading, runs }) => (heading ? [runs[0]?.text] : []))

  test('lines in another font and color become headings if body text follows each of them', () => {
    const blue = { font: 'Sans', color: '1f4e79' }
    const blocks = [1, 2, 3].flatMap((at) => [createParagraph(`Chapter ${at}`, blue, 12), readText()])
    assert.deepEqual(findHeadings(blocks), ['Chapter 1', 'Chapter 2', 'Chapter 3'])
  })

  test('captions, signatures and quotations of a PDF are not taken for headings', () => {
    const bold = { bold: true }
    const largeStyle = { size: 14, italic: true }
    const blocks = [
      ...[
        createParagraph('A heading', bold, 12),
        readText(),
        createParagraph('Another', bold, 12),
        readText(),
        createParagraph('Table 3: Ships by year', bold, 12),
        readText(),
      ],
      ...[
        createParagraph('Anna Example', bold, 12),
        createParagraph('Chair of the council', bold, 2),
        readText(),
      ],
      ...[
        createParagraph('The council said', largeStyle, 12),
        createParagraph('that rivers rise.', largeStyle, 2),
        readText(),
      ],
    ]
    assert.deepEqual(findHeadings(blocks), ['A heading', 'Another'])
  })

  test('a PDF title on two lines becomes one heading', () => {
    const largeStyle = { size: 20 }
    const blocks = [
      createParagraph('The annual brief', largeStyle),
      createParagraph('on rivers', largeStyle, 3),
      readText(),
      readText(),
    ]
    assert.deepEqual(findHeadings(joinTitleLines(blocks, findBodyStyle(blocks))).length, 1)
  })
})
