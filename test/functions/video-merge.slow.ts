import { join } from 'node:path'
import { test } from 'node:test'
import { scratchFolder } from '../scratch-folder.ts'
import { assertSameInParts, makeFilm } from './video-chunk-cases.ts'

const folder = scratchFolder('film-merge')

test('films are merged in runs of 15 s as in one run, though killed once', { timeout: 1_500_000 }, (t) => {
  makeFilm(join(folder, 'small.mp4'), '320x180', '25', 180)
  makeFilm(join(folder, 'other.mkv'), '1280x720', '30000/1001', 60)
  makeFilm(join(folder, 'short.mov'), '320x180', '50', 3)
  return assertSameInParts(t, {
    ...{ folder, files: ['small.mp4', 'other.mkv', 'short.mov'], path: '/v1/convert/merge' },
    fields: { mergeType: 'video', options: '{"preset":"ultrafast"}' },
    // At the rate of the first.
    ...{ limitS: 15, kills: [2], largerBy: 0.06, pictures: 4500 + 1500 + 75 },
  })
})
