import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormatId } from '../../lib/formats/index.ts'
import type { Operation } from '../../lib/model/operations.ts'
import { applyOptions } from '../../lib/plan/options.ts'
import { planRoute } from './with-all-engines.ts'

interface Case {
  readonly from: FormatId
  readonly to?: FormatId
  readonly operation?: Operation
  readonly engine?: 'vtracer'
  readonly options: Readonly<Record<string, unknown>>
  /** Each ignored option with the option that makes it ineffective, or with the options that it needs for an effect. */
  readonly ignored: readonly (readonly [option: string, beside: string])[]
}

const video = { from: 'webm', to: 'mp4' } as const
const image = { from: 'png', to: 'jpg' } as const
const pdfToDocx = { from: 'pdf', to: 'docx' } as const

const cases: readonly Case[] = [
  { ...video, options: { crf: 20, videoBitrate: '2M' }, ignored: [['crf', 'videoBitrate']] },
  { ...video, options: { crf: 20, bitrate: '2M' }, ignored: [['crf', 'bitrate']] },
  { ...video, options: { quality: 20, video_bitrate: '2M' }, ignored: [['quality', 'videoBitrate']] },
  { ...video, options: { quality: 'low', crf: 30 }, ignored: [['quality', 'crf']] },
  { ...video, options: { bitrate: '1M', videoBitrate: '2M' }, ignored: [['bitrate', 'videoBitrate']] },
  { ...video, options: { bitrate: '2M', videoBitrate: 2_000_000 }, ignored: [] },
  {
    ...video,
    options: { quality: 9, crf: 20, videoBitrate: '2M' },
    ignored: [
      ['crf', 'videoBitrate'],
      ['quality', 'videoBitrate'],
    ],
  },
  { ...video, options: { quality: 20, audioBitrate: '96k', preset: 'slow', twoPass: true }, ignored: [] },
  {
    from: 'wav',
    to: 'mp3',
    options: { quality: 9, audioBitrate: '96k' },
    ignored: [['quality', 'audioBitrate']],
  },
  {
    from: 'mp3',
    to: 'mp3',
    operation: 'merge',
    options: { quality: 9, audioBitrate: '96k' },
    ignored: [['quality', 'audioBitrate']],
  },
  {
    from: 'mp4',
    to: 'mp4',
    operation: 'compress',
    options: { quality: 9, targetSize: '2M' },
    ignored: [['quality', 'targetSize']],
  },
  {
    from: 'pdf',
    to: 'pdf',
    operation: 'compress',
    options: { quality: 9, profile: 'web', targetSize: 20_000 },
    ignored: [
      ['quality', 'targetSize'],
      ['profile', 'targetSize'],
    ],
  },
  {
    from: 'pdf',
    to: 'pdf',
    operation: 'compress',
    options: { quality: 9, profile: 'web' },
    ignored: [['quality', 'profile']],
  },
  {
    from: 'jpg',
    to: 'jpg',
    operation: 'compress',
    options: { quality: 9, targetSize: 20_000 },
    ignored: [],
  },
  { ...image, options: { quality: 9, jpegQuality: 80 }, ignored: [['quality', 'jpegQuality']] },
  { ...image, options: { downscale: 99, width: 50 }, ignored: [['downscale', 'width']] },
  { ...image, options: { downscale: 99, height: 50, fit: 'crop' }, ignored: [['downscale', 'height']] },
  { ...image, options: { downscale: 99, fit: 'crop' }, ignored: [['fit', 'downscale']] },
  { ...image, options: { downscale: 99, fit: 'max' }, ignored: [] },
  { ...image, options: { fit: 'crop' }, ignored: [['fit', 'without width or height']] },
  { ...image, options: { fit: 'crop', height: 50 }, ignored: [] },
  { from: 'png', operation: 'thumbnail', to: 'jpg', options: { fit: 'crop' }, ignored: [] },
  { from: 'png', to: 'webp', options: { quality: 9, lossless: true }, ignored: [['quality', 'lossless']] },
  { from: 'png', to: 'webp', options: { quality: 9, lossless: false }, ignored: [] },
  {
    from: 'png',
    to: 'svg',
    engine: 'vtracer',
    options: { threshold: 30 },
    ignored: [['threshold', 'colorMode=color']],
  },
  {
    from: 'png',
    to: 'svg',
    engine: 'vtracer',
    options: { colorPrecision: 3, threshold: 30, colorMode: 'bw' },
    ignored: [['colorPrecision', 'colorMode=bw']],
  },
  {
    from: 'png',
    to: 'png',
    operation: 'watermark',
    options: { watermarkScale: 70, watermarkText: 'Draft' },
    ignored: [['watermarkScale', 'watermarkText']],
  },
  {
    from: 'png',
    to: 'png',
    operation: 'watermark',
    options: { watermarkColor: 'red', watermarkFontSize: 9, watermarkScale: 70 },
    ignored: [
      ['watermarkColor', 'without watermarkText'],
      ['watermarkFontSize', 'without watermarkText'],
    ],
  },
  {
    from: 'epub',
    to: 'azw3',
    options: { ebookBaseFontSize: 20, ebookDisableFontRescaling: 'true' },
    ignored: [['ebookBaseFontSize', 'ebookDisableFontRescaling']],
  },
  {
    from: 'epub',
    to: 'azw3',
    options: { ebookBaseFontSize: 20, ebookDisableFontRescaling: 'false' },
    ignored: [],
  },
  { ...pdfToDocx, options: { pages: '1', pageRange: '2' }, ignored: [['pageRange', 'pages']] },
  { ...pdfToDocx, options: { pages: '1', pageRange: '1' }, ignored: [] },
  { ...pdfToDocx, options: { language: 'deu', ocrLanguage: 'eng' }, ignored: [['ocrLanguage', 'language']] },
  {
    ...pdfToDocx,
    options: { layout: 'flow', preserveLayout: true },
    ignored: [['preserveLayout', 'layout']],
  },
  { ...pdfToDocx, options: { layout: 'exact', preserveLayout: true }, ignored: [] },
]

for (const { from, to = from, operation = 'convert', engine, options, ignored } of cases)
  test(`${operation} ${from} to ${to} with ${JSON.stringify(options)} ignores ${ignored.length} option(s)`, () => {
    const { warnings } = applyOptions(planRoute({ from, to, operation, engine }), options)
    const expectedMessages = ignored.map(
      ([option, other]) =>
        `${option} was ignored: it has no effect ${other.startsWith('without ') ? other : `with ${other}`}.`,
    )
    assert.deepEqual(
      warnings.map(({ code, field, message }) => [code, field, message]).toSorted(),
      ignored.map(([option], at) => ['OPTION_IGNORED', option, expectedMessages[at]]).toSorted(),
    )
  })
