// Run by `npm run test:slow`: the models of other scripts take seconds for a page.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { chromium } from '../../lib/engines/chromium.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { output } from './judge.ts'
import { convert, removeRuns } from './run-engine.ts'

/** Written for these tests. */
const arabic = [
  'الفنار القديم',
  'يقف الفنار القديم على الصخور منذ مائة عام ويرسل ضوءه إلى السفن كل ليلة.',
  'كتب الحارس في دفتره أسماء السفن التي مرت أمام الميناء في فصل الشتاء.',
  'في عام 1902 وصلت 311 سفينة إلى المدينة.',
]
const chinese = [
  '古老的灯塔',
  '这座灯塔在岩石上站立了一百年，每天晚上为船只照亮道路。',
  '守塔人在日记里写下冬天经过港口的船名。',
  '一九零二年有三百艘船从远方来到这座城市。',
]

let folder = ''

/** A picture of paragraphs in letters that are made for their script. */
async function picture(name: string, font: string, direction: 'rtl' | 'ltr', lines: readonly string[]) {
  const page = join(folder, `${name}.html`)
  const style = `font-family: '${font}'; font-size: 15pt; line-height: 1.6`
  const paragraphs = lines.map((line) => `<p>${line}</p>`).join('')
  await writeFile(
    page,
    `<meta charset="utf-8"><body dir="${direction}" style="${style}">${paragraphs}</body>`,
  )
  const { path } = await convert(chromium, page, 'pdf')
  await output('pdftoppm', '-r', '200', '-gray', '-png', '-singlefile', path, join(folder, name))
}

const read = async (name: string, to: FormatId, language: string) =>
  (await convert(pdf, join(folder, `${name}.png`), to, { operation: 'ocr-pdf', options: { language } })).path

const inDocument = (path: string) => output('pandoc', '--from=docx', '--to=plain', '--wrap=none', path)

/** The part of some pieces of text that another text holds, each as often as it has to. */
function recall(wanted: readonly string[], found: readonly string[]): number {
  const left = [...found]
  const hits = wanted.filter((piece) => {
    const at = left.indexOf(piece)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
  return hits.length / wanted.length
}

const wordsOf = (text: string) => text.match(/[\p{L}\p{M}]+|\d+/gu) ?? []
const hanIn = (text: string) => text.match(/\p{Script=Han}/gu) ?? []

function assertMost(share: number): void {
  assert.ok(share >= 0.9, `${Math.round(share * 100)} %`)
}

describe('text in pictures of other scripts', () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ocr-scripts-'))
    await picture('arabic', 'Noto Naskh Arabic', 'rtl', arabic)
    await picture('chinese', 'Noto Serif CJK SC', 'ltr', chinese)
  })
  after(async () => {
    await chromium.close?.()
    await removeRuns()
    await rm(folder, { recursive: true })
  })

  test('is read in Arabic, with its numbers from the left and no marks of direction', async () => {
    const text = await readFile(await read('arabic', 'txt', 'ara'), 'utf8')
    assertMost(recall(wordsOf(arabic.join(' ')), wordsOf(text)))
    assert.match(text, /عام 1902 وصلت\s+311 سفينة/)
    assert.doesNotMatch(text, /[\u202a-\u202e]/)
  })

  test('stands behind an Arabic picture in the order in which it is read', async () => {
    const path = await read('arabic', 'pdf', 'ara')
    const text = (await output('pdftotext', path, '-')).replaceAll(/[\u202a-\u202e]/g, '')
    assertMost(recall(wordsOf(arabic.join(' ')), wordsOf(text)))
    assert.match(text, /الفنار القديم على الصخور/)
    assert.match(text, /في عام\s+1902/)
    assert.match(text, /\b311\b/)
    // Readers of the other kind go by the order of the letters in the file.
    assert.match(await output('mutool', 'draw', '-q', '-F', 'txt', path), /في عام 1902 وصلت 311 سفينة/)
    assert.match(await output('qpdf', '--check', path), /No syntax or stream encoding errors/)
  })

  test('becomes Arabic paragraphs of a Word document that run to the left', async () => {
    const path = await read('arabic', 'docx', 'ara')
    const text = await inDocument(path)
    assertMost(recall(wordsOf(arabic.join(' ')), wordsOf(text)))
    assert.match(text, /في عام 1902 وصلت 311 سفينة إلى المدينة/)
    const xml = await output('unzip', '-p', path, 'word/document.xml')
    const paragraphs = xml.match(/<w:p>.*?<\/w:p>/gs) ?? []
    assert.ok(paragraphs.length >= 2)
    for (const paragraph of paragraphs) assert.match(paragraph, /<w:bidi\/>.*<w:rtl\/>/s)
  })

  test('is read in Chinese without spaces between its characters', async () => {
    const text = await readFile(await read('chinese', 'txt', 'chi-sim'), 'utf8')
    assertMost(recall(hanIn(chinese.join('')), hanIn(text)))
    assert.match(text, /岩石上站立了一百年，每天晚上/)
  })

  test('stands behind a Chinese picture without spaces between its characters', async () => {
    const text = await output('pdftotext', await read('chinese', 'pdf', 'chi-sim'), '-')
    assertMost(recall(hanIn(chinese.join('')), hanIn(text)))
    assert.match(text, /岩石上站立了一百年，每天晚上/)
  })

  test('becomes a Chinese Word document without spaces between its characters', async () => {
    const text = await inDocument(await read('chinese', 'docx', 'chi-sim'))
    assertMost(recall(hanIn(chinese.join('')), hanIn(text)))
    assert.match(text, /岩石上站立了一百年，每天晚上/)
    assert.doesNotMatch(text, /\p{Script=Han} +\p{Script=Han}/u)
  })
})
