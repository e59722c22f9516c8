import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasTimestamps } from '../../lib/engines/ffmpeg/demuxers.ts'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import type { Conversion } from '../../lib/plan/index.ts'
import { readArchive } from '../engines/support/inspect-archive.ts'
import { countCharacters } from '../engines/support/inspect-font.ts'
import { assertIntact, countPdfPages, listZipNames, readStdout } from '../engines/support/inspect-result.ts'
import { createRawInputArgs } from '../engines/support/raw-media.ts'
import { minSpread, readImageFacts } from './image-facts.ts'
import { readMediaFacts } from './media-facts.ts'
import type { RouteResult } from './run-route.ts'
import { countWordsFound, readExpectedWords } from './text-facts.ts'

type Facts = Readonly<Record<string, string | number | undefined>>

/**
 * Compares the result of a conversion with its source, using programs other than the converter: words, duration, size
 * and file names must be retained.
 * @returns short facts, such as `pages=2 words=24/24`.
 */
export async function checkResult(
  { from, to, route }: Conversion,
  sample: string,
  routeResult: RouteResult,
): Promise<string> {
  assert.ok((await stat(routeResult.path)).size > 0, 'the result is empty')
  const isArchive = (id: FormatId) => formatById(id).category === 'archive'
  // A format such as gzip compresses a single file, so several files are packed into an archive first.
  if (routeResult.format !== to && isArchive(to) && isArchive(routeResult.format))
    return `as=${routeResult.format} ${await checkResult({ from, to: routeResult.format, route }, sample, routeResult)}`
  if (routeResult.format !== to)
    return withFolder((folder) => checkPages({ from, to, route }, sample, routeResult, folder))
  // Video, audio and images are completely decoded below, which checks more than probing them.
  if (!['video', 'audio', 'image'].includes(formatById(to).category)) await assertIntact(routeResult.path, to)
  const collectedFacts = await collectFacts({ from, to, route }, sample, routeResult.path)
  return [
    ...Object.entries(collectedFacts).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    ),
    ...new Set(routeResult.warnings),
  ].join(' ')
}

/** Checks the first file of a ZIP with one file per page. */
async function checkPages(
  pair: Conversion,
  sample: string,
  routeResult: RouteResult,
  folder: string,
): Promise<string> {
  assert.equal(routeResult.format, 'zip', `${routeResult.format} came out instead`)
  const names = (await listZipNames(routeResult.path)).filter((name) => name !== 'manifest.json')
  assert.ok(names.length > 0, 'the ZIP is empty')
  await readStdout('bsdtar', '-xf', routeResult.path, '-C', folder)
  const [firstName = ''] = (await readdir(folder)).filter((name) => name !== 'manifest.json').sort()
  const facts = await checkResult(pair, sample, {
    ...routeResult,
    path: join(folder, firstName),
    format: pair.to,
  })
  return `files=${names.length} ${facts}`
}

async function collectFacts(pair: Conversion, sample: string, path: string): Promise<Facts> {
  const [from, to] = [formatById(pair.from), formatById(pair.to)]
  const isPaged = to.category === 'document' || to.category === 'ebook'
  switch (true) {
    // Readers see text in PostScript as shapes.
    case to.id === 'ps' || to.id === 'eps':
      return checkImage(pair, sample, path)
    case to.category === 'video' || to.category === 'audio':
      return checkMedia(pair, sample, path)
    case to.category === 'image':
      return checkImage(pair, sample, path)
    case to.category === 'archive':
      return checkArchive(pair, sample, path)
    case to.category === 'font':
      return checkFont(pair, sample, path)
    case isPaged && from.category !== 'image':
      // Only calibre can decompress LIT, and calibre also created the file.
      if (to.id === 'lit') return { reader: 'mark' }
      return { ...(await checkPageCount(pair, path)), ...(await checkText(pair, sample, path)) }
    default:
      return isPaged ? checkPageCount(pair, path) : {}
  }
}

async function checkMedia(pair: Conversion, sample: string, path: string): Promise<Facts> {
  const { seconds, peakDb, spread: computeBrightnessSpread, frames } = await readMediaFacts(path)
  const isTimeBased = !['image'].includes(formatById(pair.from).category)
  // Samples without a header have no sample rate or frame rate.
  const isRaw = createRawInputArgs(sample).length > 0 || sample.endsWith('.aptxhd')
  const source = isRaw
    ? undefined
    : await getCached(sample, 'media', () => readMediaFacts(sample).catch(() => undefined))
  const { category } = formatById(pair.to)
  assert.ok(seconds > 0, 'nothing of it plays')
  assert.ok(category === 'video' || peakDb !== undefined, 'the result has no audio')
  if (source && isTimeBased) {
    const tolerance = Math.max(0.6, source.seconds * 0.1)
    const differenceS = Math.abs(source.seconds - seconds)
    // Readers assume 25 frames per second for a raw stream without a frame rate.
    const hasAllFrames = Math.abs(source.frames - frames) <= Math.max(2, source.frames * 0.1)
    const isRawStream = category === 'video' && !hasTimestamps(pair.to)
    assert.ok(
      differenceS <= tolerance || (isRawStream && hasAllFrames),
      `it plays ${seconds} s of ${source.seconds} s`,
    )
    if (peakDb !== undefined && (source.peakDb ?? -100) > -40) assert.ok(peakDb > -60, 'it is silent')
  }
  if (formatById(pair.to).category === 'video')
    assert.ok((computeBrightnessSpread ?? 0) >= minSpread, 'the video is blank')
  return {
    seconds: seconds.toFixed(1),
    peak: peakDb === undefined ? undefined : `${Math.round(peakDb)}dB`,
    spread: computeBrightnessSpread,
  }
}

