// Run by `npm run test:slow`, because OCR takes seconds per page, and each page is recognized twice.

import assert from 'node:assert/strict'
import { copyFile, mkdir, readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import type { ChunkResult, ChunkSpec, EngineResult, EngineWork, Tools } from '../../../lib/engines/engine.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readLinkTargets, readOutlineItems } from '../support/inspect-pdf.ts'
import { readStdout } from '../support/inspect-result.ts'
import { createBook, writeFiles } from '../support/pdf-maker.ts'
import { createScannedPage, createScannedPdf } from '../support/scan-maker.ts'

interface OcrStep {
  readonly to: FormatId
  readonly from?: FormatId
  readonly options?: Readonly<Record<string, unknown>>
}

interface StepLog {
  readonly warnings: string[]
  readonly commands: string[]
}

interface Step extends StepLog {
  readonly work: EngineWork
  readonly tools: Tools
}

/** Creates a step in its own folder, as a worker does. */
async function createStep(
  file: string,
  { to, from = 'pdf', options = {} }: OcrStep,
  spec?: ChunkSpec,
): Promise<Step> {
  const workDir = scratchFolder('ocr-part')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const format = file.endsWith('.pdf') ? 'pdf' : from
  const path = join(workDir, `source-1.${format}`)
  await copyFile(file, path)
  const row = pdf.capabilities.find(
    (unsplit) => unsplit.operation === 'ocr-pdf' && unsplit.from.includes(from),
  )
  const work: EngineWork = {
    operation: 'ocr-pdf',
    from,
    to,
    outDir,
    options: row?.options.parse(options),
    inputs: [{ path, filename: 'scan', format, size: (await stat(path)).size }],
    ...defined({ chunk: spec }),
  }
  const warnings: string[] = []
  const commands: string[] = []
  const tools = createTools({
    workDir,
    limits: pdf.limits,
    signal: new AbortController().signal,
    onWarning: (code) => warnings.push(code),
    onCommand: (bin) => {
      commands.push(bin)
      return { stderr: () => undefined, ended: () => undefined }
    },
  })
  return { work, tools, warnings, commands }
}

type FinishedStep = StepLog & { readonly result: EngineResult; readonly path: string }

async function runWhole(file: string, request: OcrStep): Promise<FinishedStep> {
  const { work, tools, ...log } = await createStep(file, request)
  const result = await pdf.run(work, tools)
  return { ...log, result, path: result.files[0].path }
}

/** A time limit so short that even a few small pages are split, whatever the number of cores. */
const pool = { workers: 1, timeoutS: 10 / availableParallelism() }

async function splitStep(file: string, request: OcrStep) {
  const { work, tools } = await createStep(file, request)
  return (await pdf.split?.(work, tools, pool)) ?? []
}

async function runInChunks(
  file: string,
  request: OcrStep,
): Promise<FinishedStep & { readonly chunkCount: number }> {
  const chunks = await splitStep(file, request)
  assert.ok(chunks.length > 1, `${chunks.length} parts`)
  const { work, tools, ...log } = await createStep(file, request)
  const results: ChunkResult[] = []
  for (const chunk of chunks) {
    assert.ok(chunk.file)
    // Imitates a spec that was read back from a stored record.
    const spec = JSON.parse(JSON.stringify(chunk.spec)) as ChunkSpec
    const chunkStep = await createStep(chunk.file.path, request, spec)
    const { files, details } = await pdf.run(chunkStep.work, chunkStep.tools)
    assert.deepEqual(chunkStep.warnings, [])
    const path = join(tools.workDir, `part-${results.length}.zip`)
    await copyFile(files[0].path, path)
    results.push({ spec, files: [{ path, filename: 'scan', format: 'zip', size: 1 }], details })
  }
  assert.ok(pdf.join)
  const result = await pdf.join(work, results, tools)
  return { ...log, result, path: result.files[0].path, chunkCount: chunks.length }
}

async function describePdf(path: string) {
  const info = await readStdout('pdfinfo', '-f', '1', '-l', '99', path)
  return {
    pages: info.match(/^(Title:|Author:|Page ) .*$/gm),
    text: (await readStdout('pdftotext', path, '-')).split('\f'),
    outline: await readOutlineItems(path),
    attachments: (await readStdout('qpdf', '--list-attachments', path)).replace(path, ''),
    labels: await readStdout('qpdf', '--json', '--json-key=pagelabels', path),
  }
}

const createPageLines = (number: number) => [
  'The keeper of the old lighthouse',
  `wrote the names of ${number * 37} ships`,
  `into the book on page ${number}.`,
]

async function writeScan(images: readonly Uint8Array[]): Promise<string> {
  const getPath = await writeFiles({ 'scan.pdf': await createScannedPdf(images) })
  return getPath('scan.pdf')
}

/**
 * Writes a book with outline, links and attachment, followed by scans. One page of the book has too few characters to
 * count as text.
 */
async function writeBookWithScans(): Promise<string> {
  const folder = scratchFolder('ocr-book')
  const getPath = await writeFiles({ 'book.pdf': createBook('Alpha') })
  // With less text, Tesseract cannot detect the orientation.
  const moreLines = [
    'No sailor has ever read them,',
    'because the ink was made of milk,',
    'and the light was never strong',
  ]
  const lastLines = [
    'enough to show what was put',
    'down while others were asleep.',
    'Only the gulls above the harbour',
  ]
  const upsideDownPage = await createScannedPage(
    [...createPageLines(2), ...moreLines, ...lastLines, 'know what was seen by night.'],
    {
      rotation: 180,
    },
  )
  const scan = await writeScan([
    await createScannedPage(createPageLines(1)),
    upsideDownPage,
    await createScannedPage(createPageLines(3)),
  ])
  const path = join(folder, 'mixed.pdf')
  await readStdout('qpdf', getPath('book.pdf'), '--pages', '.', '1-3', scan, '1-3', '--', path)
  return path
}

test('OCR in chunks gives the same PDF as a single run for scans in a book, with outline, links and attachments', {
  timeout: 600_000,
}, async () => {
  const book = await writeBookWithScans()
  const [unsplitRun, split] = [await runWhole(book, { to: 'pdf' }), await runInChunks(book, { to: 'pdf' })]
  const [expectedPdf, actualPdf] = [await describePdf(unsplitRun.path), await describePdf(split.path)]
  assert.deepEqual(actualPdf, expectedPdf)
  assert.deepEqual(await readLinkTargets(split.path, 1), await readLinkTargets(unsplitRun.path, 1))
  assert.deepEqual(split.result, { ...unsplitRun.result, files: split.result.files })
  assert.deepEqual(split.warnings, unsplitRun.warnings)
  // Joining neither renders pages nor runs OCR again.
  assert.equal(split.commands.filter((name) => name === 'ocrmypdf').length, 1)
  assert.match(actualPdf.text[3] ?? '', /names of 37 ships/)
  assert.match(actualPdf.text[4] ?? '', /names of 74 ships/)
  assert.match(actualPdf.pages?.join('\n') ?? '', /Title.*Alpha book[\s\S]*Page +5 rot: +180/)
  assert.equal(actualPdf.outline.length, 2)
  assert.match(actualPdf.attachments, /^notes.txt/)
})

test('OCR in chunks gives the same PDF as a single run when skewed pages are straightened', {
  timeout: 600_000,
}, async () => {
  const scan = await writeScan(
    await Promise.all([1, 2].map((number) => createScannedPage(createPageLines(number), { rotation: 3 }))),
  )
  const request = { to: 'pdf', options: { deskew: true } } as const
  const [unsplitRun, split] = [await runWhole(scan, request), await runInChunks(scan, request)]
  const actualPdf = await describePdf(split.path)
  assert.deepEqual(actualPdf, await describePdf(unsplitRun.path))
  assert.match(actualPdf.labels, /"\/S": "\/r"/)
  for (const page of ['1', '2']) {
    const renderPixels = async ({ path }: FinishedStep) => {
      const target = join(scratchFolder('crooked'), 'page')
      await readStdout('pdftoppm', '-r', '50', '-f', page, '-l', page, '-singlefile', '-png', path, target)
      return sharp(`${target}.png`).raw().toBuffer()
    }
    assert.deepEqual(await renderPixels(split), await renderPixels(unsplitRun))
  }
})

test('OCR in chunks gives the same text as a single run for an Arabic scan', {
  timeout: 600_000,
}, async () => {
  const options = { font: 'Noto Naskh Arabic' }
  const lines = ['الفنار القديم', 'يقف الفنار القديم على الصخور', 'في عام 1902 وصلت 311 سفينة']
  const page = await createScannedPage(lines, options)
  const scan = await writeScan([page, page])
  const request = { to: 'txt', options: { language: 'ara' } } as const
  const [unsplitRun, split] = [await runWhole(scan, request), await runInChunks(scan, request)]
  const text = await readFile(split.path, 'utf8')
  assert.equal(text, await readFile(unsplitRun.path, 'utf8'))
  assert.match(text, /عام 1902 وصلت\s+311 سفينة/)
  assert.equal(text.split('\f').length, 3)
})

test('OCR in chunks gives the same Word content as a single run for a multi-page TIFF', {
  timeout: 600_000,
}, async () => {
  const pages = await Promise.all([1, 2].map((number) => createScannedPage(createPageLines(number))))
  const path = join(scratchFolder('ocr-tiff'), 'pages.tiff')
  await sharp(pages, { join: { animated: true } })
    .tiff()
    .toFile(path)
  const request = { from: 'tiff', to: 'docx' } as const
  const [unsplitRun, split] = [await runWhole(path, request), await runInChunks(path, request)]
  const readWords = (file: string) => readStdout('pandoc', '--from=docx', '--to=html', '--wrap=none', file)
  assert.equal(await readWords(split.path), await readWords(unsplitRun.path))
  assert.match(await readWords(split.path), /names of 74 ships/)
  assert.deepEqual(split.result.details, { pages: 2, pagesRecognized: 2 })
})

test('an encrypted scan is split with its password, and its OCR chunks are not encrypted', {
  timeout: 600_000,
}, async () => {
  const scan = await writeScan(
    await Promise.all([1, 2].map((number) => createScannedPage(createPageLines(number)))),
  )
  const lockedPath = join(scratchFolder('ocr-locked'), 'locked.pdf')
  await readStdout('qpdf', '--encrypt', 'secret', 'owner', '256', '--', scan, lockedPath)
  const request = { to: 'txt', options: { password: 'secret' } } as const
  const [unsplitRun, split] = [await runWhole(lockedPath, request), await runInChunks(lockedPath, request)]
  assert.deepEqual(split.warnings, ['ENCRYPTION_REMOVED'])
  assert.deepEqual(unsplitRun.warnings, split.warnings)
  assert.equal(await readFile(split.path, 'utf8'), await readFile(unsplitRun.path, 'utf8'))
  await assert.rejects(splitStep(lockedPath, { to: 'txt' }), { code: 'PDF_ENCRYPTED' })
})
