import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { createChromium } from '../../../lib/engines/chromium.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { colorAt, folder, renderPdfPage, writePage } from '../support/chromium-pages.ts'
import { testConformance } from '../support/conformance.ts'
import { createChapter, createEpub } from '../support/epub-maker.ts'
import { readImageSize, readPdfText, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const chromium = createChromium()

after(() => chromium.close?.())

test('converting a web page to PDF reports the text that is hidden on the page', async () => {
  const path = join(folder, 'hidden.html')
  await writeFile(
    path,
    `<title>named</title><style>.closed { display: none } @media print { nav { display: none } }</style>
     <nav>navigation</nav><p hidden>attribute</p><div class="closed">by <b>class</b></div><template>template</template>
     <p style="visibility: hidden">invisible</p><script>var script</script><p>Seen <span>words</span></p>`,
  )
  const { result, path: resultPath } = await convert(chromium, path, 'pdf')
  const hiddenWords = (result.hiddenText ?? '').split(/\s+/).toSorted()
  // Words of templates are not counted, so they are not subtracted as hidden words either.
  assert.deepEqual(hiddenWords, ['attribute', 'by', 'class', 'invisible', 'navigation'])
  assert.equal((await readPdfText(resultPath)).trim(), 'Seen words')
  await writeFile(path, '<p>All of it is seen</p>')
  assert.equal((await convert(chromium, path, 'pdf')).result.hiddenText, undefined)
})

const convertHtml = async (html: string | Buffer, to: FormatId, options: RunSettings['options'] = {}) =>
  convert(chromium, await writePage(html), to, { options, from: 'html' })

testConformance(createChromium(), {
  fixtures: {
    html: fixture('page.html'),
    mhtml: fixture('page.mhtml'),
    svg: fixture('corners.svg'),
  },
  only: (from, to) => to === 'pdf' || `${from} ${to}` === 'html jpg' || `${from} ${to}` === 'svg webp',
  long: {
    source: fixture('page.html'),
    to: 'png',
    options: { scale: 4, width: 4000, height: 4000, fullPage: false },
  },
})

describe('web pages to PDF', () => {
  test('a web page converted to PDF keeps its text, headings and links', async () => {
    const { path, warnings } = await convertHtml(
      '<h1>alphamarker</h1><p>grün 日本語 <a href="https://host.invalid/x">link</a><h2>betamarker</h2>',
      'pdf',
    )
    assert.match(await readPdfText(path), /alphamarker\s+grün 日本語 link\s+betamarker/)
    assert.match(
      await readStdout('pdfinfo', path),
      /Tagged: +yes[\s\S]*Page size: +595\.\d+ x 841\.\d+ pts \(A4\)/,
    )
    assert.match(await readStdout('pdfinfo', '-url', path), /host\.invalid/)
    assert.match(await readStdout('pdfinfo', path), /Title: +in\n/)
    assert.doesNotMatch(await readStdout('pdfinfo', path), /Author|Creator:|Producer/)
    assert.deepEqual(warnings, [])
  })

  test('a web page converted to PDF has the requested paper, margins, header and footer', async () => {
    const { path } = await convertHtml('<p>alphamarker<p style="break-before:page">betamarker', 'pdf', {
      pageSize: 'A5',
      landscape: 'true',
      marginLeft: '50mm',
      marginTop: '30mm',
      marginBottom: '30mm',
      headerText: '<b>"head" & {date}',
      footerText: 'page {page} of {pages}',
    })
    const text = await readPdfText(path)
    assert.match(text, new RegExp(`<b>"head" & ${new Date().toISOString().slice(0, 10)}$`, 'm'))
    assert.match(text, /page 1 of 2[\s\S]*page 2 of 2/)
    assert.match(await readStdout('pdfinfo', path), /Page size: +59\d\.\d+ x 4\d\d(\.\d+)? pts/)
    const [, left] =
      /xMin="([\d.]+)"[^>]*>alphamarker/.exec(await readStdout('pdftotext', '-bbox', path, '-')) ?? []
    assert.ok(Math.abs(Number(left) - (50 / 25.4) * 72) < 10, left)
  })

  test('a web page converted to PDF uses the paper of its style sheet unless other paper is requested', async () => {
    const html = '<style>@page{size:100mm 50mm;margin:0}</style>alphamarker'
    const readSize = async (options = {}) =>
      readStdout('pdfinfo', (await convertHtml(html, 'pdf', options)).path)
    assert.match(await readSize(), /Page size: +28[23]\.\d+ x 14[12]/)
    assert.match(await readSize({ pageSize: 'Letter' }), /Page size: +61[12](\.\d+)? x 79[12]/)
    assert.match(
      await readSize({ pageSize: 'Letter', landscape: true }),
      /Page size: +79[12](\.\d+)? x 61[12]/,
    )
    assert.match(await readSize({ landscape: false }), /Page size: +59\d(\.\d+)? x 84/)
  })

  test('a web page or ebook can be converted to PDF on paper that is too small for the default margins', async () => {
    const { path } = await convertHtml('<p>alphamarker', 'pdf', { pageSize: '20x20mm' })
    assert.match(await readStdout('pdfinfo', path), /Page size: +5[67](\.\d+)? x 5[67]/)
    const source = join(folder, 'small.epub')
    await createEpub(source, {
      files: { 'one.xhtml': createChapter('<p>alphamarker</p>') },
      spine: ['one.xhtml'],
    })
    const book = await convert(chromium, source, 'pdf', { options: { pageSize: '40x60mm' } })
    assert.match(await readStdout('pdfinfo', book.path), /Page size: +11[34](\.\d+)? x 1(?:69|70)/)
    assert.match(await readPdfText(book.path), /alphamarker/)
  })

  test('converting a web page to PDF is refused if the margins leave no room', async () => {
    const wideMargins = { marginLeft: '105mm', marginRight: '105mm' }
    const tallMargins = { marginTop: '150mm', marginBottom: '150mm' }
    for (const margins of [wideMargins, tallMargins])
      await assert.rejects(convertHtml('<p>x', 'pdf', margins), {
        code: 'INVALID_INPUT',
        message: /margins/,
        details: { field: 'marginTop', reason: 'no-room' },
      })
  })

  test('a web page converted to PDF is read in its declared or detected character encoding', async () => {
    const meta = '<meta charset="windows-1252">'
    const cases = [
      Buffer.from('<p>gr\u00fcn', 'utf8'),
      Buffer.from(`${meta}<p>gr\u00fcn`, 'latin1'),
      Buffer.from('<p>gr\u00fcn', 'latin1'),
      Buffer.from('\ufeff<p>gr\u00fcn', 'utf16le'),
      Buffer.from(
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>gr\u00fcn</body></html>',
      ),
    ]
    for (const bytes of cases)
      assert.match(await readPdfText((await convertHtml(bytes, 'pdf')).path), /grün/, String(bytes))
    // Text in UTF-16 in which every byte is also an ASCII character.
    const utf16Bytes = Buffer.from('<p>\u0421\u044a\u0435\u0448\u044c \u0435\u0449\u0435', 'utf16le').swap16()
    assert.match(
      await readPdfText((await convertHtml(utf16Bytes, 'pdf')).path),
      /\u0421\u044a\u0435\u0448\u044c/,
    )
  })
})

describe('web pages to images', () => {
  test('an image of a web page shows the full page, or with fullPage=false only the part inside the window', async () => {
    const html = '<body style="margin:0;background:#f00"><div style="height:3000px">'
    const readSize = async (options = {}) =>
      readImageSize((await convertHtml(html, 'png', options)).path, 'png')
    assert.deepEqual(await readSize({ width: 400 }), { width: 400, height: 3000 })
    assert.deepEqual(await readSize({ width: 400, height: 300, fullPage: 'false', scale: 2 }), {
      width: 800,
      height: 600,
    })
    const { path } = await convertHtml(html, 'jpg', { width: 100, height: 100, fullPage: false })
    const [red = 0, green = 255] = await colorAt(path, 50, 50)
    assert.ok(red > 250 && green < 5, `the center is red: ${red}, ${green}`)
  })

  test('a window height that is lower than the page causes a warning when the full page is captured', async () => {
    const html = '<div style="height:3000px">'
    assert.deepEqual((await convertHtml(html, 'png', { height: 300 })).warnings, ['OPTION_NOT_HELD'])
    assert.deepEqual((await convertHtml(html, 'png', { height: 300, fullPage: false })).warnings, [])
    assert.deepEqual((await convertHtml('<p>short', 'png', { height: 300 })).warnings, [])
  })

  test('a web page that is too long for an image is cut off with a warning', async () => {
    const { path, warnings } = await convertHtml('<div style="height:40000px">', 'png', { width: 64 })
    assert.deepEqual(await readImageSize(path, 'png'), { width: 64, height: 16_384 })
    assert.deepEqual(warnings, ['PAGE_CUT'])
  })

  test("an SVG converted to an image has the drawing's size and transparency", async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="30" height="40" fill="#00f"/></svg>'
    const source = await writePage(gzipSync(svg), 'half.svgz')
    const { path } = await convert(chromium, source, 'png', { options: { scale: 2 } })
    assert.deepEqual(await readImageSize(path, 'png'), { width: 120, height: 80 })
    assert.deepEqual(await colorAt(path, 10, 10), [0, 0, 255, 255])
    assert.deepEqual(await colorAt(path, 100, 10), [0, 0, 0, 0])
    const { path: pdf } = await convert(chromium, source, 'pdf')
    assert.match(await readStdout('pdfinfo', pdf), /Page size: +45(\.\d+)? x 30(\.\d+)? pts/)
  })
})

