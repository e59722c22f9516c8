import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { FormatId } from '../../lib/formats/index.ts'
import { LossDetector } from '../../lib/jobs/run/loss-detector.ts'
import { runSteps, splitFirstStep } from '../../lib/jobs/run/run-steps.ts'
import { createLog } from '../../lib/log.ts'
import { combineFidelities, combineSequential, createRetention } from '../../lib/model/fidelity.ts'
import { type ConversionCase, createRun, createText } from './support/conversions.ts'

const createSubtitles = (count: number) =>
  Array.from({ length: count }, (_, at) => `${at + 1}\n00:00:0${at},000 --> 00:00:0${at},900\nsaid\n`).join(
    '\n',
  )

const convert = async (conversion: ConversionCase) => runSteps(await createRun(conversion))

test('fidelity reports how many words of the source the result retained', async () => {
  const { fidelity, result } = await convert({
    sources: [createText(100)],
    output: createText(100),
    steps: [{}],
  })
  assert.deepEqual(fidelity, { words: { source: 100, result: 100, share: 1 }, dropped: [] })
  assert.equal(result.shortfall, undefined)
})

test('a result with missing words is reported with the word counts of the source and the result', async () => {
  const { fidelity, result } = await convert({
    sources: [createText(1500)],
    output: createText(1200),
    steps: [{}],
  })
  assert.deepEqual(fidelity?.words, { source: 1500, result: 1200, share: 0.8 })
  assert.deepEqual(result.shortfall, {
    kept: 0.8,
    warning: {
      code: 'CONTENT_LOST',
      message: 'Of 1,500 words in the html, 1,200 are in the txt (80 %).',
      details: { unit: 'words', total: 1500, kept: 1200, share: 0.8 },
    },
  })
})

test('invisible words of a source are reported as dropped, not as missing', async () => {
  const page = { sources: [`${createText(30)} menu menu closed`], output: createText(30), steps: [{}] }
  const manyHiddenWords = await convert({ ...page, hiddenText: 'menu closed Menu elsewhere' })
  assert.deepEqual(manyHiddenWords.fidelity, {
    words: { source: 30, result: 30, share: 1 },
    dropped: ['hiddenText'],
  })
  // Hidden words that the source lacks are ignored, and each other hidden word is subtracted once per occurrence.
  const fewHiddenWords = await convert({ ...page, hiddenText: 'menu elsewhere' })
  assert.deepEqual(fewHiddenWords.fidelity?.words, { source: 32, result: 30, share: 0.9375 })
  const noHiddenWords = await convert({ ...page, hiddenText: 'elsewhere' })
  assert.deepEqual(noHiddenWords.fidelity?.words, { source: 33, result: 30, share: 0.909 })
  assert.deepEqual(noHiddenWords.fidelity?.dropped, [])
})

test('a few missing words of HTML or Markdown are tolerated, but one missing word of plain text is reported', async () => {
  const findWarning = async (source: string, output: string, from: FormatId, to: FormatId) => {
    const { result } = await convert({ sources: [source], output, steps: [{ from, to }] })
    return result.shortfall?.warning.message
  }
  assert.equal(
    await findWarning('<p>five words in a page</p>', 'five words', 'html', 'txt'),
    'Of 5 words in the html, 2 are in the txt (40 %).',
  )
  assert.equal(await findWarning('five words in a page', 'five words in a', 'html', 'txt'), undefined)
  assert.equal(await findWarning(createText(100), createText(99), 'html', 'txt'), undefined)
  assert.equal(
    await findWarning(createText(100), createText(99), 'txt', 'html'),
    'Of 100 words in the txt, 99 are in the html (99 %).',
  )
  // A missing word is not reported if another word takes its place, because it may just be split differently.
  assert.equal(
    await findWarning(createText(23), createText(21), 'html', 'txt'),
    'Of 23 words in the html, 21 are in the txt (91 %).',
  )
  assert.equal(await findWarning(createText(23), `${createText(21)} other`, 'html', 'txt'), undefined)
  assert.equal(await findWarning(createText(19), createText(18), 'html', 'txt'), undefined)
  // Markup may be counted as words.
  assert.equal(await findWarning('five words in a page', 'five words in', 'md', 'txt'), undefined)
  assert.match((await findWarning('five words in a page', 'five words', 'md', 'txt')) ?? '', /^Of 5 words/)
})

test('a conversion fails if its result contains none of the text', async () => {
  await assert.rejects(convert({ sources: [createText(100)], output: '\n', steps: [{}] }), {
    code: 'CONVERSION_FAILED',
    message: /^The html contains 100 words, but the resulting txt contains none of it/,
  })
})

test('a loss that the engine already warned about is not reported again', async () => {
  const findShortfall = async (...warnings: string[]) =>
    (await convert({ sources: [createText(100)], output: createText(20), steps: [{}], warnings })).result
      .shortfall
  assert.equal(await findShortfall('HIDDEN_DROPPED'), undefined)
  assert.equal((await findShortfall('HIDDEN_KEPT'))?.kept, 0.2)
})

test('converting only the requested pages is not reported as a loss', async () => {
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
  const chunkResult = await runSteps({ ...run, chunk: specs[0] })
  assert.equal(chunkResult.fidelity, undefined, 'a chunk alone is not compared')
  const results = specs.map((spec) => ({ spec, files: [] }))
  // The source is not available where chunks are joined.
  const { fidelity, result } = await runSteps({ ...run, inputs: [], results, sourceContent })
  assert.deepEqual(fidelity?.cues, createRetention(4, 3))
  assert.match(result.shortfall?.warning.message ?? '', /^Of 4 subtitles in the srt, 3 are in the srt/)
})

test('fidelity lists the formats that cannot be counted, and still counts the other steps', async () => {
  const steps = [{ to: 'xpm' }, { from: 'xpm', to: 'txt' }]
  const { fidelity } = await convert({ sources: [createText(100)], output: createText(100), steps })
  assert.deepEqual(fidelity, { dropped: ['selectableText'], uncounted: ['xpm'] })
  const countedLoss = { words: createRetention(9, 9), dropped: ['video'] }
  assert.deepEqual(combineSequential({ dropped: [], uncounted: ['xpm'] }, countedLoss), {
    ...countedLoss,
    uncounted: ['xpm'],
  })
  assert.deepEqual(combineFidelities([countedLoss, { dropped: [], uncounted: ['7z'] }])?.uncounted, ['7z'])
})

test('archived files are counted as files, and their content is not counted', async () => {
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

test('a conversion fails if its result has no audio samples', async () => {
  const createWav = (seconds: number) => {
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
  const { fidelity, result } = await convert({ sources: [createWav(4)], output: createWav(2), steps })
  assert.deepEqual(fidelity?.samples, { source: 32_000, result: 16_000, share: 0.5 })
  assert.equal(result.shortfall?.warning.code, 'CONTENT_LOST')
  await assert.rejects(convert({ sources: [createWav(4)], output: createWav(0), steps }), {
    code: 'CONVERSION_FAILED',
  })
})
