import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { resolvePages } from '../../../lib/engines/pdf/page-range.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { AppError } from '../../../lib/errors.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { python3 } from '../../support/python.ts'
import { testConformance } from '../support/conformance.ts'
import { listZipNames, readImageSize, readStdout } from '../support/inspect-result.ts'
import { assertProgressRises, convert, fixture, type RunSettings, removeRuns } from '../support/run-engine.ts'

const source = fixture('three-pages.pdf')

testConformance(pdf, {
  fixtures: { pdf: source },
  long: { source, to: 'avif', options: { dpi: 600, quality: 100 } },
})

const render = (to: 'jpg' | 'png' | 'tiff' | 'txt', options: RunSettings['options'] = {}, file = source) =>
  convert(pdf, file, to, { options })

async function unzipFile(path: string, name: string, workDir: string): Promise<string> {
  execFileSync(python3, [
    '-c',
    'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2], sys.argv[3])',
    path,
    name,
    workDir,
  ])
  return join(workDir, name)
}

describe('PDF conversions', () => {
  after(removeRuns)

  test('a single page of a PDF becomes an image', async () => {
    const { path, format, result } = await render('jpg', { pages: '2', dpi: 72 })
    assert.equal(format, 'jpg')
    assert.deepEqual(await readImageSize(path, 'jpg'), { width: 300, height: 150 })
    assert.deepEqual(result.details, { pages: 1 })
    // A page that is listed twice counts only once.
    assert.equal((await render('jpg', { pages: '2,2', dpi: 72 })).format, 'jpg')
  })

  test('a PDF page becomes an SVG of vector shapes that matches the rendered page', async () => {
    const { path, format } = await convert(pdf, source, 'svg', { options: { pages: '1' } })
    assert.equal(format, 'svg')
    assert.doesNotMatch(await readFile(path, 'utf8'), /<image/, 'the SVG must not embed an image')
    await readStdout('rsvg-convert', path, '--dpi-x', '144', '--dpi-y', '144', '--output', `${path}.png`)
    const page = await render('png', { pages: '1', dpi: 144 })
    const [width, height] = [300, 150]
    const getPixels = (file: string) =>
      sharp(file)
        .flatten({ background: '#fff' })
        .toColourspace('b-w')
        .resize({ width, height, fit: 'fill' })
        .raw()
        .toBuffer()
    const [ourPixels, popplerPixels] = await Promise.all([getPixels(`${path}.png`), getPixels(page.path)])
    const totalDifference = ourPixels.reduce(
      (sum, level, at) => sum + Math.abs(level - (popplerPixels[at] ?? 0)),
      0,
    )
    assert.ok(
      totalDifference / ourPixels.length < 2,
      `the images differ by ${totalDifference / ourPixels.length} of 255`,
    )
    assert.ok(
      popplerPixels.some((level) => level < 128),
      'the page must not be blank',
    )
  })

  test('several PDF pages become a ZIP of images with a manifest', async () => {
    const run = await render('jpg', { dpi: '100', quality: 'low', progressive: 'true' })
    const { path, format, workDir } = run
    assertProgressRises(run)
    assert.equal(format, 'zip')
    assert.deepEqual(await listZipNames(path), [
      'page-001.jpg',
      'page-002.jpg',
      'page-003.jpg',
      'manifest.json',
    ])
    const manifest = JSON.parse(await readFile(await unzipFile(path, 'manifest.json', workDir), 'utf8'))
    assert.deepEqual(manifest.parameters, {
      format: 'jpg',
      dpi: 100,
      colorSpace: 'srgb',
      quality: 50,
      progressive: true,
    })
    assert.deepEqual(
      manifest.pages.map(({ page, file }: { page: number; file: string }) => [page, file]),
      [
        [1, 'page-001.jpg'],
        [2, 'page-002.jpg'],
        [3, 'page-003.jpg'],
      ],
    )
    const page = await unzipFile(path, 'page-003.jpg', workDir)
    assert.deepEqual(await readImageSize(page, 'jpg'), { width: 209, height: 278 })
    assert.match(await readStdout('file', page), /progressive/)
  })

  test('images of selected PDF pages keep the page numbers in their file names', async () => {
    const { path } = await render('png', { pages: '3,1' })
    assert.deepEqual(await listZipNames(path), ['page-001.png', 'page-003.png', 'manifest.json'])
  })

  test('a backward page range of a PDF becomes a multi-page TIFF that a single pdftoppm process renders', async () => {
    const { path, format, lines } = await render('tiff', { pages: 'last-1', dpi: 72 })
    const pdftoppmRanges = lines
      .filter((line) => line.startsWith('pdftoppm'))
      .map((line) => /-f \d+ -l \d+/.exec(line)?.[0])
    assert.deepEqual(pdftoppmRanges, ['-f 1 -l 3'], 'one process must render all pages, whatever their order')
    assert.equal(format, 'tiff')
    const widths = [...(await readStdout('tiffinfo', path)).matchAll(/Image Width: (\d+)/g)].map(
      ([, width]) => Number(width),
    )
    assert.deepEqual(widths, [150, 300, 150])
  })

  test('the text of a PDF is extracted page by page', async () => {
    const text = await readFile((await render('txt')).path, 'utf8')
    assert.deepEqual(text.match(/\w+marker/g), ['alphamarker', 'betamarker', 'gammamarker'])
    const selectedText = await readFile((await render('txt', { pages: '3,2' })).path, 'utf8')
    assert.deepEqual(selectedText.match(/\w+marker/g), ['gammamarker', 'betamarker'])
  })

  test('downscale, colorSpace, dpi and jpegQuality change the image of a PDF page', async () => {
    const downscaledRun = await render('png', { pages: '2', downscale: 60 })
    assert.deepEqual(await readImageSize(downscaledRun.path, 'png'), { width: 60, height: 30 })
    assert.match(
      await readStdout('file', (await render('jpg', { pages: '1', colorSpace: 'gray' })).path),
      /components 1/,
    )
    assert.deepEqual(await readImageSize((await render('png', { pages: '1', dpi: 144 })).path, 'png'), {
      width: 300,
      height: 400,
    })
    const readBytes = async (options: RunSettings['options']) =>
      (await readFile((await render('jpg', { pages: '1', ...options })).path)).length
    assert.ok((await readBytes({ jpegQuality: '5' })) < (await readBytes({ jpegQuality: 95 })))
  })

  test('a PDF with a user password opens only with that password', async () => {
    const lockedPath = fixture('needs-password.pdf')
    const { path } = await render('txt', { password: 'secret' }, lockedPath)
    assert.match(await readFile(path, 'utf8'), /alphamarker/)
    await assertRefused(render('jpg', {}, lockedPath), 'PDF_ENCRYPTED', /is encrypted/)
    await assertRefused(
      render('jpg', { password: 'wrong' }, lockedPath),
      'PDF_ENCRYPTED',
      /cannot be opened with the password/,
    )
  })

  test('a PDF with only an owner password opens without a password', async () => {
    assert.match(
      await readFile((await render('txt', {}, fixture('owner-password.pdf'))).path, 'utf8'),
      /alphamarker/,
    )
  })

  test('the password of a PDF is in no file name of the work folder', async () => {
    const lockedPath = fixture('needs-password.pdf')
    const { workDir } = await convert(pdf, lockedPath, 'txt', {
      options: { password: 'secret' },
      runsHere: true,
    })
    assert.deepEqual((await readdir(workDir)).toSorted(), ['open-source-1.pdf', 'out', 'source-1.pdf'])
  })

  test('a PDF page with too many pixels is refused, but downscale makes it convertible', async () => {
    const hugePagePdf = (await readFile(source, 'latin1')).replace(
      '/MediaBox [0 0 300 150]',
      '/MediaBox [0 0 9000000 9000000]',
    )
    const path = join((await render('txt')).workDir, 'huge.pdf')
    await writeFile(path, hugePagePdf, 'latin1')
    await assertRefused(
      render('jpg', { dpi: 600 }, path),
      'INVALID_INPUT',
      /^dpi: page 2 would have \d+ megapixels/,
    )
    assert.equal((await render('jpg', { downscale: 500, pages: '2' }, path)).format, 'jpg')
  })

  test('converting a truncated PDF fails with CORRUPT_FILE', async () => {
    const path = join((await render('txt')).workDir, 'cut.pdf')
    await writeFile(path, (await readFile(source)).subarray(0, 300))
    await assertRefused(render('jpg', {}, path), 'CORRUPT_FILE')
  })

  test('converting a PDF with nonexistent pages or invalid options is refused', async () => {
    await assertRefused(render('jpg', { pages: '2-9' }), 'INVALID_INPUT', /page 9 .* pages 1 to 3/)
    const { options } = pdf.capabilities.find(({ to }) => to.includes('jpg')) ?? assert.fail()
    for (const input of [
      { dpi: 71 },
      { dpi: 601 },
      { pages: '1;2' },
      { pages: '' },
      { pages: '1-2-3' },
      { quality: 0 },
      { colorSpace: 'cmyk' },
      { jpegQuality: 101 },
    ]) {
      assert.equal(options.safeParse(input).success, false, JSON.stringify(input))
    }
  })
})

