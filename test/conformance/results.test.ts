import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import known from '../../lib/fidelity/known-shares.json' with { type: 'json' }
import { conversions, planRoute } from '../plan/with-all-engines.ts'
import { cases } from '../sweep/cases.ts'
import { mutations } from '../sweep/mutations.ts'
import { createSeededRandom } from '../sweep/seeded-random.ts'
import { findMissingShares } from './expected-losses.ts'
import { isProven, pruneResults, type ResultLine, readResults, saveResults } from './results.ts'
import { isWhole, limitSeconds, parsePairChoice, selectPairs } from './select-pairs.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'results-'))
})
after(() => rm(folder, { recursive: true }))

const line: ResultLine = {
  from: 'docx',
  to: 'jpg',
  route: 'libreoffice>pdf',
  via: 'pdf',
  result: 'ok',
  seen: 'files=1 size=10x10, "odd"\nwords',
  ms: 12,
  date: '2026-01-02',
  kept: 'pages=1',
}

test('a conformance result is stored in the file of its source category and replaced by a later result', async () => {
  await saveResults([line, { ...line, to: 'png', result: 'failed' }], folder)
  await saveResults(
    [
      { ...line, from: 'mp4', to: 'mp3' },
      { ...line, ms: 13 },
    ],
    folder,
  )
  assert.deepEqual((await readdir(folder)).sort(), ['document.csv', 'video.csv'])
  const lines = await readResults(folder)
  assert.deepEqual([...lines.keys()].sort(), ['docx jpg', 'docx png', 'mp4 mp3'])
  assert.deepEqual(lines.get('docx jpg'), { ...line, ms: 13, seen: 'files=1 size=10x10 odd words' })
  assert.equal(lines.get('docx png')?.result, 'failed')
  await pruneResults(new Set(['docx jpg']), folder)
  assert.deepEqual([...(await readResults(folder)).keys()], ['docx jpg'])
})

test('a conversion counts as verified after a success with its current route', () => {
  const pair = { from: 'docx', to: 'jpg', route: planRoute({ from: 'docx', to: 'jpg' }) } as const
  const isLineProven = (changedFields: Partial<ResultLine>) =>
    isProven(pair, new Map([['docx jpg', { ...line, ...changedFields }]]))
  assert.equal(isLineProven({}), true)
  assert.equal(isLineProven({ result: 'failed' }), false)
  assert.equal(isLineProven({ route: 'libreoffice>imagemagick' }), false)
  assert.equal(isLineProven({ via: 'odt' }), false)
  assert.equal(isProven(pair, new Map()), false)
})

test('the published content losses (known-shares.json) match the recorded conformance results', async () => {
  assert.deepEqual(findMissingShares({ ...line, kept: 'words=0.98 pages=1 lost' }), { words: 0.98 })
  assert.equal(findMissingShares({ ...line, kept: 'seconds=0.9995 frames=1' }), undefined)
  // The difference is a video frame or an audio block of a short file.
  assert.equal(findMissingShares({ ...line, kept: 'seconds=0.96 samples=0.97' }), undefined)
  assert.deepEqual(findMissingShares({ ...line, kept: 'seconds=0.94' }), { seconds: 0.94 })
  assert.equal(findMissingShares({ ...line, kept: 'words=0.5', result: 'failed' }), undefined)
  const lines = [...(await readResults()).values()]
  const missingPairs = lines.flatMap((one) => (findMissingShares(one) ? [`${one.from} ${one.to}`] : []))
  assert.deepEqual(Object.keys(known).sort(), missingPairs.sort())
})

test('the ten parts of a conformance run contain each conversion once', () => {
  const allPairs = conversions()
  const parts = Array.from({ length: 10 }, (_, at) =>
    selectPairs(allPairs, parsePairChoice(['--part', `${at + 1}/10`])),
  )
  assert.equal(new Set(parts.flat()).size, allPairs.length)
  assert.equal(parts.flat().length, allPairs.length)
})

test('the sweep of hostile files has 1,500 or more cases in seven areas, with unique and reproducible ids', () => {
  const allCases = cases()
  assert.ok(allCases.length >= 1500, `${allCases.length} files`)
  assert.equal(new Set(allCases.map(({ id }) => id)).size, allCases.length)
  assert.equal(new Set(allCases.map(({ area }) => area)).size, 7)
  assert.deepEqual(cases(), allCases)
})

test('a mutated test file depends only on its seed', () => {
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251))
  const lengths = Object.entries(mutations).map(([name, mutate]) => {
    const firstMutation = mutate(bytes, createSeededRandom(name))
    assert.deepEqual(mutate(bytes, createSeededRandom(name)), firstMutation)
    assert.notDeepEqual(firstMutation, bytes, `${name} changes nothing`)
    return firstMutation.length
  })
  assert.deepEqual(lengths, [250, 600, 950, 1000, 1000, 1000, 960, 1040, 1700])
})

test('conformance runs can be limited to formats, a category or an engine', () => {
  const choice = parsePairChoice([
    '--from',
    'jpeg,png',
    '--to',
    'webp',
    '--category',
    'image',
    '--engine',
    'vips',
  ])
  const pairs = selectPairs(conversions(), choice)
  assert.deepEqual(pairs.map(({ from, to }) => `${from} ${to}`).sort(), ['jpg webp', 'png webp'])
  assert.equal(isWhole(choice), false)
  assert.equal(isWhole(parsePairChoice(['--again', '--jobs', '3'])), true)
})

test('a conformance run with a time limit converts an even sample of all conversions', async () => {
  const lines = await readResults()
  const pairs = selectPairs(conversions(), parsePairChoice(['--engine', 'vips,imagemagick']))
  const selectedPairs = limitSeconds(pairs, lines, 60)
  const seconds = selectedPairs.reduce(
    (sum, { from, to }) => sum + (lines.get(`${from} ${to}`)?.ms ?? 0) / 1000,
    0,
  )
  assert.ok(seconds > 40 && seconds <= 60, `${seconds} s`)
  const lastIndex = pairs.indexOf(selectedPairs.at(-1) ?? assert.fail('no conversion is selected'))
  assert.ok(lastIndex > pairs.length / 2, `the last is number ${lastIndex} of ${pairs.length}`)
  assert.deepEqual(limitSeconds(pairs, lines, 60), selectedPairs)
  assert.deepEqual(limitSeconds(pairs, lines), pairs)
  assert.equal(isWhole(parsePairChoice(['--again', '--seconds', '60'])), false)
})

test('the conformance runner names an invalid argument in its error', () => {
  assert.throws(() => parsePairChoice(['--from', 'nonsense']), /"nonsense" is not a format/)
  assert.throws(() => parsePairChoice(['--part', '11/10']), /--part expects two numbers/)
  assert.throws(() => parsePairChoice(['--jobs', '0']), /--jobs expects a whole number/)
  assert.throws(() => parsePairChoice(['--engine', 'word']), /--engine expects one of/)
  assert.throws(() => parsePairChoice(['--engine', 'vips,word']), /--engine expects one of/)
  assert.throws(() => parsePairChoice(['--seconds', '0']), /--seconds expects a number above 0/)
})
