import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { readSummary } from '../../lib/decoders/read-summary.ts'
import { compare } from '../../lib/fidelity/compare.ts'
import type { ContentSummary } from '../../lib/fidelity/content-summary.ts'
import { WordCounts } from '../../lib/fidelity/text/word-counts.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const createParagraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`

/** Creates a document with one paragraph and these page headers, one per section. */
async function createDocument(text: string, ...headers: readonly string[]): Promise<ContentSummary> {
  const zip = new ZipWriter(new Uint8ArrayWriter())
  const files = {
    'word/document.xml': `<w:document><w:body>${createParagraph(text)}</w:body></w:document>`,
    ...Object.fromEntries(
      headers.map((line, at) => [`word/header${at + 1}.xml`, `<w:hdr>${createParagraph(line)}</w:hdr>`]),
    ),
  }
  for (const [name, xml] of Object.entries(files)) await zip.add(name, new TextReader(xml))
  const path = join(scratchFolder('margins'), 'a.docx')
  await writeFile(path, await zip.close())
  const summary = await readSummary(path, 'docx', { isResult: true })
  assert.ok(summary)
  return summary
}

const body = 'alpha beta gamma delta epsilon zeta'
const line = 'annual report of the company'

function compareWords(pageCount: number, result: ContentSummary) {
  const words = new WordCounts()
  for (let page = 0; page < pageCount; page++) words.add(`${line} ${page === 0 ? body : ''}`)
  const source: ContentSummary = { words, counts: { pages: pageCount }, features: [] }
  const comparison = {
    operation: 'convert',
    from: 'pdf',
    to: 'docx',
    options: {},
    source,
    warningCodes: [],
  } as const
  const { fidelity, lostUnits } = compare({ ...comparison, result })
  return { ...fidelity.words, lostUnits }
}

test('page headers of a PDF count as retained if the result contains them once', async () => {
  const result = await createDocument(body, line)
  assert.equal(result.words?.total, 6)
  assert.deepEqual(compareWords(4, result), { source: 26, result: 26, share: 1, lostUnits: [] })
  const withoutMargins = await createDocument(body)
  assert.deepEqual(compareWords(4, withoutMargins), {
    source: 26,
    result: 6,
    share: 0.2307,
    lostUnits: ['words'],
  })
})

test('page headers of several sections are counted once if they are identical, and separately if they differ', async () => {
  assert.equal((await createDocument(body, line, 'other words', line)).marginWords?.total, 7)
  assert.ok((await createDocument(body, line)).features.includes('margins'))
  assert.ok(!(await createDocument(body, '12')).features.includes('margins'))
})
