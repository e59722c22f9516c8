import { audioCodecs } from '../../lib/engines/ffmpeg/audio-codecs.ts'
import { videoCodecs } from '../../lib/engines/ffmpeg/codecs.ts'

export type Options = Readonly<Record<string, unknown>>

/** Files that only some options need. */
export type SpecialSource = 'book' | 'photo' | 'signed' | 'scan'

export interface Trial {
  /** The first two that the conversion accepts are compared; undefined leaves the option out. */
  readonly values: readonly unknown[]
  /** Other options that this option needs to have an effect. */
  readonly beside?: Options
  /** Candidates for the source; the first one that the conversion accepts is used. */
  readonly fixtures?: readonly string[]
  /** The special source to make, if the source is a PDF or, for a scan, an image. */
  readonly make?: SpecialSource
  /** The source has the format of the target where that is possible, because its streams are copied. */
  readonly isCopied?: true
  /** The second file of a conversion that takes one. */
  readonly secondFile?: string
}

const box = { width: 30, height: 20 }
/** Trials by the name of the option, which is prefixed with the engine or operation where that matters. */
const trials: Readonly<Record<string, Trial>> = {
  width: { values: [20, 40] },
  height: { values: [20, 40] },
  fit: { values: ['max', 'crop'], beside: box },
  downscale: { values: [16, 24] },
  rotate: { values: [90, 180] },
  background: { values: ['red', 'blue'], fixtures: ['alpha.png', 'alpha.webm', 'odd/svg-embeds-webp.svg'] },
  metadata: { values: ['strip', 'keep'], fixtures: ['orientation-6.jpg'] },
  quality: { values: [4, 95] },
  jpegQuality: { values: [4, 95] },
  progressive: { values: [true, false] },
  colorSpace: { values: ['gray', 'srgb'] },
  lossless: { values: [true, false] },
  dpi: { values: [72, 150] },
  sizes: { values: ['16', '32'] },
  compressionLevel: { values: [0, 9] },
  'archive.compressionLevel': { values: [0, 9], fixtures: ['table.csv'] },
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
  pages: { values: ['1', '2'], fixtures: ['three-pages.pdf'] },

  mode: { values: ['auto', 'encode'], isCopied: true },
  codec: { values: [...Object.keys(videoCodecs), 'copy'] },
  audioCodec: { values: [...Object.keys(audioCodecs), 'copy'] },
  palette: { values: [true, false, 'optimized', 'full'] },
  maxFileSize: { values: ['10k', '900k'] },
  count: { values: [1, 2], fixtures: ['three-pages.pdf'] },
  pageSize: { values: ['a5', 'letter'] },
  landscape: { values: [true, false] },
  marginTop: { values: ['1cm', '5cm'] },
  marginRight: { values: ['1cm', '5cm'] },
  marginBottom: { values: ['1cm', '5cm'] },
  marginLeft: { values: ['1cm', '5cm'] },
  headerText: { values: ['one', 'two'] },
  footerText: { values: ['one', 'two'] },
  scale: { values: [0.5, 1.5] },
  fullPage: { values: [true, false] },
  printBackground: { values: [true, false] },
  scripts: { values: [true, false], fixtures: ['odd/html-canvas-chart.html'] },
  'chromium.width': { values: [400, 900] },
  'chromium.height': { values: [400, 900] },
  embedAllFonts: { values: [true, false] },
  fitToWidth: { values: [true, false], fixtures: ['office/workbook.xlsx'] },
  delimiter: { values: [',', '\t'] },
  headers: { values: [true, false] },
  encoding: { values: ['windows-1252', 'windows-1251'] },
  layout: { values: ['exact', 'flow', 'vertical', 'horizontal'], fixtures: ['three-pages.pdf'] },
  preserveLayout: { values: [true, false], fixtures: ['three-pages.pdf'] },
  subset: { values: ['abc', 'xyz'] },
  hinting: { values: ['keep', 'none'] },
  pixelSize: { values: [8, 24] },
  face: { values: [1, 2] },
  password: { values: ['secret', 'wrong'] },
  'archive.password': { values: ['secret', undefined] },
  'encrypt-pdf.password': { values: ['secret', 'other'], fixtures: ['three-pages.pdf'] },
  ownerPassword: { values: ['owner', 'boss'], fixtures: ['three-pages.pdf'] },
  currentPassword: { values: ['secret', 'wrong'], fixtures: ['needs-password.pdf'] },
  ebookMargin: { values: [0, 60] },
  ebookOutputProfile: { values: ['tablet', 'kindle'] },
  ebookBaseFontSize: { values: [6, 30] },
  ebookEmbedFonts: { values: [true, false] },
  ebookSmartenPunctuation: { values: [true, false] },
  ebookDisableFontRescaling: { values: [true, false], beside: { ebookOutputProfile: 'kindle' } },
  watermarkText: { values: ['a', 'b'] },
  watermarkOpacity: { values: [0.1, 0.9], beside: { watermarkText: 'a' } },
  watermarkColor: { values: ['red', 'blue'], beside: { watermarkText: 'a' } },
  watermarkPosition: { values: ['top-left', 'bottom'], beside: { watermarkText: 'a' } },
  watermarkFontSize: { values: [6, 20], beside: { watermarkText: 'a' } },
  watermarkMargin: { values: [0, 20], beside: { watermarkText: 'a', watermarkPosition: 'top-left' } },
  watermarkScale: { values: [5, 60], beside: {}, secondFile: 'corners.png' },

  'merge.margin': { values: ['0mm', '20mm'] },
  gap: { values: [0, 1] },
  targetSize: { values: [20_000, 100_000] },
  'vips.targetSize': { values: [2_000, 100_000] },
  // Enough for a second of less efficient codecs.
  'ffmpeg.targetSize': { values: [40_000, 10_000_000] },
  paths: { values: [['*'], ['*.md', '*.png']] },

  'pdf.quality': { values: [4, 95], make: 'photo' },
  'pdf.jpegQuality': { values: [4, 95], make: 'photo' },
  'pdf.progressive': { values: [true, false], make: 'photo' },
  'pdf.compressionLevel': { values: [0, 9], make: 'photo' },
  'pdf.palette': { values: [true, false], make: 'photo' },
  'pdf.colorSpace': { values: ['gray', 'srgb'], make: 'photo' },
  'ghostscript.downscale': { values: [16, 24], fixtures: ['three-pages.pdf'] },
  'ghostscript.quality': { values: [4, 95], make: 'photo' },
  'ghostscript.jpegQuality': { values: [4, 95], make: 'photo' },
  'ghostscript.colorSpace': { values: ['gray', 'srgb'], make: 'photo' },
  pdfQuality: { values: ['screen', 'prepress'], make: 'photo' },
  profile: { values: ['screen', 'prepress'], make: 'photo' },
  'pdf.targetSize': { values: [20_000, 200_000], make: 'photo' },
  pageRange: { values: ['1', '2'], fixtures: ['three-pages.pdf'] },
  'reorder-pdf-pages.pages': { values: ['2,1', '3,2'], fixtures: ['three-pages.pdf'] },
  'split-pdf.pages': { values: ['1', '2-3'], fixtures: ['three-pages.pdf'] },
  'extract-pdf-images.pages': { values: ['1', '2'], make: 'scan' },
  language: { values: ['eng', 'deu'], make: 'scan' },
  ocrLanguage: { values: ['eng', 'deu'], make: 'scan' },
  'pdf.mode': { values: ['fast', 'hybrid'], make: 'scan' },
  deskew: { values: [true, false], make: 'scan' },
  embedFonts: { values: [true, false], fixtures: ['three-pages.pdf'] },
  dropSignatures: { values: [true, false], make: 'signed' },
  allowPrinting: { values: [true, false], fixtures: ['three-pages.pdf'] },
  allowCopying: { values: [true, false], fixtures: ['three-pages.pdf'] },
  allowModifying: { values: [true, false], fixtures: ['three-pages.pdf'] },
  allowAnnotating: { values: [true, false], fixtures: ['three-pages.pdf'] },
  allowFormFilling: { values: [true, false], fixtures: ['three-pages.pdf'] },
  pdfaVersion: { values: ['1b', '3b'], fixtures: ['three-pages.pdf'] },
  position: { values: ['top-left', 'bottom'] },
  startNumber: { values: [1, 5] },
  format: { values: ['{page}', 'Page {page}'] },
  fontSize: { values: [8, 30] },
  fontColor: { values: ['red', 'blue'] },
  'add-page-numbers-pdf.margin': { values: ['10pt', '60pt'] },
  cropBox: { values: ['0,0,100,100', '10,10,90,150'], beside: {} },
  'crop-pdf.pages': { values: ['1', '2'], fixtures: ['three-pages.pdf'] },
  terms: { values: [['alphamarker'], ['betamarker']], fixtures: ['three-pages.pdf'] },
  removeLinks: { values: [true, false], make: 'book' },
  removeMetadata: { values: [true, false], make: 'book' },
  // Only the second of the pages has less ink than that.
  blankThreshold: { values: [0, 2], fixtures: ['three-pages.pdf'] },
  outline: { values: ['keep', 'none'], make: 'book' },

  title: { values: ['one', 'two'] },
  author: { values: ['one', 'two'] },
  subject: { values: ['one', 'two'] },
  description: { values: ['one', 'two'] },
  keywords: { values: ['one', 'two'] },
  copyright: { values: ['one', 'two'] },
  creator: { values: ['one', 'two'] },
  producer: { values: ['one', 'two'] },
  creationDate: { values: ['2021-01-31', '2022-02-01'] },
  strip: { values: [true, false], beside: { title: 'kept' }, fixtures: ['orientation-6.jpg'] },
}

/** Options that an operation needs, unless the trial has others. */
const requiredOptions: Readonly<Record<string, Options>> = {
  'add-watermark-pdf': { watermarkText: 'a' },
  watermark: { watermarkText: 'a' },
  'crop-pdf': { marginTop: '5mm' },
  'encrypt-pdf': { password: 'secret' },
  'extract-pdf-pages': { pages: '1' },
  'metadata/write': { title: 'kept' },
  'edit-pdf-metadata': { subject: 'kept' },
  'redact-pdf': { terms: ['alphamarker'] },
  'remove-pdf-pages': { pages: '1' },
  'reorder-pdf-pages': { pages: '2,1' },
}

export function findTrial(engine: string, operation: string, option: string): Trial | undefined {
  const trial = trials[`${operation}.${option}`] ?? trials[`${engine}.${option}`] ?? trials[option]
  return trial && { ...trial, beside: trial.beside ?? requiredOptions[operation] ?? {} }
}
