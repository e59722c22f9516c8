// Run by `npm run test:slow`: a page takes seconds to be read, and each is read twice.
import assert from 'node:assert/strict'
import { copyFile, mkdir, readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import type { ChunkResult, ChunkSpec, EngineResult, EngineWork, Tools } from '../../lib/engines/engine.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { linksOf, outlineOf } from './inspect-pdf.ts'
import { output } from './judge.ts'
import { bookOf, shelf } from './pdf-maker.ts'
import { scannedPage, scanOf } from './scan-maker.ts'

interface Asked {
  readonly to: FormatId
  readonly from?: FormatId
  readonly options?: Readonly<Record<string, unknown>>
}

interface Told {
  readonly warnings: string[]
  readonly commands: string[]
}

interface Step extends Told {
  readonly work: EngineWork
  readonly tools: Tools
}

/** A step in a folder of its own, as a worker has it. */
async function step(
  file: string,
  { to, from = 'pdf', options = {} }: Asked,
  share?: ChunkSpec,
): Promise<Step> {
  const workDir = scratchFolder('ocr-part')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const format = file.endsWith('.pdf') ? 'pdf' : from
  const path = join(workDir, `source-1.${format}`)
  await copyFile(file, path)
  const row = pdf.capabilities.find((one) => one.operation === 'ocr-pdf' && one.from.includes(from))
  const work: EngineWork = {
    ...{ operation: 'ocr-pdf', from, to, outDir, options: row?.options.parse(options) },
    inputs: [{ path, filename: 'scan', format, size: (await stat(path)).size }],
    ...(share && { chunk: share }),
  }
  const warnings: string[] = []
  const commands: string[] = []
  const tools = createTools({
    ...{ workDir, limits: pdf.limits, signal: new AbortController().signal },
    onWarning: (code) => warnings.push(code),
    onCommand: (bin) => {
      commands.push(bin)
      return { stderr: () => undefined, ended: () => undefined }
    },
  })
  return { work, tools, warnings, commands }
}

type Done = Told & { readonly result: EngineResult; readonly path: string }

async function whole(file: string, asked: Asked): Promise<Done> {
  const { work, tools, ...told } = await step(file, asked)
  const result = await pdf.run(work, tools)
  return { ...told, result, path: result.files[0].path }
}

/** So little time that a few small pages do not end in half of it, on however many processors. */
const crew = { workers: 1, timeoutS: 10 / availableParallelism() }

async function portionsOf(file: string, asked: Asked) {
  const { work, tools } = await step(file, asked)
  return (await pdf.split?.(work, tools, crew)) ?? []
}

async function inParts(file: string, asked: Asked): Promise<Done & { readonly parts: number }> {
  const portions = await portionsOf(file, asked)
  assert.ok(portions.length > 1, `${portions.length} parts`)
  const { work, tools, ...told } = await step(file, asked)
  const results: ChunkResult[] = []
  for (const portion of portions) {
    assert.ok(portion.file)
    // As it comes back from a record.
    const share = JSON.parse(JSON.stringify(portion.spec)) as ChunkSpec
    const part = await step(portion.file.path, asked, share)
    const { files, details } = await pdf.run(part.work, part.tools)
    assert.deepEqual(part.warnings, [])
    const path = join(tools.workDir, `part-${results.length}.zip`)
    await copyFile(files[0].path, path)
    results.push({ spec: share, files: [{ path, filename: 'scan', format: 'zip', size: 1 }], details })
  }
  assert.ok(pdf.join)
  const result = await pdf.join(work, results, tools)
  return { ...told, result, path: result.files[0].path, parts: portions.length }
}

async function facts(path: string) {
  const about = await output('pdfinfo', '-f', '1', '-l', '99', path)
  return {
    pages: about.match(/^(Title:|Author:|Page ) .*$/gm),
    text: (await output('pdftotext', path, '-')).split('\f'),
    outline: await outlineOf(path),
    attachments: (await output('qpdf', '--list-attachments', path)).replace(path, ''),
    labels: await output('qpdf', '--json', '--json-key=pagelabels', path),
  }
}

const says = (number: number) => [
  'The keeper of the old lighthouse',
  `wrote the names of ${number * 37} ships`,
  `into his book on page ${number}.`,
]

async function scanFile(pictures: readonly Uint8Array[]): Promise<string> {
  const shelved = await shelf({ 'scan.pdf': await scanOf(pictures) })
  return shelved('scan.pdf')
}

/** A book with all that hangs on its pages, one of which has too few letters to count as text, and scans behind it. */
async function bookWithScans(): Promise<string> {
  const folder = scratchFolder('ocr-book')
  const shelved = await shelf({ 'book.pdf': bookOf('Alpha') })
  // Fewer letters do not tell which way they stand.
  const more = [
    'Nobody else has ever read them,',
    'because the ink was made of milk,',
    'and the light was never strong',
  ]
  const most = [
    'enough to show what he had put',
    'down while others were asleep.',
    'Only the gulls above the harbour',
  ]
  const turned = await scannedPage([...says(2), ...more, ...most, 'know what he has seen by night.'], {
    turned: 180,
  })
  const scan = await scanFile([await scannedPage(says(1)), turned, await scannedPage(says(3))])
  const path = join(folder, 'mixed.pdf')
  await output('qpdf', shelved('book.pdf'), '--pages', '.', '1-3', scan, '1-3', '--', path)
  return path
}

test('scans in a book are read in parts as in one run, and all that hangs on its pages stays', {
  timeout: 600_000,
}, async () => {
  const book = await bookWithScans()
  const [one, many] = [await whole(book, { to: 'pdf' }), await inParts(book, { to: 'pdf' })]
  const [expected, got] = [await facts(one.path), await facts(many.path)]
  assert.deepEqual(got, expected)
  assert.deepEqual(await linksOf(many.path, 1), await linksOf(one.path, 1))
  assert.deepEqual(many.result, { ...one.result, files: many.result.files })
  assert.deepEqual(many.warnings, one.warnings)
  // Nothing is drawn and read once more where parts are joined.
  assert.equal(many.commands.filter((name) => name === 'ocrmypdf').length, 1)
  assert.match(got.text[3] ?? '', /names of 37 ships/)
  assert.match(got.text[4] ?? '', /names of 74 ships/)
  assert.match(got.pages?.join('\n') ?? '', /Title.*Alpha book[\s\S]*Page +5 rot: +180/)
  assert.equal(got.outline.length, 2)
  assert.match(got.attachments, /^notes.txt/)
})

test('crooked pages are turned straight in parts as in one run', { timeout: 600_000 }, async () => {
  const scan = await scanFile(
    await Promise.all([1, 2].map((number) => scannedPage(says(number), { turned: 3 }))),
  )
  const asked = { to: 'pdf', options: { deskew: true } } as const
  const [one, many] = [await whole(scan, asked), await inParts(scan, asked)]
  const got = await facts(many.path)
  assert.deepEqual(got, await facts(one.path))
  assert.match(got.labels, /"\/S": "\/r"/)
  for (const page of ['1', '2']) {
    const drawn = async ({ path }: Done) => {
      const target = join(scratchFolder('crooked'), 'page')
      await output('pdftoppm', '-r', '50', '-f', page, '-l', page, '-singlefile', '-png', path, target)
      return sharp(`${target}.png`).raw().toBuffer()
    }
    assert.deepEqual(await drawn(many), await drawn(one))
  }
})

test('Arabic comes in parts as in one run', { timeout: 600_000 }, async () => {
  const look = { font: 'Noto Naskh Arabic' }
  const lines = ['الفنار القديم', 'يقف الفنار القديم على الصخور', 'في عام 1902 وصلت 311 سفينة']
  const page = await scannedPage(lines, look)
  const scan = await scanFile([page, page])
  const asked = { to: 'txt', options: { language: 'ara' } } as const
  const [one, many] = [await whole(scan, asked), await inParts(scan, asked)]
  const text = await readFile(many.path, 'utf8')
  assert.equal(text, await readFile(one.path, 'utf8'))
  assert.match(text, /عام 1902 وصلت\s+311 سفينة/)
  assert.equal(text.split('\f').length, 3)
})

test('pages of a TIFF become one document in parts as in one run', { timeout: 600_000 }, async () => {
  const pages = await Promise.all([1, 2].map((number) => scannedPage(says(number))))
  const path = join(scratchFolder('ocr-tiff'), 'pages.tiff')
  await sharp(pages, { join: { animated: true } })
    .tiff()
    .toFile(path)
  const asked = { from: 'tiff', to: 'docx' } as const
  const [one, many] = [await whole(path, asked), await inParts(path, asked)]
  const words = (file: string) => output('pandoc', '--from=docx', '--to=html', '--wrap=none', file)
  assert.equal(await words(many.path), await words(one.path))
  assert.match(await words(many.path), /names of 74 ships/)
  assert.deepEqual(many.result.details, { pages: 2, pagesRecognized: 2 })
})

test('a protected scan is read in parts with its password, and its parts need none', {
  timeout: 600_000,
}, async () => {
  const scan = await scanFile(await Promise.all([1, 2].map((number) => scannedPage(says(number)))))
  const locked = join(scratchFolder('ocr-locked'), 'locked.pdf')
  await output('qpdf', '--encrypt', 'secret', 'owner', '256', '--', scan, locked)
  const asked = { to: 'txt', options: { password: 'secret' } } as const
  const [one, many] = [await whole(locked, asked), await inParts(locked, asked)]
  assert.deepEqual(many.warnings, ['ENCRYPTION_REMOVED'])
  assert.deepEqual(one.warnings, many.warnings)
  assert.equal(await readFile(many.path, 'utf8'), await readFile(one.path, 'utf8'))
  await assert.rejects(portionsOf(locked, { to: 'txt' }), { code: 'PDF_ENCRYPTED' })
})
