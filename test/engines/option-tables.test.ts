import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type * as z from 'zod'
import { createTitle } from '../../lib/engines/calibre/ebook.ts'
import { ebookOptionShape } from '../../lib/engines/calibre/options.ts'
import { audioContainers } from '../../lib/engines/ffmpeg/audio-containers.ts'
import { countChannels, defaultLayouts, type LayoutName } from '../../lib/engines/ffmpeg/channel-layouts.ts'
import { type VideoCodec, videoCodecs } from '../../lib/engines/ffmpeg/codecs.ts'
import {
  animatedPngOptions,
  animatedWebpOptions,
  createAudioOptions,
  createCompressOptions,
  createVideoOptions,
  gifOptions,
  mergeAudioOptions,
  mergeVideoOptions,
  readResolution,
  videoWatermarkOptions,
} from '../../lib/engines/ffmpeg/options.ts'
import { videoContainers } from '../../lib/engines/ffmpeg/video-containers.ts'
import { chooseOutputSize } from '../../lib/engines/ffmpeg/video-filters.ts'
import { SheetPdfOptions, TextPdfOptions } from '../../lib/engines/libreoffice/page-setup.ts'
import { toolOptions } from '../../lib/engines/pdf/tools/options.ts'
import { jpgOptionShape, pngOptionShape, qualityScales } from '../../lib/engines/shared/image/options.ts'
import {
  computeScale,
  parseThumbnailBox,
  thumbnailCount,
} from '../../lib/engines/shared/image/thumbnail-options.ts'
import { stampInputs, watermarkColor } from '../../lib/engines/shared/image/watermark-options.ts'
import { MetadataOptions } from '../../lib/engines/shared/metadata/options.ts'
import { TableOptions } from '../../lib/engines/shared/text/table-options.ts'

describe('quality levels', () => {
  const listLevels = ({
    low,
    medium,
    high,
    highest,
  }: Record<'low' | 'medium' | 'high' | 'highest', number>) => [...[low, medium, high, highest]]

  test('the quality levels of images increase and are at most 100', () => {
    for (const [format, scale] of Object.entries(qualityScales)) {
      const [low = 0, medium = 0, high = 0, highestLevel = 0] = listLevels(scale)
      assert.ok(
        0 < low && low < medium && medium < high && high <= highestLevel && highestLevel <= 100,
        format,
      )
    }
  })

  test('a higher quality level of a video codec is a better CRF value, within the range of the codec', () => {
    for (const [id, codec] of Object.entries(videoCodecs)) {
      const { crf }: VideoCodec = codec
      if (!crf) continue
      // The scale of Theora is reversed: a higher number means better quality.
      const [low = 0, medium = 0, high = 0, highestLevel = 0] = listLevels(crf.levels).map((level) =>
        id === 'theora' ? crf.max - level : level,
      )
      assert.ok(
        crf.max >= low && low > medium && medium > high && high > highestLevel && highestLevel >= 0,
        id,
      )
      assert.match(crf.flag, /^-(crf|q:v)$/, id)
    }
    assert.deepEqual(videoCodecs.prores.args, ['-profile:v', '3', '-pix_fmt', 'yuv422p10le'])
  })
})

test('an ebook without a title gets the name of its file', () => {
  const names = [' Two  otters .docx', 'a.tar.gz', '.pdf', 'x'.repeat(300)]
  assert.deepEqual(names.map(createTitle), ['Two  otters', 'a.tar', 'Untitled', 'x'.repeat(200)])
})

test('color options accept names and hex values, with or without the number sign', () => {
  const names = ['black', 'white', 'gray', 'red', 'green', 'blue', 'yellow', 'orange', 'purple']
  for (const name of [...names, '#abc', '#A1b2C3']) assert.equal(watermarkColor.parse(name), name)
  assert.equal(watermarkColor.parse('ff0000'), '#ff0000')
  for (const wrongColor of ['pink', '#ab', 'red;', ''])
    assert.throws(() => watermarkColor.parse(wrongColor), wrongColor)
})

test('the number of speakers of each channel layout is the number in its name', () => {
  const expectedCounts: Readonly<Record<string, number>> = {
    mono: 1,
    stereo: 2,
    quad: 4,
    'quad(side)': 4,
    hexagonal: 6,
    octagonal: 8,
    '2.1': 3,
    '3.0': 3,
    '3.0(back)': 3,
    '3.1': 4,
    '4.0': 4,
    '4.1': 5,
    '5.0': 5,
    '5.0(side)': 5,
    '5.1': 6,
    '5.1(side)': 6,
    '6.0': 6,
    '6.1': 7,
    '6.1(back)': 7,
    '7.0': 7,
    '7.1': 8,
    '7.1(wide)': 8,
  }
  // The keys are names of layouts.
  for (const [name, count] of Object.entries(expectedCounts))
    assert.equal(countChannels(name as LayoutName), count, name)
  assert.deepEqual(defaultLayouts.map(countChannels), [1, 2, 3, 4, 5, 6, 7, 8])
})

