import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowsCopies, canConcatenate } from '../../../lib/engines/ffmpeg/concat-compatible.ts'
import type { Container } from '../../../lib/engines/ffmpeg/containers.ts'
import { mergeVideoOptions } from '../../../lib/engines/ffmpeg/options.ts'
import { parseProbe } from '../../../lib/engines/ffmpeg/probe.ts'
import { videoContainers } from '../../../lib/engines/ffmpeg/video-containers.ts'

const stream = {
  index: 0,
  codec_type: 'video',
  codec_name: 'h264',
  width: 640,
  height: 360,
  pix_fmt: 'yuv420p',
  avg_frame_rate: '25/1',
}
const audioStream = { index: 1, codec_type: 'audio', codec_name: 'aac', channels: 2, sample_rate: '48000' }
const createVideo = (video: object = {}, audio: object = {}) => ({
  media: parseProbe({
    streams: [
      { ...stream, ...video },
      { ...audioStream, ...audio },
    ],
    format: { duration: 10 },
  }),
})
const canCopyMerge = (video: object, audio?: object, container: Container = videoContainers.mp4) =>
  canConcatenate([createVideo(), createVideo(video, audio)], container)

test('videos are merged without encoding if codec, resolution, frame rate, pixel format and audio codec match', () => {
  assert.equal(canCopyMerge({}), true)
  for (const video of [
    { codec_name: 'hevc' },
    { width: 642 },
    { height: 362 },
    { avg_frame_rate: '30/1' },
    { pix_fmt: 'yuv422p' },
  ])
    assert.equal(canCopyMerge(video), false, JSON.stringify(video))
  for (const audio of [{ codec_name: 'mp3' }, { channels: 1 }, { sample_rate: '44100' }])
    assert.equal(canCopyMerge({}, audio), false, JSON.stringify(audio))
})

test('videos with matching streams are re-encoded when merged into a container that does not support their codecs', () => {
  assert.equal(canCopyMerge({}, {}, videoContainers.webm), false)
})

test('merged videos with matching streams are re-encoded if a quality or a preset is requested for the merge', () => {
  const allows = (options: object) => allowsCopies(mergeVideoOptions.parse(options))
  assert.deepEqual([allows({}), allows({ quality: 'low' }), allows({ preset: 'slow' })], [true, false, false])
  assert.equal(allows({ mode: 'encode' }), false)
})
