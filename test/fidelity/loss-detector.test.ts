import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { Engine, InputFile } from '../../lib/engines/engine.ts'
import { LossDetector } from '../../lib/fidelity/loss-detector.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { runSteps, type StepsRun, splitFirstStep } from '../../lib/jobs/run/run-steps.ts'
import { createLog, type Log } from '../../lib/log.ts'
import { combine, combineSequential, createRetention } from '../../lib/model/fidelity.ts'
import type { ConversionStep } from '../../lib/model/job.ts'
import { defined } from '../../lib/validation/defined.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const folder = scratchFolder('loss-detector')
const formats: readonly FormatId[] = ['html', 'txt', 'md', 'wav', 'png', 'srt', 'xpm']
const createSubtitles = (count: number) =>
  Array.from({ length: count }, (_, at) => `${at + 1}\n00:00:0${at},000 --> 00:00:0${at},900\nsaid\n`).join(
    '\n',
  )
const createText = (count: number) =>
  Array.from({ length: count }, (_, at) => `word${'abcdefghij'[at % 10]}`).join(' ')

/** Creates an engine that always returns this result, split into halves if possible, with these warnings. */
function createEngine(output: string | Buffer, warnings: readonly string[], hiddenText?: string): Engine {
  const options = z.object({ pages: z.string().optional() })
  const row = { from: formats, to: formats, options, cost: 1, same: true } as const
  return {
    id: 'pandoc',
    image: 'document',
    capabilities: [
      { ...row, operation: 'convert' },
      { ...row, operation: 'merge' },
    ],
    limits: { memoryMb: 1, diskMb: 1, timeoutS: 1 },
    version: () => '1',
    run: async ({ outDir, to }, tools) => {
      for (const code of warnings) tools.warn(code, code)
      const path = join(outDir, `made.${to}`)
      await writeFile(path, output)
      return { files: [{ path }], ...defined({ hiddenText }) }
    },
    split: async () => [{ spec: { half: 1 } }, { spec: { half: 2 } }],
    join: async ({ outDir, to }) => {
      const path = join(outDir, `joined.${to}`)
      await writeFile(path, output)
      return { files: [{ path }] }
    },
  }
}

interface ConversionCase {
  readonly sources: readonly (string | Buffer)[]
  readonly output: string | Buffer
  readonly steps: readonly Partial<ConversionStep>[]
  /** Codes of the engine's warnings. */
  readonly warnings?: readonly string[]
  /** Invisible text found by the engine. */
  readonly hiddenText?: string
}

async function createRun({
  sources,
  output,
  steps,
  warnings = [],
  hiddenText,
}: ConversionCase): Promise<StepsRun> {
  const workDir = await mkdtemp(join(folder, 'run-'))
  const [first] = steps
  const format = (first?.from ?? 'html') as FormatId // from the tests below
  const inputs: InputFile[] = []
  for (const [at, content] of sources.entries()) {
    const path = join(workDir, `source-${at}`)
    await writeFile(path, content)
    inputs.push({ path, filename: 'a', format, size: content.length })
  }
  const defaults = { operation: 'convert', engine: 'pandoc', image: 'document', options: {} } as const
  return {
    steps: steps.map((step) => ({ ...defaults, from: 'html', to: 'txt', ...step })),
    firstIndex: 0,
    inputs,
    workDir,
    signal: new AbortController().signal,
    log: createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }),
    engines: [createEngine(output, warnings, hiddenText)],
    progress: () => {},
  }
}

const convert = async (conversion: ConversionCase) => runSteps(await createRun(conversion))

test('a result reports how many words it retained', async () => {
  const { fidelity, result } = await convert({
    sources: [createText(100)],
    output: createText(100),
    steps: [{}],
  })
  assert.deepEqual(fidelity, { words: { source: 100, result: 100, share: 1 }, dropped: [] })
  assert.equal(result.shortfall, undefined)
})

