import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { recognize, recognizeChunk } from '../../lib/engines/pdf/ocr/recognize.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { shelf } from './pdf-maker.ts'
import { scannedPage, scanOf } from './scan-maker.ts'

/** Three pages in the folder of a step, which notes what it is told. */
async function scanned(pictures: readonly Uint8Array[]) {
  const workDir = scratchFolder('ocr-unread')
  const path = join(workDir, 'source.pdf')
  const shelved = await shelf({ 'scan.pdf': await scanOf(pictures) })
  await copyFile(shelved('scan.pdf'), path)
  const told: string[] = []
  const onWarning = (code: string, message: string) => told.push(`${code} ${message}`)
  const signal = new AbortController().signal
  const tools = createTools({ workDir, limits: pdf.limits, signal, onWarning })
  const manner = { path, language: 'eng', deskew: false, onPage: () => undefined }
  return { manner, tools, workDir, told }
}

const says = (page: number) => [
  `The keeper wrote page ${page}`,
  'of his book by the light',
  'of the old tower.',
]

test('pages that would take too long to be read come without text, and a warning names them', async () => {
  const page = await scannedPage(says(1))
  const { manner, tools, workDir, told } = await scanned([page, page, page])
  const pageTakesS = 0.01
  const { read } = await recognize({ ...manner, pages: [1, 3], pageTimeoutS: pageTakesS }, tools)
  assert.deepEqual(read, [], 'what was given up was not read')
  const numbers = [7, 8, 20]
  const path = join(workDir, 'kept.zip')
  const kept = await recognizeChunk(
    { ...manner, pages: [1, 2, 3], pageTimeoutS: pageTakesS },
    { documentPages: numbers, path },
    tools,
  )
  assert.deepEqual(kept, [])
  const reason =
    'TEXT_MAY_BE_MISSING The text of these pages was not read, as reading one took longer than 0.01 seconds:'
  const wayOut = 'Send them in a lower resolution.'
  assert.deepEqual(told, [`${reason} 1,3. ${wayOut}`, `${reason} 7-8,20. ${wayOut}`])
})

/** A4 at 1200 dpi and more. */
function plan() {
  const sides = { width: 12_400, height: 12_400, channels: 3, background: 'white' } as const
  return sharp({ create: sides }).toColourspace('b-w').jpeg().toBuffer()
}

test('a page whose picture is too large to be read is named, and none where all was read', async () => {
  const { manner, tools, told } = await scanned([await scannedPage(says(1)), await plan()])
  await recognize({ ...manner, pages: [1] }, tools)
  assert.deepEqual(told, [])
  await recognize({ ...manner, pages: [2] }, tools)
  assert.match(told.join(), /^TEXT_MAY_BE_MISSING .* their pictures are too large: 2\./)
})

test('a page that was given up does not count as recognized, in one run, in parts, and on the way to Word', async () => {
  const { manner, tools, workDir } = await scanned([await scannedPage(says(1)), await plan()])
  const input = { path: manner.path, filename: 'scan.pdf', format: 'pdf', size: 1 } as const
  const work = { operation: 'ocr-pdf', inputs: [input], from: 'pdf', to: 'pdf', outDir: workDir } as const
  const { details } = await pdf.run({ ...work, options: {} }, tools)
  assert.deepEqual(details, { pages: 2, pagesRecognized: 1 })
  const share = { numbers: [1, 2], how: { language: 'eng', deskew: false } }
  const part = await pdf.run({ ...work, options: {}, chunk: share }, tools)
  const files = [{ ...input, path: part.files[0].path, format: 'zip' as const }]
  const joined = await pdf.join?.(
    { ...work, options: {} },
    [{ spec: share, files, details: part.details }],
    tools,
  )
  assert.deepEqual(joined?.details, { pages: 2, pagesRecognized: 1 })
  const toWord = { ...work, operation: 'convert', to: 'docx', options: {} } as const
  const word = await pdf.run(toWord, tools)
  assert.deepEqual(word.details, { pages: 2, pagesRecognized: 1 })
})