test('the resolution option sets the shorter side of a landscape or portrait video, or fits the video into a box', () => {
  const getSize = (width: number, height: number, resolution: string) => {
    const video = { width, height, sample_aspect_ratio: '1:1', side_data_list: [], tags: {} }
    const { width: across, height: down } = chooseOutputSize(video as never, { resolution } as never)
    return [across, down]
  }
  assert.deepEqual(getSize(1920, 1080, '720p'), [1280, 720])
  assert.deepEqual(getSize(1080, 1920, '720p'), [720, 1280])
  assert.deepEqual(getSize(1920, 1080, '640x640'), [640, 360])
})

test('a video with non-square pixels gets its display width', () => {
  const getSize = (shape: string, rotation = 0) => {
    const rotationArgs = rotation === 0 ? [] : [{ rotation }]
    const video = {
      width: 720,
      height: 576,
      sample_aspect_ratio: shape,
      side_data_list: rotationArgs,
      tags: {},
    }
    const { width, height } = chooseOutputSize(video as never, {} as never)
    return [width, height]
  }
  assert.deepEqual(getSize('64:45'), [1024, 576])
  assert.deepEqual(getSize('64:45', 90), [576, 1024])
  for (const unknown of ['0:1', '1:0', '1:1']) assert.deepEqual(getSize(unknown), [720, 576], unknown)
})

test('redact-pdf accepts up to a hundred terms, as a list or separated by commas', () => {
  const { shape } = toolOptions['redact-pdf']
  const parseTerms = (value: unknown) => shape.terms.safeParse(value).data
  assert.deepEqual(parseTerms(' a, b ,,c\nd'), ['a', 'b', 'c', 'd'])
  assert.deepEqual(parseTerms('["a, b"]'), ['a, b'])
  assert.equal(parseTerms(Array(100).fill('x'))?.length, 100)
  for (const invalidTerms of [[], [''], ['x'.repeat(201)], Array(101).fill('x'), ','])
    assert.equal(parseTerms(invalidTerms), undefined)
})

test('a thumbnail fits its box, and a vector drawing is rendered at the resolution that the box requires', () => {
  const boxes = [{}, { width: 9 }, { height: 9, fit: 'crop' }, { width: 9, height: 8, fit: 'scale' }]
  assert.deepEqual(boxes.map(parseThumbnailBox), [
    { width: 256, height: 256, fit: 'max' },
    { width: 9, height: 8192, fit: 'max' },
    { width: 8192, height: 9, fit: 'grow' },
    { width: 9, height: 8, fit: 'scale' },
  ])
  const box = { width: 100, height: 300 }
  const scaledSizes = (['max', 'grow', 'crop', 'scale'] as const).map((fit) =>
    computeScale({ width: 10, height: 10 }, { ...box, fit }),
  )
  assert.deepEqual(scaledSizes, [10, 10, 30, 30])
  assert.equal(thumbnailCount.parse(undefined), 1)
  assert.deepEqual(
    [0, 1, 20, 21].map((count) => thumbnailCount.safeParse(count).success),
    [false, true, true, false],
  )
  assert.deepEqual(stampInputs, {
    min: 0,
    max: 1,
    from: ['png', 'jpg', 'webp', 'gif', 'tiff', 'svg', 'avif'],
  })
})

test('the pageSize option accepts paper names, and sides of 20 to 5080 mm in mm, cm, inches or points', () => {
  const isAccepted = (pageSize: string) => TextPdfOptions.safeParse({ pageSize }).success
  for (const size of ['a4', ' Letter ', '20x5080mm', '2 x 50cm'.replaceAll(' ', ''), '8.5x11in', '100x200pt'])
    assert.equal(isAccepted(size), true, size)
  for (const size of ['19x100mm', '100x19mm', '5081x100mm', '100x5081mm', 'A9', '100', '10x10ft', 'xmm'])
    assert.equal(isAccepted(size), false, size)
})

test('the table delimiter option accepts a character or its name, in upper or lower case', () => {
  const isAccepted = (delimiter: string) => TableOptions.safeParse({ delimiter }).success
  for (const sign of ['comma', 'TAB', '\\t', 'Auto', 'auto', ';', '|', ' '])
    assert.equal(isAccepted(sign), true, sign)
  for (const sign of ['', 'a', '1', '"', '\n', 'commas', ';;']) assert.equal(isAccepted(sign), false, sign)
})