test('missing words are reported with numbers', async () => {
  const { fidelity, result } = await convert({
    sources: [createText(1500)],
    output: createText(1200),
    steps: [{}],
  })
  assert.deepEqual(fidelity?.words, { source: 1500, result: 1200, share: 0.8 })
  assert.deepEqual(result.shortfall, {
    kept: 0.8,
    warning: { code: 'CONTENT_LOST', message: 'Of 1,500 words in the html, 1,200 are in the txt (80 %).' },
  })
})

test('invisible words do not count as missing and are reported as dropped', async () => {
  const page = { sources: [`${createText(30)} menu menu closed`], output: createText(30), steps: [{}] }
  const withHiddenText = await convert({ ...page, hiddenText: 'menu closed Menu elsewhere' })
  assert.deepEqual(withHiddenText.fidelity, {
    words: { source: 30, result: 30, share: 1 },
    dropped: ['hiddenText'],
  })
  // Words that do not occur are ignored; others count as often as they occur.
  const few = await convert({ ...page, hiddenText: 'menu elsewhere' })
  assert.deepEqual(few.fidelity?.words, { source: 32, result: 30, share: 0.9375 })
  const none = await convert({ ...page, hiddenText: 'elsewhere' })
  assert.deepEqual(none.fidelity?.words, { source: 33, result: 30, share: 0.909 })
  assert.deepEqual(none.fidelity?.dropped, [])
})

test('in a short text a few missing words are reported, in plain text every one', async () => {
  const warningFor = async (source: string, output: string, from: FormatId, to: FormatId) => {
    const { result } = await convert({ sources: [source], output, steps: [{ from, to }] })
    return result.shortfall?.warning.message
  }
  assert.equal(
    await warningFor('<p>five words in a page</p>', 'five words', 'html', 'txt'),
    'Of 5 words in the html, 2 are in the txt (40 %).',
  )
  assert.equal(await warningFor('five words in a page', 'five words in a', 'html', 'txt'), undefined)
  assert.equal(await warningFor(createText(100), createText(99), 'html', 'txt'), undefined)
  assert.equal(
    await warningFor(createText(100), createText(99), 'txt', 'html'),
    'Of 100 words in the txt, 99 are in the html (99 %).',
  )
  // Markup may be counted as words.
  assert.equal(await warningFor('five words in a page', 'five words in', 'md', 'txt'), undefined)
  assert.match((await warningFor('five words in a page', 'five words', 'md', 'txt')) ?? '', /^Of 5 words/)
})

test('a result without any of the text fails', async () => {
  await assert.rejects(convert({ sources: [createText(100)], output: '\n', steps: [{}] }), {
    code: 'CONVERSION_FAILED',
    message: /^The html contains 100 words, but the resulting txt contains none of it/,
  })
})

test('a loss that the engine warned about is not reported again', async () => {
  const shortfallWith = async (...warnings: string[]) =>
    (await convert({ sources: [createText(100)], output: createText(20), steps: [{}], warnings })).result
      .shortfall
  assert.equal(await shortfallWith('HIDDEN_DROPPED'), undefined)
  assert.equal((await shortfallWith('HIDDEN_KEPT'))?.kept, 0.2)
})

test('a conversion of requested pages is not a loss', async () => {
  const steps = [{ options: { pages: '2' } }]
  const { fidelity, result } = await convert({ sources: [createText(100)], output: createText(20), steps })
  assert.equal(fidelity?.words?.share, 0.2)
  assert.equal(result.shortfall, undefined)
  await assert.doesNotReject(convert({ sources: [createText(100)], output: '', steps }))
})

test('a merged file is compared with the sum of its sources', async () => {
  const steps = [{ operation: 'merge', to: 'html' } as const]
  const { fidelity, result } = await convert({
    sources: [createText(30), createText(70)],
    output: createText(70),
    steps,
  })
  assert.deepEqual(fidelity?.words, { source: 100, result: 70, share: 0.7 })
  assert.equal(result.shortfall?.warning.code, 'CONTENT_LOST')
})

