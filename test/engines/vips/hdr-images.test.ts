import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { vips } from '../../../lib/engines/vips.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const side = 64
const colors = [
  [200, 40, 40],
  [40, 160, 60],
  [40, 60, 200],
  [128, 128, 128],
] as const

describe('HDR images', () => {
  const folder = scratchFolder('hdr-images')
  after(removeRuns)

  /** Creates an image with the colors above in PQ (FFmpeg's zscale filter). `end` completes the filter graph. */
  async function createPqImage(name: string, end: string, args: readonly string[]): Promise<string> {
    const path = join(folder, name)
    const toHex = (color: readonly number[]) => Buffer.from(color).toString('hex')
    const boxes = colors.map((color, at) => `color=c=0x${toHex(color)}:s=${side}x${side}:r=1:d=1[c${at}]`)
    const row = `${colors.map((_, at) => `[c${at}]`).join('')}hstack=inputs=${colors.length}`
    const sdrScale = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv444p'
    const sdrTags = 'setparams=range=tv:color_primaries=bt709:color_trc=iec61966-2-1:colorspace=bt709'
    const bt2020Filter = `zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt2020`
    const graph = `${boxes.join(';')};${[row, sdrScale, sdrTags, bt2020Filter, `zscale=t=smpte2084:npl=203:${end}`].join(',')}`
    await readStdout('ffmpeg', '-v', 'error', '-filter_complex', graph, '-frames:v', '1', ...args, path)
    return path
  }

  /** Creates an image of the colors above in HLG, by the inverse formulas of BT.2100 for a display of 1,000 cd/m². */
  async function createHlgImage(): Promise<string> {
    const row = colors.flatMap((color) => {
      const [r = 0, g = 0, b = 0] = color.map(
        (value) => ((value / 255 + 0.055) / 1.055) ** 2.4 * (203 / 1000),
      )
      const bt2020Light = [
        0.6274 * r + 0.3293 * g + 0.0433 * b,
        0.0691 * r + 0.9195 * g + 0.0114 * b,
        0.0164 * r + 0.088 * g + 0.8956 * b,
      ] as const
      const sceneLightFactor =
        (0.2627 * bt2020Light[0] + 0.678 * bt2020Light[1] + 0.0593 * bt2020Light[2]) ** (1 / 1.2 - 1)
      const signal = (light: number) =>
        light <= 1 / 12 ? Math.sqrt(3 * light) : 0.17883277 * Math.log(12 * light - 0.28466892) + 0.55991073
      return Array.from({ length: side }, () =>
        bt2020Light.map((light) => 65_535 * signal(light * sceneLightFactor)),
      ).flat()
    })
    const path = join(folder, 'hlg.png')
    const samples = Uint16Array.from(Array.from({ length: side }, () => row).flat())
    const raw = { width: side * colors.length, height: side, channels: 3 } as const
    await sharp(samples, { raw }).toColourspace('rgb16').png().toFile(path)
    return path
  }

  /** Inserts a cICP chunk before the pixels (PNG, third edition, 11.3.2.6). */
  async function insertCicp(path: string, transfer: number): Promise<string> {
    const bytes = await readFile(path)
    const chunk = Buffer.concat([Buffer.from('cICP'), Buffer.from([9, transfer, 0, 1])])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(4)
    sum.writeUInt32BE(crc32(chunk))
    const target = path.replace('.png', '-cicp.png')
    await writeFile(target, Buffer.concat([bytes.subarray(0, 33), length, chunk, sum, bytes.subarray(33)]))
    return target
  }

  async function assertColors(path: string): Promise<void> {
    const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    for (const [at, wantedColor] of colors.entries()) {
      const begin = (side / 2) * info.width * info.channels + Math.round((at + 0.5) * side) * info.channels
      const foundColor = [...data.subarray(begin, begin + 3)]
      const isNear = foundColor.every((value, channel) => Math.abs(value - (wantedColor[channel] ?? 0)) < 10)
      assert.ok(isNear, `expected about ${wantedColor}, found ${foundColor}`)
    }
  }

  const av1 = ['-c:v', 'libaom-av1', '-still-picture', '1', '-crf', '4', '-cpu-used', '8']
  const createdPaths: Record<string, string> = {}
  before(async () => {
    createdPaths['PQ as AVIF'] = await createPqImage('pq.avif', 'm=bt2020nc:r=tv,format=yuv420p10le', av1)
    createdPaths['PQ as PNG'] = await insertCicp(
      await createPqImage('pq.png', 'r=full,format=gbrp16le,format=rgb48be', []),
      16,
    )
    createdPaths['HLG as PNG'] = await insertCicp(await createHlgImage(), 18)
  })

  for (const name of ['PQ as AVIF', 'PQ as PNG', 'HLG as PNG'])
    test(`an HDR image (${name}) is tone-mapped to the expected sRGB colors, with a warning`, async () => {
      const { path, warnings } = await convert(vips, createdPaths[name] ?? '', 'png', {})
      await assertColors(path)
      assert.deepEqual(warnings, ['COLORS_CONVERTED'])
      assert.deepEqual((await convert(vips, createdPaths[name] ?? '', 'jpg')).warnings, ['COLORS_CONVERTED'])
    })

  test('an SDR image in AVIF or PNG causes no warning about converted colors', async () => {
    for (const name of ['corners.avif', 'alpha.png'])
      assert.deepEqual((await convert(vips, fixture(name), 'webp')).warnings, [])
  })
})
