import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import { EbookOptions } from '../../lib/engines/calibre/options.ts'
import { PrintOptions } from '../../lib/engines/chromium/paper.ts'
import { audioContainers } from '../../lib/engines/ffmpeg/audio-containers.ts'
import {
  animatedPngOptions,
  animatedWebpOptions,
  createAudioOptions,
  createCompressOptions,
  createVideoOptions,
  gifOptions,
  mergeAudioOptions,
  mergeVideoOptions,
  videoWatermarkOptions,
} from '../../lib/engines/ffmpeg/options.ts'
import { createVideoThumbnailRows } from '../../lib/engines/ffmpeg/thumbnail.ts'
import { videoContainers } from '../../lib/engines/ffmpeg/video-containers.ts'
import { pageOptions } from '../../lib/engines/ghostscript/pages.ts'
import { engines } from '../../lib/engines/index.ts'
import { SheetPdfOptions } from '../../lib/engines/libreoffice/page-setup.ts'
import { UnlockOptions } from '../../lib/engines/libreoffice/unlock-options.ts'
import { isInputOption, isLenientOption } from '../../lib/engines/options.ts'
import { DocxOptions } from '../../lib/engines/pdf/docx/options.ts'
import { toolOptions } from '../../lib/engines/pdf/tools/options.ts'
import {
  dpi,
  jpgOptionShape,
  lossyOptionShape,
  pngOptionShape,
} from '../../lib/engines/shared/image/options.ts'
import { watermarkOptionShape } from '../../lib/engines/shared/image/watermark-options.ts'
import { MetadataOptions } from '../../lib/engines/shared/metadata/options.ts'
import { TableOptions } from '../../lib/engines/shared/text/table-options.ts'
import { compressImageRows } from '../../lib/engines/vips/compress.ts'
import { mergeRows } from '../../lib/engines/vips/merge.ts'

/** All option schemas, which are checked for limits, values and defaults. */
const schemas = {
  video: createVideoOptions(videoContainers.mp4),
  audio: createAudioOptions(audioContainers.mp3),
  gif: gifOptions,
  webp: animatedWebpOptions,
  apng: animatedPngOptions,
  compressVideo: createCompressOptions(videoContainers.mp4),
  compressImage: getFirstSchema(compressImageRows),
  mergeVideo: mergeVideoOptions,
  mergeAudio: mergeAudioOptions,
  videoWatermark: videoWatermarkOptions,
  still: getFirstSchema(createVideoThumbnailRows(['mp4']).filter(({ to }) => to[0] === 'jpg')),
  jpg: z.object({ ...jpgOptionShape, dpi }),
  png: z.object(pngOptionShape),
  lossy: z.object(lossyOptionShape),
  mergeImages: getFirstSchema(mergeRows),
  mark: z.object(watermarkOptionShape),
  book: EbookOptions,
  page: pageOptions.jpg,
  print: PrintOptions,
  sheet: SheetPdfOptions,
  unlock: UnlockOptions,
  notes: MetadataOptions,
  docx: DocxOptions,
  table: TableOptions,
  ...toolOptions,
} as const satisfies Readonly<Record<string, z.ZodObject>>
type SchemaId = keyof typeof schemas

function getFirstSchema([row]: readonly { readonly options: z.ZodObject }[]): z.ZodObject {
  assert.ok(row)
  return row.options
}

/** Returns the schema of a single option. */
const getOptionSchema = (id: SchemaId, name: string): z.ZodType => {
  const schema: unknown = Object.entries(schemas[id].shape).find(([field]) => field === name)?.[1]
  assert.ok(schema instanceof z.ZodType, `${id} has no ${name}`)
  return schema
}

const isAccepted = (id: SchemaId, name: string, value: unknown) =>
  getOptionSchema(id, name).safeParse(value).success