test('a result joined from chunks is compared with the whole source', async () => {
  const output = createSubtitles(3)
  const run = await createRun({ sources: [createSubtitles(4)], output, steps: [{ from: 'srt', to: 'srt' }] })
  const { chunks, sourceContent } = (await splitFirstStep(run, async () => ({
    workers: 2,
    timeoutS: 60,
  }))) ?? {
    chunks: [],
  }
  const specs = chunks.map(({ spec }) => spec)
  assert.equal(specs.length, 2)
  const part = await runSteps({ ...run, chunk: specs[0] })
  assert.equal(part.fidelity, undefined, 'a chunk alone is not compared')
  const results = specs.map((spec) => ({ spec, files: [] }))
  // The source is not available where chunks are joined.
  const { fidelity, result } = await runSteps({ ...run, inputs: [], results, sourceContent })
  assert.deepEqual(fidelity?.cues, createRetention(4, 3))
  assert.match(result.shortfall?.warning.message ?? '', /^Of 4 subtitles in the srt, 3 are in the srt/)
})

test('formats that cannot be counted are named, and other steps are still counted', async () => {
  const steps = [{ to: 'xpm' }, { from: 'xpm', to: 'txt' }]
  const { fidelity } = await convert({ sources: [createText(100)], output: createText(100), steps })
  assert.deepEqual(fidelity, { dropped: ['selectableText'], uncounted: ['xpm'] })
  const counted = { words: createRetention(9, 9), dropped: ['film'] }
  assert.deepEqual(combineSequential({ dropped: [], uncounted: ['xpm'] }, counted), {
    ...counted,
    uncounted: ['xpm'],
  })
  assert.deepEqual(combine([counted, { dropped: [], uncounted: ['7z'] }])?.uncounted, ['7z'])
})

test('archived files are counted, not their content', async () => {
  const fixtureFolder = new URL('../fixtures/odd/', import.meta.url)
  const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
  const step = { operation: 'archive', from: 'txt', to: '7z', options: {} } as const
  detector.start(
    Array.from({ length: 3 }, () => ({ path: fileURLToPath(fixtureFolder), format: 'zip' })),
    step,
  )
  await detector.checkStep(
    step,
    { files: [{ path: fileURLToPath(import.meta.url) }], memberCounts: { result: 2 } },
    [],
  )
  assert.deepEqual(detector.fidelity?.entries, createRetention(3, 2))
  assert.equal(detector.shortfall?.warning.message, 'Of 3 files in the txt, 2 are in the 7z (66 %).')
})

test('audio without samples fails', async () => {
  const wav = (seconds: number) => {
    const header = Buffer.alloc(44)
    header.write('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1')
    header.writeUInt32LE(8000, 24)
    header.writeUInt16LE(2, 32)
    header.writeUInt16LE(16, 34)
    header.write('data', 36, 'latin1')
    header.writeUInt32LE(seconds * 16_000, 40)
    return Buffer.concat([header, Buffer.alloc(seconds * 16_000)])
  }
  const steps = [{ from: 'wav', to: 'wav' }]
  const { fidelity, result } = await convert({ sources: [wav(4)], output: wav(2), steps })
  assert.deepEqual(fidelity?.samples, { source: 32_000, result: 16_000, share: 0.5 })
  assert.equal(result.shortfall?.warning.code, 'CONTENT_LOST')
  await assert.rejects(convert({ sources: [wav(4)], output: wav(0), steps }), { code: 'CONVERSION_FAILED' })
})

test('fidelity is multiplied over consecutive steps and summed over parallel files', () => {
  const words = (source: number, result: number) => ({ words: createRetention(source, result), dropped: [] })
  assert.deepEqual(combineSequential(words(100, 80), words(80, 40)), words(100, 40))
  assert.deepEqual(
    combineSequential(words(100, 80), { pages: createRetention(3, 3), dropped: ['comments'] }),
    {
      words: createRetention(100, 80),
      pages: createRetention(3, 3),
      dropped: ['comments'],
    },
  )
  assert.deepEqual(combine([words(100, 80), undefined, words(300, 300)]), words(400, 380))
  assert.equal(combine([undefined]), undefined)
})

