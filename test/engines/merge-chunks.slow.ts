// Run by `npm run test:slow`: merges of films in parts beside those in one run.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { before } from '../hooks.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { type Asked, assertSameFilm, inParts, split, whole } from './video-in-chunks.ts'

const shelf = scratchFolder('merge-parts')
const film = (name: string) => join(shelf, name)

function make(name: string, ...args: readonly string[]) {
  const all = ['-nostdin', '-v', 'error', '-y', ...args, film(name)]
  const { status, stderr } = spawnSync('ffmpeg', all, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

const pictures = (size: string, rate: string, seconds: number) => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`],
]
const sound = (seconds: number, rate = 48_000) => [
  ...['-f', 'lavfi', '-i', `sine=frequency=440:beep_factor=4:sample_rate=${rate}:duration=${seconds}`],
]
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-g', '60']

before(async () => {
  make('plain.mp4', ...pictures('320x180', '25', 20), ...sound(20), ...h264, '-metadata', 'title=First')
  // More sound than pictures, and by a time that no picture begins at.
  make('ntsc.mp4', ...pictures('640x360', '30000/1001', 20), ...sound(20.37, 44_100), ...h264)
  const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '50', '-c:a', 'libopus']
  make('web.webm', ...pictures('160x240', '50', 14), ...sound(13.2), ...vp9)
  make('mute.mkv', ...pictures('320x180', '24', 13), '-c:v', 'mpeg4', '-q:v', '5')
  make('short.mov', ...pictures('320x180', '60', 2), ...sound(2), ...h264)
  // 15 pictures later; plain samples have no lead of their own.
  const late = [
    '-itsoffset',
    '0.6',
    '-i',
    film('plain.mp4'),
    '-i',
    film('plain.mp4'),
    '-map',
    '0:v',
    '-map',
    '1:a',
  ]
  make('late.mkv', ...late, '-map', '1:a', '-c:v', 'copy', '-c:a', 'pcm_s16le')
})

const merges: Readonly<Record<string, { readonly files: readonly string[] } & Asked>> = {
  'of films of different sizes, rates and codecs': {
    files: ['plain.mp4', 'ntsc.mp4', 'web.webm', 'mute.mkv', 'short.mov'],
    ...{ from: 'mp4', to: 'mp4' },
  },
  'whose pictures begin after the sound, with another sound track': {
    files: ['late.mkv', 'plain.mp4', 'late.mkv'],
    ...{ from: 'mkv', to: 'mkv' },
  },
  'at the rate of television': { files: ['ntsc.mp4', 'plain.mp4'], from: 'mp4', to: 'mov' },
  'that becomes WebM': { files: ['web.webm', 'short.mov'], from: 'webm', to: 'webm' },
  'without sound': { files: ['mute.mkv', 'mute.mkv'], from: 'mkv', to: 'mkv' },
}

for (const [what, { files, ...asked }] of Object.entries(merges)) {
  test(`a merge ${what} is the same in parts`, { timeout: 600_000 }, async () => {
    const merge = { operation: 'merge', ...asked, options: { preset: 'ultrafast', mode: 'encode' } } as const
    const paths = files.map(film)
    const one = await whole(paths, merge)
    const { result, parts } = await inParts(paths, merge, { workers: 1, timeoutS: 0.3 })
    assert.ok(parts > files.length + 1, `${parts} parts`)
    await assertSameFilm(one, result)
  })
}

test('a merge stays whole where it is copied, ends in time or becomes AVI', async () => {
  const asked = { operation: 'merge', from: 'mp4', to: 'mp4' } as const
  const twice = [film('plain.mp4'), film('plain.mp4')]
  assert.equal(await split(twice, asked), undefined)
  const encoded = { ...asked, options: { mode: 'encode' } }
  assert.equal(await split(twice, encoded, { workers: 1, timeoutS: 600 }), undefined)
  assert.equal(await split(twice, { ...encoded, to: 'avi' }), undefined)
  assert.ok(await split(twice, encoded))
})
