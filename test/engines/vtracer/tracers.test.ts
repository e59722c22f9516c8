import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import type { Engine } from '../../../lib/engines/engine.ts'
import { potrace } from '../../../lib/engines/potrace.ts'
import { vtracer } from '../../../lib/engines/vtracer.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { testConformance } from '../support/conformance.ts'
import { countPdfPages, readImageSize, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const folder = scratchFolder('tracing')
const disk = join(folder, 'disk.png')

before(async () => {
  const circle = '<svg width="120" height="80"><circle cx="60" cy="40" r="30" fill="#c00"/></svg>'
  await sharp(Buffer.from(circle)).png().toFile(disk)
})

// This image is created immediately, because the suites refer to it before any hook runs.
const rows = Buffer.alloc(
  1500 * 1500 * 3,
  Buffer.from(Array.from({ length: 7919 }, (_, at) => (at * at * 31) % 256)),
)
const noise = join(folder, 'noise.png')
await sharp(rows, { raw: { width: 1500, height: 1500, channels: 3 } })
  .png({ compressionLevel: 1 })
  .toFile(noise)

testConformance(vtracer, {
  fixtures: { png: fixture('corners.png'), gif: fixture('animated.gif'), svg: fixture('corners.svg') },
  long: { source: noise, to: 'svg', options: { colorPrecision: 8, filterSpeckle: 0 } },
})
testConformance(potrace, {
  fixtures: { jpg: fixture('corners.jpg') },
  long: { source: noise, to: 'svg', options: { filterSpeckle: 0 } },
})

const trace = async (engine: Engine, file: string, to: FormatId, options: RunSettings['options'] = {}) =>
  (await convert(engine, file, to, { options })).path

const readColorAt = async (path: string, x: number, y: number) => {
  const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * info.channels
  return [...data.subarray(at, at + 4)]
}
const assertNear = (actual: readonly number[], expected: readonly number[], tolerance: number) =>
  assert.ok(
    actual.every((value, at) => Math.abs(value - (expected[at] ?? 0)) <= tolerance),
    `the color is ${actual} instead of ${expected}`,
  )

describe('tracing in color', () => {
  test('an image traced in color has the same size, colors and transparency', async () => {
    const path = await trace(vtracer, disk, 'svg')
    assert.deepEqual(await readImageSize(path, 'svg'), { width: 120, height: 80 })
    assertNear(await readColorAt(path, 60, 40), [204, 0, 0, 255], 8)
    assert.equal((await readColorAt(path, 2, 2))[3], 0)
    assert.doesNotMatch(await readFile(path, 'utf8'), /<image/)
  })

  test('filterSpeckle, curveMode and colorMode change the shapes, outlines and colors of an image traced in color', async () => {
    const count = async (options: RunSettings['options']) => {
      const text = await readFile(await trace(vtracer, fixture('corners.png'), 'svg', options), 'utf8')
      return { paths: text.split('<path').length - 1, text }
    }
    const [shapeCount, shapeCountWithoutSpeckles] = [
      await count({ filterSpeckle: 0 }),
      await count({ filterSpeckle: 100 }),
    ]
    assert.ok(
      shapeCount.paths > shapeCountWithoutSpeckles.paths,
      `${shapeCount.paths} shapes, ${shapeCountWithoutSpeckles.paths} without speckles`,
    )
    const drawsCurves = async (curveMode: string) =>
      / d="[^"]*C/.test(await readFile(await trace(vtracer, disk, 'svg', { curveMode }), 'utf8'))
    assert.deepEqual([await drawsCurves('spline'), await drawsCurves('polygon')], [true, false])
    const { text } = await count({ colorMode: 'bw' })
    assert.deepEqual([...new Set(text.match(/fill="[^"]+"/g))], ['fill="#000000"'])
  })

  test('an image traced in color keeps its size if it was scaled down for tracing', async () => {
    const largePath = join(folder, 'large.png')
    await sharp(disk).resize(3600, 2400).png().toFile(largePath)
    const path = await trace(vtracer, largePath, 'svg')
    assert.deepEqual(await readImageSize(path, 'svg'), { width: 3600, height: 2400 })
    assert.match(await readFile(path, 'utf8'), /viewBox="0 0 3000 2000"/)
    assertNear(await readColorAt(path, 1800, 1200), [204, 0, 0, 255], 8)
  })

  test('an image traced in color is rotated according to its orientation', async () => {
    const path = await trace(vtracer, fixture('orientation-6.jpg'), 'svg')
    assert.deepEqual(await readImageSize(path, 'svg'), { width: 30, height: 40 })
  })
})

describe('tracing in one color', () => {
  test('an image traced in one color has the same size in SVG, PDF and EPS', async () => {
    assert.deepEqual(await readImageSize(await trace(potrace, disk, 'svg'), 'svg'), {
      width: 120,
      height: 80,
    })
    const pdf = await trace(potrace, disk, 'pdf')
    assert.equal(await countPdfPages(pdf), 1)
    assert.match(await readStdout('pdfinfo', pdf), /Page size: +120 x 80 pts/)
    assert.match(await readFile(await trace(potrace, disk, 'eps'), 'latin1'), /%%BoundingBox: 0 0 120 80/)
  })

  test('an image traced in one color is black where it is dark, unless invert, threshold or color is set', async () => {
    const readMiddle = async (options: RunSettings['options']) => {
      const path = await trace(potrace, disk, 'svg', options)
      return [(await readColorAt(path, 80, 53))[3], (await readColorAt(path, 3, 3))[3]]
    }
    assert.deepEqual(await readMiddle({}), [255, 0])
    assert.deepEqual(await readMiddle({ invert: 'true' }), [0, 255])
    assert.deepEqual(await readMiddle({ threshold: 5 }), [0, 0])
    const coloredRun = await trace(potrace, disk, 'svg', { color: '#12ab34' })
    assertNear(await readColorAt(coloredRun, 80, 53), [0x12, 0xab, 0x34, 255], 1)
  })

  test('an image traced in one color has more curves with a higher smoothness option', async () => {
    const countCurves = async (smoothness: number) =>
      (await readFile(await trace(potrace, disk, 'svg', { smoothness }), 'utf8')).split('c').length
    const [smooth, sharp] = [await countCurves(100), await countCurves(0)]
    assert.ok(smooth > sharp, `${smooth} curves when smooth, ${sharp} when not`)
  })

  test('an image traced in one color becomes a DXF with polylines around the dark area', async () => {
    const dxf = await readFile(await trace(potrace, disk, 'dxf'), 'latin1')
    assert.match(dxf, /^999\n.*\n\s*0\s+SECTION[\s\S]*ENTITIES[\s\S]*POLYLINE[\s\S]*EOF\s*$/)
    const x = [...dxf.matchAll(/VERTEX[\s\S]*?\n\s*10\s+([\d.]+)/g)].map((match) => Number(match[1]))
    assert.ok(Math.min(...x) > 28 && Math.max(...x) < 92, `${Math.min(...x)} to ${Math.max(...x)}`)
  })
})

describe('compressed SVG', () => {
  test('an SVG compressed to SVGZ is the same after decompression', async () => {
    const { path } = await convert(vtracer, fixture('corners.svg'), 'svgz')
    const { path: back } = await convert(vtracer, path, 'svg')
    assert.deepEqual(await readFile(back), await readFile(fixture('corners.svg')))
  })

  test('an SVGZ that does not contain an SVG is refused as damaged', async () => {
    const bytes = {
      'no.svgz': gzipSync('<html></html>'),
      'cut.svgz': gzipSync('<svg xmlns="x">').subarray(0, 20),
    }
    for (const [name, content] of Object.entries(bytes)) {
      await writeFile(join(folder, name), content)
      await assert.rejects(convert(vtracer, join(folder, name), 'svg'), { code: 'CORRUPT_FILE' }, name)
    }
  })
})

test('an image is traced to SVG in color unless the one-color tracer is requested', () => {
  const listNames = (from: FormatId, to: FormatId, engine?: 'potrace') =>
    planRoute({ from, to, engine }).steps.map((step) => `${step.engine}:${step.to}`)
  assert.deepEqual(listNames('png', 'svg'), ['vtracer:svg'])
  assert.deepEqual(listNames('png', 'svg', 'potrace'), ['potrace:svg'])
  assert.deepEqual(listNames('psd', 'svg'), ['imagemagick:png', 'vtracer:svg'])
  assert.deepEqual(listNames('jpg', 'dxf'), ['potrace:dxf'])
  assert.deepEqual(listNames('jpg', 'eps'), ['ghostscript:eps'])
  assert.deepEqual(listNames('svg', 'svgz'), ['vtracer:svgz'])
  assert.throws(() => planRoute({ from: 'docx', to: 'dxf' }), { code: 'UNSUPPORTED_CONVERSION' })
})