/** The only CR3 sample is truncated, so only its size can be compared. */
const isTruncatedSample = ({ from }: Conversion) => from === 'cr3'

async function checkImage(pair: Conversion, sample: string, path: string): Promise<Facts> {
  const resultFacts = await readImageFacts(path, pair.route.steps.at(-1)?.engine)
  if (!resultFacts) {
    await assertIntact(path, pair.to)
    return { reader: 'header' }
  }
  const { width, height, spread, reader } = resultFacts
  const source =
    formatById(pair.from).category === 'image'
      ? await getCached(sample, 'image', () => readImageFacts(sample, undefined))
      : undefined
  const mayBeBlank = isTruncatedSample(pair) || (source !== undefined && source.spread < minSpread)
  assert.ok(mayBeBlank || spread >= minSpread, `the image is blank (${width}x${height} ${reader})`)
  const size = { size: `${width}x${height}`, reader }
  if (!source || mayBeBlank) return size
  // Some formats limit the size, and some sources only have a size at a given resolution, so compare the aspect ratio.
  const [was, is] = [source.width / source.height, width / height]
  const hasSameSize = source.width === width && source.height === height
  assert.ok(
    hasSameSize || Math.abs(was - is) / was < 0.06 || width === height,
    `${source.width}x${source.height} became ${width}x${height}`,
  )
  return hasSameSize ? size : { ...size, was: `${source.width}x${source.height}` }
}

async function checkArchive(pair: Conversion, sample: string, path: string): Promise<Facts> {
  const contents = await readArchive(path, pair.to)
  const base = (name: string) => name.replace(/\/$/, '').split('/').at(-1) ?? name
  const names = Object.keys(contents).map(base)
  const source = await getCached(sample, 'archive', () =>
    readArchive(sample, pair.from).catch(() => undefined),
  )
  const bytes = Object.values(contents).reduce((sum, text) => sum + text.length, 0)
  assert.ok(bytes > 0, 'nothing is in it')
  const expectedNames = Object.keys(source ?? {})
    .map(base)
    .filter((name) => name !== '')
  const missingNames = names.includes('') ? [] : expectedNames.filter((name) => !names.includes(name))
  assert.deepEqual(missingNames, [], `${missingNames.join(' ')} is not in it`)
  return { names: names.length, chars: bytes }
}

async function checkFont(pair: Conversion, sample: string, path: string): Promise<Facts> {
  const sourceCount = await getCached(sample, 'characters', () =>
    countCharacters(sample, pair.from).catch(() => undefined),
  )
  const resultCount = await countCharacters(path, pair.to)
  assert.ok(
    resultCount > 0 && resultCount >= (sourceCount ?? 0) * 0.9,
    `only ${resultCount} of ${sourceCount} characters were retained`,
  )
  return { letters: sourceCount === undefined ? resultCount : `${resultCount}/${sourceCount}` }
}

async function checkPageCount(pair: Conversion, path: string): Promise<Facts> {
  if (pair.to !== 'pdf') return {}
  const count = await countPdfPages(path)
  const firstPage = await readImageFacts(path, undefined)
  assert.ok(count > 0, 'it has no page')
  assert.ok(isTruncatedSample(pair) || (firstPage?.spread ?? 0) >= minSpread, 'the first page is blank')
  return { pages: count }
}

/** A workbook made from a PDF contains only the tables of the PDF, and a CSV file contains only the first table. */
const containsOnlyTables = ({ route }: Conversion) =>
  route.steps.some(({ from, to }) => from === 'pdf' && (to === 'xlsx' || to === 'csv'))

/**
 * Checks that most readable words of the sample are in the result; a sample without readable words passes.
 */
async function checkText(pair: Conversion, sample: string, path: string): Promise<Facts> {
  const words = await getCached(sample, 'words', () => readExpectedWords(sample))
  const foundCount = await countWordsFound(path, words)
  assert.ok(
    foundCount >= words.length * (containsOnlyTables(pair) ? 0.15 : 0.6),
    `only ${foundCount} of ${words.length} words came through`,
  )
  return { words: `${foundCount}/${words.length}` }
}

const cache = new Map<string, Promise<unknown>>()

/** Caches a property of a source that is needed for each of its targets. */
function getCached<T>(sample: string, label: string, compute: () => Promise<T>): Promise<T> {
  const key = `${label} ${sample}`
  const value = cache.get(key) ?? compute()
  cache.set(key, value)
  // Entries with the same key have the same type.
  return value as Promise<T>
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'judge-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
