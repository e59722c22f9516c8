import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type * as z from 'zod'
import {
  createEbookArgs,
  EbookOptions,
  findUnsupportedOptions,
  hasEbookOptions,
} from '../../../lib/engines/calibre/options.ts'
import { audioContainers } from '../../../lib/engines/ffmpeg/audio-containers.ts'
import { chooseLayout } from '../../../lib/engines/ffmpeg/channel-layouts.ts'
import { findCodecIdByName } from '../../../lib/engines/ffmpeg/codecs.ts'
import { preferSourceCodec } from '../../../lib/engines/ffmpeg/compress.ts'
import {
  createAudioOptions,
  createCompressOptions,
  createVideoOptions,
  gifOptions,
  readResolution,
  timestampOption,
} from '../../../lib/engines/ffmpeg/options.ts'
import { buildRecipe } from '../../../lib/engines/ffmpeg/plan.ts'
import { parseProbe } from '../../../lib/engines/ffmpeg/probe.ts'
import { videoContainers } from '../../../lib/engines/ffmpeg/video-containers.ts'
import {
  hasPageChanges,
  SheetPdfOptions,
  TextPdfOptions,
  toSheetPageSetup,
  toTextPageSetup,
} from '../../../lib/engines/libreoffice/page-setup.ts'
import { parseSeparator } from '../../../lib/engines/shared/text/csv-separator.ts'
import { TableOptions } from '../../../lib/engines/shared/text/table-options.ts'

const parse = (schema: z.ZodType, value: unknown) => schema.safeParse(value).data
const assertRefused = (schema: z.ZodType, ...values: unknown[]) => {
  for (const value of values) assert.equal(schema.safeParse(value).success, false, JSON.stringify(value))
}
const assertEachRefused = (schema: z.ZodType, wrongValues: Readonly<Record<string, unknown>>) => {
  for (const [name, value] of Object.entries(wrongValues)) assertRefused(schema, { [name]: value })
}

