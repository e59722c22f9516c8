import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { positions } from '../../../lib/engines/shared/image/watermark-options.ts'
import { vips } from '../../../lib/engines/vips.ts'
import { formatByExtension } from '../../../lib/formats/index.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { assertColor, type ChangedArea, findChangedArea, readPixels } from '../support/inspect-pixels.ts'
import { readImageSize } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'
import { getPath, gray, mark, paper, stamp } from '../support/watermarks.ts'

async function addWatermark(
  options: NonNullable<RunSettings['options']>,
  moreInputs: readonly string[] = [],
) {
  const { path } = await mark(vips, paper, options, moreInputs)
  const pixelsAfter = await readPixels(path, 'png')
  return { after: pixelsAfter, box: findChangedArea(await readPixels(paper, 'png'), pixelsAfter) }
}

const getThird = (from: number, to: number, side: number) =>
  (['start', 'middle', 'end'] as const)[Math.floor(((from + to) / 2 / side) * 3)]

/** Returns where the middle of the watermark is, such as `top-left`. */
function describePosition({ left, right, top, bottom }: ChangedArea, { width, height } = gray): string {
  const row = { start: 'top', middle: '', end: 'bottom' }[getThird(top, bottom, height) ?? 'middle']
  const column = { start: 'left', middle: '', end: 'right' }[getThird(left, right, width) ?? 'middle']
  return [row, column].filter((word) => word !== '').join('-') || 'center'
}