describe('page ranges', () => {
  test('a page range may contain single pages, backward ranges and "last"', () => {
    assert.deepEqual(resolvePages('1-3,7, 9 - last', 10), [1, 2, 3, 7, 9, 10])
    assert.deepEqual(resolvePages('last-8', 10), [10, 9, 8])
    assert.deepEqual(resolvePages(undefined, 3), [1, 2, 3])
  })

  test('a page range outside of the document is refused', () => {
    for (const range of ['0', '11', '5-11']) assert.throws(() => resolvePages(range, 10), AppError)
  })
})

test('the image of a PDF page in Adobe RGB embeds the profile and looks the same as in sRGB', async () => {
  const options = { pages: '1', colorSpace: 'Adobe-RGB' }
  const { path } = await convert(pdf, fixture('three-pages.pdf'), 'png', { options })
  const plainPng = await convert(pdf, fixture('three-pages.pdf'), 'png', { options: { pages: '1' } })
  assert.ok((await sharp(path).metadata()).icc)
  // Converted with its profile, the image looks the same.
  const [convertedPixels, expectedPixels] = await Promise.all(
    [path, plainPng.path].map((imagePath) =>
      sharp(imagePath).toColourspace('srgb').removeAlpha().raw().toBuffer(),
    ),
  )
  const maxDifference = convertedPixels?.reduce(
    (max, value, index) => Math.max(max, Math.abs(value - (expectedPixels?.[index] ?? 0))),
    0,
  )
  assert.ok((maxDifference ?? 255) <= 4, `${maxDifference}`)
})