describe('CSS and SVG animations', () => {
  const style = `<style>@keyframes appear{from{opacity:0}to{opacity:1}}@keyframes turn{from{fill:#00f}to{fill:#fff}}
    .a{opacity:0;animation:appear 30s 60s forwards}.b{animation:turn 10s 5s infinite}</style>`
  const boxes = `<rect class="a" width="40" height="80" fill="#f00"/><rect class="b" x="40" width="40" height="80"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80">${style}${boxes}</svg>`

  for (const [caseName, file] of [
    ['a page', `<body style="margin:0">${svg}`],
    ['an SVG', svg],
  ] as const)
    test(`a finite animation in ${caseName} is rendered in its last frame, and an endless animation in its first frame`, async () => {
      const source = await writePage(file, caseName === 'a page' ? 'moving.html' : 'moving.svg')
      const { path: pdf } = await convert(chromium, source, 'pdf')
      const printedPage = join(folder, `${caseName}.png`)
      await sharp(await renderPdfPage(pdf, 1, 96))
        .trim({ background: '#fff' })
        .toFile(printedPage)
      for (const path of [(await convert(chromium, source, 'png')).path, printedPage]) {
        assert.deepEqual((await colorAt(path, 20, 40)).slice(0, 3), [255, 0, 0])
        assert.deepEqual((await colorAt(path, 60, 40)).slice(0, 3), [0, 0, 255])
      }
    })
})

describe('web page archives', () => {
  test('a web page archive is rendered with its images, style sheets and frames', async () => {
    const { path, warnings } = await convert(chromium, fixture('page.mhtml'), 'png', {
      options: { width: 200, height: 100, fullPage: false },
    })
    assert.deepEqual(warnings, [])
    assert.deepEqual(await colorAt(path, 150, 90), [0, 128, 0])
    const { path: pdf } = await convert(chromium, fixture('page.mhtml'), 'pdf')
    assert.match(await readPdfText(pdf), /alphamarker grün[\s\S]*betamarker/)
    assert.match(await readStdout('pdfimages', '-list', pdf), /image +40 +30/)
  })

  test('a web page archive without a closing boundary causes a warning about possible damage', async () => {
    const parts =
      'Content-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n<p>said</p>\n--x'
    const truncatedPage = await convert(chromium, await writePage(parts, 'cut.mhtml'), 'pdf')
    assert.deepEqual(truncatedPage.warnings, ['MAY_BE_DAMAGED'])
  })

  test('a web page archive without a page is refused as damaged', async () => {
    const source = await writePage(
      'MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\n',
      'empty.mhtml',
    )
    await assertRefused(convert(chromium, source, 'pdf'), 'CORRUPT_FILE')
  })
})
