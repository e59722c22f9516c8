import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type {
  ChunkResult,
  ChunkSpec,
  EngineResult,
  EngineWork,
  InputFile,
  Tools,
} from '../../../lib/engines/engine.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { before } from '../../hooks.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { hashZipEntries } from '../support/inspect-result.ts'
import { createLongBook, writeFiles } from '../support/pdf-maker.ts'

let getPath: (name: string) => string
before(async () => {
  getPath = await writeFiles({ 'long.pdf': createLongBook(300), 'short.pdf': createLongBook(6) })
})

interface StepRequest {
  readonly to?: FormatId
  readonly options?: Readonly<Record<string, unknown>>
  readonly chunk?: ChunkSpec
}

/** Creates a step in its own folder, as a worker does. */
async function createStep(
  name: string,
  { to = 'jpg', options = {}, chunk }: StepRequest,
): Promise<{ work: EngineWork; tools: Tools }> {
  const workDir = scratchFolder('pdf-share')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const path = join(workDir, 'source-1.pdf')
  await copyFile(getPath(name), path)
  const schema = pdf.capabilities.find(
    ({ operation, to: targets }) => operation === 'convert' && targets.includes(to),
  )
  const work: EngineWork = {
    operation: 'convert',
    from: 'pdf',
    to,
    outDir,
    inputs: [{ path, filename: 'book.pdf', format: 'pdf', size: 1 }],
    options: schema?.options.parse(options),
    ...defined({ chunk }),
  }
  const signal = new AbortController().signal
  return { work, tools: createTools({ workDir, signal, limits: pdf.limits }) }
}

async function split(name: string, workerCount: number, request: StepRequest = {}) {
  const { work, tools } = await createStep(name, request)
  return (await pdf.split?.(work, tools, { workers: workerCount, timeoutS: Infinity }))?.map(
    ({ spec: chunk }) => chunk,
  )
}

async function run(name: string, request: StepRequest): Promise<EngineResult> {
  const { work, tools } = await createStep(name, request)
  return pdf.run(work, tools)
}

const toInputFile = ({ files: [{ path }] }: EngineResult): InputFile => ({
  path,
  filename: 'book.zip',
  format: 'zip',
  size: 1,
})

test('a long PDF is split into chunks of pages that take about equally long', async () => {
  assert.deepEqual(await split('long.pdf', 8), [
    { first: 1, last: 75 },
    { first: 76, last: 150 },
    { first: 151, last: 225 },
    { first: 226, last: 300 },
  ])
  const selectedPages = await split('long.pdf', 4, { options: { pages: '300-101,7', dpi: 300 } })
  assert.deepEqual(selectedPages, [
    { first: 7, last: 199 },
    { first: 200, last: 300 },
  ])
})

test('a PDF is not split into chunks if that would not be faster', async () => {
  // Each worker keeps two cores busy, so three workers on one machine are no faster than one.
  assert.equal(await split('long.pdf', 3), undefined)
  assert.equal(await split('long.pdf', 8, { options: { dpi: 72 } }), undefined)
  assert.equal(await split('long.pdf', 8, { options: { pages: '1-100' } }), undefined)
  assert.equal(await split('long.pdf', 8, { to: 'txt' }), undefined)
  // AVIF takes longer per page, and SVG uses one process at a time.
  assert.equal((await split('long.pdf', 8, { to: 'avif', options: { pages: '1-100' } }))?.length, 4)
  assert.equal((await split('long.pdf', 2, { to: 'svg' }))?.length, 2)
})

for (const { to, options } of [
  { to: 'jpg', options: { dpi: 72 } },
  { to: 'png', options: { dpi: 72, pages: '6-2,3' } },
  { to: 'svg', options: {} },
] as const)
  test(`joined chunks of ${to} pages equal the result of a single run`, async () => {
    const wholeResult = await run('short.pdf', { to, options })
    const chunks = [
      { first: 1, last: 2 },
      { first: 3, last: 3 },
      { first: 4, last: 6 },
    ]
    const results: ChunkResult[] = []
    for (const chunk of chunks) {
      const result = await run('short.pdf', { to, options, chunk })
      results.push({ spec: chunk, files: [toInputFile(result)], details: result.details })
    }
    const { work, tools } = await createStep('short.pdf', { to, options })
    const joinedResult = await pdf.join?.(work, results, tools)
    assert.ok(joinedResult)
    assert.equal(joinedResult.files[0].format, 'zip')
    assert.deepEqual(joinedResult.details, wholeResult.details)
    assert.deepEqual(
      await hashZipEntries(joinedResult.files[0].path),
      await hashZipEntries(wholeResult.files[0].path),
    )
  })
