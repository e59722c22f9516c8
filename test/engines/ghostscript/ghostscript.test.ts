import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { pageOptions, toPageSwitches } from '../../../lib/engines/ghostscript/pages.ts'
import { ghostscript } from '../../../lib/engines/ghostscript.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { testConformance } from '../support/conformance.ts'
import {
  countPdfPages,
  listZipNames,
  readImageSize,
  readManifestParameters,
  readPdfText,
  readStdout,
} from '../support/inspect-result.ts'
import { assertProgressRises, convert, fixture, type RunSettings, removeRuns } from '../support/run-engine.ts'

const pages = fixture('three-pages.pdf')

testConformance(ghostscript, {
  fixtures: {
    eps: fixture('drawing.eps'),
    ai: fixture('drawing.ai'),
    ps: fixture('letter.ps'),
    svg: fixture('corners.svg'),
    png: fixture('corners.png'),
    pdf: pages,
  },
  only: (from, to) =>
    to === 'pdf' || (from === 'eps' && ['png', 'ps'].includes(to)) || (from === 'pdf' && to === 'jpg'),
  long: { source: pages, to: 'png', options: { dpi: 600, pages: '1-3,3-1' } },
})

const runGhostscriptEngine = (file: string, to: FormatId, options: RunSettings['options'] = {}) =>
  convert(ghostscript, file, to, { options })

const readColorAt = async (path: string, x: number, y: number) => {
  const { data, info } = await sharp(path).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * info.channels
  return [...data.subarray(at, at + 3)]
}

/** Asserts that values differ by at most 1, because color profiles round. */
function assertAlmostEqual(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  assert.equal(actual.length, expected.length)
  const firstDifference = Array.from(actual).findIndex(
    (value, at) => Math.abs(value - (expected[at] ?? 0)) > 1,
  )
  assert.equal(
    firstDifference,
    -1,
    `value ${firstDifference} is ${actual[firstDifference]} instead of ${expected[firstDifference]}`,
  )
}

describe('PostScript drawings', () => {
  after(removeRuns)

  test('a PostScript drawing becomes an image of its bounding box at the requested resolution', async () => {
    const { path } = await runGhostscriptEngine(fixture('drawing.eps'), 'png', { dpi: 144 })
    assert.deepEqual(await readImageSize(path, 'png'), { width: 80, height: 60 })
    assertAlmostEqual(await readColorAt(path, 10, 10), [255, 0, 0])
    assertAlmostEqual(await readColorAt(path, 70, 10), [0, 255, 0])
  })

  test('a PostScript drawing has a transparent background in PNG and a white one in JPEG', async () => {
    const folder = scratchFolder('eps')
    const source = join(folder, 'half.eps')
    await writeFile(source, '%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 40 30\n0 0 20 30 rectfill\n')
    const { data, info } = await sharp((await runGhostscriptEngine(source, 'png')).path)
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.equal(info.channels, 4)
    assert.equal(data.at(-1), 0)
    assert.deepEqual(
      await readColorAt((await runGhostscriptEngine(source, 'jpg')).path, 70, 5),
      [255, 255, 255],
    )
  })

  test('an EPS or AI drawing keeps its text in PDF, and contains no bitmap image in PDF and SVG', async () => {
    for (const source of ['drawing.eps', 'drawing.ai']) {
      const { path } = await runGhostscriptEngine(fixture(source), 'pdf')
      assert.match(await readPdfText(path), /alphamarker/)
      assert.equal((await readStdout('pdfimages', '-list', path)).split('\n').length, 3)
      assert.match(await readStdout('pdfinfo', path), /Page size: +40 x 30 pts/)
      const { path: svg } = await runGhostscriptEngine(fixture(source), 'svg')
      assert.doesNotMatch(await readFile(svg, 'utf8'), /<image/)
    }
  })

  test('PostScript with several pages becomes a PDF with the same pages', async () => {
    const { path } = await runGhostscriptEngine(fixture('letter.ps'), 'pdf')
    assert.equal(await countPdfPages(path), 2)
    assert.match(await readPdfText(path), /alphamarker[\s\S]*betamarker/)
  })
})

