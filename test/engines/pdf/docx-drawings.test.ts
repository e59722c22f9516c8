import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type DrawingRequest, renderDrawings } from '../../../lib/engines/pdf/docx/drawings.ts'
import type { PageContent, Word } from '../../../lib/engines/pdf/docx/page-content.ts'
import { addDrawings, findDecoration } from '../../../lib/engines/pdf/docx/page-decoration.ts'
import { readStructure } from '../../../lib/engines/pdf/docx/structure.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'

const stream = (content: string, dict = '<< >>') => ({ dict, data: Buffer.from(content) })
const pageSize = 3000
const square = '0 0 1 rg 0 0 50 50 re f'
/** Number of nested forms, each of which draws the next form twice. */
const depth = 26
const firstForm = 20

const getPath = await writeFiles({
  'tall.pdf': createPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: `<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 ${pageSize} ${pageSize}] >>`,
    3: '<< /Type /Page /Parent 2 0 R >>',
  }),
  'endless.pdf': createPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R 5 0 R] /Count 2 /MediaBox [0 0 400 500] >>',
    3: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>',
    4: stream(square),
    5: `<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Resources << /XObject << /Next ${firstForm} 0 R >> >> >>`,
    6: stream('/Next Do'),
    ...Object.fromEntries(
      Array.from({ length: depth }, (_, at) => [
        firstForm + at,
        stream(
          `${square} /Next Do /Next Do`,
          `<< /Type /XObject /Subtype /Form /BBox [0 0 400 500] /Resources << /XObject << /Next ${firstForm + at + 1} 0 R >> >> >>`,
        ),
      ]),
    ),
    [firstForm + depth]: stream(square, '<< /Type /XObject /Subtype /Form /BBox [0 0 400 500] >>'),
  }),
  'turned.pdf': createPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 400 500] >>',
    3: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    4: stream('BT /F1 20 Tf 0 1 -1 0 100 100 Tm (Turned) Tj 0.7 0.7 -0.7 0.7 200 100 Tm (Slanted) Tj ET'),
    5: '<< /Type /Font /Subtype /Type1 /BaseFont /Tall /FontDescriptor 6 0 R >>',
    6: '<< /Type /FontDescriptor /FontName /Tall /Flags 32 /FontBBox [0 -700 1000 1300] /ItalicAngle 0 /Ascent 1300 /Descent -700 /CapHeight 700 /StemV 80 >>',
  }),
})

/** Returns the tools of a step, and the path of a file in its folder. */
async function createStep(name: string, timeoutS: number) {
  const workDir = scratchFolder('drawings')
  const path = join(workDir, name)
  await copyFile(getPath(name), path)
  const limits = { memoryMb: 3008, diskMb: 256, timeoutS }
  return { path, tools: createTools({ workDir, signal: new AbortController().signal, limits }) }
}

const createPage = (content: Partial<PageContent>): PageContent => ({
  number: 1,
  width: 400,
  height: 500,
  textSegments: [],
  images: [],
  vectors: [],
  rotatedText: [],
  undecodedWords: [],
  ...content,
})

describe('PDF drawings to Word', () => {
  test('hundreds of large blank drawings of a PDF page are rendered without failures', async () => {
    const requests = Array.from(
      { length: 300 },
      (): DrawingRequest => ({ page: 1, box: [0, 0, pageSize, pageSize] }),
    )
    const { path, tools } = await createStep('tall.pdf', 120)
    const { images, failedRequests } = await renderDrawings(path, requests, [], tools)
    assert.deepEqual([images.size, failedRequests.size], [0, 0])
  })

  test('PDF drawings rendered before the time limit are kept, and the remaining drawings are reported as failed', async () => {
    const requests: DrawingRequest[] = [
      { page: 1, box: [0, 0, 400, 500] },
      { page: 2, box: [0, 0, 400, 500] },
    ]
    const pages = [createPage({}), createPage({ number: 2 })]
    const { path, tools } = await createStep('endless.pdf', 8)
    const { images, failedRequests } = await renderDrawings(path, requests, pages, tools)
    assert.deepEqual([[...images.keys()], [...failedRequests]], [[requests[0]], [requests[1]]])
  })

  test('background images of a PDF page stay behind the text if the page background cannot be rendered', () => {
    const box = [0, 0, 400, 500] as const
    const pageWithDecoration = findDecoration(
      createPage({ images: [{ box, path: '/image-1.png' }, { box }] }),
    )
    const noImages = { images: new Map(), failedRequests: new Set(pageWithDecoration.requests) }
    assert.deepEqual(addDrawings(pageWithDecoration, noImages).floatingImages, [
      { path: '/image-1.png', box },
    ])
    assert.deepEqual(
      addDrawings(pageWithDecoration, { ...noImages, failedRequests: new Set() }).floatingImages,
      [],
    )
  })

  test('slanted PDF text counts as a stamp, but text that is turned by 90 degrees does not', async () => {
    const { path, tools } = await createStep('turned.pdf', 60)
    const { pages } = await readStructure(path, [1], tools, () => undefined)
    const [page = assert.fail()] = pages
    const joinWords = (words: readonly Word[]) => words.map(({ text }) => text).join(' ')
    const { content, requests } = findDecoration(page)
    assert.deepEqual(content.rotatedText.map(joinWords), ['Turned'])
    assert.deepEqual(
      requests.map(({ words = [] }) => joinWords(words)),
      ['Slanted'],
    )
  })
})
