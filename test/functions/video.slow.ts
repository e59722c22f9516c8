import { join } from 'node:path'
import { test } from 'node:test'
import { scratchFolder } from '../support/scratch-folder.ts'
import { assertSameInChunks, createVideo } from './video-chunk-cases.ts'

const folder = scratchFolder('video')

test('a video converted in chunks of up to 15 s has the same frames as a single run, even if the service is killed twice', {
  timeout: 1_500_000,
}, (t) => {
  createVideo(join(folder, 'video.mp4'), '1280x720', '25', 240)
  return assertSameInChunks(t, {
    folder,
    files: ['video.mp4'],
    path: '/v1/convert',
    fields: { targetFormat: 'mkv', mode: 'encode', preset: 'ultrafast' },
    limitS: 15,
    kills: [2, 8],
    maxSizeDifference: 0.03,
    frames: 6000,
  })
})
