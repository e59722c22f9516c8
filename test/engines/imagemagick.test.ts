import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { imagemagick } from '../../lib/engines/imagemagick.ts'
import { sources } from '../../lib/engines/imagemagick-sources.ts'
import { vips } from '../../lib/engines/vips.ts'
import { AppError } from '../../lib/errors.ts'
import { detectFormat } from '../../lib/formats/detect.ts'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { planRoute } from '../../lib/plan/index.ts'
import { conformance } from './conformance.ts'
import { output, pdfPages, pictureSize, zipNames } from './judge.ts'
import { convert, fixture, removeRuns } from './run-engine.ts'

const run = promisify(execFile)
const sourceIds = Object.keys(sources) as (keyof typeof sources)[] // Object.keys forgets the names that the table has.
const corners = (format: FormatId) => fixture(`corners.${formatById(format).extensions[0]}`)
/** The rarest are left to the sweep over all pairs. */
const withFixture = sourceIds.filter((id) => id !== 'gif' && existsSync(corners(id)))

conformance(imagemagick, {
  fixtures: {
    ...Object.fromEntries(withFixture.map((id) => [id, corners(id)])),
    gif: fixture('animated.gif'),
  },
  only: (from, to) => from === 'png' || to === 'png',
  garbage: [
    'psd',
    'psb',
    'xcf',
    'cur',
    'dcx',
    'j2k',
    'xwd',
    'ras',
    'pict',
    'mng',
    'vicar',
    'pcd',
    'tiff',
    'exr',
  ],
  long: { source: fixture('corners.png'), to: 'jp2', options: { width: 6000, fit: 'scale' } },
})

/** Colors at the middle of the quarters, as FFmpeg reads them. */
async function quarters(path: string, ...inputArgs: string[]): Promise<string> {
  const args = [
    '-v',
    'error',
    ...inputArgs,
    '-i',
    path,
    '-frames:v',
    '1',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  ]
  const { stdout } = await run('ffmpeg', args, { encoding: 'buffer' })
  const { width, height } = { width: 40, height: stdout.length / 120 }
  const at = (x: number, y: number) => [...stdout.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]
  const top = height === 40 ? 5 : 0
  return [at(5, top + 5), at(35, top + 5), at(5, top + 25), at(35, top + 25)].map(colorName).join('')
}

function colorName([red = 0, green = 0, blue = 0]: number[]): string {
  if (red > 180 && green < 80 && blue < 80) return 'R'
  if (green > 180 && red < 80 && blue < 80) return 'G'
  if (blue > 180 && red < 80 && green < 80) return 'B'
  return Math.max(...[red, green, blue].map((value) => Math.abs(value - 136))) < 6
    ? 'x'
    : `(${red} ${green} ${blue})`
}