describe('limits of options', () => {
  const numbers: readonly (readonly [SchemaId, name: string, least: number, most: number, step?: number])[] =
    [
      ['video', 'audioBitrate', 6000, 1_536_000],
      ['video', 'audioSampleRate', 8000, 192_000],
      ['video', 'channels', 1, 8],
      ['video', 'volume', 0, 10, 0.1],
      ['video', 'crf', 0, 63],
      ['video', 'quality', 1, 100],
      ['video', 'videoBitrate', 10_000, 200_000_000],
      ['video', 'bitrate', 10_000, 200_000_000],
      ['video', 'fps', 1, 60, 0.1],
      ['video', 'start', 0, 86_400, 0.1],
      ['video', 'end', 0, 86_400, 0.1],
      ['audio', 'start', 0, 86_400, 0.1],
      ['gif', 'width', 16, 4096],
      ['gif', 'fps', 5, 30, 0.1],
      ['gif', 'start', 0, 86_400, 0.1],
      ['gif', 'end', 0, 86_400, 0.1],
      ['gif', 'loop', 0, 65_535],
      ['gif', 'maxFileSize', 10_000, 1_000_000_000],
      ['webp', 'quality', 1, 100],
      ['compressVideo', 'targetSize', 10_000, 20_000_000_000],
      ['compressImage', 'targetSize', 200, 2_000_000_000],
      ['mergeAudio', 'gap', 0, 10, 0.1],
      ['still', 'timestamp', 0, 86_400, 0.1],
      ['still', 'count', 1, 20],
      ['still', 'width', 1, 8192],
      ['still', 'height', 1, 8192],
      ['still', 'quality', 1, 100],
      ['jpg', 'width', 1, 30_000],
      ['jpg', 'height', 1, 30_000],
      ['jpg', 'downscale', 16, 30_000],
      ['jpg', 'jpegQuality', 1, 100],
      ['jpg', 'dpi', 18, 1200],
      ['png', 'compressionLevel', 0, 9],
      ['lossy', 'quality', 1, 100],
      ['mark', 'watermarkOpacity', 0.01, 1, 0.001],
      ['mark', 'watermarkFontSize', 4, 500, 0.1],
      ['mark', 'watermarkScale', 1, 100],
      ['mark', 'watermarkMargin', 0, 1000],
      ['book', 'ebookMargin', 0, 200, 0.1],
      ['book', 'ebookBaseFontSize', 4, 60, 0.1],
      ['page', 'dpi', 72, 600],
      ['page', 'downscale', 16, 20_000],
      ['print', 'scale', 0.1, 2, 0.01],
      ['add-page-numbers-pdf', 'startNumber', 0, 1_000_000],
      ['add-page-numbers-pdf', 'fontSize', 4, 72, 0.1],
      ['remove-blank-pages-pdf', 'blankThreshold', 0, 10, 0.01],
      ['compress', 'quality', 1, 100],
      ['compress', 'targetSize', 1000, 2_000_000_000],
    ]

  test('a number option accepts its limits and refuses values beyond them', () => {
    for (const [id, name, minValue, maxValue, step = 1] of numbers) {
      for (const value of [minValue, maxValue]) {
        assert.ok(isAccepted(id, name, value), `${id} ${name}: ${value}`)
        assert.ok(isAccepted(id, name, ` ${value} `), `${id} ${name}: ${value} as text`)
      }
      for (const value of [minValue - step, maxValue + step, `${maxValue + step}`])
        assert.equal(isAccepted(id, name, value), false, `${id} ${name}: ${value}`)
      // Integer options accept no other numbers.
      const unalignedValue = maxValue < 1000 ? minValue + step / 2 : minValue + 0.5
      assert.equal(isAccepted(id, name, unalignedValue), step < 1, `${id} ${name}: ${unalignedValue}`)
    }
  })

  test('a text option accepts its maximum length and refuses one more character', () => {
    const texts: readonly (readonly [SchemaId, name: string, most: number])[] = [
      ['mark', 'watermarkText', 200],
      ['sheet', 'headerText', 500],
      ['sheet', 'footerText', 500],
      ['unlock', 'password', 255],
      ['page', 'password', 200],
      ...['title', 'author', 'subject', 'description', 'keywords', 'copyright'].map(
        (name) => ['notes', name, 2000] as const,
      ),
      ...['title', 'author', 'subject', 'keywords', 'creator', 'producer'].map(
        (name) => ['edit-pdf-metadata', name, 2000] as const,
      ),
      ...(Object.keys(toolOptions) as (keyof typeof toolOptions)[]) // Object.keys loses the literal types.
        .map((id) => [id, 'password', 127] as const),
      ['encrypt-pdf', 'ownerPassword', 127],
      ['encrypt-pdf', 'currentPassword', 127],
    ]
    for (const [id, name, maxLength] of texts) {
      assert.ok(isAccepted(id, name, 'x'.repeat(maxLength)), `${id} ${name}`)
      assert.equal(
        isAccepted(id, name, 'x'.repeat(maxLength + 1)),
        false,
        `${id} ${name}: ${maxLength + 1} characters`,
      )
    }
    assert.equal(isAccepted('encrypt-pdf', 'password', 'ä'.repeat(64)), false, 'counted in bytes')
    assert.ok(isAccepted('add-page-numbers-pdf', 'format', `${'x'.repeat(94)}{page}`))
    assert.equal(isAccepted('add-page-numbers-pdf', 'format', `${'x'.repeat(95)}{page}`), false)
    assert.equal(isAccepted('add-page-numbers-pdf', 'format', 'Page'), false, 'without its number')
    for (const [id, name] of [
      ['unlock', 'password'],
      ['page', 'password'],
      ['decrypt-pdf', 'password'],
      ['mark', 'watermarkText'],
    ] as const)
      assert.equal(isAccepted(id, name, ''), false, `${id} ${name}: nothing`)
    for (const [id, name] of [
      ['notes', 'title'],
      ['edit-pdf-metadata', 'title'],
      ['decrypt-pdf', 'password'],
      ['encrypt-pdf', 'password'],
    ] as const)
      for (const wrongText of ['a\nb', '\na', 'a\r', 'a\n'])
        assert.equal(isAccepted(id, name, wrongText), false, `${id} ${name}: ${JSON.stringify(wrongText)}`)
    assert.equal(isAccepted('notes', 'title', ''), true, 'which removes it')
  })
})

