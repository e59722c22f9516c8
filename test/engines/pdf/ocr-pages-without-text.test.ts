import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { recognizeChunk, recognizeText } from '../../../lib/engines/pdf/ocr/recognize.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { writeFiles } from '../support/pdf-maker.ts'
import { createScannedPage, createScannedPdf } from '../support/scan-maker.ts'

/** Creates a step whose work folder contains a scan. Returns it with the list that receives its warnings. */
async function createScanStep(images: readonly Uint8Array[]) {
  const workDir = scratchFolder('ocr-without-text')
  const path = join(workDir, 'source.pdf')
  const getPath = await writeFiles({ 'scan.pdf': await createScannedPdf(images) })
  await copyFile(getPath('scan.pdf'), path)
  const messages: string[] = []
  const onWarning = (code: string, message: string) => messages.push(`${code} ${message}`)
  const signal = new AbortController().signal
  const tools = createTools({ workDir, limits: pdf.limits, signal, onWarning })
  const request = { path, language: 'eng', deskew: false, onPage: () => undefined }
  return { request, tools, workDir, messages }
}

const textOfPage = (page: number) => [
  `The keeper wrote page ${page}`,
  'of the book by the light',
  'of the old tower.',
]

test('scanned pages that take too long for OCR are left without text, and a warning lists them', async () => {
  const page = await createScannedPage(textOfPage(1))
  const { request, tools, workDir, messages } = await createScanStep([page, page, page])
  const pageTimeoutS = 0.01
  const { recognizedPageNumbers } = await recognizeText({ ...request, pages: [1, 3], pageTimeoutS }, tools)
  assert.deepEqual(recognizedPageNumbers, [], 'pages that timed out must not count as read')
  const documentPages = [7, 8, 20]
  const path = join(workDir, 'kept.zip')
  const chunkPageNumbers = await recognizeChunk(
    { ...request, pages: [1, 2, 3], pageTimeoutS },
    { documentPages, path },
    tools,
  )
  assert.deepEqual(chunkPageNumbers, [])
  const reason =
    'TEXT_MAY_BE_MISSING The text of these pages was not read because each took longer than 0.01 seconds:'
  const hint = 'Send them at a lower resolution.'
  assert.deepEqual(messages, [`${reason} 1,3. ${hint}`, `${reason} 7-8,20. ${hint}`])
})

/** Creates an image with more pixels than A4 at 1200 dpi. */
function createHugeImage() {
  const sides = { width: 12_400, height: 12_400, channels: 3, background: 'white' } as const
  return sharp({ create: sides }).toColourspace('b-w').jpeg().toBuffer()
}

test('a warning lists pages whose image is too large for OCR', async () => {
  const { request, tools, messages } = await createScanStep([
    await createScannedPage(textOfPage(1)),
    await createHugeImage(),
  ])
  await recognizeText({ ...request, pages: [1] }, tools)
  assert.deepEqual(messages, [])
  await recognizeText({ ...request, pages: [2] }, tools)
  assert.match(messages.join(), /^TEXT_MAY_BE_MISSING .* their images are too large: 2\./)
})

test('a page that OCR skipped does not count as recognized', async () => {
  const { request, tools, workDir } = await createScanStep([
    await createScannedPage(textOfPage(1)),
    await createHugeImage(),
  ])
  const input = { path: request.path, filename: 'scan.pdf', format: 'pdf', size: 1 } as const
  const work = { operation: 'ocr-pdf', inputs: [input], from: 'pdf', to: 'pdf', outDir: workDir } as const
  const { details } = await pdf.run({ ...work, options: {} }, tools)
  assert.deepEqual(details, { pages: 2, pagesRecognized: 1 })
  const chunk = { numbers: [1, 2], how: { language: 'eng', deskew: false } }
  const chunkResult = await pdf.run({ ...work, options: {}, chunk }, tools)
  const files = [{ ...input, path: chunkResult.files[0].path, format: 'zip' as const }]
  const joinedResult = await pdf.join?.(
    { ...work, options: {} },
    [{ spec: chunk, files, details: chunkResult.details }],
    tools,
  )
  assert.deepEqual(joinedResult?.details, { pages: 2, pagesRecognized: 1 })
  const wordWork = { ...work, operation: 'convert', to: 'docx', options: {} } as const
  const word = await pdf.run(wordWork, tools)
  assert.deepEqual(word.details, { pages: 2, pagesRecognized: 1 })
})