/** Options are part of the API contract, so removing one must fail a test. */
describe('option names of each tool and format', () => {
  const joinOptionNames = (schema: z.ZodObject) => Object.keys(schema.shape).join(' ')
  const watermarkArgs =
    'watermarkPosition watermarkOpacity watermarkFontSize watermarkColor watermarkScale watermarkMargin'

  test('the PDF tools have exactly the expected options', () => {
    assert.deepEqual(
      Object.fromEntries(Object.entries(toolOptions).map(([id, one]) => [id, joinOptionNames(one)])),
      {
        'split-pdf': 'password dropSignatures pages',
        'encrypt-pdf':
          'password ownerPassword currentPassword allowPrinting allowCopying allowModifying allowAnnotating allowFormFilling dropSignatures',
        'decrypt-pdf': 'password dropSignatures',
        'rotate-pdf': 'password dropSignatures pages rotate',
        'compress-pdf': 'password dropSignatures pdfQuality',
        'to-pdfa': 'password dropSignatures pdfaVersion',
        'extract-pdf-pages': 'password dropSignatures pages',
        'remove-pdf-pages': 'password dropSignatures pages',
        'extract-pdf-images': 'password pages',
        'add-watermark-pdf': `password dropSignatures pages watermarkText ${watermarkArgs}`,
        watermark: `password dropSignatures pages watermarkText ${watermarkArgs}`,
        'flatten-pdf': 'password dropSignatures',
        'repair-pdf': 'password dropSignatures',
        'reorder-pdf-pages': 'password dropSignatures pages',
        'add-page-numbers-pdf':
          'password dropSignatures pages position startNumber format fontSize fontColor margin',
        'edit-pdf-metadata':
          'password dropSignatures title author subject keywords creator producer removeMetadata',
        'linearize-pdf': 'password dropSignatures',
        'crop-pdf': 'password dropSignatures pages marginTop marginRight marginBottom marginLeft cropBox',
        'redact-pdf': 'password dropSignatures terms',
        'sanitize-pdf': 'password dropSignatures removeLinks removeMetadata',
        'grayscale-pdf': 'password dropSignatures',
        'remove-blank-pages-pdf': 'password dropSignatures blankThreshold',
        'pdf-info': 'password',
        merge: 'password outline dropSignatures',
        'merge-pdf': 'password outline dropSignatures',
        compress: 'password dropSignatures quality profile targetSize',
      },
    )
  })

  test('videos, audio and animations have exactly the expected options', () => {
    const { mp4, h264 } = videoContainers
    const videoNames = 'preset crf quality videoBitrate bitrate twoPass resolution fps rotate background'
    const audioNames = 'audioBitrate audioSampleRate channels volume'
    assert.equal(
      joinOptionNames(createVideoOptions(mp4)),
      `${audioNames} start end codec ${videoNames} audioCodec mode`,
    )
    assert.equal(joinOptionNames(createVideoOptions(h264)), `start end codec ${videoNames} mode`)
    const audioFormatNames = 'audioSampleRate audioCodec mode channels volume start end'
    assert.equal(
      joinOptionNames(createAudioOptions(audioContainers.mp3)),
      `${audioFormatNames} audioBitrate quality`,
    )
    assert.equal(joinOptionNames(createAudioOptions(audioContainers.flac)), audioFormatNames)
    assert.equal(joinOptionNames(createCompressOptions(mp4)), 'quality targetSize resolution fps')
    assert.equal(joinOptionNames(createCompressOptions(audioContainers.mp3)), 'quality targetSize')
    const clip = 'width fps start end loop'
    assert.equal(joinOptionNames(gifOptions), `${clip} dither palette boomerang maxFileSize`)
    assert.equal(joinOptionNames(animatedWebpOptions), `${clip} quality`)
    assert.equal(joinOptionNames(animatedPngOptions), clip)
    assert.equal(joinOptionNames(videoWatermarkOptions), `watermarkText ${watermarkArgs} quality preset`)
    assert.equal(joinOptionNames(mergeVideoOptions), 'mode quality preset')
    assert.equal(joinOptionNames(mergeAudioOptions), 'gap quality audioBitrate')
  })

  test('the resolution option accepts the names 240p to 4k, each with its shorter side', () => {
    const sides = ['240p', '360p', '480p', '720p', '1080p', '1440p', '4k'].map((name) => {
      assert.ok(createVideoOptions(videoContainers.mp4).safeParse({ resolution: name }).success, name)
      return readResolution(name)
    })
    assert.deepEqual(
      sides,
      [240, 360, 480, 720, 1080, 1440, 2160].map((shortSide) => ({ shortSide })),
    )
  })

  test('images, ebooks, spreadsheets and metadata have exactly the expected options', () => {
    const size = 'width height fit downscale rotate background metadata'
    assert.equal(Object.keys(jpgOptionShape).join(' '), `${size} quality jpegQuality progressive colorSpace`)
    assert.equal(
      Object.keys(pngOptionShape).join(' '),
      `${size} compressionLevel palette progressive colorSpace`,
    )
    assert.deepEqual(Object.keys(ebookOptionShape), [
      ...['ebookMargin', 'ebookOutputProfile', 'ebookBaseFontSize', 'ebookEmbedFonts'],
      ...['ebookSmartenPunctuation', 'ebookDisableFontRescaling'],
    ])
    const margins = 'marginTop marginRight marginBottom marginLeft'
    const page = `embedAllFonts pageSize landscape ${margins} headerText footerText`
    assert.equal(joinOptionNames(SheetPdfOptions), `${page} fitToWidth`)
    assert.equal(
      joinOptionNames(MetadataOptions),
      'title author subject description keywords copyright creationDate strip',
    )
  })
})
