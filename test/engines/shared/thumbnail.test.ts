import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { conversions, planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { assertColor, readPixels } from '../support/inspect-pixels.ts'
import { readImageSize, readStdout } from '../support/inspect-result.ts'
import { createPdf } from '../support/pdf-maker.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'
import { getPath, readSize, thumbnail } from '../support/thumbnails.ts'

const runFfmpeg = (...args: string[]) => readStdout('ffmpeg', '-v', 'error', '-y', ...args)

/** One second of each of these colors, at ten frames per second. */
const colors = ['#ff0000', '#00ff00', '#0000ff', '#ffff00']

const video = getPath('colors.mp4')

await runFfmpeg(
  ...colors.flatMap((color) => ['-f', 'lavfi', '-i', `color=${color.replace('#', '0x')}:s=160x90:r=10:d=1`]),
  ...['-filter_complex', `concat=n=${colors.length}`, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', video],
)

describe('video thumbnails', () => {
  const readThumbnailPixels = async (options: NonNullable<RunSettings['options']>, source = video) => {
    const { result } = await thumbnail(ffmpeg, source, 'png', options)
    return Promise.all(result.files.map(({ path }) => readPixels(path, 'png')))
  }
  const assertShows = async (
    options: NonNullable<RunSettings['options']>,
    expectedChannels: readonly number[],
    source = video,
  ) => {
    const frames = await readThumbnailPixels(options, source)
    assert.equal(frames.length, expectedChannels.length)
    for (const [index, pixels] of frames.entries())
      assertColor(
        pixels,
        [pixels.width >> 1, pixels.height >> 1],
        colors[expectedChannels[index] ?? 0] ?? '',
        20,
      )
  }

  test('a thumbnail of a video shows the frame at the requested time', async () => {
    await assertShows({ timestamp: 0 }, [0])
    await assertShows({ timestamp: '00:00:01.500' }, [1])
    await assertShows({ timestamp: '1.95' }, [1])
    await assertShows({ timestamp: '2' }, [2])
    // The last frame is shown until the end.
    await assertShows({ timestamp: 3.999 }, [3])
  })

  test('a video converted to an image becomes a full-size frame or a contact sheet', async () => {
    const convertToImage = async (to: 'jpg' | 'png', options: NonNullable<RunSettings['options']>) => {
      const { path } = await convert(ffmpeg, video, to, { options })
      return readPixels(path, to)
    }
    const stillFrame = await convertToImage('jpg', { timestamp: '2.5' })
    assertColor(stillFrame, [stillFrame.width >> 1, stillFrame.height >> 1], colors[2] ?? '', 20)
    const sheet = await convertToImage('png', { rows: 2, columns: '2' })
    assert.deepEqual([sheet.width, sheet.height], [stillFrame.width * 2, stillFrame.height * 2])
    for (const [index, color] of colors.slice(0, 4).entries()) {
      const at: [number, number] = [(index % 2) * stillFrame.width + 9, (index >> 1) * stillFrame.height + 9]
      assertColor(sheet, at, color, 20)
    }
    await assertRefused(
      convert(ffmpeg, video, 'jpg', { options: { timestamp: 9 } }),
      'INVALID_INPUT',
      /^timestamp/,
    )
  })

  test('a thumbnail for a time after the end of the video is refused, and the error names the duration', async () => {
    for (const timestamp of ['4', '00:01:00'])
      await assertRefused(
        thumbnail(ffmpeg, video, 'png', { timestamp }),
        'INVALID_INPUT',
        /^timestamp: .* 4 seconds long/,
      )
    const { options } = planRoute({ from: 'mp4', to: 'png', operation: 'thumbnail' }).steps[0].capability
    for (const wrongOptions of [{ timestamp: -1 }, { timestamp: 'middle' }, { count: 0 }, { count: 21 }])
      assert.equal(options.safeParse(wrongOptions).success, false, JSON.stringify(wrongOptions))
  })

  test('a video gets the requested number of thumbnails, evenly spaced over its duration', async () => {
    const { result } = await thumbnail(ffmpeg, video, 'jpg', { count: '4', width: 40, height: 40 })
    assert.deepEqual(
      result.files.map(({ suffix }) => suffix),
      ['-001', '-002', '-003', '-004'],
    )
    for (const [index, { path }] of result.files.entries()) {
      assert.deepEqual(await readImageSize(path, 'jpg'), { width: 40, height: 23 })
      assertColor(await readPixels(path, 'jpg'), [20, 11], colors[index] ?? '', 20)
    }
    await assertShows({ count: 2 }, [1, 3])
    await assertShows({ count: 2, timestamp: 2 }, [2, 3])
    await assertShows({ count: 3, timestamp: 3.95 }, [3, 3, 3])
  })

  test('a thumbnail of a video shows a frame that is not blank if the video has such a frame', async () => {
    const darkPath = getPath('dark.mp4')
    const blackSource = 'color=black:s=160x90:r=10:d=5'
    await runFfmpeg(
      ...['-f', 'lavfi', '-i', blackSource, '-f', 'lavfi', '-i', 'testsrc=s=160x90:r=10:d=5'],
      ...['-filter_complex', 'concat=n=2', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', darkPath],
    )
    const { path } = await thumbnail(ffmpeg, darkPath, 'webp')
    const { channels } = await sharp(path).stats()
    assert.ok(
      channels.some(({ stdev }) => stdev > 30),
      'it is black',
    )
    await assertShows({}, [1])
  })

  test('a thumbnail of a video is upright and has the display aspect ratio', async () => {
    assert.deepEqual(await readSize(ffmpeg, fixture('turned.mov')), { width: 48, height: 64 })
    const widePath = getPath('wide.mp4')
    await runFfmpeg('-f', 'lavfi', '-i', 'testsrc=s=160x90:d=1,setsar=2', '-c:v', 'libx264', widePath)
    assert.deepEqual(await readSize(ffmpeg, widePath), { width: 256, height: 72 })
    const square = { width: 50, height: 50, fit: 'crop' }
    assert.deepEqual(await readSize(ffmpeg, fixture('alpha.webm'), square), { width: 50, height: 50 })
    const { path } = await thumbnail(ffmpeg, fixture('alpha.webm'), 'png')
    assert.equal((await sharp(path).metadata()).hasAlpha, true)
  })

  test('thumbnails can be made of a video without timestamps and of a video without a duration', async () => {
    const headerlessPath = getPath('bare.h264')
    await runFfmpeg('-i', video, '-c', 'copy', headerlessPath)
    await assertShows({ timestamp: '1.95' }, [1], headerlessPath)
    await assertShows({ timestamp: '3.95' }, [3], headerlessPath)
    await assertShows({ count: 4 }, [0, 1, 2, 3], headerlessPath)
    await assertRefused(
      thumbnail(ffmpeg, headerlessPath, 'png', { timestamp: 5 }),
      'INVALID_INPUT',
      / 4 seconds long/,
    )
    const livePath = getPath('live.mkv')
    await runFfmpeg('-i', video, '-c', 'copy', '-live', '1', livePath)
    await assertShows({ count: 4 }, [0, 1, 2, 3], livePath)
  })

  test('a thumbnail of a video is refused if the file has no video track', async () => {
    const audio = getPath('audio.mp4')
    await runFfmpeg('-i', fixture('video.mp4'), '-vn', '-c', 'copy', audio)
    await assertRefused(thumbnail(ffmpeg, audio, 'png'), 'UNSUPPORTED_CONVERSION', /has no video track/)
  })
})

describe('PDF thumbnails', () => {
  const pages = fixture('three-pages.pdf')

  test('thumbnails of a PDF show its first pages', async () => {
    const { result } = await thumbnail(pdf, pages, 'png', { count: 2 })
    assert.deepEqual(
      result.files.map(({ suffix }) => suffix),
      ['-001', '-002'],
    )
    const [firstFrame, secondFrame] = await Promise.all(
      result.files.map(({ path }) => readPixels(path, 'png')),
    )
    assert.ok(firstFrame && secondFrame && !firstFrame.data.equals(secondFrame.data))
    assert.deepEqual(result.details, { pages: 3 })
    const firstPages = await thumbnail(pdf, pages, 'jpg')
    assert.deepEqual([firstPages.result.files.length, firstPages.result.files[0].suffix], [1, undefined])
    assert.equal((await thumbnail(pdf, pages, 'webp', { count: 20 })).result.files.length, 3)
  })

  test('thumbnails of a PDF have the size that follows from their width, height and fit options', async () => {
    const poster = getPath('poster.pdf')
    await writeFile(
      poster,
      createPdf({
        1: '<< /Type /Catalog /Pages 2 0 R >>',
        2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 14400 72] >>',
      }),
    )
    for (const [source, options, width, height] of [
      [pages, {}, 192, 256],
      [pages, { width: 100 }, 100, 133],
      [pages, { width: 2000, height: 2000 }, 1500, 2000],
      [pages, { width: 300, height: 100, fit: 'crop' }, 300, 100],
      [pages, { width: 300, height: 100, fit: 'scale' }, 300, 100],
      [poster, {}, 256, 1],
      [poster, { height: 8192 }, 8192, 41],
      [poster, { width: 900, height: 900, fit: 'crop' }, 900, 900],
    ] as const)
      assert.deepEqual(await readSize(pdf, source, options), { width, height }, JSON.stringify(options))
  })

  test('thumbnails of a PDF require the password of the PDF', async () => {
    const lockedPath = fixture('needs-password.pdf')
    await assertRefused(thumbnail(pdf, lockedPath, 'png'), 'PDF_ENCRYPTED', /password/)
    await assertRefused(thumbnail(pdf, lockedPath, 'png', { password: 'wrong' }), 'PDF_ENCRYPTED')
    assert.equal((await readSize(pdf, lockedPath, { password: 'secret' })).height, 256)
  })
})

test('thumbnails are made by the engine that reads the format of the source', () => {
  const planEngines = (from: FormatId) =>
    planRoute({ from, to: 'jpg', operation: 'thumbnail' }).steps.map(({ engine }) => engine)
  for (const [engine, sources] of [
    ['vips', ['jpg', 'png', 'gif', 'heic', 'svg', 'cr2', 'tiff']],
    ['imagemagick', ['psd', 'bmp', 'xcf', 'ico']],
    ['ffmpeg', ['mp4', 'mov', 'webm', 'mkv', 'avi', 'h264']],
    ['pdf', ['pdf']],
  ] as const)
    for (const from of sources) assert.deepEqual(planEngines(from), [engine], from)
  assert.throws(() => planEngines('docx'), /thumbnail supports/)
  const allConversions = conversions(undefined, 'thumbnail')
  assert.ok(allConversions.length > 300)
  for (const { from, route } of allConversions)
    assert.ok(route.steps[0].capability.options.safeParse({}).success, from)
})
