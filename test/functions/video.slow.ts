import { join } from 'node:path'
import { test } from 'node:test'
import { scratchFolder } from '../scratch-folder.ts'
import { assertSameInParts, makeFilm } from './video-chunk-cases.ts'

const folder = scratchFolder('film')

test('4 minutes of film in runs of 15 s are those of one run, though killed twice', {
  timeout: 1_500_000,
}, (t) => {
  makeFilm(join(folder, 'film.mp4'), '1280x720', '25', 240)
  return assertSameInParts(t, {
    ...{ folder, files: ['film.mp4'], path: '/v1/convert' },
    fields: { targetFormat: 'mkv', mode: 'encode', preset: 'ultrafast' },
    ...{ limitS: 15, kills: [2, 8], largerBy: 0.03, pictures: 6000 },
  })
})
