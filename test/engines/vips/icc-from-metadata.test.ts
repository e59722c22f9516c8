import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { buildPng, type PngChunk, readPngChunks } from '../../../lib/binary/png.ts'
import { vips } from '../../../lib/engines/vips.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert, removeRuns } from '../support/run-engine.ts'

const uint32s = (...values: readonly number[]) =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(value)
      return bytes
    }),
  )
const createGammaChunk = (value: number): PngChunk => ({ type: 'gAMA', data: uint32s(value) })
const createPrimariesChunk = (...values: readonly number[]): PngChunk => ({
  type: 'cHRM',
  data: uint32s(...values),
})

describe('colors declared by a PNG or AVIF', () => {
  const folder = scratchFolder('described-colors')
  after(removeRuns)

  async function writeWithColorChunks(name: string, chunks: readonly PngChunk[]): Promise<string> {
    const path = join(folder, `${name}.png`)
    const color = { r: 60, g: 180, b: 60 }
    const plainPng = await sharp({ create: { width: 16, height: 16, channels: 3, background: color } })
      .png()
      .toBuffer()
    const [header, ...rest] = [...readPngChunks(plainPng)].filter(({ type }) => type !== 'pHYs')
    assert.ok(header)
    await writeFile(path, buildPng([header, ...chunks, ...rest]))
    return path
  }

  const readSize = async (path: string) => {
    const { width, height } = await sharp(path).metadata()
    return [width, height]
  }

  // Expected values are the colors shown by Chromium.
  const cases: readonly (readonly [
    string,
    readonly PngChunk[],
    readonly number[],
    warnings: readonly string[],
  ])[] = [
    ['linear light in gAMA', [createGammaChunk(100_000)], [133, 219, 133], ['COLORS_CONVERTED']],
    [
      'Adobe RGB in gAMA and cHRM',
      [
        createGammaChunk(45_455),
        createPrimariesChunk(31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000),
      ],
      [0, 181, 42],
      ['COLORS_CONVERTED'],
    ],
    [
      'Display P3 in cICP',
      [{ type: 'cICP', data: Buffer.from([12, 13, 0, 1]) }],
      [0, 183, 30],
      ['COLORS_CONVERTED'],
    ],
    [
      'sRGB in gAMA and cHRM',
      [
        createGammaChunk(45_455),
        createPrimariesChunk(31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000),
      ],
      [60, 180, 60],
      [],
    ],
    [
      'an sRGB chunk that takes precedence over gAMA',
      [{ type: 'sRGB', data: Buffer.from([0]) }, createGammaChunk(100_000)],
      [60, 180, 60],
      [],
    ],
  ]
  test('a PNG with color chunks is converted even if other data follows its last chunk', async () => {
    const path = await writeWithColorChunks('followed', [createGammaChunk(100_000)])
    await appendFile(path, Buffer.alloc(40, 0xff))
    assert.deepEqual(await readSize((await convert(vips, path, 'webp')).path), [16, 16])
  })

  test('a PNG whose text contains the name of a color chunk is converted without a warning', async () => {
    const text = Buffer.concat([Buffer.from('Comment\0cICP'), Buffer.from([9, 16, 0, 1])])
    const { warnings } = await convert(
      vips,
      await writeWithColorChunks('worded', [{ type: 'tEXt', data: text }]),
      'webp',
    )
    assert.deepEqual(warnings, [])
  })

  for (const [name, chunks, expectedColor, expectedCode] of cases)
    test(`a PNG with color chunks gets the colors that browsers show: ${name}`, async () => {
      for (const to of ['gif', 'webp', 'png'] as const) {
        const { path, warnings } = await convert(vips, await writeWithColorChunks('described', chunks), to)
        const { data } = await sharp(path).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
        const color = [...data.subarray(0, 3)]
        const isNear = color.every((value, index) => Math.abs(value - (expectedColor[index] ?? 0)) <= 6)
        assert.ok(isNear, `${to}: ${color} is not about ${expectedColor}`)
        assert.deepEqual(warnings, to === 'gif' ? expectedCode : [])
      }
    })

  for (const [name, space, levels] of [
    ['gray', 'b-w', [133, 133, 133]],
    ['16-bit gray', 'grey16', [133, 133, 133]],
  ] as const) {
    test(`a ${name} PNG with a gAMA chunk gets the shades that browsers show`, async () => {
      const plainGray = await sharp(Buffer.alloc(256, 60), { raw: { width: 16, height: 16, channels: 1 } })
        .toColourspace(space)
        .png()
        .toBuffer()
      const [header, ...rest] = [...readPngChunks(plainGray)].filter(({ type }) => type !== 'pHYs')
      assert.ok(header)
      const path = join(folder, `${space}.png`)
      await writeFile(path, buildPng([header, createGammaChunk(100_000), ...rest]))
      for (const to of ['gif', 'jpg', 'png'] as const)
        assertNear(await convertAndReadPixel(path, to), levels, to)
    })
  }

  test('an animated PNG with color chunks gets the colors that browsers show', async () => {
    const animatedPath = join(folder, 'moving.apng')
    const createFrameControl = (number: number) =>
      uint32s(number, 16, 16, 0, 0, 0x00_01_00_0a, 0).subarray(0, 26)
    const pngChunks = [
      ...readPngChunks(await readFile(await writeWithColorChunks('frame', [createGammaChunk(100_000)]))),
    ]
    const chunks = pngChunks.flatMap((chunk) => {
      if (chunk.type === 'gAMA') return [chunk, { type: 'acTL', data: uint32s(2, 0) }]
      if (chunk.type !== 'IDAT') return [chunk]
      const secondFrame = { type: 'fdAT', data: Buffer.concat([uint32s(2), chunk.data]) }
      return [
        { type: 'fcTL', data: createFrameControl(0) },
        chunk,
        { type: 'fcTL', data: createFrameControl(1) },
        secondFrame,
      ]
    })
    await writeFile(animatedPath, buildPng(chunks))
    for (const to of ['gif', 'webp', 'png'] as const)
      assertNear(await convertAndReadPixel(animatedPath, to), [133, 219, 133], to)
  })

  test('an AVIF that declares Display P3 is converted with the right colors', async () => {
    const avif = join(folder, 'p3.avif')
    execFileSync('heif-enc', ['-A', '-q', '98', '-o', avif, await writeWithColorChunks('plain', [])])
    const bytes = await readFile(avif)
    const at = bytes.indexOf('colrnclx')
    assert.ok(at > 0)
    bytes.writeUInt16BE(12, at + 8)
    bytes.writeUInt16BE(13, at + 10)
    await writeFile(avif, bytes)
    for (const to of ['gif', 'jpg', 'png'] as const)
      assertNear(await convertAndReadPixel(avif, to), [0, 183, 30], to)
  })

  async function convertAndReadPixel(path: string, to: FormatId): Promise<number[]> {
    const convertedRun = await convert(vips, path, to)
    return [...(await sharp(convertedRun.path).toColourspace('srgb').raw().toBuffer()).subarray(0, 3)]
  }

  function assertNear(color: readonly number[], expectedColor: readonly number[], name: string): void {
    const isNear = expectedColor.every((value, index) => Math.abs(value - (color[index] ?? 0)) <= 6)
    assert.ok(isNear, `${name}: ${color} is not about ${expectedColor}`)
  }
})
