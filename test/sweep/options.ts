/**
 * `nice node test/sweep/options.ts [ENGINE…]`: converts a small file with two values of each option of each target, and
 * lists the options whose values give the same bytes and the same warnings. Not judged are options without values here
 * and results that differ on every run, apart from times. Options without an effect are in `options.tsv`, with the
 * reason. `password` only opens protected files, and tests of their own try it.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import { runEngine } from '../../lib/decoders/run-engine.ts'
import type { Capability, Engine } from '../../lib/engines/engine.ts'
import { engines } from '../../lib/engines/index.ts'
import { type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'
import { findSample } from '../conformance/samples.ts'

type Options = Readonly<Record<string, unknown>>

interface Trial {
  readonly values: readonly [unknown, unknown]
  /** Other options without which this one has no effect. */
  readonly beside?: Options
  readonly fixture?: string
}

const box = { width: 30, height: 20 }
const trials: Readonly<Record<string, Trial>> = {
  width: { values: [20, 40] },
  height: { values: [20, 40] },
  fit: { values: ['max', 'crop'], beside: box },
  downscale: { values: [16, 24] },
  rotate: { values: [90, 180] },
  background: { values: ['red', 'blue'], fixture: 'alpha.png' },
  metadata: { values: ['strip', 'keep'], fixture: 'orientation-6.jpg' },
  quality: { values: [4, 95] },
  jpegQuality: { values: [4, 95] },
  progressive: { values: [true, false] },
  colorSpace: { values: ['gray', 'srgb'] },
  lossless: { values: [true, false] },
  dpi: { values: [72, 150] },
  sizes: { values: ['16', '32'] },
  compressionLevel: { values: [0, 9] },
  preset: { values: ['ultrafast', 'slow'] },
  crf: { values: [5, 50] },
  videoBitrate: { values: ['50k', '900k'] },
  bitrate: { values: ['50k', '900k'] },
  twoPass: { values: [true, false], beside: { videoBitrate: '90k' } },
  resolution: { values: ['32x32', '64x64'] },
  fps: { values: [5, 12] },
  start: { values: [0, 0.4] },
  end: { values: [0.3, 0.6] },
  loop: { values: [1, 3] },
  audioBitrate: { values: ['32k', '192k'] },
  audioSampleRate: { values: [16_000, 48_000] },
  channels: { values: [1, 2] },
  volume: { values: [0.2, 2] },
  boomerang: { values: [true, false] },
  dither: { values: ['none', 'sierra2'] },
  timestamp: { values: [0, 0.5] },
  rows: { values: [1, 2] },
  columns: { values: [1, 2] },
  threshold: { values: [20, 80], beside: { colorMode: 'bw' } },
  invert: { values: [true, false] },
  filterSpeckle: { values: [0, 100] },
  smoothness: { values: [0, 100] },
  color: { values: ['#ff0000', '#00ff00'] },
  colorMode: { values: ['color', 'bw'] },
  colorPrecision: { values: [1, 8] },
  curveMode: { values: ['spline', 'pixel'] },
  pages: { values: ['1', '2'], fixture: 'three-pages.pdf' },

  mode: { values: ['auto', 'encode'] },
  codec: { values: ['h264', 'copy'] },
  palette: { values: [true, false] },
  pageSize: { values: ['a5', 'letter'] },
  landscape: { values: [true, false] },
  marginTop: { values: ['1cm', '5cm'] },
  marginRight: { values: ['1cm', '5cm'] },
  marginBottom: { values: ['1cm', '5cm'] },
  marginLeft: { values: ['1cm', '5cm'] },
  headerText: { values: ['one', 'two'] },
  footerText: { values: ['one', 'two'] },
  scale: { values: [0.5, 1.5] },
  fullPage: { values: [true, false], fixture: 'page.html' },
  printBackground: { values: [true, false], fixture: 'page.html' },
  embedAllFonts: { values: [true, false] },
  fitToWidth: { values: [true, false], fixture: 'office/workbook.xlsx' },
  delimiter: { values: [';', '\t'], fixture: 'table.csv' },
  headers: { values: [true, false], fixture: 'table.csv' },
  encoding: { values: ['utf-16le', 'windows-1252'], fixture: 'plain.txt' },
  layout: { values: ['exact', 'flow'] },
  preserveLayout: { values: [true, false] },
  subset: { values: ['abc', 'xyz'] },
  hinting: { values: ['keep', 'auto'] },
  pixelSize: { values: [8, 24] },
  face: { values: [1, 2] },
  ebookMargin: { values: [0, 60] },
  ebookOutputProfile: { values: ['tablet', 'kindle'] },
  ebookBaseFontSize: { values: [6, 30] },
  ebookEmbedFonts: { values: [true, false] },
  ebookSmartenPunctuation: { values: [true, false] },
  ebookDisableFontRescaling: { values: [true, false] },
  watermarkText: { values: ['a', 'b'] },
  watermarkOpacity: { values: [0.1, 0.9], beside: { watermarkText: 'a' } },
  watermarkColor: { values: ['red', 'blue'], beside: { watermarkText: 'a' } },
  watermarkPosition: { values: ['top-left', 'bottom'], beside: { watermarkText: 'a' } },
  watermarkFontSize: { values: [6, 20], beside: { watermarkText: 'a' } },
  watermarkMargin: { values: [0, 20], beside: { watermarkText: 'a', watermarkPosition: 'top-left' } },
}

