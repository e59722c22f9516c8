import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Chunk, WorkerPool } from '../../lib/engines/engine.ts'
import { planOcrChunks } from '../../lib/engines/pdf/ocr/chunks.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { output, pdfPages } from './judge.ts'
import { longBook, type Objects, pdfOf, shelf } from './pdf-maker.ts'

const a4 = { width: 595, height: 842 }
const count = (pages: number) => Array.from({ length: pages }, (_, index) => index + 1)
const scans = (pages: number, language = 'eng') => ({
  sizes: count(pages).map(() => a4),
  pages: count(pages),
  language,
})
const sizes = (runs: readonly (readonly number[])[] | undefined) => runs?.map(({ length }) => length)

test('pages to be read are shared out among workers that are free, each as many', () => {
  const runs = planOcrChunks(scans(200), { workers: 100, timeoutS: 840 }, 2)
  assert.deepEqual(runs?.flat(), count(200))
  assert.equal(runs?.length, 61)
  for (const size of sizes(runs) ?? []) assert.ok(size === 3 || size === 4, `${size} pages`)
  assert.deepEqual(sizes(planOcrChunks(scans(200), { workers: 8, timeoutS: 840 }, 2)), Array(8).fill(25))
})

test('pages are shared out where one worker would not end in time, however few there are', () => {
  const crew = { workers: 1, timeoutS: 840 }
  assert.equal(planOcrChunks(scans(150), crew, 2), undefined)
  assert.deepEqual(sizes(planOcrChunks(scans(240), crew, 2)), Array(8).fill(30))
  // Each language is asked for the words that the one before was not sure of.
  assert.equal(planOcrChunks(scans(150, 'eng+deu+fra'), crew, 2)?.length, 11)
  assert.equal(planOcrChunks(scans(240), { workers: 2, timeoutS: Infinity }, 2), undefined)
})

test('a short scan is read by one worker', () => {
  assert.equal(planOcrChunks(scans(8), { workers: 100, timeoutS: 840 }, 2), undefined)
  assert.deepEqual(sizes(planOcrChunks(scans(9), { workers: 100, timeoutS: 840 }, 2)), [5, 4])
  assert.equal(planOcrChunks({ ...scans(9), pages: [] }, { workers: 100, timeoutS: 840 }, 2), undefined)
})

test('a large page counts for more than a small one', () => {
  const poster = { width: 2384, height: 3370 }
  const some = { sizes: [poster, ...count(20).map(() => a4)], pages: count(21), language: 'eng' }
  assert.deepEqual(sizes(planOcrChunks(some, { workers: 3, timeoutS: 840 }, 2)), [2, 10, 9])
})

/** Blank paper between pages of text, and what else is in the catalog. */
function paperIn(catalog: string, more: Objects = {}): Buffer {
  const page = '<< /Type /Page /Parent 2 0 R >>'
  return pdfOf({
    1: `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    2: '<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /MediaBox [0 0 300 200] >>',
    ...{ 3: page, 4: page, 5: page },
    ...more,
  })
}

const hurried: WorkerPool = { workers: 1, timeoutS: 0.1 }

async function split(source: string, crew: WorkerPool): Promise<readonly Chunk[] | undefined> {
  const workDir = scratchFolder('ocr-split')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const path = join(workDir, 'source-1.pdf')
  await copyFile(source, path)
  const tools = createTools({ workDir, signal: new AbortController().signal, limits: pdf.limits })
  const inputs = [{ path, filename: 'scan.pdf', format: 'pdf', size: 1 }] as const
  const options = { language: 'eng', deskew: false }
  return pdf.split?.({ operation: 'ocr-pdf', from: 'pdf', to: 'pdf', inputs, options, outDir }, tools, crew)
}

test('each share has a PDF of those of its pages that hold no text', async () => {
  const shelved = await shelf({ 'text.pdf': longBook(2), 'paper.pdf': paperIn('') })
  const mixed = join(scratchFolder('ocr-mixed'), 'mixed.pdf')
  const pages = [shelved('text.pdf'), '1', shelved('paper.pdf'), '1-2', shelved('text.pdf'), '2']
  await output('qpdf', '--empty', '--pages', ...pages, shelved('paper.pdf'), '3', '--', mixed)
  const portions = (await split(mixed, hurried)) ?? []
  assert.deepEqual(
    portions.map(({ spec: share }) => share['numbers']),
    [[2], [3], [5]],
  )
  for (const { file } of portions) {
    assert.equal(file?.format, 'pdf')
    assert.equal(await pdfPages(file?.path ?? ''), 1)
  }
  assert.equal(await split(mixed, { workers: 1, timeoutS: Infinity }), undefined)
})

test('a scan stays whole that is signed, has layers, or has text on every page', async () => {
  const shelved = await shelf({
    'layers.pdf': paperIn('/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>', {
      6: '<< /Type /OCG /Name (notes) >>',
    }),
    'signed.pdf': paperIn('/AcroForm << /SigFlags 3 /Fields [6 0 R] >>', {
      6: '<< /FT /Sig /T (signed) /V << /Type /Sig /ByteRange [0 1 2 3] >> >>',
    }),
    'text.pdf': longBook(2),
    'paper.pdf': paperIn(''),
  })
  for (const name of ['layers.pdf', 'signed.pdf', 'text.pdf'])
    assert.equal(await split(shelved(name), hurried), undefined, name)
  assert.equal((await split(shelved('paper.pdf'), hurried))?.length, 3)
})
