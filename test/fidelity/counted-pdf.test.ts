import { strict as assert } from 'node:assert'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readSummary } from '../../lib/decoders/read-summary.ts'

const folder = await mkdtemp(join(tmpdir(), 'counted-pdf-'))
after(() => rm(folder, { recursive: true }))

const streamObject = (content: string, filter = 'null') =>
  `<</Length ${content.length}/Filter ${filter}>>stream\n${content}\nendstream`

/** Creates a PDF with one page of this content, in a plain font, with more objects from number 6 on. */
const createPdf = (content: string, fonts?: string, ...otherObjects: readonly string[]) =>
  createPdfFromStream(streamObject(content), fonts, ...otherObjects)

function createPdfFromStream(content: string, fonts = '/F 5 0 R', ...moreFonts: readonly string[]): string {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<<${fonts}>>>>>>`,
    content,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...moreFonts,
  ]
  let pdf = '%PDF-1.4\n'
  const rows = objects.map((object, at) => {
    const row = `${String(pdf.length).padStart(10, '0')} 00000 n \n`
    pdf += `${at + 1} 0 obj\n${object}\nendobj\n`
    return row
  })
  const count = objects.length + 1
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${rows.join('')}`
  return `${pdf}${table}trailer<</Size ${count}/Root 1 0 R>>\nstartxref\n${pdf.length}\n%%EOF`
}

async function countWords(text: string): Promise<number | undefined> {
  const path = join(folder, 'a.pdf')
  await writeFile(path, text, 'latin1')
  return (await readSummary(path, 'pdf', { isResult: false }))?.words?.total
}

const contentCases: readonly [content: string, words: number, caseName: string][] = [
  ['(one two) Tj', 2, 'a string'],
  ['<6f6e652074776f> Tj', 2, 'a hex string'],
  ['<6f6e 652\n0 7 4776f> Tj', 2, 'hex digits with line breaks'],
  // The last hex digit of the first string lacks a second digit, which counts as 0: 20 is a space.
  ['<6f6e652> Tj <74776f> Tj', 2, 'an odd number of hex digits'],
  ['[(o) -20 (n) 15.5 (e) -250 (two) -171 (three)] TJ', 3, 'kerned characters'],
  [
    '0 Tr\n1 0 0 -1 8 30 Tm\n(ST) Tj\n17.4 0 Td (A) Tj\n9.8 0 Td (TIC two) Tj',
    2,
    'characters kerned by Skia',
  ],
  ['1 0 0 1 8 30 Tm (one) Tj 20 0 Td (two) Tj', 2, 'words placed one by one'],
  ['(one) Tj 0 -14 Td (two) Tj T* (three) Tj', 3, 'lines'],
  ['(one) Tj (two) \' 1 2 (three) "', 3, 'operators that start a new line'],
  [String.raw`(one \(two\) thr\145e (f)our) Tj`, 5, 'escaped characters and nested parentheses'],
  ['/Span <</ActualText (four more words here)>> BDC (one) Tj EMC', 1, 'alternative text of marked content'],
  ['% (no words)\n(one) Tj', 1, 'a comment'],
  ['(no) pop [(no)] 0 d (one) Tj', 1, 'strings that no operator shows'],
  ['q BI /W 2 /H 1 ID (no) Tj EI Q BT /F 9 Tf (one) Tj', 1, 'an inline image'],
  ['q (one) Tj /None 9 Tf (no) Tj Q ( two) Tj', 2, 'a restored font'],
]
for (const [content, words, description] of contentCases)
  test(`the words that a PDF page shows are counted: ${description}`, async () => {
    assert.equal(await countWords(createPdf(`BT /F 9 Tf ${content} ET`)), words)
  })

test('a PDF page encoded as hex or base 85 is read, even if the page is also compressed', async () => {
  const hex = Buffer.from('BT /F 9 Tf (one two) Tj ET').toString('hex')
  assert.equal(await countWords(createPdfFromStream(streamObject(`${hex}>`, '/ASCIIHexDecode'))), 2)
  // Created with Python's base64: four zero bytes before `BT /F 9 Tf (one two three) Tj ET`, and a compressed text.
  const plainStream = String.raw`z6<#'\7Na]6<+[7$Df0,/FE_XGFD,]+ALSa$C*5rE`
  assert.equal(await countWords(createPdfFromStream(streamObject(`${plainStream}~>`, '/ASCII85Decode'))), 3)
  const compressedStream = 'Garg^;:\'McYZ(m";p`V3\n93!AhcW;O:-q[368BWY<\ndSpLo;K*(B!!(PR$Wd~>'
  assert.equal(
    await countWords(createPdfFromStream(streamObject(compressedStream, '[/ASCII85Decode/FlateDecode]'))),
    4,
  )
})

test('a PDF cross-reference table with unusual spacing is read', async () => {
  const text = createPdf('BT /F 9 Tf (one) Tj ET')
  assert.equal(await countWords(text.replaceAll(' n \n', ' n\n')), 1)
})

test('the words of a PDF whose 2,000 fonts share a large code map are not counted', async () => {
  const count = 2000
  const numbers = Array.from({ length: count }, (_, at) => at)
  const fonts = numbers.map((at) => `/F${at} ${at + 7} 0 R`).join('')
  const content = `BT ${numbers.map((at) => `/F${at} 1 Tf <0041> Tj`).join(' ')} ET`
  const map = streamObject('1 beginbfrange <0000> <FFFF> <0000> endbfrange')
  const fontReferences = numbers.map(() => '<</Type/Font/Subtype/Type0/ToUnicode 6 0 R>>')
  assert.equal(await countWords(createPdf(content, fonts, map, ...fontReferences)), undefined)
})
