/**
 * `npm run test:slow -- test/fidelity/pdf-to-word.slow.ts`: prints 25 documents of known structure with two programs,
 * converts the PDFs to Word, and compares the results with other programs: pages and their look (Poppler, ffmpeg), and
 * editable headings, paragraphs, lists and tables (pandoc). `GALLERY=1` redraws the images in `gallery`.
 */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { engines } from '../../lib/engines/index.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { convertAll } from './word/convert-all.ts'
import { describeVerdict, drawSideBySide, isGood } from './word/judge.ts'

const minGood = 23
const gallery = new URL('gallery/', import.meta.url).pathname

after(() => Promise.all(engines.map((engine) => engine.close?.())))

test(`at least ${minGood} of 25 PDFs become Word documents with the same look and structure`, async (context) => {
  const judgedDocuments = await convertAll(scratchFolder('pdf-to-word'))
  for (const document of judgedDocuments) context.diagnostic(describeVerdict(document.name, document))
  if (process.env['GALLERY']) {
    await mkdir(gallery, { recursive: true })
    for (const { name, files } of judgedDocuments) await drawSideBySide(files, join(gallery, `${name}.webp`))
  }
  const goodCount = judgedDocuments.filter(isGood).length
  assert.equal(judgedDocuments.length, 25)
  assert.ok(goodCount >= minGood, `only ${goodCount} are good`)
})
