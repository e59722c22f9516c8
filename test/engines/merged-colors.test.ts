// Films whose colors are meant in different ways, one after the other.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { colorsOfFirst } from '../../lib/engines/ffmpeg/merged-colors.ts'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../scratch.ts'
import { convert } from './run-engine.ts'

const folder = scratchFolder('merged-colors')
const [width, height] = [64, 48]

/** Half a second of one orange. */
function film(name: string, matrix: string, told: readonly string[]): string {
  const path = join(folder, name)
  const source = `color=c=0xC87828:s=${width}x${height}:r=10:d=0.5`
  const filter = `scale=out_color_matrix=${matrix},format=yuv420p`
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', ...told]
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-vf', filter, ...codec, path])
  return path
}

const toldAs = (name: string) => ['-colorspace', name, '-color_primaries', name, '-color_trc', name]

/** Light and color differences of the first dot after so many seconds. */
function dotAt(path: string, seconds: number): number[] {
  const args = ['-v', 'error', '-ss', String(seconds), '-i', path, '-frames:v', '1', '-pix_fmt', 'yuv420p']
  const picture = execFileSync('ffmpeg', [...args, '-f', 'rawvideo', '-'])
  const dots = width * height
  return [0, dots, dots + dots / 4].map((at) => picture[at] ?? 0)
}

test('films of old television and of HD have one color after a merge', async () => {
  const old = film('old.mp4', 'bt601', toldAs('smpte170m'))
  const hd = film('hd.mp4', 'bt709', toldAs('bt709'))
  const untold = film('untold.mp4', 'bt601', [])
  for (const [first, second, space] of [
    [old, hd, 'smpte170m'],
    [hd, old, 'bt709'],
    [untold, hd, undefined],
  ] as const) {
    const { path } = await convert(ffmpeg, first, 'mp4', { operation: 'merge', more: [second] })
    const told = execFileSync('ffprobe', ['-v', 'error', '-show_streams', '-of', 'json', path], {
      encoding: 'utf8',
    })
    assert.equal(JSON.parse(told).streams[0].color_space, space)
    const [before, after, wanted] = [dotAt(path, 0.2), dotAt(path, 0.7), dotAt(first, 0.2)]
    for (const [at, level] of wanted.entries()) {
      assert.ok(Math.abs((before[at] ?? 0) - level) <= 2, `${before} for ${wanted}`)
      assert.ok(Math.abs((after[at] ?? 0) - level) <= 2, `${after} for ${wanted}`)
    }
  }
})

test('films whose colors are meant alike are left as they are', () => {
  const colors = (color_space: string, height = 480, color_transfer = 'unknown') => ({
    ...{ pix_fmt: 'yuv420p', color_space, color_transfer, height },
  })
  assert.deepEqual(colorsOfFirst(colors('bt709'), colors('unknown', 1080)), [])
  assert.deepEqual(colorsOfFirst(colors('bt470bg'), colors('smpte170m')), [])
  assert.deepEqual(colorsOfFirst(colors('bt709'), colors('bt2020nc', 1080, 'smpte2084')), [])
  assert.deepEqual(colorsOfFirst(colors('bt709'), { ...colors('gbr'), pix_fmt: 'gbrp' }), [])
  assert.match(
    colorsOfFirst(colors('bt709'), colors('unknown')).join(),
    /in_color_matrix=bt601:out_color_matrix=bt709/,
  )
})