describe('SVG to PDF and EPS', () => {
  after(removeRuns)

  test('an SVG keeps its text and size in PDF and EPS', async () => {
    const folder = scratchFolder('svg')
    const source = join(folder, 'word.svg')
    const word = '<text x="9" y="40" font-size="20">alphamarker</text>'
    await writeFile(source, `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60">${word}</svg>`)
    const { path } = await runGhostscriptEngine(source, 'pdf')
    assert.match(await readPdfText(path), /alphamarker/)
    assert.match(await readStdout('pdfinfo', path), /Page size: +90 x 45 pts/)
    const { path: eps } = await runGhostscriptEngine(source, 'eps')
    assert.match(await readFile(eps, 'latin1'), /%%BoundingBox: 0 0 90 45/)
    assert.match(
      await readStdout(
        'gs',
        '-q',
        '-dSAFER',
        '-dBATCH',
        '-dNOPAUSE',
        '-sDEVICE=txtwrite',
        '-sOutputFile=-',
        eps,
      ),
      /alphamarker/,
    )
  })
})

describe('images to PostScript', () => {
  after(removeRuns)

  test('an image keeps every pixel in EPS', async () => {
    const { path } = await runGhostscriptEngine(fixture('corners.png'), 'eps')
    const { path: back } = await convert(ghostscript, path, 'png', { from: 'eps', options: { dpi: 72 } })
    const readRaw = (file: string) => sharp(file).removeAlpha().raw().toBuffer()
    assertAlmostEqual(await readRaw(back), await readRaw(fixture('corners.png')))
  })

  test('a TIFF becomes PostScript with all its pages, or an EPS of its first page with a warning', async () => {
    const { path } = await runGhostscriptEngine(fixture('pages.tiff'), 'ps')
    assert.match(await readFile(path, 'latin1'), /%%Pages: 3/)
    const { warnings, details } = await runGhostscriptEngine(fixture('pages.tiff'), 'eps')
    assert.deepEqual([warnings, details], [['PAGES_DROPPED'], [{ kept: 1, total: 3 }]])
  })
})

