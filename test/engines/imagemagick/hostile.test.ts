import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { imagemagick } from '../../../lib/engines/imagemagick.ts'
import type { ErrorCode } from '../../../lib/errors.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { detectFile } from '../../formats/detect-file.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { cornersFixture, formatsWithCorners } from '../support/corner-colors.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'

const run = promisify(execFile)

/** Whether decoding a truncated file fails; the decoders of the other formats fill in the missing data. */
const isTruncationDetected = (id: FormatId) => !['webp', 'xbm', 'tiff', 'exr', 'psb', 'sixel'].includes(id)

describe('hostile images for ImageMagick', () => {
  const folder = scratchFolder('hostile')

  async function assertFails(
    code: ErrorCode,
    bytes: string | Buffer,
    from: FormatId,
    caseName = '',
  ): Promise<void> {
    const path = join(folder, `in.${from}`)
    await writeFile(path, bytes)
    await assertRefused(convert(imagemagick, path, 'png', { from }), code, undefined, `${from} ${caseName}`)
  }

  test('a script disguised as an image is refused as corrupt, whatever image format is declared', async () => {
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
        await assertFails('CORRUPT_FILE', script, from, script)
    }
    await assert.rejects(readFile(join(folder, 'written.png')))
  })

  test('a Radiance HDR or XBM image that declares more pixels than the limit is refused as too large', async () => {
    for (const [from, header] of [
      ['hdr', '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 40000 +X 40000\n'],
      ['xbm', '#define x_width 50000\n#define x_height 50000\nstatic char x_bits[] = { 0x00 };\n'],
    ] as const) {
      await assertFails('FILE_TOO_LARGE', `${header}${'\0'.repeat(64)}`, from)
    }
  })

  test('a FITS image that declares four billion axes or a negative data size is refused as damaged', async () => {
    for (const claimedSize of [
      ['NAXIS', 4_000_000_000],
      ['GCOUNT', -1_000_000],
    ] as const) {
      const cards = [['BITPIX', 8], ['NAXIS', 2], ['NAXIS1', 4], ['NAXIS2', 4], claimedSize]
      const lines = cards.map(([name, value]) => `${String(name).padEnd(8)}= ${String(value).padStart(20)}`)
      const header = ['SIMPLE  =                    T', ...lines, 'END']
        .map((card) => card.padEnd(80))
        .join('')
      await assertFails('CORRUPT_FILE', Buffer.from(header.padEnd(2880)), 'fits')
    }
  })

  test('a PNG that declares more pixels than the limit is refused as too large', async () => {
    const header = Buffer.alloc(33)
    header.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
    header.writeUInt32BE(60_000, 16)
    header.writeUInt32BE(60_000, 20)
    header[24] = 1
    header.writeUInt32BE(crc32(header.subarray(12, 29)), 29)
    await assertFails('FILE_TOO_LARGE', header, 'png')
  })

  test('an image that declares a width and height above the limit is refused as too large, even if its data is missing', async () => {
    const createHeader = (length: number, magicBytes: string, write: (bytes: Buffer) => void) => {
      const bytes = Buffer.alloc(length)
      bytes.write(magicBytes, 'latin1')
      write(bytes)
      return bytes
    }
    const sides = [60_000, 60_000] as const
    const png = createHeader(33, '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', (bytes) => {
      for (const [at, side] of sides.entries()) bytes.writeUInt32BE(side, 16 + 4 * at)
      bytes.set([8, 2], 24)
      bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
    })
    const iconEntry = createHeader(22, '\0\0\x01\0\x01\0', (bytes) => {
      bytes.set([1, 0, 32, 0], 10)
      bytes.writeUInt32LE(png.length, 14)
      bytes.writeUInt32LE(22, 18)
    })
    const bmp = createHeader(200, 'BM', (bytes) => {
      bytes.writeUInt32LE(54, 10)
      bytes.writeUInt32LE(40, 14)
      for (const [at, side] of sides.entries()) bytes.writeInt32LE(side, 18 + 4 * at)
      bytes.set([1, 0, 24, 0], 26)
    })
    const pcx = createHeader(192, '\x0a\x05\x01\x08', (bytes) => {
      for (const [at, side] of sides.entries()) bytes.writeUInt16LE(side - 1, 8 + 2 * at)
      bytes.set([3, 96, 234, 1], 65)
    })
    const tga = createHeader(64, '\0\0\x0a', (bytes) => {
      for (const [at, side] of sides.entries()) bytes.writeUInt16LE(side, 12 + 2 * at)
      bytes[16] = 24
    })
    const psd = createHeader(64, '8BPS\0\x01', (bytes) => {
      bytes[13] = 3
      for (const [at, side] of sides.entries()) bytes.writeUInt32BE(side, 14 + 4 * at)
      bytes.set([0, 8, 0, 3], 22)
      // The header declares compressed rows, but the file contains none.
      bytes[39] = 1
    })
    assert.equal(await detectFile('in.psd', psd), 'psd')
    for (const [from, bytes] of [
      ['pfm', `PF\n60000 60000\n-1.0\n${'\0'.repeat(64)}`],
      ['ppm', `P6\n# one\n60000 # two\n 60000\n255\n${'\0'.repeat(64)}`],
      ['pcx', pcx],
      ['bmp', bmp],
      ['tga', tga],
      ['psd', psd],
      ['ico', Buffer.concat([iconEntry, png])],
    ] as const)
      await assertFails('FILE_TOO_LARGE', bytes, from)
  })

  test('a truncated image is refused as corrupt in each format whose decoder detects missing data', async () => {
    for (const from of formatsWithCorners.filter(isTruncationDetected)) {
      const wholeImage = await readFile(cornersFixture(from))
      const partialImage = wholeImage.subarray(0, Math.floor(wholeImage.length / (from === 'fits' ? 3 : 2)))
      await assertFails('CORRUPT_FILE', partialImage, from)
    }
  })

  test('a truncated OpenEXR image is refused as corrupt when its format is detected', async () => {
    const wholeImage = await readFile(cornersFixture('exr'))
    assert.equal(await detectFile('in.exr', wholeImage), 'exr')
    for (const size of [wholeImage.length - 1, wholeImage.length / 2, 500, 200, 12]) {
      await assertRefused(
        detectFile('in.exr', wholeImage.subarray(0, size)),
        'CORRUPT_FILE',
        undefined,
        `${size} bytes`,
      )
    }
  })

  test('ImageMagick refuses a PNG that is declared as another image format, instead of reading it as a PNG', async () => {
    const png = await readFile(fixture('corners.png'))
    for (const from of ['psd', 'dds', 'jp2', 'gif'] as const) await assertFails('CORRUPT_FILE', png, from)
  })

  test('ImageMagick rejects coders that its policy does not allow, even if a command-line argument names one', async () => {
    const policy = new URL('../../../layers/imagemagick', import.meta.url).pathname
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
    assert.match(await readStdout('convert', '-version'), /ImageMagick/)
  })
})
