import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { vips } from '../../../lib/engines/vips.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { isWhite, renderPage } from '../support/inspect-pdf.ts'
import { assertColor, colorAt, findChangedArea, readFrame } from '../support/inspect-pixels.ts'
import { probeCodecs, readPdfText, readStdout, runFfprobe } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'
import { getPath, mark } from '../support/watermarks.ts'

/** A video of four seconds of gray with a tone. */
const video = getPath('video.mp4')

await readStdout(
  'ffmpeg',
  ...['-v', 'error', '-f', 'lavfi', '-i', 'color=0x808080:s=320x180:r=10:d=4'],
  ...['-f', 'lavfi', '-i', 'sine=frequency=440:duration=4', '-c:v', 'libx264', '-c:a', 'aac', video],
)

describe('video watermarks', () => {
  test('a watermark is at the requested position from the first to the last frame of a video, and the audio is unchanged', async () => {
    const { path, result } = await mark(ffmpeg, video, {
      watermarkText: '█',
      watermarkPosition: 'bottom-right',
      watermarkFontSize: 40,
      watermarkOpacity: 1,
      watermarkColor: 'red',
      watermarkMargin: 10,
    })
    assert.equal(result.method, 'encode')
    assert.deepEqual(await probeCodecs({ path }), ['h264', 'aac'])
    const { streams, format } = await runFfprobe(path)
    assert.deepEqual([streams[0]?.width, streams[0]?.height, streams[0]?.nb_read_packets], [320, 180, 40])
    assert.ok(Math.abs((format.duration ?? 0) - 4) < 0.1)
    const audioHash = (file: string) =>
      readStdout('ffmpeg', '-v', 'error', '-i', file, '-map', '0:a', '-c', 'copy', '-f', 'md5', '-')
    assert.equal(await audioHash(path), await audioHash(video))
    const frameBefore = await readFrame(video, '1')
    for (const number of [0, 20, 39]) {
      const box = findChangedArea(frameBefore, await readFrame(path, `eq(n,${number})`), 24)
      assert.ok(box.count > 300, `frame ${number} has no mark`)
      assert.ok(box.left > 260 && box.right <= 311 && box.top > 100 && box.bottom <= 172, JSON.stringify(box))
    }
    const [red = 0, green = 255] = colorAt(await readFrame(path, 'eq(n,20)'), 295, 145)
    assert.ok(red > 230 && green < 30, `${red} ${green}`)
  })

  test('a watermark on a video can be an image, and the video keeps its codec and aspect ratio', async () => {
    for (const [name, width, height] of [
      ['video.webm', 64, 48],
      ['turned.mov', 48, 64],
      ['video.avi', 64, 48],
    ] as const) {
      const options = { watermarkOpacity: '1', watermarkScale: 50, watermarkPosition: 'top-left' }
      const { path } = await mark(ffmpeg, fixture(name), { ...options, watermarkMargin: 0 }, [
        fixture('corners.png'),
      ])
      const { streams } = await runFfprobe(path)
      assert.deepEqual([streams[0]?.width, streams[0]?.height], [width, height], name)
      assert.deepEqual(await probeCodecs({ path }), await probeCodecs({ path: fixture(name) }), name)
      const frameAfter = await readFrame(path, 'eq(n,5)')
      assertColor(frameAfter, [4, 4], '#ff0000', 40)
      assertColor(frameAfter, [width / 2 - 4, 4], '#00ff00', 40)
    }
  })

  test('filter syntax in the text of a video watermark does not change the filter graph', async () => {
    for (const watermarkText of [
      `%{pts}:x='0',[in][out];drawbox=color=red@1:t=fill`,
      "\\'];[0:v]null[x\ntwo",
      '🎉 مرحبا <b>&amp;</b>',
    ]) {
      const options = { watermarkText, watermarkPosition: 'center', watermarkColor: 'white' }
      const { path } = await mark(ffmpeg, video, options)
      const box = findChangedArea(await readFrame(video, '1'), await readFrame(path, 'eq(n,10)'), 16)
      assert.ok(box.count > 50 && box.count < 8000, `${watermarkText} changed ${box.count} dots`)
    }
  })

  test('a watermark on a video keeps subtitles and all audio tracks', async () => {
    const { path } = await mark(ffmpeg, fixture('tracks.mkv'), { watermarkText: 'Draft' })
    assert.deepEqual(
      (await probeCodecs({ path })).toSorted(),
      (await probeCodecs({ path: fixture('tracks.mkv') })).toSorted(),
    )
  })

  test('a watermark on a video is refused if the file has no video track', async () => {
    const audioPath = getPath('audio.mp4')
    await readStdout('ffmpeg', '-v', 'error', '-i', video, '-vn', '-c', 'copy', audioPath)
    await assertRefused(
      mark(ffmpeg, audioPath, { watermarkText: 'x' }),
      'UNSUPPORTED_CONVERSION',
      /has no video track/,
    )
    await assertRefused(mark(ffmpeg, video, {}), 'INVALID_INPUT', /^watermarkText: expected/)
    const notes = mark(ffmpeg, video, {}, [fixture('plain.txt')])
    await assertRefused(notes, 'CORRUPT_FILE', /watermark image/)
  })
})

