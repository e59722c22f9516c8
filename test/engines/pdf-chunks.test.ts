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
} from '../../lib/engines/engine.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { before } from '../hooks.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { zipHashes } from './judge.ts'
import { longBook, shelf } from './pdf-maker.ts'

let shelved: (name: string) => string
before(async () => {
  shelved = await shelf({ 'long.pdf': longBook(300), 'short.pdf': longBook(6) })
})

interface Wanted {
  readonly to?: FormatId
  readonly options?: Readonly<Record<string, unknown>>
  readonly share?: ChunkSpec
}

/** A step in a folder of its own, as a worker has it. */
async function step(
  name: string,
  { to = 'jpg', options = {}, share }: Wanted,
): Promise<{ work: EngineWork; tools: Tools }> {
  const workDir = scratchFolder('pdf-share')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const path = join(workDir, 'source-1.pdf')
  await copyFile(shelved(name), path)
  const schema = pdf.capabilities.find(
    ({ operation, to: targets }) => operation === 'convert' && targets.includes(to),
  )
  const work: EngineWork = {
    ...{ operation: 'convert', from: 'pdf', to, outDir },
    inputs: [{ path, filename: 'book.pdf', format: 'pdf', size: 1 }],
    options: schema?.options.parse(options),
    ...(share && { chunk: share }),
  }
  const signal = new AbortController().signal
  return { work, tools: createTools({ workDir, signal, limits: pdf.limits }) }
}

async function split(name: string, workers: number, wanted: Wanted = {}) {
  const { work, tools } = await step(name, wanted)
  return (await pdf.split?.(work, tools, { workers, timeoutS: Infinity }))?.map(({ spec: share }) => share)
}

async function run(name: string, wanted: Wanted): Promise<EngineResult> {
  const { work, tools } = await step(name, wanted)
  return pdf.run(work, tools)
}

const fileOf = ({ files: [{ path }] }: EngineResult): InputFile => ({
  ...{ path, filename: 'book.zip', format: 'zip', size: 1 },
})

test('the pages of a long PDF are shared out in runs that take about as long as each other', async () => {
  assert.deepEqual(await split('long.pdf', 8), [
    { first: 1, last: 75 },
    { first: 76, last: 150 },
    { first: 151, last: 225 },
    { first: 226, last: 300 },
  ])
  const chosen = await split('long.pdf', 4, { options: { pages: '300-101,7', dpi: 300 } })
  assert.deepEqual(chosen, [
    { first: 7, last: 199 },
    { first: 200, last: 300 },
  ])
})

test('pages are not shared out where that would not be faster', async () => {
  // Two programs draw already: they keep the processors of two workers busy.
  assert.equal(await split('long.pdf', 3), undefined)
  assert.equal(await split('long.pdf', 8, { options: { dpi: 72 } }), undefined)
  assert.equal(await split('long.pdf', 8, { options: { pages: '1-100' } }), undefined)
  assert.equal(await split('long.pdf', 8, { to: 'txt' }), undefined)
  // The same pages take longer as AVIF, and shapes are drawn by one program at a time.
  assert.equal((await split('long.pdf', 8, { to: 'avif', options: { pages: '1-100' } }))?.length, 4)
  assert.equal((await split('long.pdf', 2, { to: 'svg' }))?.length, 2)
})

for (const { to, options } of [
  { to: 'jpg', options: { dpi: 72 } },
  { to: 'png', options: { dpi: 72, pages: '6-2,3' } },
  { to: 'svg', options: {} },
] as const)
  test(`shares of pages come together as ${to} as if all had been drawn at once`, async () => {
    const whole = await run('short.pdf', { to, options })
    const shares = [
      { first: 1, last: 2 },
      { first: 3, last: 3 },
      { first: 4, last: 6 },
    ]
    const results: ChunkResult[] = []
    for (const share of shares) {
      const result = await run('short.pdf', { to, options, share })
      results.push({ spec: share, files: [fileOf(result)], details: result.details })
    }
    const { work, tools } = await step('short.pdf', { to, options })
    const joined = await pdf.join?.(work, results, tools)
    assert.ok(joined)
    assert.equal(joined.files[0].format, 'zip')
    assert.deepEqual(joined.details, whole.details)
    assert.deepEqual(await zipHashes(joined.files[0].path), await zipHashes(whole.files[0].path))
  })
