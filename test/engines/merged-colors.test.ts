// Films whose colors are meant in different ways, one after the other.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { colorMatchFilters } from '../../lib/engines/ffmpeg/merged-colors.ts'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../scratch-folder.ts'
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

test('films of Display P3 and BT.2020 keep that, and films of HD have their colors among them', async () => {
  const wide = (name: string, matrix: string, told: readonly [string, string, string]) =>
    film(name, matrix, ['-colorspace', told[0], '-color_primaries', told[1], '-color_trc', told[2]])
  const p3 = wide('p3.mp4', 'bt709', ['bt709', 'smpte432', 'iec61966-2-1'])
  const tv = wide('2020.mp4', 'bt2020', ['bt2020nc', 'bt2020', 'bt2020-10'])
  const hd = film('usual.mp4', 'bt709', toldAs('bt709'))
  for (const [first, second, primaries] of [
    [p3, p3, 'smpte432'],
    [p3, hd, 'smpte432'],
    [hd, p3, 'bt709'],
    [tv, hd, 'bt2020'],
  ] as const) {
    const { path } = await convert(ffmpeg, first, 'mp4', { operation: 'merge', more: [second] })
    const show = ['-v', 'error', '-show_entries', 'stream=color_primaries', '-of', 'csv=p=0', path]
    assert.equal(execFileSync('ffprobe', show, { encoding: 'utf8' }).trim(), primaries)
    // What each of the two is to be on a screen of HD.
    for (const [source, seconds] of [
      [first, 0.2],
      [second, 0.7],
    ] as const) {
      const [made, wanted] = [shownAt(path, seconds), shownAt(source, 0.2)]
      for (const [at, level] of wanted.entries()) {
        assert.ok(Math.abs((made[at] ?? 0) - level) <= 4, `${made} for ${wanted}, ${primaries}`)
      }
    }
  }
})

/** Red, green and blue of the first dot after so many seconds, as a screen of HD shows them. */
function shownAt(path: string, seconds: number): number[] {
  const filter = 'format=yuv444p12le,zscale=m=709:p=709:t=709,format=gbrp16le,format=rgb24'
  const args = ['-v', 'error', '-ss', String(seconds), '-i', path, '-frames:v', '1', '-vf', filter]
  return [...execFileSync('ffmpeg', [...args, '-f', 'rawvideo', '-']).subarray(0, 3)]
}

test('films whose colors are meant alike are left as they are', () => {
  const colors = (color_space: string, height = 480, color_transfer = 'unknown') => ({
    ...{ pix_fmt: 'yuv420p', color_space, color_transfer, color_primaries: 'unknown', height },
  })
  assert.deepEqual(colorMatchFilters(colors('bt709'), colors('unknown', 1080)), [])
  assert.deepEqual(colorMatchFilters(colors('bt470bg'), colors('smpte170m')), [])
  assert.deepEqual(colorMatchFilters(colors('bt709'), colors('bt2020nc', 1080, 'smpte2084')), [])
  assert.deepEqual(colorMatchFilters(colors('bt709'), { ...colors('gbr'), pix_fmt: 'gbrp' }), [])
  assert.match(
    colorMatchFilters(colors('bt709'), colors('unknown')).join(),
    /in_color_matrix=bt601:out_color_matrix=bt709/,
  )
})
