// Tests merges of videos with different color spaces.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { createColorMatchFilters } from '../../../lib/engines/ffmpeg/merged-colors.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert } from '../support/run-engine.ts'

const folder = scratchFolder('merged-colors')
const [width, height] = [64, 48]

/** Creates half a second of an orange video. */
function createVideo(name: string, matrix: string, tags: readonly string[]): string {
  const path = join(folder, name)
  const source = `color=c=0xC87828:s=${width}x${height}:r=10:d=0.5`
  const filter = `scale=out_color_matrix=${matrix},format=yuv420p`
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', ...tags]
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-vf', filter, ...codec, path])
  return path
}

const createTagArgs = (name: string) => ['-colorspace', name, '-color_primaries', name, '-color_trc', name]

/** Returns the YUV values of the first pixel at a time in seconds. */
function readYuv(path: string, seconds: number): number[] {
  const args = ['-v', 'error', '-ss', String(seconds), '-i', path, '-frames:v', '1', '-pix_fmt', 'yuv420p']
  const frame = execFileSync('ffmpeg', [...args, '-f', 'rawvideo', '-'])
  const pixels = width * height
  return [0, pixels, pixels + pixels / 4].map((at) => frame[at] ?? 0)
}

test('a merge of an SD and an HD video converts the second video to the color space of the first', async () => {
  const sdVideo = createVideo('old.mp4', 'bt601', createTagArgs('smpte170m'))
  const hdVideo = createVideo('hd.mp4', 'bt709', createTagArgs('bt709'))
  const untaggedVideo = createVideo('untagged.mp4', 'bt601', [])
  for (const [first, second, space] of [
    [sdVideo, hdVideo, 'smpte170m'],
    [hdVideo, sdVideo, 'bt709'],
    [untaggedVideo, hdVideo, undefined],
  ] as const) {
    const { path } = await convert(ffmpeg, first, 'mp4', { operation: 'merge', more: [second] })
    const tags = execFileSync('ffprobe', ['-v', 'error', '-show_streams', '-of', 'json', path], {
      encoding: 'utf8',
    })
    assert.equal(JSON.parse(tags).streams[0].color_space, space)
    const [colorOfFirst, colorOfSecond, expectedColor] = [
      readYuv(path, 0.2),
      readYuv(path, 0.7),
      readYuv(first, 0.2),
    ]
    for (const [at, level] of expectedColor.entries()) {
      assert.ok(Math.abs((colorOfFirst[at] ?? 0) - level) <= 2, `${colorOfFirst} for ${expectedColor}`)
      assert.ok(Math.abs((colorOfSecond[at] ?? 0) - level) <= 2, `${colorOfSecond} for ${expectedColor}`)
    }
  }
})

test('a merge keeps the Display P3 or BT.2020 colors of the first video and converts the colors of the other videos', async () => {
  const createWideGamutVideo = (name: string, matrix: string, tags: readonly [string, string, string]) =>
    createVideo(name, matrix, ['-colorspace', tags[0], '-color_primaries', tags[1], '-color_trc', tags[2]])
  const p3 = createWideGamutVideo('p3.mp4', 'bt709', ['bt709', 'smpte432', 'iec61966-2-1'])
  const tv = createWideGamutVideo('2020.mp4', 'bt2020', ['bt2020nc', 'bt2020', 'bt2020-10'])
  const hdVideo = createVideo('usual.mp4', 'bt709', createTagArgs('bt709'))
  for (const [first, second, primaries] of [
    [p3, p3, 'smpte432'],
    [p3, hdVideo, 'smpte432'],
    [hdVideo, p3, 'bt709'],
    [tv, hdVideo, 'bt2020'],
  ] as const) {
    const { path } = await convert(ffmpeg, first, 'mp4', { operation: 'merge', more: [second] })
    const show = ['-v', 'error', '-show_entries', 'stream=color_primaries', '-of', 'csv=p=0', path]
    assert.equal(execFileSync('ffprobe', show, { encoding: 'utf8' }).trim(), primaries)
    // Compares both videos as they look on an HD screen.
    for (const [source, seconds] of [
      [first, 0.2],
      [second, 0.7],
    ] as const) {
      const [resultColor, expectedColor] = [readRgb(path, seconds), readRgb(source, 0.2)]
      for (const [at, level] of expectedColor.entries()) {
        assert.ok(
          Math.abs((resultColor[at] ?? 0) - level) <= 4,
          `${resultColor} for ${expectedColor}, ${primaries}`,
        )
      }
    }
  }
})

/** Returns the RGB values of the first pixel at a time in seconds, as an HD screen shows them. */
function readRgb(path: string, seconds: number): number[] {
  const filter = 'format=yuv444p12le,zscale=m=709:p=709:t=709,format=gbrp16le,format=rgb24'
  const args = ['-v', 'error', '-ss', String(seconds), '-i', path, '-frames:v', '1', '-vf', filter]
  return [...execFileSync('ffmpeg', [...args, '-f', 'rawvideo', '-']).subarray(0, 3)]
}

test('merged videos with the same color space are not color-converted', () => {
  const createStream = (color_space: string, height = 480, color_transfer = 'unknown') => ({
    pix_fmt: 'yuv420p',
    color_space,
    color_transfer,
    color_primaries: 'unknown',
    height,
  })
  assert.deepEqual(createColorMatchFilters(createStream('bt709'), createStream('unknown', 1080)), [])
  assert.deepEqual(createColorMatchFilters(createStream('bt470bg'), createStream('smpte170m')), [])
  assert.deepEqual(
    createColorMatchFilters(createStream('bt709'), createStream('bt2020nc', 1080, 'smpte2084')),
    [],
  )
  assert.deepEqual(
    createColorMatchFilters(createStream('bt709'), { ...createStream('gbr'), pix_fmt: 'gbrp' }),
    [],
  )
  assert.match(
    createColorMatchFilters(createStream('bt709'), createStream('unknown')).join(),
    /in_color_matrix=bt601:out_color_matrix=bt709/,
  )
})
