// Run by `npm run test:slow`: tests a watermark on a video of each format.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { videoFormats } from '../../../lib/engines/ffmpeg/capabilities.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { formatById } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { assertColor, readPixels } from '../support/inspect-pixels.ts'
import { probeCodecs, readImageSize, readStdout } from '../support/inspect-result.ts'
import { convert, type Run } from '../support/run-engine.ts'

const folder = scratchFolder('watermark')
const video = join(folder, 'video.mp4')
await readStdout(
  'ffmpeg',
  ...['-v', 'error', '-f', 'lavfi', '-i', 'color=0x404040:s=320x240:r=25:d=2'],
  ...['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2', '-c:v', 'libx264', '-c:a', 'aac', video],
)

/**
 * Fails unless a video shows the green watermark in its center only. Checks a thumbnail of the video, because
 * thumbnails support all these formats and have square pixels.
 */
async function assertHasWatermark(run: Run, placeName: string): Promise<void> {
  const operation = 'thumbnail'
  const { path } = await convert(ffmpeg, run.path, 'png', {
    from: run.format,
    operation,
    options: { timestamp: 1 },
  })
  const { width, height } = await readImageSize(path, 'png')
  const pixels = await readPixels(path, 'png')
  assertColor(pixels, [Math.round(width * 0.5), Math.round(height * 0.5)], '#00ff00', 60)
  for (const [x, y] of [
    [0.25, 0.5],
    [0.75, 0.5],
    [0.5, 0.15],
    [0.5, 0.85],
  ] as const)
    assertColor(pixels, [Math.round(width * x), Math.round(height * y)], '#404040', 40)
  assert.ok(width > 100, placeName)
}

describe('a watermark on a video of every format', { concurrency: 2 }, () => {
  for (const id of videoFormats) {
    test(`a watermark is added to a video in ${formatById(id).name}`, async () => {
      const plainVideo = await convert(ffmpeg, video, id)
      const options = {
        watermarkText: '█',
        watermarkFontSize: 60,
        watermarkPosition: 'center',
        watermarkColor: '#00ff00',
        watermarkOpacity: 1,
      }
      const markedVideo = await convert(ffmpeg, plainVideo.path, id, {
        from: id,
        operation: 'watermark',
        options,
      })
      assert.equal(markedVideo.result.method, 'encode')
      if (id !== 'amv') assert.deepEqual(await probeCodecs(markedVideo), await probeCodecs(plainVideo))
      await assertHasWatermark(markedVideo, id)
    })
  }
})