const deterministicEngines = ['vips', 'imagemagick', 'ffmpeg', 'vtracer', 'potrace']
const names = process.argv.slice(2)
const chosenEngines = engines.filter(({ id }) =>
  (names.length > 0 ? names : deterministicEngines).includes(id),
)
const typicalSources: readonly FormatId[] = ['png', 'jpg', 'svg', 'mp4', 'wav', 'srt']

const chooseSource = ({ from }: Capability, fixture: string | undefined): string | undefined => {
  const format = fixture === undefined ? undefined : formatByExtension(fixture)?.id
  if (format && from.includes(format)) return new URL(`../fixtures/${fixture}`, import.meta.url).pathname
  const id = typicalSources.find((typicalSource) => from.includes(typicalSource)) ?? from[0]
  return id && findSample(id)
}

/** Times that programs write into documents; they differ from run to run. */
const times = [
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g,
  /D:\d{14}(?:Z|[+-]\d\d'?\d\d'?)?/g,
  /\/ID\s*\[[^\]]*\]/g,
  /uuid:[\da-f-]{36}/gi,
]

/** Returns the content of a file without times: of an archive, the names and contents of its files. */
async function readContent(path: string, includesSizes: boolean): Promise<string> {
  const bytes = await readFile(path)
  if (bytes.readUInt16BE(0) !== 0x504b) return removeTimestamps(bytes)
  const entries = await new ZipReader(new Uint8ArrayReader(bytes)).getEntries()
  const texts = entries.map(async (entry) => {
    if (entry.directory) return ''
    const content = Buffer.from(await entry.getData(new Uint8ArrayWriter()))
    return `${entry.filename} ${includesSizes ? entry.compressedSize : ''} ${removeTimestamps(content)}`
  })
  return (await Promise.all(texts)).join('\n')
}

const removeTimestamps = (bytes: Buffer) =>
  times.reduce((text, time) => text.replaceAll(time, ''), bytes.toString('latin1'))

/** Returns the content of the first file and the warnings, as one text. */
async function runOnce(engine: Engine, row: Capability, to: FormatId, source: string, options: Options) {
  const workDir = await mkdtemp(join(tmpdir(), 'option-sweep-'))
  try {
    const from = formatByExtension(source)?.id ?? to
    const path = join(workDir, `source-1.${formatById(from).extensions[0]}`)
    const outDir = join(workDir, 'out')
    await mkdir(outDir)
    await copyFile(source, path)
    const warnings: string[] = []
    const input = { path, filename: `in.${from}`, format: from, size: (await stat(path)).size }
    const work = {
      operation: row.operation,
      inputs: [input],
      from,
      to,
      options: row.options.parse(options),
      outDir,
    }
    const { files } = await runEngine(
      engine,
      { method: 'run', work },
      {
        workDir,
        signal: AbortSignal.timeout(60_000),
        limits: engine.limits,
        onProgress: () => undefined,
        onWarning: (_, message) => warnings.push(message),
      },
    )
    return `${warnings.join('\n')}\n${await readContent(files[0].path, formatById(to).category === 'archive')}`
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

async function judgeOption(engine: Engine, row: Capability, to: FormatId, option: string): Promise<string> {
  const trial = trials[option]
  const source = trial && chooseSource(row, trial.fixture)
  if (!trial || !source || !['convert', 'watermark'].includes(row.operation)) return 'not judged'
  const isSupported = (name: string) => Object.hasOwn(row.options.shape, name)
  const beside = Object.fromEntries(Object.entries(trial.beside ?? {}).filter(([name]) => isSupported(name)))
  const runWith = (value: unknown) => runOnce(engine, row, to, source, { ...beside, [option]: value })
  try {
    const [first, second] = trial.values
    const firstResult = await runWith(first)
    if (firstResult !== (await runWith(second)))
      return (await runWith(first)) === firstResult ? 'effect' : 'not judged'
    return 'no effect'
  } catch (error) {
    return `not judged: ${error instanceof Error ? error.message.split('\n')[0] : error}`
  }
}

const outcomes: Record<string, number> = {}
for (const engine of chosenEngines)
  for (const row of engine.capabilities)
    for (const to of row.to)
      for (const option of Object.keys(row.options.shape)) {
        const outcome = await judgeOption(engine, row, to, option)
        const [kind = outcome] = outcome.split(':')
        outcomes[kind] = (outcomes[kind] ?? 0) + 1
        if (outcome !== 'effect') console.log([engine.id, row.operation, to, option, outcome].join('\t'))
      }
console.error(JSON.stringify(outcomes))
process.exit()
