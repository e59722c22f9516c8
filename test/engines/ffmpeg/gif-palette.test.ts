import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

after(removeRuns)

test('a GIF made from a video is drawn with a palette of all its frames', async () => {
  const { lines } = await convert(ffmpeg, fixture('video.mp4'), 'gif')
  const graph = lines.find((line) => line.includes('palettegen')) ?? ''
  assert.match(
    graph,
    /split\[x\]\[y\];\[x\]palettegen=stats_mode=diff\[p\];\[y\]\[p\]paletteuse=dither=bayer:bayer_scale=5/,
  )
})