describe('PDF pages rendered by Ghostscript', () => {
  after(removeRuns)

  test('Ghostscript renders the requested pages with the requested size, colors and page order', async () => {
    const { path } = await runGhostscriptEngine(pages, 'jpg', {
      pages: '2',
      dpi: 72,
      downscale: 100,
      colorSpace: 'gray',
    })
    const { width, height, channels } = await sharp(path).metadata()
    assert.equal(Math.max(width, height), 100)
    assert.equal(channels, 1)
    const { path: tiff } = await runGhostscriptEngine(pages, 'tiff', { pages: 'last-1', dpi: 72 })
    assert.equal((await sharp(tiff).metadata()).pages, 3)
    const { path: ps } = await runGhostscriptEngine(pages, 'ps', { pages: '3,1' })
    assert.match(
      await readStdout(
        'gs',
        '-q',
        '-dSAFER',
        '-dBATCH',
        '-dNOPAUSE',
        '-sDEVICE=txtwrite',
        '-sOutputFile=-',
        ps,
      ),
      /gamma[\s\S]*alpha/,
    )
    const { path: zip } = await runGhostscriptEngine(pages, 'eps', { pages: '2-3' })
    assert.deepEqual(await listZipNames(zip), ['page-002.eps', 'page-003.eps', 'manifest.json'])
    const run = await runGhostscriptEngine(pages, 'png', { dpi: 72, downscale: 50, colorSpace: 'gray' })
    assertProgressRises(run)
    const names = ['page-001.png', 'page-002.png', 'page-003.png']
    assert.deepEqual(await listZipNames(run.path), [...names, 'manifest.json'])
    assert.deepEqual(await readManifestParameters(run.path), {
      format: 'png',
      dpi: 72,
      colorSpace: 'gray',
      downscale: 50,
    })
  })

  test('the options for rendering PDF pages become arguments of Ghostscript', () => {
    const listSwitches = (to: 'jpg' | 'png', options: object) =>
      toPageSwitches(to, 3, 100, pageOptions.jpg.parse(options)).join(' ')
    const plainArgs = '-r100 -dFirstPage=3 -dLastPage=3 -dUseCropBox -dTextAlphaBits=4 -dGraphicsAlphaBits=4'
    assert.equal(listSwitches('png', {}), plainArgs)
    assert.equal(listSwitches('jpg', {}), `${plainArgs} -dJPEGQ=85`)
    assert.equal(listSwitches('jpg', { quality: 'low' }), `${plainArgs} -dJPEGQ=50`)
    assert.equal(listSwitches('jpg', { quality: 'low', jpegQuality: 7 }), `${plainArgs} -dJPEGQ=7`)
    assert.match(listSwitches('png', { colorSpace: 'adobe-rgb' }), / -sOutputICCProfile=\S+$/)
  })

  test('Ghostscript embeds the Adobe RGB profile for colorSpace=Adobe-RGB', async () => {
    const { path } = await runGhostscriptEngine(pages, 'jpg', { pages: '1', colorSpace: 'Adobe-RGB' })
    assert.match((await readFile(path)).toString('latin1'), /ICC_PROFILE[\s\S]*A98 ICC Profile/)
  })

  test('Ghostscript requires the password of an encrypted PDF', async () => {
    const source = fixture('needs-password.pdf')
    await assertRefused(runGhostscriptEngine(source, 'jpg'), 'PDF_ENCRYPTED')
    await assertRefused(runGhostscriptEngine(source, 'jpg', { password: 'wrong' }), 'PDF_ENCRYPTED')
  })

  test('Ghostscript is the default engine only if no cheaper engine converts between the formats', () => {
    const listNames = (from: FormatId, to: FormatId) =>
      planRoute({ from, to }).steps.map((step) => `${step.engine}:${step.to}`)
    assert.deepEqual(listNames('pdf', 'jpg'), ['pdf:jpg'])
    assert.deepEqual(listNames('ps', 'jpg'), ['ghostscript:pdf', 'pdf:jpg'])
    assert.deepEqual(listNames('eps', 'webp'), ['ghostscript:png', 'vips:webp'])
    assert.deepEqual(listNames('svg', 'pdf'), ['ghostscript:pdf'])
    assert.deepEqual(listNames('webp', 'eps'), ['vips:png', 'ghostscript:eps'])
    assert.deepEqual(listNames('pdf', 'eps'), ['ghostscript:eps'])
    const [step] = planRoute({ from: 'pdf', to: 'jpg', engine: 'ghostscript' }).steps
    assert.equal(step.engine, 'ghostscript')
  })
})

describe('hostile PostScript', () => {
  const folder = scratchFolder('hostile')

  async function writePostScript(body: string): Promise<string> {
    const path = join(folder, 'in.ps')
    await writeFile(path, `%!PS\n${body}\nshowpage\n`)
    return path
  }

  test('hostile PostScript cannot read or write files or start programs', async () => {
    const secret = join(folder, 'secret')
    await writeFile(secret, 'alphamarker')
    for (const body of [
      `(${secret}) (r) file 20 string readstring pop show`,
      `(${folder}/written) (w) file dup (x) writestring closefile`,
      `(%pipe%touch ${folder}/written) (w) file closefile`,
      `(/etc/fonts/fonts.conf) run`,
      `(${secret}) deletefile`,
    ]) {
      await assertRefused(runGhostscriptEngine(await writePostScript(body), 'pdf'), 'CORRUPT_FILE')
    }
    assert.equal(await readFile(secret, 'utf8'), 'alphamarker')
    await assert.rejects(readFile(join(folder, 'written')))
  })

  test('PostScript that loops forever is stopped when its job is aborted', async () => {
    const signal = AbortSignal.timeout(500)
    const runningConversion = convert(ghostscript, await writePostScript('{} loop'), 'pdf', { signal })
    await assert.rejects(runningConversion, { name: 'TimeoutError' })
  })

  test('hostile PostScript that draws nothing or fails is reported as CORRUPT_FILE', async () => {
    for (const body of ['quit', 'undefined-name', '<< /PageSize [1e9 1e9] >> setpagedevice']) {
      const path = join(folder, 'in.eps')
      await writeFile(path, `%!PS-Adobe-3.0 EPSF-3.0\n${body}\n`)
      await assertRefused(runGhostscriptEngine(path, 'png'), 'CORRUPT_FILE')
    }
  })
})
