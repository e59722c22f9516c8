import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import sharp from 'sharp'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { probeStreams, readStdout } from '../support/inspect-result.ts'
import { convert, removeRuns } from '../support/run-engine.ts'

const side = 64
const colors = [
  [200, 40, 40],
  [40, 160, 60],
  [40, 60, 200],
  [128, 128, 128],
] as const

/** Creates an HDR video that becomes `colors` in SDR: SDR white is at the HDR reference level, below the peak. */
async function createHdrVideo(path: string, transfer: 'smpte2084' | 'arib-std-b67'): Promise<void> {
  const boxes = colors.map(
    ([r, g, b], at) => `color=c=0x${toHex(r)}${toHex(g)}${toHex(b)}:s=${side}x${side}:r=10:d=1[c${at}]`,
  )
  const row = `${colors.map((_, at) => `[c${at}]`).join('')}hstack=inputs=${colors.length}`
  const sdrFilter = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv444p'
  const sdrTags = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709'
  const hdrFilter = `zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt2020,zscale=t=${transfer}:m=bt2020nc:r=tv:npl=203`
  const graph = `${boxes.join(';')};${[row, sdrFilter, sdrTags, hdrFilter, 'format=yuv420p10le'].join(',')}`
  const tags = `colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc:log-level=error`
  const encoder = ['-c:v', 'libx265', '-crf', '8', '-x265-params', tags, '-tag:v', 'hvc1']
  await readStdout('ffmpeg', '-v', 'error', '-filter_complex', graph, ...encoder, path)
}

const toHex = (value: number) => value.toString(16).padStart(2, '0')

/** Fails unless the middle of each box has the expected color. */
async function assertColors(path: string, name: string): Promise<void> {
  const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  for (const [at, expectedColor] of colors.entries()) {
    const x = Math.round(((at + 0.5) / colors.length) * info.width)
    const begin = (Math.round(info.height / 2) * info.width + x) * info.channels
    const foundColor = [...data.subarray(begin, begin + 3)]
    const isNear = foundColor.every((value, channel) => Math.abs(value - (expectedColor[channel] ?? 0)) < 22)
    assert.ok(isNear, `${name}: expected about ${expectedColor}, found ${foundColor}`)
  }
}

describe('HDR videos', () => {
  const folder = scratchFolder('dynamic-range')
  const phoneVideo = `${folder}/phone.mov`
  const discVideo = `${folder}/disc.mp4`
  before(async () => {
    await createHdrVideo(phoneVideo, 'arib-std-b67')
    await createHdrVideo(discVideo, 'smpte2084')
  })
  after(removeRuns)

  async function extractFirstFrame(video: string): Promise<string> {
    const path = `${video}.png`
    await readStdout('ffmpeg', '-v', 'error', '-i', video, '-frames:v', '1', path)
    return path
  }

  for (const to of ['gif', 'jpg', 'apng', 'avi', 'webm', 'mp4'] as const)
    test(`an HDR video converted to ${to} gets SDR colors and a warning`, async () => {
      for (const video of [phoneVideo, discVideo]) {
        const options = to === 'mp4' ? { codec: 'h264' } : {}
        const { path, warnings } = await convert(ffmpeg, video, to, { options })
        const isVideo = !['gif', 'jpg', 'apng'].includes(to)
        await assertColors(isVideo ? await extractFirstFrame(path) : path, `${video} ${to}`)
        assert.deepEqual(warnings, ['COLORS_CONVERTED'])
      }
    })

  test('an HDR video with a watermark becomes SDR, and the warning suggests no other codec', async () => {
    const options = { watermarkText: 'M', watermarkOpacity: 1 }
    const { path, warnings, messages } = await convert(ffmpeg, phoneVideo, 'mov', {
      operation: 'watermark',
      options,
    })
    const [video] = await probeStreams({ path }, 'video')
    assert.equal(video?.pix_fmt, 'yuv420p')
    assert.deepEqual(warnings, ['COLORS_CONVERTED'])
    assert.doesNotMatch(messages.join(), /codec=/)
    const { messages: hints } = await convert(ffmpeg, phoneVideo, 'mp4', { options: { codec: 'h264' } })
    assert.match(hints.join(), /codec=h265 keeps them/)
  })

  test('an HDR video stays HDR in H.265 and when it is copied', async () => {
    for (const options of [{ codec: 'h265', resolution: '240p' }, {}]) {
      const run = await convert(ffmpeg, phoneVideo, 'mp4', { options })
      const [video] = await probeStreams(run, 'video')
      assert.deepEqual(
        [video?.pix_fmt, video?.color_transfer, video?.color_primaries, run.warnings],
        ['yuv420p10le', 'arib-std-b67', 'bt2020', []],
      )
    }
  })
})

test('an animation made from a video with non-square pixels has the right aspect ratio', async () => {
  const folder = scratchFolder('shapes')
  const widePath = `${folder}/wide.mp4`
  const encodeArgs = ['-vf', 'setsar=2/1', '-c:v', 'libx264', widePath]
  await readStdout('ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=100x100:r=10:d=1', ...encodeArgs)
  for (const to of ['gif', 'apng'] as const) {
    const { path } = await convert(ffmpeg, widePath, to)
    const { width, height } = await sharp(path).metadata()
    assert.deepEqual([width, height], [200, 100])
  }
})
