import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { convert, fixture } from '../support/run-engine.ts'

test('the progress of making video thumbnails increases after each thumbnail', async () => {
  const { progress } = await convert(ffmpeg, fixture('video.mp4'), 'jpg', {
    operation: 'thumbnail',
    options: { count: 4 },
  })
  assert.deepEqual(
    progress.map((ratio) => ratio.toFixed(2)),
    ['0.24', '0.47', '0.71', '0.95', '1.00'],
  )
})