test('a feature that a later step drops is reported, even if it was undetectable in between', async () => {
  const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
  const docx = fileURLToPath(new URL('../fixtures/office/formula.docx', import.meta.url))
  const [page, list] = [join(folder, 'formula.html'), join(folder, 'formula.csv')]
  await Promise.all([writeFile(page, '<p>数学</p>'), writeFile(list, '数学')])
  detector.start([{ path: docx, format: 'docx' }])
  await detector.checkStep(
    { operation: 'convert', from: 'docx', to: 'html', options: {} },
    { files: [{ path: page }] },
    [],
  )
  assert.deepEqual(detector.fidelity?.dropped, [])
  await detector.checkStep(
    { operation: 'convert', from: 'html', to: 'csv', options: {} },
    { files: [{ path: list }] },
    [],
  )
  assert.deepEqual(detector.fidelity?.dropped, ['equations'])
})

test('the result of an encrypted document is compared with the decrypted document', async () => {
  const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
  const [locked, open, result] = await Promise.all(
    Object.entries({ locked: createText(90), open: createText(30), result: createText(30) }).map(
      async ([name, content]) => {
        const path = join(folder, name)
        await writeFile(path, content)
        return path
      },
    ),
  )
  detector.start([{ path: locked ?? '', format: 'txt' }])
  const step = { from: 'txt', to: 'txt', options: {} }
  await detector.checkStep({ ...step, operation: 'unlock' }, { files: [{ path: open ?? '' }] }, [])
  await detector.checkStep({ ...step, operation: 'convert' }, { files: [{ path: result ?? '' }] }, [])
  assert.deepEqual(detector.fidelity?.words, createRetention(30, 30))
})

test('the source is read after the engine has started, and not if the step ends before', async () => {
  const errors: string[] = []
  const log = { error: (_: unknown, message: string) => void errors.push(message) } as unknown as Log
  const path = join(folder, 'late.txt')
  {
    using detector = new LossDetector(log)
    detector.start([{ path, format: 'txt' }])
    writeFileSync(path, createText(30))
    await detector.checkStep(
      { operation: 'convert', from: 'txt', to: 'txt', options: {} },
      { files: [{ path }] },
      [],
    )
    assert.deepEqual(detector.fidelity?.words, createRetention(30, 30))
  }
  const startAndDispose = () => {
    using detector = new LossDetector(log)
    detector.start([{ path: join(folder, 'gone.txt'), format: 'txt' }])
  }
  startAndDispose()
  await sleep(100)
  assert.deepEqual(errors, [])
})

test('a result is counted while it is being stored, even if storing fails', async () => {
  const run = await createRun({ sources: [createText(100)], output: createText(100), steps: [{}] })
  const outputPaths: string[] = []
  const unfinished = await runSteps({
    ...run,
    onOutput: async ({ result }) => {
      const [{ path }] = result.files
      outputPaths.push(path)
      // The result has not been counted yet.
      writeFileSync(path, createText(99))
      await new Promise(() => {})
    },
  })
  assert.deepEqual(unfinished.fidelity?.words, createRetention(100, 99))
  assert.deepEqual(outputPaths, [unfinished.result.files[0].path])
  const secondRun = await createRun({ sources: [createText(100)], output: createText(100), steps: [{}] })
  const failed = await runSteps({ ...secondRun, onOutput: () => Promise.reject(new Error('no bucket')) })
  assert.deepEqual(failed.fidelity?.words, createRetention(100, 100))
})

test('a task record stores the counts of a source, but not its words', async () => {
  const path = join(folder, 'remark.fodt')
  await writeFile(
    path,
    '<office:document>seen<office:annotation>a remark</office:annotation></office:document>',
  )
  using detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
  detector.start([{ path, format: 'fodt' }])
  assert.deepEqual(await detector.storedSummary(), { counts: {}, features: ['comments', 'selectableText'] })
})
