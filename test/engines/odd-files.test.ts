import assert from 'node:assert/strict'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { normalizeFields } from '../../lib/engines/ffmpeg/ass-fields.ts'
import { engines } from '../../lib/engines/index.ts'
import { hasAllPixels } from '../../lib/engines/vips/gif-completeness.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { convertAndCleanUp } from './support/convert-and-clean-up.ts'
import { readQuarterColors } from './support/corner-colors.ts'
import { readArchive } from './support/inspect-archive.ts'
import { countCharacters } from './support/inspect-font.ts'
import { countPdfPages, probeStreams, readPdfText, readStdout } from './support/inspect-result.ts'
import { fixture } from './support/run-engine.ts'

/** Returns the path of a valid file from make-fallback-cases.ts that the first engine on its route cannot read. */
const oddFixture = (name: string) => fixture(`odd/${name}`)

const scratch = scratchFolder('odd-files')

after(() => Promise.all(engines.map((engine) => engine.close?.())))

for (const name of ['lzma.tiff', 'lab.tiff', 'twelve-bit.tiff', 'planar.tiff'])
  test(`${name} is read by ImageMagick with the right colors`, async () => {
    const { path, route, codes } = await convertAndCleanUp(oddFixture(name), 'png')
    assert.deepEqual([route, codes, await readQuarterColors(path)], ['imagemagick', [], 'RGBx'])
  })

test('a TIFF with 32-bit samples is read with the right colors', async () => {
  const source = join(scratch, 'whole-numbers.tiff')
  await readStdout('convert', fixture('corners.png'), '-depth', '32', '-compress', 'None', source)
  const { path, codes } = await convertAndCleanUp(source, 'png')
  assert.deepEqual([codes, await readQuarterColors(path)], [[], 'RGBx'])
})

test('a GIF with zeroed bytes within a frame causes a warning', async () => {
  const source = join(scratch, 'zeroed.gif')
  await readStdout('convert', '-size', '4000x1', 'gradient:red-blue', source)
  const gif = await readFile(source)
  assert.equal(hasAllPixels(gif), true)
  assert.equal(hasAllPixels(await readFile(fixture('animated.gif'))), true)
  await writeFile(source, gif.fill(0, 1060, 1170))
  assert.deepEqual((await convertAndCleanUp(source, 'png')).codes, ['MAY_BE_DAMAGED'])
})

test('a GIF has the size of its canvas, even if its first frame is smaller', async () => {
  const [smallGif, source] = [join(scratch, 'first.gif'), join(scratch, 'canvas.gif')]
  await readStdout('convert', '-size', '4x3', 'xc:red', smallGif)
  const gif = await readFile(smallGif)
  for (const [canvasWidth, canvasHeight, route] of [
    [2048, 40, 'vips'],
    [2049, 40, 'imagemagick'],
    [40, 2049, 'imagemagick'],
  ] as const) {
    gif.writeUInt16LE(canvasWidth, 6)
    gif.writeUInt16LE(canvasHeight, 8)
    await writeFile(source, gif)
    const routeResult = await convertAndCleanUp(source, 'png')
    const { width, height } = await sharp(routeResult.path).metadata()
    assert.deepEqual([routeResult.route, width, height], [route, canvasWidth, canvasHeight])
  }
})

test('an image with a height of one pixel becomes a PDF of one page', async () => {
  const source = join(scratch, 'line.png')
  await readStdout('convert', '-size', '4000x1', 'gradient:red-blue', source)
  const { path, codes } = await convertAndCleanUp(source, 'pdf')
  assert.deepEqual([await countPdfPages(path), codes], [1, []])
})

test('TIFF pages with a rare compression are re-encoded for PDF', async () => {
  const { path, route } = await convertAndCleanUp(oddFixture('two-pages.tiff'), 'pdf')
  assert.deepEqual([route, await countPdfPages(path)], ['imagemagick vips', 2])
})

test('a DirectDraw texture with a DX10 header is read by FFmpeg and supports the image options', async () => {
  const { path, route } = await convertAndCleanUp(oddFixture('bc1.dds'), 'png', { width: 40 })
  assert.equal(route, 'ffmpeg vips')
  assert.equal(await readStdout('identify', '-format', '%wx%h', path), '40x32')
  const colors = await readStdout('convert', path, '-scale', '2x2!', '-depth', '8', 'txt:-')
  assert.match(colors, /FF0000[\s\S]*00FF00[\s\S]*0000FF[\s\S]*8C8[A-C]8C/)
})

test('a 16-bit DirectDraw texture has the right colors, and a float texture is refused as unsupported', async () => {
  const createTexture = (format: number, dot: readonly number[]) => {
    const bytes = Buffer.alloc(148 + 16 * 8)
    bytes.write('DDS ', 'latin1')
    for (const [at, value] of [124, 0x1007, 4, 4, 32, 0, 1].entries()) bytes.writeUInt32LE(value, 4 + 4 * at)
    bytes.writeUInt32LE(32, 76)
    bytes.writeUInt32LE(4, 80)
    bytes.write('DX10', 84)
    bytes.writeUInt32LE(0x1000, 108)
    for (const [at, value] of [format, 3, 0, 1].entries()) bytes.writeUInt32LE(value, 128 + 4 * at)
    for (let at = 0; at < 64; at++) bytes.writeUInt16LE(dot[at % 4] ?? 0, 148 + 2 * at)
    return bytes
  }
  const source = join(scratch, 'plain.dds')
  await writeFile(source, createTexture(11, [0xffff, 0x8000, 0, 0xffff]))
  const { path } = await convertAndCleanUp(source, 'png')
  assert.match(
    await readStdout('convert', path, '-depth', '8', '-scale', '1x1!', 'txt:-'),
    /#(?:FE7F|FF80)00/,
  )
  await writeFile(source, createTexture(10, [0x3c00, 0x3800, 0, 0x3c00]))
  await assert.rejects(convertAndCleanUp(source, 'png'), { code: 'UNSUPPORTED_FORMAT' })
})

