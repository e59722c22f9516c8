import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSummary } from '../../lib/decoders/read-summary.ts'
import { WordCounts } from '../../lib/fidelity/text/word-counts.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

async function countCells(...cells: readonly string[]) {
  const path = join(scratchFolder('values'), 'a.fods')
  const rows = cells.map((one) => `<table:table-row>${one}</table:table-row>`).join('')
  await writeFile(
    path,
    `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table>${rows}</table:table></office:spreadsheet></office:body></office:document>`,
  )
  const summary = await readSummary(path, 'fods', { isResult: false })
  return { cells: summary?.counts.cells, words: summary?.words?.total, isEmpty: summary?.words?.isEmpty }
}

const createCell = (attributes: string, text: string) =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`
const createValue = (type: string, text: string) =>
  createCell(`office:value-type="${type}" office:value="1"`, text)

test('booleans, dates and amounts do not count as words in OpenDocument sheets, just as in Excel sheets', async () => {
  const values = [
    createValue('boolean', 'TRUE'),
    createValue('date', '5. January 2024'),
    createValue('currency', '12 EUR'),
    createValue('float', 'two and a half'),
    // The value has an inner tag and a non-ASCII character.
    createValue('date', '<text:span>März</text:span> 2024'),
    createCell('office:value-type="string" office:string-value="" calcext:value-type="error"', 'Err:502'),
  ]
  assert.deepEqual(await countCells(...values), { cells: 6, words: 0, isEmpty: false })
  const texts = [
    createValue('string', 'one two'),
    createCell('table:style-name="ce1"', 'three'),
    createValue('boolean', 'TRUE'),
  ]
  assert.deepEqual(await countCells(...texts), { cells: 3, words: 3, isEmpty: false })
})

test('a subtitle cue without text is not counted as content', async () => {
  const path = join(scratchFolder('cues'), 'a.srt')
  const createCue = (number: number, text: string) =>
    `${number}\n00:00:0${number},000 --> 00:00:0${number},500\n${text}\n\n`
  await writeFile(path, `${createCue(1, 'one two')}${createCue(2, '')}${createCue(3, ' three')}`)
  assert.deepEqual((await readSummary(path, 'srt', { isResult: false }))?.counts, { cues: 2 })
})

test('characters of an RTF document are decoded with the code pages of its fonts', async () => {
  const path = join(scratchFolder('rich'), 'a.rtf')
  const fonts =
    '{\\fonttbl{\\f0\\fswiss Arial;}{\\f1\\fswiss\\fcharset204{\\*\\panose 02}Arial Cyr;}{\\f22\\fnil\\fcharset128 MS Mincho;}}'
  const body =
    "{\\f1 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2} \\'fcber {\\f22 \\'93\\'fa\\'96\\'7b \\'83e\\'83X\\'83g} \\f1\\'ec\\'e8\\'f0\\plain  \\'e9t\\'e9\\par"
  await writeFile(path, `{\\rtf1\\ansi\\ansicpg1252\\deff0${fonts}${body}}`, 'latin1')
  const words = (await readSummary(path, 'rtf', { isResult: false }))?.words
  const expectedWords = new WordCounts()
  expectedWords.add('Привет über 日本 テスト мир été')
  assert.equal(words?.total, expectedWords.total)
  assert.equal(expectedWords.countSharedWith(words ?? new WordCounts()), expectedWords.total)
})