test('metadata=keep causes METADATA_NOT_KEPT for a watermarked TIFF and for a JPEG frame of a video', async () => {
  const source = getPath('xmp.tiff')
  await sharp(fixture('orientation-6.jpg'))
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
    .tiff()
    .toFile(source)
  const markedRun = await mark(vips, source, { watermarkText: 'x', metadata: 'keep' })
  const frame = await convert(ffmpeg, fixture('video.mp4'), 'jpg', { options: { metadata: 'keep' } })
  assert.deepEqual([markedRun.warnings, frame.warnings], [['METADATA_NOT_KEPT'], ['METADATA_NOT_KEPT']])
  assert.match(markedRun.messages.join(), /only keeps XMP/)
  assert.match(await readFile(markedRun.path, 'latin1'), /x:xmpmeta/)
})

describe('PDF watermarks', () => {
  test('the watermark operation has the same options for a PDF as add-watermark-pdf, and marks the selected page', async () => {
    const options = { watermarkText: 'Grüße 機密', watermarkPosition: 'top', pages: '2' }
    const { path } = await mark(pdf, fixture('three-pages.pdf'), options)
    assert.match(await readStdout('pdftotext', '-f', '2', '-l', '2', path, '-'), /Grüße 機密/)
    assert.doesNotMatch(await readStdout('pdftotext', '-l', '1', path, '-'), /Grüße/)
    const operations = ['watermark', 'add-watermark-pdf'] as const
    const [ownCapability, tool] = operations.map(
      (operation) => planRoute({ from: 'pdf', to: 'pdf', operation }).steps[0].capability,
    )
    assert.equal(ownCapability?.options, tool?.options)
  })

  test('a watermark fits on the PDF page, however wide its characters are', async () => {
    const options = { watermarkText: 'WWWWWWWWWWWW', watermarkPosition: 'bottom-right', watermarkOpacity: 1 }
    const { path } = await mark(pdf, fixture('three-pages.pdf'), options)
    const page = await renderPage(path)
    assert.ok(!isWhite(await page.color(2, 2)))
    const boxes = await readStdout('pdftotext', '-bbox', '-l', '1', path, '-')
    const [, width] = /page width="([\d.]+)"/.exec(boxes) ?? []
    const [, left, right] =
      /xMin="([\d.]+)" yMin="[\d.]+" xMax="([\d.]+)" yMax="[\d.]+">W+</.exec(boxes) ?? []
    assert.ok(Number(left) > 0 && Number(right) < Number(width), `${left} to ${right} of ${width}`)
  })

  test('a watermark can be added to an encrypted PDF with its password, and the result has the same password', async () => {
    const source = fixture('needs-password.pdf')
    await assertRefused(mark(pdf, source, { watermarkText: 'x' }), 'PDF_ENCRYPTED')
    const { path } = await mark(pdf, source, {
      watermarkText: 'Draft',
      watermarkPosition: 'top',
      password: 'secret',
    })
    await assert.rejects(readPdfText(path))
    assert.match(await readStdout('pdftotext', '-upw', 'secret', path, '-'), /Draft/)
  })

  test('a watermark on a PDF can be an image of many megabytes', async () => {
    const noise = getPath('noise.png')
    const background = { type: 'gaussian', mean: 128, sigma: 80 } as const
    await sharp({ create: { width: 1900, height: 1900, channels: 3, noise: background, background: '#000' } })
      .png({ compressionLevel: 0 })
      .toFile(noise)
    const { path } = await mark(pdf, fixture('three-pages.pdf'), { pages: '1' }, [noise])
    assert.match(await readStdout('pdfimages', '-list', path), /1900 +1900/)
  })
})

test('text watermarks have the same options for images, videos and PDFs', () => {
  const shape = (from: FormatId) =>
    planRoute({ from, to: from, operation: 'watermark' }).steps[0].capability.options.shape
  const names = Object.keys(shape('png')).filter((name) => name.startsWith('watermark'))
  assert.ok(names.length >= 7)
  for (const name of names) {
    assert.equal(shape('mp4')[name], shape('png')[name], name)
    assert.equal(shape('pdf')[name], shape('png')[name], name)
  }
})