describe('media options', () => {
  const videoSchema = createVideoOptions(videoContainers.mp4)

  test('times in media options are parsed from seconds or from clock notation, and invalid times are refused', () => {
    for (const [input, seconds] of [
      ['01:02:03.5', 3723.5],
      ['2:03', 123],
      ['90', 90],
      ['0:00:05', 5],
      ['0.25', 0.25],
      [0, 0],
      [7.25, 7.25],
      [86_400, 86_400],
    ])
      assert.equal(parse(timestampOption, input), seconds)
    assertRefused(timestampOption, '1:60:00', '-5', '24:00:01', 86_401, 'a', '1:2:3:4', '')
  })

  test('bit rates and sizes are parsed with the suffixes k and M, and values out of range are refused', () => {
    const parseBitrate = (audioBitrate: unknown) =>
      (parse(videoSchema, { audioBitrate }) as { audioBitrate?: number })?.audioBitrate
    assert.deepEqual(
      ['128k', '128 K', '96kbps', '0.5M', 64_000].map(parseBitrate),
      [128_000, 128_000, 96_000, 500_000, 64_000],
    )
    assertEachRefused(videoSchema, {
      audioBitrate: '5k',
      videoBitrate: '201M',
      bitrate: '9k',
      crf: 64,
      fps: 61,
      channels: 9,
      volume: 11,
    })
    assertEachRefused(videoSchema, {
      rotate: 45,
      resolution: '100p',
      codec: 'divx9',
      preset: 'best',
      audioSampleRate: 7999,
      crf: -1,
    })
    const readMaxFileSize = (maxFileSize: unknown) =>
      (parse(gifOptions, { maxFileSize }) as { maxFileSize?: number })?.maxFileSize
    assert.deepEqual(['500k', '2MB', '10000'].map(readMaxFileSize), [500_000, 2_000_000, 10_000])
    assertEachRefused(gifOptions, {
      maxFileSize: '9k',
      fps: 31,
      width: 15,
      loop: -1,
      dither: 'x',
      palette: 'x',
    })
  })

  test('codec options accept alternative names of codecs', () => {
    const parseCodec = (value: string) => (parse(videoSchema, { codec: value }) as { codec?: string })?.codec
    assert.deepEqual(['libx264', 'HEVC', ' copy ', 'av1'].map(parseCodec), ['h264', 'h265', 'copy', 'av1'])
    assert.deepEqual([findCodecIdByName('hevc'), findCodecIdByName('nothing')], ['h265', undefined])
  })

  test('media options exist only for formats to which they apply', () => {
    const listNames = (schema: z.ZodObject) => Object.keys(schema.shape)
    assert.equal(listNames(createAudioOptions(audioContainers.flac)).includes('audioBitrate'), false)
    assert.equal(listNames(createAudioOptions(audioContainers.mp3)).includes('audioBitrate'), true)
    assert.equal(listNames(createAudioOptions(audioContainers.mka)).includes('audioBitrate'), true)
    assert.equal(listNames(createCompressOptions(audioContainers.mp3)).includes('fps'), false)
    assert.equal(listNames(createCompressOptions(videoContainers.mp4)).includes('fps'), true)
    assert.equal(listNames(videoSchema).includes('audioCodec'), true)
  })

  test('a video resolution is parsed as the shorter side or as a box', () => {
    assert.deepEqual(readResolution('4k'), { shortSide: 2160 })
    assert.deepEqual(readResolution('240p'), { shortSide: 240 })
    assert.deepEqual(readResolution('1280x720'), { width: 1280, height: 720 })
  })

  const media = parseProbe({
    streams: [
      {
        index: 0,
        codec_type: 'video',
        codec_name: 'h264',
        width: 640,
        height: 480,
        pix_fmt: 'yuv420p',
        avg_frame_rate: '25/1',
        r_frame_rate: '25/1',
      },
      {
        index: 1,
        codec_type: 'audio',
        codec_name: 'aac',
        channels: 2,
        channel_layout: 'stereo',
        sample_rate: '48000',
      },
    ],
    format: { duration: '2', bit_rate: '800000' },
  })

  const createArgs = (options: object) =>
    JSON.stringify(
      buildRecipe({
        media,
        from: 'mkv',
        to: 'mp4',
        container: videoContainers.mp4,
        options: { mode: 'auto', ...options },
        mayCopy: true,
        keepSubtitles: true,
      }),
    )

  test('media options change the arguments of ffmpeg', () => {
    const plainArgs = createArgs({})
    assert.match(plainArgs, /"-c:v(:0)?","copy"/)
    assert.match(plainArgs, /"-c:a:0","copy"/)
    const optionCases: [options: object, argsPattern: RegExp][] = [
      [{ resolution: '240p' }, /scale=320:240/],
      [{ resolution: '100x1000' }, /scale=100:76/],
      [{ fps: 5 }, /fps=5/],
      [{ rotate: 90 }, /transpose=clock/],
      [{ rotate: 180 }, /hflip,vflip/],
      [{ rotate: 270 }, /transpose=cclock/],
      [{ crf: 30 }, /"-crf(:v)?","30"/],
      [{ codec: 'h265' }, /libx265".*"-pix_fmt","yuv420p"/],
      [{ preset: 'slow' }, /"slow"/],
      [{ videoBitrate: 500_000 }, /"500000"/],
      [{ audioBitrate: 64_000 }, /"-b:a:0","64000"/],
      [{ audioSampleRate: 22_050 }, /"-ar:a:0","22050"/],
      [{ channels: 1 }, /aformat=channel_layouts=mono/],
      [{ volume: 0.5 }, /volume=0.5/],
      [{ audioCodec: 'mp3' }, /libmp3lame/],
    ]
    for (const [options, argsPattern] of optionCases) {
      assert.doesNotMatch(plainArgs, argsPattern)
      assert.match(createArgs(options), argsPattern, JSON.stringify(options))
    }
  })

  test('audio is re-encoded if the quality option is set', () => {
    const audioMedia = parseProbe({
      streams: [{ index: 0, codec_type: 'audio', codec_name: 'aac', channels: 2, sample_rate: '48000' }],
      format: { duration: '2' },
    })
    const argsFor = (options: object) =>
      JSON.stringify(
        buildRecipe({
          media: audioMedia,
          from: 'aac',
          to: 'm4a',
          container: audioContainers.m4a,
          options: { mode: 'auto', ...options },
          mayCopy: true,
          keepSubtitles: true,
        }),
      )
    assert.match(argsFor({}), /"-c:a:0","copy"/)
    assert.doesNotMatch(argsFor({ quality: 'high' }), /"copy"/)
  })

  test('a reduced channel count gets the largest supported channel layout that fits', () => {
    const limits = { maxChannels: 8, layouts: ['mono', 'stereo', '5.1'] as const }
    assert.equal(chooseLayout({ count: 8, layout: '7.1' }, limits, 7).layout, '5.1')
    assert.equal(chooseLayout({ count: 8, layout: '7.1' }, limits, 4).layout, 'stereo')
  })

  test('a compressed video keeps its codec if the format supports it', () => {
    assert.deepEqual(preferSourceCodec({ media, container: videoContainers.mp4 }), { codec: 'h264' })
    assert.deepEqual(preferSourceCodec({ media, container: videoContainers.webm }), {})
  })
})

describe('page size and margins of PDFs made from text', () => {
  const parseSetup = (options: object) => toTextPageSetup(TextPdfOptions.parse(options))

  test('pageSize accepts a name or dimensions, and a larger width means landscape', () => {
    for (const [pageSize, short, long, landscape] of [
      ['A4', 21_000, 29_700, undefined],
      [' us letter ', 21_590, 27_940, undefined],
      ['Legal', 21_590, 35_560, undefined],
      ['a3', 29_700, 42_000, undefined],
      ['a5', 14_800, 21_000, undefined],
      ['100x200mm', 10_000, 20_000, undefined],
      ['20x10CM', 10_000, 20_000, true],
      ['2x1in', 2540, 5080, true],
      ['720x72pt', 2540, 25_400, true],
    ] as const) {
      const pageSetup = parseSetup({ pageSize })
      assert.deepEqual(
        [pageSetup.short, pageSetup.long, pageSetup.landscape],
        [short, long, landscape],
        pageSize,
      )
    }
    assert.equal(parseSetup({ pageSize: '20x10cm', landscape: false }).landscape, false)
    assert.equal(parseSetup({ landscape: 'true' }).landscape, true)
    assertEachRefused(TextPdfOptions, {
      pageSize: 'a9',
      landscape: 'x',
      marginTop: '5',
      headerText: 'a'.repeat(501),
    })
    for (const pageSize of ['19x100mm', '5081x100mm', '100x100', '100mm', 'x', ''])
      assertRefused(TextPdfOptions, { pageSize })
    assert.ok(parse(TextPdfOptions, { pageSize: '20x5080mm' }))
  })

  test('page margins require a unit and are at most half a meter', () => {
    const { marginTop, marginRight, marginBottom, marginLeft } = parseSetup({
      marginTop: '20mm',
      marginRight: '2.5cm',
      marginBottom: '1IN',
      marginLeft: '72pt',
    })
    assert.deepEqual([marginTop, marginRight, marginBottom, marginLeft], [2000, 2500, 2540, 2540])
    assert.equal(parseSetup({ marginTop: '500mm' }).marginTop, 50_000)
    for (const marginLeft of ['501mm', '-1mm', '1', '1 mm', '1em'])
      assertRefused(TextPdfOptions, { marginLeft })
  })

  test('without page options, the page layout of a text document stays as it is, but that of a spreadsheet changes', () => {
    assert.equal(hasPageChanges(parseSetup({})), false)
    for (const options of [
      { pageSize: 'a4' },
      { landscape: false },
      { marginTop: '0mm' },
      { footerText: '' },
    ])
      assert.equal(hasPageChanges(parseSetup(options)), true, JSON.stringify(options))
    assert.equal(hasPageChanges(toSheetPageSetup(SheetPdfOptions.parse({}))), true)
    const plainSetup = toSheetPageSetup(SheetPdfOptions.parse({ fitToWidth: 'false', headerText: 'a' }))
    assert.deepEqual([plainSetup.fitToWidth, plainSetup.headerText], [false, 'a'])
  })
})

describe('ebook options', () => {
  test('ebook options are passed to calibre as arguments', () => {
    const getArgs = (options: object) => createEbookArgs(EbookOptions.parse(options), 'epub')
    assert.deepEqual(getArgs({}), [])
    assert.deepEqual(getArgs({ ebookMargin: 'top=10,left=20' }), ['--margin-top=10', '--margin-left=20'])
    const allOptions = {
      ebookOutputProfile: 'kindle_pw3',
      ebookBaseFontSize: '12.5',
      ebookEmbedFonts: 'true',
      ebookSmartenPunctuation: 'true',
      ebookDisableFontRescaling: true,
    }
    assert.deepEqual(getArgs(allOptions), [
      ...['--output-profile=kindle_pw3', '--base-font-size=12.5', '--embed-all-fonts'],
      ...['--smarten-punctuation', '--disable-font-rescaling'],
    ])
    assert.deepEqual(getArgs({ ebookEmbedFonts: false, ebookSmartenPunctuation: 'false' }), [])
    assertEachRefused(EbookOptions, {
      ebookBaseFontSize: 3,
      ebookOutputProfile: 'x',
      ebookMargin: 201,
      ebookEmbedFonts: 'x',
    })
  })

  test('ebook options that the target format does not support are reported', () => {
    const findUnsupportedInFb2 = (options: object) =>
      findUnsupportedOptions(EbookOptions.parse(options), 'fb2')
    assert.deepEqual(findUnsupportedInFb2({ ebookMargin: 5, ebookSmartenPunctuation: true }), ['ebookMargin'])
    assert.deepEqual(findUnsupportedInFb2({ ebookEmbedFonts: false, ebookBaseFontSize: 9 }), [
      'ebookBaseFontSize',
    ])
    assert.deepEqual(findUnsupportedOptions(EbookOptions.parse({ ebookMargin: 5 }), 'epub'), [])
    const kindleOptions = { ebookMargin: 5, ebookEmbedFonts: true, ebookBaseFontSize: 9 }
    assert.deepEqual(findUnsupportedOptions(EbookOptions.parse(kindleOptions), 'mobi'), [
      'ebookMargin',
      'ebookEmbedFonts',
    ])
    assert.equal(hasEbookOptions(EbookOptions.parse({ ebookEmbedFonts: false })), false)
    assert.equal(hasEbookOptions(EbookOptions.parse({ ebookMargin: 5 })), true)
  })
})

test('the delimiter option of a table accepts a character or its name, but no letter, digit or quote', () => {
  assert.deepEqual(['comma', 'TAB', '\\t', 'pipe', '#'].map(parseSeparator), [',', '\t', '\t', '|', '#'])
  for (const delimiter of ['semicolon', 'auto', 'Auto', ';', '§', '\t', 'space', 'colon'])
    assert.ok(TableOptions.safeParse({ delimiter }).success, delimiter)
  for (const delimiter of ['a', '7', '"', '\n', '::', '', 'x'.repeat(11)])
    assertRefused(TableOptions, { delimiter })
  assert.equal(TableOptions.parse({ headers: 'false' }).headers, false)
})