describe('a picture of another program', () => {
  after(removeRuns)

  for (const from of [
    'psd',
    'tga',
    'hdr',
    'exr',
    'dds',
    'pcx',
    'ppm',
    'pnm',
    'xpm',
    'sgi',
    'jp2',
    'cin',
    'dpx',
    'miff',
    'bmp',
    'ico',
    'psb',
    'xcf',
    'pict',
    'j2k',
    'xwd',
    'sixel',
    'ras',
  ] as const) {
    test(`in ${from} is read upright and in its colors`, async () => {
      assert.equal(await quarters((await convert(imagemagick, corners(from), 'png')).path), 'RGBx')
    })
  }

  for (const to of [
    'psd',
    'tga',
    'exr',
    'dds',
    'pcx',
    'ppm',
    'pnm',
    'xpm',
    'sgi',
    'jp2',
    'dpx',
    'bmp',
    'ico',
    'pam',
    'ras',
    'xwd',
    'j2k',
    'ptif',
  ] as const) {
    test(`in ${to} is written upright and in its colors`, async () => {
      const { path } = await convert(imagemagick, fixture('corners.png'), to)
      // Values of light, not of a screen.
      const linear = to === 'exr' ? ['-apply_trc', 'iec61966_2_1'] : []
      assert.equal(await quarters(path, ...linear), 'RGBx')
    })
  }

  test('without transparency keeps its colors in JPEG 2000, however small it is', async () => {
    const { path: opaque } = await convert(imagemagick, fixture('corners.png'), 'ppm')
    for (const to of ['jp2', 'j2k'] as const) {
      assert.equal(await quarters((await convert(imagemagick, opaque, to)).path), 'RGBx', to)
    }
  })

  test('in Sixel keeps its colors when it is made larger or gray', async () => {
    const size = { options: { width: 80, fit: 'scale' } }
    const { path } = await convert(imagemagick, corners('sixel'), 'png', size)
    const { data } = await sharp(path).raw().toBuffer({ resolveWithObject: true })
    assert.ok(Math.max(...data) > 200)
  })

  test('in gray or black and white is written as what it says', async () => {
    const pixels = async (to: FormatId) =>
      quarters((await convert(imagemagick, fixture('corners.png'), to)).path)
    assert.match(await pixels('pgm'), /^\((\d+) \1 \1\)\((\d+) \2 \2\)\((\d+) \3 \3\)x$/)
    for (const to of ['pbm', 'xbm'] as const) {
      assert.match(await pixels(to), /^(\((0 0 0|255 255 255)\)){4}$/, to)
    }
  })

  test('in Radiance HDR holds light, not the values of a screen', async () => {
    const { path } = await convert(imagemagick, fixture('deep.png'), 'hdr', { options: { width: 4 } })
    // Too narrow for packing, so the pixels stand as they are: three mantissas and an exponent.
    const [red = 0, green = 0, blue = 0, exponent = 0] = (await readFile(path)).subarray(-4)
    const light = [red, green, blue].map((value) => value * 2 ** (exponent - 136))
    for (const [index, expected] of [0.006, 0.0343, 0.0931].entries()) {
      assert.ok(Math.abs((light[index] ?? 0) - expected) < 0.002, String(light))
    }
  })

  test('of FITS is read with its range as black to white', async () => {
    const { data } = await sharp((await convert(imagemagick, corners('fits'), 'png')).path)
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.ok(Math.max(...data) > 240 && Math.min(...data) < 15)
  })

  test('of layers is its merged picture, once', async () => {
    const { path, result, warnings } = await convert(imagemagick, fixture('layers.psd'), 'png')
    assert.equal(await quarters(path), 'RGBx')
    assert.deepEqual([result.files.length, warnings], [1, []])
  })

  test('turned by EXIF is turned once', async () => {
    const { path } = await convert(imagemagick, fixture('orientation-6.jpg'), 'psd')
    assert.deepEqual(await pictureSize(path, 'psd'), { width: 30, height: 40 })
    assert.equal((await sharp((await convert(imagemagick, path, 'jpg')).path).metadata()).orientation ?? 1, 1)
  })

  test('with holes keeps them, or is laid over white', async () => {
    const alpha = async (to: FormatId) => {
      const made = await convert(imagemagick, fixture('alpha.png'), to)
      const { path } = to === 'png' ? made : await convert(imagemagick, made.path, 'png')
      return sharp(path)
        .ensureAlpha()
        .extract({ left: 20, top: to === 'ico' ? 20 : 15, width: 1, height: 1 })
        .raw()
        .toBuffer()
    }
    for (const to of ['psd', 'tga', 'ico', 'dds', 'sgi', 'exr', 'dpx', 'webp'] as const)
      assert.ok(((await alpha(to))[3] ?? 255) < 20, to)
    for (const to of ['jpg', 'bmp', 'pcx', 'ppm', 'hdr'] as const) {
      assert.ok(
        [...(await alpha(to))].every((value) => value > 235),
        to,
      )
    }
  })

  test('in CMYK becomes RGB', async () => {
    const { path } = await convert(imagemagick, fixture('cmyk.jpg'), 'png')
    const { space, channels } = await sharp(path).metadata()
    assert.deepEqual([space, channels], ['srgb', 3])
  })

  test('becomes an icon of the usual sizes, none larger than 256 or than itself', async () => {
    const sizes = async (options: Record<string, unknown>, source: string) => {
      const { path } = await convert(imagemagick, source, 'ico', { options })
      return [...(await readFile(path)).subarray(6)].length > 0 ? iconSizes(await readFile(path)) : []
    }
    assert.deepEqual(await sizes({}, fixture('corners.png')), [40, 32, 16])
    const { path: large } = await convert(imagemagick, fixture('corners.png'), 'png', {
      options: { width: 300, fit: 'scale' },
    })
    assert.deepEqual(await sizes({}, large), [256, 128, 64, 48, 32, 16])
    assert.deepEqual(await sizes({ width: 20 }, large), [20])
  })

  test('that moves keeps its frames and times in GIF, and says where it does not', async () => {
    for (const source of ['animated.gif', 'animated.webp']) {
      const { path, warnings } = await convert(imagemagick, fixture(source), 'gif')
      const { pages, delay } = await sharp(path, { animated: true }).metadata()
      assert.deepEqual([pages, delay, warnings], [3, [100, 200, 300], []], source)
    }
    for (const to of ['psd', 'webp'] as const) {
      const { warnings } = await convert(imagemagick, fixture('animated.gif'), to)
      assert.deepEqual(warnings, ['ANIMATION_DROPPED'], to)
    }
  })

  test('of several pages becomes a ZIP of pages, or stays a TIFF', async () => {
    const { path, format } = await convert(imagemagick, fixture('pages.tiff'), 'tga')
    assert.equal(format, 'zip')
    assert.deepEqual(await zipNames(path), ['page-001.tga', 'page-002.tga', 'page-003.tga', 'manifest.json'])
    const { path: tiff } = await convert(imagemagick, fixture('pages.tiff'), 'tiff')
    assert.equal((await sharp(tiff).metadata()).pages, 3)
  })

  test('has the asked size and quality', async () => {
    const size = async (options: Record<string, unknown>) =>
      pictureSize((await convert(imagemagick, corners('psd'), 'png', { options })).path, 'png')
    assert.deepEqual(await size({ width: '20' }), { width: 20, height: 15 })
    assert.deepEqual(await size({ width: 400 }), { width: 40, height: 30 })
    assert.deepEqual(await size({ height: 300, fit: 'scale' }), { width: 400, height: 300 })
    assert.deepEqual(await size({ width: 10, height: 10, fit: 'crop' }), { width: 10, height: 10 })
    const bytes = async (quality: unknown) =>
      (await readFile((await convert(imagemagick, corners('psd'), 'jpg', { options: { quality } })).path))
        .length
    assert.ok((await bytes('low')) < (await bytes('highest')) && (await bytes(5)) < (await bytes('95')))
  })
})