/** Returns the values of an enumeration as the documentation lists them. */
function listValues(schema: z.ZodType): string {
  const { anyOf = [], enum: words } = z.toJSONSchema(schema, { io: 'input' })
  return (
    words ?? anyOf.flatMap((schemaPart) => (typeof schemaPart === 'object' ? (schemaPart.enum ?? []) : []))
  ).join(' ')
}

test('enumeration options accept exactly the expected values', () => {
  const presets = 'ultrafast superfast veryfast faster fast medium slow slower veryslow'
  const qualities = 'low medium high highest'
  const words: readonly (readonly [SchemaId, name: string, words: string])[] = [
    ['video', 'preset', presets],
    ['video', 'quality', qualities],
    ['video', 'rotate', '0 90 180 270'],
    ['video', 'mode', 'auto remux-if-possible encode'],
    ['audio', 'audioCodec', 'mp3 copy'],
    ['gif', 'dither', 'none floyd_steinberg bayer:bayer_scale=5 sierra2'],
    ['gif', 'palette', 'optimized full'],
    ['mergeVideo', 'mode', 'auto encode'],
    ['mergeVideo', 'preset', presets],
    ['videoWatermark', 'preset', presets],
    ['jpg', 'fit', 'max crop scale'],
    ['jpg', 'rotate', '0 90 180 270 -90 -180 -270'],
    ['jpg', 'metadata', 'strip keep'],
    ['jpg', 'colorSpace', 'srgb adobe-rgb gray'],
    ['still', 'fit', 'max crop scale'],
    ['mergeImages', 'layout', 'vertical horizontal grid grid2x2 grid3x3'],
    [
      'mark',
      'watermarkPosition',
      'top-left top top-right left center right bottom-left bottom bottom-right diagonal tile',
    ],
    [
      'book',
      'ebookOutputProfile',
      `default generic_eink generic_eink_hd generic_eink_large tablet kindle kindle_dx kindle_fire kindle_oasis kindle_pw kindle_pw3 kindle_scribe kindle_voyage kobo nook nook_color nook_hd_plus ipad ipad3 galaxy pocketbook_inkpad3 pocketbook_lux pocketbook_hd pocketbook_900 pocketbook_pro_912 sony sony300 sony900 sony-landscape sonyt3 cybookg3 cybook_opus hanlinv3 hanlinv5 illiad irexdr1000 irexdr800 jetbook5 mobipocket msreader`,
    ],
    ['docx', 'layout', 'flow exact'],
    ['docx', 'mode', 'fast hybrid'],
    ['compress-pdf', 'pdfQuality', 'screen ebook printer prepress'],
    ['compress', 'profile', 'screen ebook printer prepress web max'],
    ['compress', 'quality', qualities],
    ['to-pdfa', 'pdfaVersion', '1b 2b 3b'],
    ['rotate-pdf', 'rotate', '90 180 270 -90 -180 -270'],
    ['merge-pdf', 'outline', 'keep per_file none'],
    [
      'add-page-numbers-pdf',
      'position',
      'top-left top top-right left center right bottom-left bottom bottom-right',
    ],
  ]
  for (const [id, name, expectedWords] of words) {
    const schema = getOptionSchema(id, name)
    assert.equal(listValues(schema), expectedWords, `${id} ${name}`)
    for (const word of expectedWords.split(' '))
      assert.ok(schema.safeParse(word).success, `${id} ${name}: ${word}`)
    assert.equal(schema.safeParse('another').success, false, `${id} ${name}`)
  }
})

