import { join } from 'node:path'
import { test } from 'node:test'
import { scratchFolder } from '../support/scratch-folder.ts'
import { assertSameInChunks, createVideo } from './video-chunk-cases.ts'

const folder = scratchFolder('video-merge')

test('a video merge in chunks of up to 15 s has the same frames as a single run, even if the service is killed once', {
  timeout: 1_500_000,
}, (t) => {
  createVideo(join(folder, 'small.mp4'), '320x180', '25', 180)
  createVideo(join(folder, 'other.mkv'), '1280x720', '30000/1001', 60)
  createVideo(join(folder, 'short.mov'), '320x180', '50', 3)
  return assertSameInChunks(t, {
    folder,
    files: ['small.mp4', 'other.mkv', 'short.mov'],
    path: '/v1/convert/merge',
    fields: { mergeType: 'video', options: '{"preset":"ultrafast"}' },
    // All frames are counted at the frame rate of the first video.
    limitS: 15,
    kills: [2],
    maxSizeDifference: 0.06,
    frames: 4500 + 1500 + 75,
  })
})