describe('image watermarks', () => {
  test('a watermark on an image is at the requested position and nowhere else', async () => {
    for (const watermarkPosition of positions) {
      const { box } = await addWatermark({
        watermarkText: 'Ag',
        watermarkPosition,
        watermarkFontSize: 40,
        watermarkMargin: 20,
      })
      assert.ok(box.count > 100, `${watermarkPosition} shows nothing`)
      assert.equal(describePosition(box), watermarkPosition)
      const edges = { left: box.left, right: gray.width - box.right }
      for (const [side, distance] of Object.entries(edges)) {
        if (watermarkPosition.endsWith(side))
          assert.ok(Math.abs(distance - 20) <= 3, `${watermarkPosition}: ${distance} from the ${side}`)
      }
      if (watermarkPosition.startsWith('top')) assert.ok(box.top >= 20, `${box.top}`)
      if (watermarkPosition.startsWith('bottom')) assert.ok(box.bottom <= gray.height - 20, `${box.bottom}`)
    }
  })

  test('a watermark on an image can be diagonal or tiled', async () => {
    const boxOfText = (await addWatermark({ watermarkText: 'CONFIDENTIAL' })).box
    assert.equal(describePosition(boxOfText), 'center')
    assert.ok(boxOfText.bottom - boxOfText.top > 60, 'it does not rise')
    const { after } = await addWatermark({ watermarkText: 'CONFIDENTIAL', watermarkPosition: 'Tile' })
    const plainPixels = await readPixels(paper, 'png')
    for (const left of [0, 100, 200]) {
      for (const top of [0, 100]) {
        const cropDots = async (dots: typeof plainPixels) => {
          const raw = { width: dots.width, height: dots.height, channels: 3 } as const
          const area = { left, top, width: 100, height: 100 }
          const data = await sharp(dots.data, { raw }).extract(area).raw().toBuffer()
          return { width: 100, height: 100, data }
        }
        assert.ok(
          findChangedArea(await cropDots(plainPixels), await cropDots(after)).count > 50,
          `nothing at ${left}, ${top}`,
        )
      }
    }
  })

  test('a watermark on an image has the requested color and opacity', async () => {
    const options = { watermarkText: '█', watermarkPosition: 'center', watermarkFontSize: 100 }
    for (const [watermarkColor, watermarkOpacity, shownColor] of [
      ['red', 1, '#ff0000'],
      ['00f', undefined, '#5a5aa6'],
      ['#00ff00', '50%', '#40c040'],
    ] as const) {
      const color = watermarkColor === '00f' ? '#00f' : watermarkColor
      const { after } = await addWatermark({
        ...options,
        watermarkColor: color,
        ...defined({ watermarkOpacity }),
      })
      assertColor(after, [150, 100], shownColor, 2)
    }
  })

  test('a watermark fits into the image, however wide its characters are', async () => {
    for (const watermarkPosition of ['center', 'right', 'bottom-left']) {
      const { box } = await addWatermark({ watermarkText: 'WWWWWWWWWWWWWWWWWWWW', watermarkPosition })
      assert.ok(box.left >= 6 && box.right <= gray.width - 6, `${box.left} to ${box.right}`)
    }
  })

  test('a watermark on an image can be another image, which has the requested width and keeps its transparency', async () => {
    const options = { watermarkOpacity: 1, watermarkScale: 20, watermarkMargin: 10 }
    const { after, box } = await addWatermark({ ...options, watermarkPosition: 'bottom-right' }, [stamp])
    // The watermark is 60 pixels wide, a fifth of 300; its right half is transparent.
    const { left, top, right, bottom } = box
    assert.deepEqual([left, top, bottom], [230, 142, 190])
    assert.ok(Math.abs(right - 260) <= 1, `${right}`)
    assertColor(after, [240, 160], '#ff0000', 0)
    const faintWatermark = await addWatermark(
      { ...options, watermarkOpacity: 0.5, watermarkPosition: 'top-left' },
      [stamp],
    )
    assertColor(faintWatermark.after, [20, 30], '#c04040', 2)
    const tiledWatermark = await addWatermark({ ...options, watermarkPosition: 'tile' }, [stamp])
    assert.ok(tiledWatermark.box.right - tiledWatermark.box.left > 250 && tiledWatermark.box.count > 3000)
    const shape = await addWatermark({ ...options, watermarkPosition: 'center' }, [fixture('corners.svg')])
    assertColor(shape.after, [130, 85], '#ff0000', 2)
    assertColor(shape.after, [170, 85], '#00ff00', 2)
  })

  test('a watermark on an image shows quotes, markup, line breaks and any script as plain text', async () => {
    for (const watermarkText of [
      '</text><rect width="9999" height="9999" fill="#f00"/>',
      '<image href="file:///etc/passwd"/>',
      `it's "quoted" & %{pts} \\n [x];,:=`,
      'one\ntwo\r\nthree',
      'سري للغاية',
      '機密 🎉 ग्राहक',
      '&#x0;&lt;',
    ]) {
      const { box } = await addWatermark({ watermarkText, watermarkPosition: 'center' })
      assert.equal(describePosition(box), 'center', watermarkText)
      assert.ok(box.count > 50, `${watermarkText} shows nothing`)
      assert.ok(box.count < 10_000, `${watermarkText} covers ${box.count} dots`)
    }
  })

  test('a PNG, BMP, TIFF, JPEG XL, AVIF, WebP, HEIC or JPEG image keeps its format when a watermark is added', async () => {
    const options = {
      watermarkText: '█',
      watermarkPosition: 'bottom-right',
      watermarkMargin: 0,
      watermarkFontSize: 8,
      watermarkOpacity: 1,
      watermarkColor: '#ffff00',
    }
    for (const [name, tolerance] of [
      ['corners.png', 0],
      ['alpha.png', 0],
      ['deep.png', 0],
      ['corners.bmp', 0],
      ['corners.tiff', 0],
      ['corners.jxl', 120],
      ['corners.avif', 60],
      ['corners.webp', 90],
      ['corners.heic', 90],
      ['corners.jpg', 90],
      ['cmyk.jpg', 90],
    ] as const) {
      const format = formatByExtension(name)?.id ?? 'png'
      const { path, warnings } = await mark(vips, fixture(name), options)
      const { hasAlpha, depth } = await sharp(path)
        .metadata()
        .catch(() => ({ hasAlpha: false, depth: '' }))
      assert.deepEqual(await readImageSize(path, format), { width: 40, height: 30 }, name)
      if (name === 'deep.png') assert.equal(depth, 'ushort')
      if (name === 'alpha.png') {
        assert.equal(hasAlpha, true)
        assert.equal((await sharp(path).raw().toBuffer())[(15 * 40 + 20) * 4 + 3], 0)
      }
      // CMYK colors are compared as a conversion shows them.
      const source = name === 'cmyk.jpg' ? (await convert(vips, fixture(name), 'jpg')).path : fixture(name)
      const [pixelsBefore, pixelsAfter] = [await readPixels(source, format), await readPixels(path, format)]
      const box = findChangedArea(pixelsBefore, pixelsAfter, tolerance)
      assert.ok(box.count > 5, `${name} has no mark`)
      assert.ok(box.left >= 24 && box.top >= 14, `${name} differs from ${box.left}, ${box.top} on`)
      assert.deepEqual(warnings, [], name)
    }
  })

  test('a watermark on a photo with EXIF orientation 6 is placed on the upright photo', async () => {
    const { path } = await mark(vips, fixture('orientation-6.jpg'), {
      watermarkText: '█',
      watermarkPosition: 'top-left',
      watermarkMargin: 0,
      watermarkFontSize: 8,
      watermarkOpacity: 1,
      watermarkColor: '#ffffff',
    })
    assert.deepEqual(await readImageSize(path, 'jpg'), { width: 30, height: 40 })
    assert.equal((await sharp(path).metadata()).orientation, undefined)
    const uprightPath = (await convert(vips, fixture('orientation-6.jpg'), 'jpg')).path
    const box = findChangedArea(await readPixels(uprightPath, 'jpg'), await readPixels(path, 'jpg'), 60)
    assert.ok(box.count > 5 && box.right <= 14 && box.bottom <= 18, JSON.stringify(box))
  })

  test('a watermark on an image is drawn on every frame of an animation and on every page of a TIFF', async () => {
    const options = {
      watermarkText: '█',
      watermarkPosition: 'top-left',
      watermarkMargin: 0,
      watermarkFontSize: 12,
      watermarkOpacity: 1,
      watermarkColor: '#ffff00',
    }
    for (const [name, tolerance] of [
      ['animated.gif', 2],
      ['animated.webp', 30],
      ['animated.apng', 0],
      ['pages.tiff', 0],
    ] as const) {
      const format = formatByExtension(name)?.id ?? 'gif'
      const { path } = await mark(vips, fixture(name), options)
      for (const page of [0, 1, 2]) {
        const pixelsAfter = await readPixels(path, format, page)
        assertColor(pixelsAfter, [3, 7], '#ffff00', 24)
        const box = findChangedArea(await readPixels(fixture(name), format, page), pixelsAfter, tolerance)
        assert.ok(box.right <= 16 && box.bottom <= 20, `${name} ${page}: ${JSON.stringify(box)}`)
      }
      if (format !== 'gif' && format !== 'webp') continue
      const { pages, delay, loop } = await sharp(path).metadata()
      assert.deepEqual({ pages, delay, loop }, { pages: 3, delay: [100, 200, 300], loop: 0 }, name)
    }
  })

  test('a watermark can be added to a very narrow image, and is centered if its margin is too large', async () => {
    for (const [width, height, watermarkPosition] of [
      [1, 1, 'tile'],
      [1, 700, 'bottom-right'],
      [4000, 2, undefined],
    ] as const) {
      const source = getPath(`${width}x${height}.png`)
      await sharp({ create: { ...gray, width, height } })
        .png()
        .toFile(source)
      const position = watermarkPosition && { watermarkPosition }
      const { path } = await mark(vips, source, { watermarkText: 'Draft', ...position })
      assert.deepEqual(await readImageSize(path, 'png'), { width, height })
      await mark(vips, source, { ...position }, [stamp])
    }
    const options = { watermarkPosition: 'top-left', watermarkMargin: 1000, watermarkOpacity: 1 }
    assert.equal(describePosition((await addWatermark(options, [fixture('corners.png')])).box), 'center')
  })

  test('a watermark on an image requires either visible text or an image', async () => {
    await assertRefused(mark(vips, paper, {}), 'INVALID_INPUT', /^watermarkText: expected/)
    const bothMarks = mark(vips, paper, { watermarkText: 'x' }, [stamp])
    await assertRefused(bothMarks, 'INVALID_INPUT', /^watermarkText: got a text and an image/)
    await assertRefused(mark(vips, paper, {}, [fixture('plain.txt')]), 'CORRUPT_FILE', /watermark image/)
    const blankTextRun = mark(vips, paper, { watermarkText: '\u2800' })
    await assertRefused(blankTextRun, 'INVALID_INPUT', /^watermarkText: expected visible text/)
    const { options } = planRoute({ from: 'png', to: 'png', operation: 'watermark' }).steps[0].capability
    for (const wrongOptions of [
      ...['', '   ', '\n', '\u200b', 'a\u0007', 'x'.repeat(201)].map((watermarkText) => ({ watermarkText })),
      { watermarkOpacity: 0 },
      { watermarkOpacity: '101%' },
      { watermarkScale: 101 },
      { watermarkPosition: 'above' },
      { watermarkColor: 'url(#x)' },
      { watermarkMargin: -1 },
    ])
      assert.equal(options.safeParse(wrongOptions).success, false, JSON.stringify(wrongOptions))
  })
})
