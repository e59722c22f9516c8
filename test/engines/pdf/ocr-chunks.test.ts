import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Chunk, WorkerPool } from '../../../lib/engines/engine.ts'
import { planOcrChunks } from '../../../lib/engines/pdf/ocr/chunks.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { countPdfPages, readStdout } from '../support/inspect-result.ts'
import { createLongBook, createPdf, type PdfFileObjects, writeFiles } from '../support/pdf-maker.ts'

const a4 = { width: 595, height: 842 }
const listPageNumbers = (pages: number) => Array.from({ length: pages }, (_, index) => index + 1)
const createScans = (pages: number, language = 'eng') => ({
  sizes: listPageNumbers(pages).map(() => a4),
  pages: listPageNumbers(pages),
  language,
})
const listChunkSizes = (runs: readonly (readonly number[])[] | undefined) => runs?.map(({ length }) => length)

test('OCR is split evenly among idle workers', () => {
  const runs = planOcrChunks(createScans(200), { workers: 100, timeoutS: 840 }, 2)
  assert.deepEqual(runs?.flat(), listPageNumbers(200))
  assert.equal(runs?.length, 61)
  for (const size of listChunkSizes(runs) ?? []) assert.ok(size === 3 || size === 4, `${size} pages`)
  assert.deepEqual(
    listChunkSizes(planOcrChunks(createScans(200), { workers: 8, timeoutS: 840 }, 2)),
    Array(8).fill(25),
  )
})

test('OCR is split when one worker would exceed the time limit, even without idle workers', () => {
  const pool = { workers: 1, timeoutS: 840 }
  assert.equal(planOcrChunks(createScans(150), pool, 2), undefined)
  assert.deepEqual(listChunkSizes(planOcrChunks(createScans(240), pool, 2)), Array(8).fill(30))
  // Each additional language is tried for words that the previous one was unsure of.
  assert.equal(planOcrChunks(createScans(150, 'eng+deu+fra'), pool, 2)?.length, 11)
  assert.equal(planOcrChunks(createScans(240), { workers: 2, timeoutS: Infinity }, 2), undefined)
})

test('OCR of a short scan is not split', () => {
  assert.equal(planOcrChunks(createScans(8), { workers: 100, timeoutS: 840 }, 2), undefined)
  assert.deepEqual(listChunkSizes(planOcrChunks(createScans(9), { workers: 100, timeoutS: 840 }, 2)), [5, 4])
  assert.equal(planOcrChunks({ ...createScans(9), pages: [] }, { workers: 100, timeoutS: 840 }, 2), undefined)
})

test('an OCR chunk with a large page contains fewer pages', () => {
  const posterSize = { width: 2384, height: 3370 }
  const input = {
    sizes: [posterSize, ...listPageNumbers(20).map(() => a4)],
    pages: listPageNumbers(21),
    language: 'eng',
  }
  assert.deepEqual(listChunkSizes(planOcrChunks(input, { workers: 3, timeoutS: 840 }, 2)), [2, 10, 9])
})

/** Creates a PDF of three blank pages, with these additional catalog entries and objects. */
function createBlankPdf(catalog: string, moreObjects: PdfFileObjects = {}): Buffer {
  const page = '<< /Type /Page /Parent 2 0 R >>'
  return createPdf({
    1: `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    2: '<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /MediaBox [0 0 300 200] >>',
    3: page,
    4: page,
    5: page,
    ...moreObjects,
  })
}

const shortTimeout: WorkerPool = { workers: 1, timeoutS: 0.1 }

async function split(source: string, pool: WorkerPool): Promise<readonly Chunk[] | undefined> {
  const workDir = scratchFolder('ocr-split')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const path = join(workDir, 'source-1.pdf')
  await copyFile(source, path)
  const tools = createTools({ workDir, signal: new AbortController().signal, limits: pdf.limits })
  const inputs = [{ path, filename: 'scan.pdf', format: 'pdf', size: 1 }] as const
  const options = { language: 'eng', deskew: false }
  return pdf.split?.({ operation: 'ocr-pdf', from: 'pdf', to: 'pdf', inputs, options, outDir }, tools, pool)
}

test('each OCR chunk contains only the PDF pages without text', async () => {
  const getPath = await writeFiles({ 'text.pdf': createLongBook(2), 'paper.pdf': createBlankPdf('') })
  const mixedPdf = join(scratchFolder('ocr-mixed'), 'mixed.pdf')
  const pages = [getPath('text.pdf'), '1', getPath('paper.pdf'), '1-2', getPath('text.pdf'), '2']
  await readStdout('qpdf', '--empty', '--pages', ...pages, getPath('paper.pdf'), '3', '--', mixedPdf)
  const chunks = (await split(mixedPdf, shortTimeout)) ?? []
  assert.deepEqual(
    chunks.map(({ spec }) => spec['numbers']),
    [[2], [3], [5]],
  )
  for (const { file } of chunks) {
    assert.equal(file?.format, 'pdf')
    assert.equal(await countPdfPages(file?.path ?? ''), 1)
  }
  assert.equal(await split(mixedPdf, { workers: 1, timeoutS: Infinity }), undefined)
})

test('OCR is not split for a PDF with layers or with text on every page, and OCR of a signed PDF is refused', async () => {
  const getPath = await writeFiles({
    'layers.pdf': createBlankPdf('/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>', {
      6: '<< /Type /OCG /Name (notes) >>',
    }),
    'signed.pdf': createBlankPdf('/AcroForm << /SigFlags 3 /Fields [6 0 R] >>', {
      6: '<< /FT /Sig /T (signed) /V << /Type /Sig /ByteRange [0 1 2 3] >> >>',
    }),
    'text.pdf': createLongBook(2),
    'paper.pdf': createBlankPdf(''),
  })
  for (const name of ['layers.pdf', 'text.pdf'])
    assert.equal(await split(getPath(name), shortTimeout), undefined, name)
  await assert.rejects(split(getPath('signed.pdf'), shortTimeout), { code: 'UNSUPPORTED_CONVERSION' })
  assert.equal((await split(getPath('paper.pdf'), shortTimeout))?.length, 3)
})
