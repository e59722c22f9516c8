import { strict as assert } from 'node:assert'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readSummary } from '../../lib/fidelity/read-summary.ts'

const folder = await mkdtemp(join(tmpdir(), 'counted-pdf-'))
after(() => rm(folder, { recursive: true }))

const streamObject = (content: string, filter = 'null') =>
  `<</Length ${content.length}/Filter ${filter}>>stream\n${content}\nendstream`

/** A page of this content, or one of this stream, in a font of plain letters, with more objects from number 6 on. */
const createPdf = (content: string, fonts?: string, ...more: readonly string[]) =>
  createPdfFromStream(streamObject(content), fonts, ...more)

function createPdfFromStream(content: string, fonts = '/F 5 0 R', ...more: readonly string[]): string {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<<${fonts}>>>>>>`,
    content,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...more,
  ]
  let out = '%PDF-1.4\n'
  const rows = objects.map((object, at) => {
    const row = `${String(out.length).padStart(10, '0')} 00000 n \n`
    out += `${at + 1} 0 obj\n${object}\nendobj\n`
    return row
  })
  const count = objects.length + 1
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${rows.join('')}`
  return `${out}${table}trailer<</Size ${count}/Root 1 0 R>>\nstartxref\n${out.length}\n%%EOF`
}

async function countWords(text: string): Promise<number | undefined> {
  const path = join(folder, 'a.pdf')
  await writeFile(path, text, 'latin1')
  return (await readSummary(path, 'pdf', { isResult: false }))?.words?.total
}

const shownContent: readonly [content: string, words: number, what: string][] = [
  ['(one two) Tj', 2, 'a string'],
  ['<6f6e652074776f> Tj', 2, 'a string by its digits'],
  ['<6f6e 652\n0 7 4776f> Tj', 2, 'digits in lines of any length'],
  // The last blank has no second digit.
  ['<6f6e652> Tj <74776f> Tj', 2, 'digits whose last one is alone'],
  ['[(o) -20 (n) 15.5 (e) -250 (two) -171 (three)] TJ', 3, 'letters that are kerned'],
  ['(one) Tj 0 -14 Td (two) Tj T* (three) Tj', 3, 'lines'],
  ['(one) Tj (two) \' 1 2 (three) "', 3, 'lines that begin with their strings'],
  [String.raw`(one \(two\) thr\145e (f)our) Tj`, 5, 'signs that are escaped, and parentheses within'],
  ['/Span <</ActualText (four more words here)>> BDC (one) Tj EMC', 1, 'what is told about a part'],
  ['% (no words)\n(one) Tj', 1, 'a comment'],
  ['(no) pop [(no)] 0 d (one) Tj', 1, 'strings that nothing shows'],
  ['q BI /W 2 /H 1 ID (no) Tj EI Q BT /F 9 Tf (one) Tj', 1, 'pixels in the middle'],
  ['q (one) Tj /None 9 Tf (no) Tj Q ( two) Tj', 2, 'a font that comes back'],
]
for (const [content, words, description] of shownContent)
  test(`a page is read for what it shows: ${description}`, async () => {
    assert.equal(await countWords(createPdf(`BT /F 9 Tf ${content} ET`)), words)
  })

test('a page is read that is packed by digits, alone or over what is compressed', async () => {
  const hex = Buffer.from('BT /F 9 Tf (one two) Tj ET').toString('hex')
  assert.equal(await countWords(createPdfFromStream(streamObject(`${hex}>`, '/ASCIIHexDecode'))), 2)
  // Made by Python's base64: four bytes of 0 before `BT /F 9 Tf (one two three) Tj ET`, and a text that is compressed.
  const plain = String.raw`z6<#'\7Na]6<+[7$Df0,/FE_XGFD,]+ALSa$C*5rE`
  assert.equal(await countWords(createPdfFromStream(streamObject(`${plain}~>`, '/ASCII85Decode'))), 3)
  const compressed = 'Garg^;:\'McYZ(m";p`V3\n93!AhcW;O:-q[368BWY<\ndSpLo;K*(B!!(PR$Wd~>'
  assert.equal(await countWords(createPdfFromStream(streamObject(compressed, '[/ASCII85Decode/FlateDecode]'))), 4)
})

test('a table of objects is read however it is spaced', async () => {
  const text = createPdf('BT /F 9 Tf (one) Tj ET')
  assert.equal(await countWords(text.replaceAll(' n \n', ' n\n')), 1)
})

test('fonts that all name one large map of codes take no more memory than they may', async () => {
  const count = 2000
  const numbers = Array.from({ length: count }, (_, at) => at)
  const fonts = numbers.map((at) => `/F${at} ${at + 7} 0 R`).join('')
  const content = `BT ${numbers.map((at) => `/F${at} 1 Tf <0041> Tj`).join(' ')} ET`
  const map = streamObject('1 beginbfrange <0000> <FFFF> <0000> endbfrange')
  const each = numbers.map(() => '<</Type/Font/Subtype/Type0/ToUnicode 6 0 R>>')
  assert.equal(await countWords(createPdf(content, fonts, map, ...each)), undefined)
})