test('omitted conversion options have the expected default values', () => {
  const watermarkDefaults = { watermarkOpacity: 0.3, watermarkColor: '#808080', watermarkScale: 40 }
  const image = { fit: 'max', metadata: 'strip' }
  const clipDefaults = { fps: 10, loop: 0 }
  const permissionDefaults = {
    allowPrinting: true,
    allowCopying: true,
    allowModifying: true,
    allowAnnotating: true,
  }
  const signatureDefaults = { dropSignatures: false }
  const expectedDefaults: Partial<Record<SchemaId, object>> = {
    video: { mode: 'auto' },
    audio: { mode: 'auto' },
    gif: { ...clipDefaults, dither: 'bayer:bayer_scale=5', palette: 'optimized', boomerang: false },
    webp: clipDefaults,
    apng: clipDefaults,
    mergeVideo: { mode: 'auto' },
    mergeAudio: { gap: 0 },
    videoWatermark: watermarkDefaults,
    still: { fit: 'max', count: 1 },
    jpg: image,
    png: { ...image, compressionLevel: 6, palette: false },
    lossy: image,
    mergeImages: { ...image, layout: 'vertical', compressionLevel: 6, palette: false },
    mark: watermarkDefaults,
    page: { dpi: 150, colorSpace: 'srgb' },
    print: { printBackground: true, scale: 1 },
    sheet: { embedAllFonts: true, fitToWidth: true },
    notes: { strip: false },
    docx: { mode: 'hybrid', embedFonts: false },
    'encrypt-pdf': { ...permissionDefaults, allowFormFilling: true, ...signatureDefaults },
    'rotate-pdf': { rotate: 90, ...signatureDefaults },
    'compress-pdf': { pdfQuality: 'ebook', ...signatureDefaults },
    'to-pdfa': { pdfaVersion: '2b', ...signatureDefaults },
    'add-watermark-pdf': { ...watermarkDefaults, ...signatureDefaults },
    watermark: { ...watermarkDefaults, ...signatureDefaults },
    'add-page-numbers-pdf': {
      position: 'bottom',
      startNumber: 1,
      format: '{page}',
      fontSize: 11,
      fontColor: 'black',
      margin: '24pt',
      ...signatureDefaults,
    },
    'edit-pdf-metadata': { removeMetadata: false, ...signatureDefaults },
    'sanitize-pdf': { removeLinks: true, removeMetadata: false, ...signatureDefaults },
    'remove-blank-pages-pdf': { blankThreshold: 0.02, ...signatureDefaults },
    merge: { outline: 'keep', ...signatureDefaults },
    'merge-pdf': { outline: 'keep', ...signatureDefaults },
    'split-pdf': signatureDefaults,
    'decrypt-pdf': signatureDefaults,
    'extract-pdf-pages': signatureDefaults,
    'remove-pdf-pages': signatureDefaults,
    'flatten-pdf': signatureDefaults,
    'reorder-pdf-pages': signatureDefaults,
    'linearize-pdf': signatureDefaults,
    'crop-pdf': signatureDefaults,
    'redact-pdf': signatureDefaults,
    'repair-pdf': signatureDefaults,
    'grayscale-pdf': signatureDefaults,
    compress: signatureDefaults,
  }
  const ids = Object.keys(schemas) as SchemaId[] // Object.keys loses the literal types.
  for (const id of ids) assert.deepEqual(schemas[id].partial().parse({}), expectedDefaults[id] ?? {}, id)
  const idsWithRequiredOptions = ids.filter((id) => !schemas[id].safeParse({}).success)
  assert.equal(
    idsWithRequiredOptions.join(' '),
    'encrypt-pdf extract-pdf-pages remove-pdf-pages reorder-pdf-pages redact-pdf',
    'those that require at least one option',
  )
})

test('only the mode option ignores unknown values, and only four options control how an input file is read', () => {
  const schemaIdsWhere = (isMarked: (schema: z.ZodType) => boolean) => {
    const names = engines.flatMap(({ capabilities }) =>
      capabilities.flatMap(({ options: { shape } }) =>
        Object.entries(shape).flatMap(
          // The shape of an object schema holds schemas.
          ([name, schema]) => (isMarked(schema as z.ZodType) ? [name] : []),
        ),
      ),
    )
    return [...new Set(names)].toSorted().join(' ')
  }
  assert.equal(schemaIdsWhere(isLenientOption), 'mode')
  assert.equal(schemaIdsWhere(isInputOption), 'delimiter encoding headers scripts')
})