test('a DirectDraw texture with an unknown compression is refused as unsupported, not as damaged', async () => {
  await assert.rejects(convertAndCleanUp(oddFixture('bc7.dds'), 'png'), {
    code: 'UNSUPPORTED_FORMAT',
    message: /a compression of Direct3D 10, which is not supported/,
  })
})

test('an SVG whose XML entities expand exponentially is refused as too large', async () => {
  await assert.rejects(convertAndCleanUp(oddFixture('entities.svg'), 'png'), { code: 'FILE_TOO_LARGE' })
})

for (const name of ['v7.tar', 'v7.tgz', 'endless.tar'])
  test(`the archive ${name} is unpacked completely`, async () => {
    const { path } = await convertAndCleanUp(oddFixture(name), 'zip')
    assert.deepEqual(Object.keys(await readArchive(path, 'zip')).sort(), ['plain.txt', 'table.csv'])
  })

test('a 7z with Zstandard compression is unpacked completely', async () => {
  const { path } = await convertAndCleanUp(oddFixture('zstd.7z'), 'zip')
  assert.deepEqual(await readArchive(path, 'zip'), {
    'plain.txt': await readFile(fixture('plain.txt'), 'utf8'),
  })
})

test('a sparse file in a tar is unpacked with its full size', async () => {
  const { path } = await convertAndCleanUp(oddFixture('sparse.tar'), 'zip')
  const { 'holes.bin': content = '', ...others } = await readArchive(path, 'zip')
  assert.deepEqual(others, {})
  assert.equal(content.length, 1024 * 1024 + 4)
  assert.match(content, /^begins\0+ends$/)
})

test('a WebM file with the .mka extension of Matroska audio is converted to WAV', async () => {
  const audioRoute = await convertAndCleanUp(oddFixture('webm.mka'), 'wav')
  assert.equal((await probeStreams(audioRoute, 'audio')).length, 1)
})

for (const to of ['ttf', 'cff', 'bdf'] as const)
  test(`a variable CFF2 font becomes ${to} with its characters, and a warning about dropped tables`, async () => {
    const { path, codes } = await convertAndCleanUp(oddFixture('cff2.otf'), to)
    assert.ok((await countCharacters(path, to)) >= 4)
    assert.deepEqual(codes, ['FONT_TABLES_DROPPED'])
  })

test("a font with Apple's TrueType signature is detected", async () => {
  const { path } = await convertAndCleanUp(oddFixture('true.ttf'), 'woff2')
  assert.equal(await countCharacters(path, 'woff2'), 4)
})

test('an ASS file with few fields per line keeps the times and text of its subtitles', async () => {
  const { path } = await convertAndCleanUp(oddFixture('short-lines.ass'), 'srt')
  const words = (await readFile(path, 'utf8')).replaceAll(/<[^>]*>/g, '')
  assert.match(words, /00:00:01,000 --> 00:00:02,500\nHello, otters\n\n2\n.*\nSecond line\nbelow/)
})

test('the fields of an ASS subtitle file are put in the standard order', () => {
  const createEvents = (format: string, line: string) => `[Events]\nFormat: ${format}\nDialogue: ${line}`
  const standardHeader = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'
  const standardFields = createEvents(standardHeader, '0,0:00:01.00,0:00:02.00,Big,,0,0,0,,a, b')
  assert.equal(normalizeFields(standardFields), standardFields)
  assert.equal(
    normalizeFields(createEvents('End, Style, Start, Text', '0:00:02.00,Big,0:00:01.00,a, b')),
    standardFields,
  )
  const ssa = standardFields.replace('Layer', 'Marked').replace('Dialogue: 0', 'Dialogue: Marked=0')
  assert.equal(normalizeFields(ssa), ssa)
})

test('a protected workbook or presentation named .docx opens with its password', async () => {
  for (const [kind, words] of [
    ['xlsx', /Otters/],
    ['pptx', /Wombats/],
  ] as const) {
    const source = join(scratch, `${kind}.docx`)
    await copyFile(fixture(`office/locked.${kind}`), source)
    const { path, route, codes } = await convertAndCleanUp(source, 'pdf', { password: 'secret' })
    assert.match(await readPdfText(path), words)
    assert.equal(route, 'libreoffice libreoffice')
    assert.ok(codes.includes('ENCRYPTION_REMOVED') && !codes.includes('MAY_BE_DAMAGED'), String(codes))
    await assert.rejects(convertAndCleanUp(source, 'pdf', { password: 'wrong' }), { code: 'FILE_ENCRYPTED' })
  }
})