function iconSizes(bytes: Buffer): number[] {
  return Array.from({ length: bytes.readUInt16LE(4) }, (_, index) => bytes[6 + 16 * index] || 256)
}

describe('the route of a picture', () => {
  after(removeRuns)
  const names = (from: FormatId, to: FormatId, engine?: 'imagemagick') =>
    planRoute({ from, to, ...(engine && { engine }) }).steps.map((step) => `${step.engine}:${step.to}`)

  test('is libvips alone where it knows both', () => {
    assert.deepEqual(names('png', 'jpg'), ['vips:jpg'])
    assert.deepEqual(names('png', 'jpg', 'imagemagick'), ['imagemagick:jpg'])
  })

  test('is ImageMagick and then libvips for what only libvips makes well', async () => {
    for (const [from, to] of [
      ['psd', 'webp'],
      ['tga', 'avif'],
      ['dds', 'pdf'],
    ] as const) {
      assert.deepEqual(names(from, to), ['imagemagick:png', `vips:${to}`])
      const { path } = await convert(imagemagick, corners(from), 'png')
      const made = await convert(vips, path, to)
      if (to === 'pdf') assert.equal(await pdfPages(made.path), 1)
      else assert.deepEqual(await pictureSize(made.path, to), { width: 40, height: 30 })
    }
    assert.deepEqual(names('png', 'ico'), ['imagemagick:ico'])
  })
})

/** Some readers fill what is missing; `detectFormat` finds that out where it can. */
const cutShows = (id: FormatId) => !['webp', 'xbm', 'tiff', 'exr', 'psb', 'sixel'].includes(id)

