import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { before } from '../hooks.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { type Asked, assertSameFilm, inParts, split, whole } from './video-in-chunks.ts'

const shelf = scratchFolder('film-parts')
const films = {
  plain: join(shelf, 'plain.mp4'),
  late: join(shelf, 'late.mkv'),
  turned: join(shelf, 'turned.mp4'),
}

function make(...args: readonly string[]) {
  const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
}

before(async () => {
  const pictures = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30000/1001:duration=24']
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:beep_factor=4:duration=24']
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-g', '60', '-c:a', 'aac']
  make(...pictures, ...sound, ...coded, '-metadata', 'title=Pieces', films.plain)
  // 15 pictures later; plain samples have no lead of their own.
  const late = ['-itsoffset', '0.5005', '-i', films.plain, '-i', films.plain, '-map', '0:v', '-map', '1:a']
  make(...late, '-c:v', 'copy', '-c:a', 'pcm_s16le', films.late)
  make('-i', films.plain, '-c', 'copy', '-metadata:s:v', 'rotate=90', films.turned)
})

const kinds = {
  'of many pictures that are shown out of order': {
    file: films.plain,
    from: 'mp4',
    to: 'mp4',
    options: { mode: 'encode' },
  },
  'whose pictures begin after its sound': {
    file: films.late,
    from: 'mkv',
    to: 'mkv',
    options: { mode: 'encode' },
  },
  'that is turned': {
    file: films.turned,
    from: 'mp4',
    to: 'mkv',
    options: { codec: 'h265', preset: 'ultrafast' },
  },
  'that becomes WebM': {
    file: films.plain,
    from: 'mp4',
    to: 'webm',
    options: { preset: 'ultrafast', resolution: '160x90' },
  },
} as const satisfies Record<string, Asked & { file: string }>

for (const [what, { file, ...asked }] of Object.entries(kinds)) {
  test(`a film ${what} is the same in pieces`, { timeout: 300_000 }, async () => {
    const one = await whole([file], asked)
    const { result, parts } = await inParts([file], asked)
    assert.ok(parts > 3, `${parts} parts`)
    const { expected, got } = await assertSameFilm(one, result)
    assert.equal(got.title, expected.title)
    assert.deepEqual(
      [got.width, got.height, got.rotation],
      [expected.width, expected.height, expected.rotation],
    )
  })
}

test('a film stays whole where it is copied, cut, has another rate, or ends in time', async () => {
  const film = { from: 'mp4', to: 'mp4' } as const
  const encoded = { mode: 'encode' }
  assert.equal(await split([films.plain], { from: 'mp4', to: 'mkv' }), undefined)
  for (const option of [{ start: '1' }, { end: '20' }, { fps: 10 }])
    assert.equal(await split([films.plain], { ...film, options: { ...encoded, ...option } }), undefined)
  assert.equal(
    await split([films.plain], { ...film, options: encoded }, { workers: 1, timeoutS: 600 }),
    undefined,
  )
  assert.ok(await split([films.plain], { ...film, options: encoded }))
})
