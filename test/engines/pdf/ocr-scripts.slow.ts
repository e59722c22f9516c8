// Run by `npm run test:slow`, because the OCR models for other scripts take seconds per page.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { chromium } from '../../../lib/engines/chromium.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, removeRuns } from '../support/run-engine.ts'

/** The Arabic and the Chinese text were written for these tests. */
const arabic = [
  'الفنار القديم',
  'يقف الفنار القديم على الصخور منذ مائة عام ويرسل ضوءه إلى السفن كل ليلة.',
  'كتب الحارس في دفتره أسماء السفن التي مرت أمام الميناء في فصل الشتاء.',
  'في عام 1902 وصلت 311 سفينة إلى المدينة.',
]
const chineseLines = [
  '古老的灯塔',
  '这座灯塔在岩石上站立了一百年，每天晚上为船只照亮道路。',
  '守塔人在日记里写下冬天经过港口的船名。',
  '一九零二年有三百艘船从远方来到这座城市。',
]

let folder = ''

/** Renders paragraphs as an image, in a font for their script. */
async function createImage(name: string, font: string, direction: 'rtl' | 'ltr', lines: readonly string[]) {
  const page = join(folder, `${name}.html`)
  const style = `font-family: '${font}'; font-size: 15pt; line-height: 1.6`
  const paragraphs = lines.map((line) => `<p>${line}</p>`).join('')
  await writeFile(
    page,
    `<meta charset="utf-8"><body dir="${direction}" style="${style}">${paragraphs}</body>`,
  )
  const { path } = await convert(chromium, page, 'pdf')
  await readStdout('pdftoppm', '-r', '200', '-gray', '-png', '-singlefile', path, join(folder, name))
}

const recognizeTo = async (name: string, to: FormatId, language: string) =>
  (await convert(pdf, join(folder, `${name}.png`), to, { operation: 'ocr-pdf', options: { language } })).path

const docxToText = (path: string) => readStdout('pandoc', '--from=docx', '--to=plain', '--wrap=none', path)

/** Returns the share of the expected words that were found; repeated words count each time. */
function measureRecall(expectedWords: readonly string[], foundWords: readonly string[]): number {
  const remainingWords = [...foundWords]
  const matchedWords = expectedWords.filter((word) => {
    const at = remainingWords.indexOf(word)
    if (at >= 0) remainingWords.splice(at, 1)
    return at >= 0
  })
  return matchedWords.length / expectedWords.length
}

const splitWords = (text: string) => text.match(/[\p{L}\p{M}]+|\d+/gu) ?? []
const extractHanCharacters = (text: string) => text.match(/\p{Script=Han}/gu) ?? []

function assertHighRecall(ratio: number): void {
  assert.ok(ratio >= 0.9, `${Math.round(ratio * 100)} %`)
}

describe('OCR of non-Latin scripts', () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ocr-scripts-'))
    await createImage('arabic', 'Noto Naskh Arabic', 'rtl', arabic)
    await createImage('chinese', 'Noto Serif CJK SC', 'ltr', chineseLines)
  })
  after(async () => {
    await chromium.close?.()
    await removeRuns()
    await rm(folder, { recursive: true })
  })

  test('OCR returns Arabic text with left-to-right numbers and without directional marks', async () => {
    const text = await readFile(await recognizeTo('arabic', 'txt', 'ara'), 'utf8')
    assertHighRecall(measureRecall(splitWords(arabic.join(' ')), splitWords(text)))
    assert.match(text, /عام 1902 وصلت\s+311 سفينة/)
    assert.doesNotMatch(text, /[\u202a-\u202e]/)
  })

  test('the OCR text layer of an Arabic image is in reading order', async () => {
    const path = await recognizeTo('arabic', 'pdf', 'ara')
    const text = (await readStdout('pdftotext', path, '-')).replaceAll(/[\u202a-\u202e]/g, '')
    assertHighRecall(measureRecall(splitWords(arabic.join(' ')), splitWords(text)))
    assert.match(text, /الفنار القديم على الصخور/)
    assert.match(text, /في عام\s+1902/)
    assert.match(text, /\b311\b/)
    // Other readers use the order of the glyphs in the file.
    assert.match(await readStdout('mutool', 'draw', '-q', '-F', 'txt', path), /في عام 1902 وصلت 311 سفينة/)
    assert.match(await readStdout('qpdf', '--check', path), /No syntax or stream encoding errors/)
  })

  test('an Arabic image becomes a Word document with right-to-left paragraphs', async () => {
    const path = await recognizeTo('arabic', 'docx', 'ara')
    const text = await docxToText(path)
    assertHighRecall(measureRecall(splitWords(arabic.join(' ')), splitWords(text)))
    assert.match(text, /في عام 1902 وصلت 311 سفينة إلى المدينة/)
    const xml = await readStdout('unzip', '-p', path, 'word/document.xml')
    const paragraphs = xml.match(/<w:p>.*?<\/w:p>/gs) ?? []
    assert.ok(paragraphs.length >= 2)
    for (const paragraph of paragraphs) assert.match(paragraph, /<w:bidi\/>.*<w:rtl\/>/s)
  })

  test('OCR returns Chinese text without spaces between characters', async () => {
    const text = await readFile(await recognizeTo('chinese', 'txt', 'chi-sim'), 'utf8')
    assertHighRecall(measureRecall(extractHanCharacters(chineseLines.join('')), extractHanCharacters(text)))
    assert.match(text, /岩石上站立了一百年，每天晚上/)
  })

  test('the OCR text layer of a Chinese image has no spaces between characters', async () => {
    const text = await readStdout('pdftotext', await recognizeTo('chinese', 'pdf', 'chi-sim'), '-')
    assertHighRecall(measureRecall(extractHanCharacters(chineseLines.join('')), extractHanCharacters(text)))
    assert.match(text, /岩石上站立了一百年，每天晚上/)
  })

  test('a Chinese image becomes a Word document without spaces between characters', async () => {
    const text = await docxToText(await recognizeTo('chinese', 'docx', 'chi-sim'))
    assertHighRecall(measureRecall(extractHanCharacters(chineseLines.join('')), extractHanCharacters(text)))
    assert.match(text, /岩石上站立了一百年，每天晚上/)
    assert.doesNotMatch(text, /\p{Script=Han} +\p{Script=Han}/u)
  })
})