describe('a hostile picture for ImageMagick', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostile-'))
  })
  after(async () => {
    await rm(folder, { recursive: true })
    await removeRuns()
  })

  async function failing(bytes: string | Buffer, from: FormatId, to: FormatId = 'png'): Promise<AppError> {
    const path = join(folder, `in.${from}`)
    await writeFile(path, bytes)
    try {
      await convert(imagemagick, path, to, { from })
    } catch (error) {
      assert.ok(error instanceof AppError, String(error))
      return error
    }
    throw new assert.AssertionError({ message: `${from} was converted` })
  }

  test('that is a script in disguise is corrupt, whatever it is called', async () => {
    const secret = join(folder, 'secret.png')
    await copyFile(fixture('corners.png'), secret)
    const scripts = [
      `<?xml version="1.0"?><image><read filename="${secret}"/><write filename="${folder}/written.png"/></image>`,
      `push graphic-context\nviewbox 0 0 40 30\nimage over 0,0 40,30 '${secret}'\npop graphic-context\n`,
      `push graphic-context\nfill 'url(https://127.0.0.1/x.jpg"|touch ${folder}/written.png")'\npop graphic-context\n`,
      '%!PS\n(/etc/passwd) (r) file\nshowpage\n',
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="text:/etc/passwd"/></svg>`,
      `@${secret}`,
    ]
    for (const script of scripts) {
      for (const from of ['psd', 'tga', 'miff', 'ppm', 'xbm', 'png', 'pict', 'xcf', 'cal', 'mng'] as const)
        assert.equal((await failing(script, from)).code, 'CORRUPT_FILE', `${from}: ${script}`)
    }
    await assert.rejects(readFile(join(folder, 'written.png')))
  })

  test('that claims more pixels than the limit is refused before it takes memory', async () => {
    for (const [from, header] of [
      ['hdr', '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 40000 +X 40000\n'],
      ['xbm', '#define x_width 50000\n#define x_height 50000\nstatic char x_bits[] = { 0x00 };\n'],
    ] as const) {
      assert.equal((await failing(`${header}${'\0'.repeat(64)}`, from)).code, 'FILE_TOO_LARGE', from)
    }
  })

  test('that is cut off is corrupt', async () => {
    for (const from of withFixture.filter(cutShows)) {
      const whole = await readFile(corners(from))
      assert.equal(
        (await failing(whole.subarray(0, Math.floor(whole.length / (from === 'fits' ? 3 : 2))), from)).code,
        'CORRUPT_FILE',
        from,
      )
    }
  })

  test('of OpenEXR that is cut off is found out before, as ImageMagick would fill it with black', async () => {
    const whole = await readFile(corners('exr'))
    const detect = (bytes: Buffer) =>
      detectFormat({
        filename: 'in.exr',
        size: bytes.length,
        read: async (start, end) => bytes.subarray(start, end),
      })
    assert.equal((await detect(whole)).format, 'exr')
    for (const size of [whole.length - 1, whole.length / 2, 500, 200, 12]) {
      await assert.rejects(detect(whole.subarray(0, size)), { code: 'CORRUPT_FILE' }, String(size))
    }
  })

  test('of a format that its name does not say is not read as that', async () => {
    const png = await readFile(fixture('corners.png'))
    for (const from of ['psd', 'dds', 'jp2', 'gif'] as const)
      assert.equal((await failing(png, from)).code, 'CORRUPT_FILE')
  })

  test('finds no coder but the declared ones, not even for our own arguments', async () => {
    const policy = new URL('../../layers/imagemagick', import.meta.url).pathname
    const env = { PATH: '/usr/bin:/bin', MAGICK_CONFIGURE_PATH: policy }
    for (const coder of [
      'msl',
      'mvg',
      'text',
      'label',
      'http',
      'https',
      'svg',
      'pdf',
      'ps',
      'eps',
      'url',
      'ephemeral',
      'video',
    ]) {
      const file = join(folder, 'note.txt')
      await writeFile(file, 'push graphic-context\npop graphic-context\n')
      await assert.rejects(
        run('convert', [`${coder}:${file}`, `png:${join(folder, 'x.png')}`], { env }),
        coder,
      )
    }
    assert.match(await output('convert', '-version'), /ImageMagick/)
  })
})
