import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { createChromium } from '../../../lib/engines/chromium.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { testConformance } from '../support/conformance.ts'
import { createChapter, createEpub } from '../support/epub-maker.ts'
import { countPdfPages, readImageSize, readPdfText, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const folder = scratchFolder('pages')
const chromium = createChromium()

after(() => chromium.close?.())

test('a page converted to PDF reports its hidden text', async () => {
  const path = join(folder, 'hidden.html')
  await writeFile(
    path,
    `<title>named</title><style>.closed { display: none } @media print { nav { display: none } }</style>
     <nav>navigation</nav><p hidden>attribute</p><div class="closed">by <b>class</b></div><template>template</template>
     <p style="visibility: hidden">invisible</p><script>var script</script><p>Seen <span>words</span></p>`,
  )
  const { result, path: convertHtml } = await convert(chromium, path, 'pdf')
  const unseen = (result.hiddenText ?? '').split(/\s+/).toSorted()
  assert.deepEqual(unseen, ['attribute', 'by', 'class', 'invisible', 'navigation', 'template'])
  assert.equal((await readPdfText(convertHtml)).trim(), 'Seen words')
  await writeFile(path, '<p>All of it is seen</p>')
  assert.equal((await convert(chromium, path, 'pdf')).result.hiddenText, undefined)
})

/** Ten billion squares, which take forever to draw. */
const groups = Array.from(
  { length: 10 },
  (_, at) => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(10)}</g>`,
)
const endless = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><defs><path id="a0" d="h1"/>${groups.join('')}</defs><use href="#a10"/></svg>`

async function page(html: string | Buffer, name = 'page.html'): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, html)
  return path
}

const convertHtml = async (html: string | Buffer, to: FormatId, options: RunSettings['options'] = {}) =>
  convert(chromium, await page(html), to, { options, from: 'html' })

const colorAt = async (path: string, x: number, y: number) => {
  const { data, info } = await sharp(path).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * info.channels
  return [...data.subarray(at, at + info.channels)]
}

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

describe('a web page as PDF', () => {
  test('a web page as PDF keeps its text, headings and links', async () => {
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

  test('a web page as PDF has the requested paper, margins, header and footer', async () => {
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

  test('a web page as PDF uses the paper of its style sheet unless other paper is requested', async () => {
    const html = '<style>@page{size:100mm 50mm;margin:0}</style>alphamarker'
    const size = async (options = {}) => readStdout('pdfinfo', (await convertHtml(html, 'pdf', options)).path)
    assert.match(await size(), /Page size: +28[23]\.\d+ x 14[12]/)
    assert.match(await size({ pageSize: 'Letter' }), /Page size: +61[12](\.\d+)? x 79[12]/)
    assert.match(await size({ pageSize: 'Letter', landscape: true }), /Page size: +79[12](\.\d+)? x 61[12]/)
    assert.match(await size({ landscape: false }), /Page size: +59\d(\.\d+)? x 84/)
  })

  test('a web page as PDF has narrower margins on paper that is too small for the default ones, also for ebooks', async () => {
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

  test('a web page as PDF with margins that leave no room is refused', async () => {
    const wide = { marginLeft: '105mm', marginRight: '105mm' }
    const high = { marginTop: '150mm', marginBottom: '150mm' }
    for (const margins of [wide, high])
      await assert.rejects(convertHtml('<p>x', 'pdf', margins), {
        code: 'INVALID_INPUT',
        message: /margins/,
        details: { field: 'marginTop' },
      })
  })

  test('a web page as PDF is read in its own encoding', async () => {
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
    // In which every byte is also an ASCII character.
    const wide = Buffer.from('<p>\u0421\u044a\u0435\u0448\u044c \u0435\u0449\u0435', 'utf16le').swap16()
    assert.match(await readPdfText((await convertHtml(wide, 'pdf')).path), /\u0421\u044a\u0435\u0448\u044c/)
  })
})

describe('a web page as an image', () => {
  test('a web page as an image is captured completely, or as much as fits in the window', async () => {
    const html = '<body style="margin:0;background:#f00"><div style="height:3000px">'
    const size = async (options = {}) => readImageSize((await convertHtml(html, 'png', options)).path, 'png')
    assert.deepEqual(await size({ width: 400 }), { width: 400, height: 3000 })
    assert.deepEqual(await size({ width: 400, height: 300, fullPage: 'false', scale: 2 }), {
      width: 800,
      height: 600,
    })
    const { path } = await convertHtml(html, 'jpg', { width: 100, height: 100, fullPage: false })
    const [red = 0, green = 255] = await colorAt(path, 50, 50)
    assert.ok(red > 250 && green < 5, `the center is red: ${red}, ${green}`)
  })

  test('a web page as an image that is too long is cut with a warning', async () => {
    const { path, warnings } = await convertHtml('<div style="height:40000px">', 'png', { width: 64 })
    assert.deepEqual(await readImageSize(path, 'png'), { width: 64, height: 16_384 })
    assert.deepEqual(warnings, ['PAGE_CUT'])
  })

  test("an SVG as an image has the drawing's size and transparency", async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="30" height="40" fill="#00f"/></svg>'
    const source = await page(gzipSync(svg), 'half.svgz')
    const { path } = await convert(chromium, source, 'png', { options: { scale: 2 } })
    assert.deepEqual(await readImageSize(path, 'png'), { width: 120, height: 80 })
    assert.deepEqual(await colorAt(path, 10, 10), [0, 0, 255, 255])
    assert.deepEqual(await colorAt(path, 100, 10), [0, 0, 0, 0])
    const { path: pdf } = await convert(chromium, source, 'pdf')
    assert.match(await readStdout('pdfinfo', pdf), /Page size: +45(\.\d+)? x 30(\.\d+)? pts/)
  })
})

describe('an animation', () => {
  const style = `<style>@keyframes appear{from{opacity:0}to{opacity:1}}@keyframes turn{from{fill:#00f}to{fill:#fff}}
    .a{opacity:0;animation:appear 30s 60s forwards}.b{animation:turn 10s 5s infinite}</style>`
  const boxes = `<rect class="a" width="40" height="80" fill="#f00"/><rect class="b" x="40" width="40" height="80"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80">${style}${boxes}</svg>`

  for (const [what, file] of [
    ['a page', `<body style="margin:0">${svg}`],
    ['a drawing', svg],
  ] as const)
    test(`an animation in ${what} is shown at its end, and an endless one at its start`, async () => {
      const source = await page(file, what === 'a page' ? 'moving.html' : 'moving.svg')
      const { path: pdf } = await convert(chromium, source, 'pdf')
      const printed = join(folder, `${what}.png`)
      await sharp(await renderPdfPage(pdf, 1, 96))
        .trim({ background: '#fff' })
        .toFile(printed)
      for (const path of [(await convert(chromium, source, 'png')).path, printed]) {
        assert.deepEqual((await colorAt(path, 20, 40)).slice(0, 3), [255, 0, 0])
        assert.deepEqual((await colorAt(path, 60, 40)).slice(0, 3), [0, 0, 255])
      }
    })
})

describe('a web page archive', () => {
  test('a web page archive is shown with its images, style sheets and frames', async () => {
    const { path, warnings } = await convert(chromium, fixture('page.mhtml'), 'png', {
      options: { width: 200, height: 100 },
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
    const cut = await convert(chromium, await page(parts, 'cut.mhtml'), 'pdf')
    assert.deepEqual(cut.warnings, ['MAY_BE_DAMAGED'])
  })

  test('a web page archive without a page is refused as damaged', async () => {
    const source = await page(
      'MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\n',
      'empty.mhtml',
    )
    await assertRefused(convert(chromium, source, 'pdf'), 'CORRUPT_FILE')
  })
})

/** Renders a page of a PDF. */
const renderPdfPage = async (path: string, number: number, dpi = 36) => {
  const base = join(folder, `drawn-${number}`)
  await readStdout('pdftoppm', '-png', '-r', String(dpi), '-f', String(number), '-singlefile', path, base)
  return `${base}.png`
}

describe('content wider than the paper', () => {
  const words = Array.from({ length: 14 }, (_, at) => `<td>value${at}00000</td>`).join('')
  const rightmost = async (path: string) => {
    const boxes = (await readStdout('pdftotext', '-bbox', path, '-')).matchAll(/xMax="([\d.]+)"/g)
    return Math.max(...[...boxes].map(([, right]) => Number(right)))
  }

  test('content wider than the paper is scaled to fit completely', async () => {
    const html = `<p>alphamarker</p><div style="overflow:auto"><table border=1><tr>${words}</table></div>
      <pre>${'x = 1; '.repeat(60)}end</pre><img style="width:3000px" src="data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP8AACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==">`
    const { path } = await convertHtml(html, 'pdf')
    const text = await readPdfText(path)
    assert.match(text, /value1300000/)
    assert.match(text, /end/)
    assert.ok((await rightmost(path)) < 595 - 20, 'no content beyond the margin')
    assert.ok((await rightmost(path)) > 595 * 0.75, 'not scaled down more than necessary')
    // Content that fits keeps its size.
    assert.match(await readStdout('pdftotext', '-bbox', path, '-'), /xMax="9\d\.\d+"[^>]*>alphamarker/)
  })

  test('content wider than the paper and collapsed or scrolled content is included completely', async () => {
    const lines = Array.from({ length: 150 }, (_, at) => `<p>line${at}</p>`).join('')
    const html = `<style>html, body { height: 100%; overflow: hidden } main { height: 100vh; overflow: auto }</style>
      <main>${lines}<details name="a"><summary>more</summary>folded one</details><details name="a">folded two</details></main>`
    const text = await readPdfText((await convertHtml(html, 'pdf')).path)
    for (const words of [/line0\b/, /line149\b/, /folded one/, /folded two/]) assert.match(text, words)
  })

  test('content wider than the paper fits on the paper set by the page', async () => {
    const html = `<style>@page{size:A5;margin:30mm}</style><table border=1><tr>${words}</table>`
    const { path } = await convertHtml(html, 'pdf')
    assert.match((await readPdfText(path)).replaceAll(/\s/g, ''), /1300000/)
    assert.ok((await rightmost(path)) < ((148 - 29) / 25.4) * 72)
  })
})

describe('an ebook as PDF', () => {
  const red = '#c02020'
  const font = Buffer.from('OTTOnone')
  const whole = () =>
    sharp({ create: { width: 60, height: 85, channels: 3, background: red } })
      .png()
      .toBuffer()

  async function book(name: string): Promise<string> {
    const path = join(folder, name)
    await createEpub(path, {
      files: {
        'one.xhtml': createChapter(
          '<h1 id="same">alphamarker</h1><p><a href="text/two%20b.xhtml#same">on</a> <a href="https://host.invalid/">out</a></p>',
          '<link rel="stylesheet" href="css/one.css"/>',
        ),
        'text/two b.xhtml': createChapter(
          '<h1 id="same">betamarker</h1><p>gr&#252;n<br></p><script>document.body.textContent = "EVIL"</script><img src="../dot.png" alt=""/>',
          '<style>h1 { font-size: 40px }</style>',
        ),
        'css/one.css': '@import "base.css"; @page { margin: 0 } body { background: url(../dot.png) }',
        'css/base.css': 'h1 { color: #00ff00; font-size: 20px }',
        'dot.png': await sharp({ create: { width: 9, height: 9, channels: 3, background: '#0000ff' } })
          .png()
          .toBuffer(),
        'cover.png': await whole(),
        'font.ttf': font,
      },
      spine: ['one.xhtml', 'text/two b.xhtml'],
      properties: { 'cover.png': 'cover-image' },
    })
    return path
  }

  test('an ebook as PDF has its cover, style sheets, links, and a new page for each chapter', async () => {
    const { path, warnings } = await convert(chromium, await book('birds.epub'), 'pdf')
    assert.deepEqual(warnings, [])
    assert.equal(await countPdfPages(path), 3)
    const info = await readStdout('pdfinfo', path)
    assert.match(info, /Title: +Birds & Co\n/)
    assert.match(info, /Author: +Ada Grün\n/)
    assert.doesNotMatch(info, /Creator:|Producer/)
    assert.match(info, /Page size: +595\.\d+ x 841\.\d+ pts \(A4\)/)
    const [near = 0] = await colorAt(await renderPdfPage(path, 1), 2, 2)
    assert.ok(near > 150, 'the cover fills the page')
    const second = await readStdout('pdftotext', '-f', '2', '-l', '2', '-bbox', path, '-')
    const height = (text: string, word: string) => {
      const [, top, bottom] =
        new RegExp(`yMin="([\\d.]+)" xMax="[\\d.]+" yMax="([\\d.]+)">${word}`).exec(text) ?? []
      return Number(bottom) - Number(top)
    }
    // Each chapter uses the style sheets of its own document: 20 pixels are 15 points, 40 are 30.
    assert.ok(Math.abs(height(second, 'alphamarker') - 17) < 4, second)
    const third = await readStdout('pdftotext', '-f', '3', '-l', '3', '-bbox', path, '-')
    assert.ok(Math.abs(height(third, 'betamarker') - 34) < 7, third)
    assert.doesNotMatch(await readPdfText(path), /EVIL/)
    assert.match(await readPdfText(path), /grün/)
    assert.match(await readStdout('pdfinfo', '-url', path), /2 +Annotation +https:\/\/host\.invalid/)
    // Both chapters have an element with this id; the link leads to the one in the other chapter.
    assert.match(await readStdout('pdfinfo', '-dests', path), /^ +3 \[.*"mutabor-2-same"/m)
    assert.match(await readStdout('pdfimages', '-list', path), /3 +\d+ image +9 +9/)
  })

  test('an ebook as PDF has the requested paper and margins', async () => {
    const options = { pageSize: 'A5', marginLeft: '40mm', headerText: 'head' }
    const { path } = await convert(chromium, await book('a5.epub'), 'pdf', { options })
    assert.match(await readStdout('pdfinfo', path), /Page size: +4\d\d(\.\d+)? x 59\d/)
    const [, left] =
      /xMin="([\d.]+)"[^>]*>alphamarker/.exec(await readStdout('pdftotext', '-bbox', path, '-')) ?? []
    assert.ok(Math.abs(Number(left) - (40 / 25.4) * 72) < 2, left)
  })

  test('an ebook as PDF with a fixed layout has pages in their own sizes', async () => {
    const path = join(folder, 'fixed.epub')
    const page = (width: number) =>
      createChapter(
        '<p style="position:absolute;left:10px;top:10px">alphamarker</p>',
        `<meta name="viewport" content="width=${width}, height=300"/>`,
      )
    await createEpub(path, {
      files: { 'a.xhtml': page(400), 'b.xhtml': page(600) },
      spine: ['a.xhtml', 'b.xhtml'],
      metadata: '<meta property="rendition:layout">pre-paginated</meta>',
    })
    const convertHtml = await convert(chromium, path, 'pdf')
    assert.equal(await countPdfPages(convertHtml.path), 2)
    const info = await readStdout('pdfinfo', '-l', '2', convertHtml.path)
    assert.match(info, /Page +1 size: +300(\.\d+)? x 22[45]/)
    assert.match(info, /Page +2 size: +450(\.\d+)? x 22[45]/)
  })

  test('an ebook as PDF without documents or with a damaged package is refused as damaged', async () => {
    const path = join(folder, 'empty.epub')
    await createEpub(path, { files: { 'x.css': 'p{}' }, spine: [] })
    await assertRefused(convert(chromium, path, 'pdf'), 'CORRUPT_FILE')
    await assertRefused(convert(chromium, await page('PK\u0003\u0004 no', 'cut.epub'), 'pdf'), 'CORRUPT_FILE')
  })
})

describe('a hostile web page', () => {
  test('a hostile web page reaches no host and no file, and runs no script', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked++
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const secret = join(folder, 'secret.txt')
    await writeFile(secret, 'SECRETWORD')
    const ways = (
      link: string,
    ) => `<img src="${link}"><iframe src="${link}"></iframe><object data="${link}"></object>
      <embed src="${link}"><link rel="stylesheet" href="${link}"><link rel="preload" as="image" href="${link}">
      <link rel="prefetch" href="${link}"><link rel="preconnect" href="${link}"><link rel="dns-prefetch" href="${link}">
      <video src="${link}" poster="${link}" autoplay></video><style>@import "${link}";@font-face{font-family:x;src:url(${link})}
      p{font-family:x;background:url(${link})}</style><p>text</p>
      <svg width="9" height="9"><image href="${link}"/><use href="${link}#a"/></svg>
      <iframe srcdoc='<img src="${link}"><script>parent.document.body.textContent="EVIL"</script>'></iframe>`
    const html = `<body onload="document.body.textContent='EVIL'">${ways(host)}${ways('file:///etc/fonts/fonts.conf')}${ways(`file://${secret}`)}
      <script>document.body.textContent = 'EVIL'; new WebSocket('${host.replace('http', 'ws')}')</script>
      <meta http-equiv="refresh" content="0;url=${host}"><h1>alphamarker</h1>`
    const { path, warnings } = await convertHtml(html, 'pdf')
    server.close()
    const text = await readPdfText(path)
    assert.match(text, /alphamarker/)
    assert.doesNotMatch(text, /EVIL|SECRETWORD|fontconfig/)
    assert.equal(asked, 0)
    assert.deepEqual(warnings, ['LINKS_DROPPED'])
  })

  test('a hostile web page that embeds itself repeatedly is loaded once', async () => {
    const html =
      '<meta http-equiv="refresh" content="0"><iframe src=""></iframe><iframe src="?x"></iframe><h1>alphamarker</h1>'
    assert.match(await readPdfText((await convertHtml(html, 'pdf')).path), /alphamarker/)
  })

  test('a hostile web page leaves nothing behind for the next page', async () => {
    await convertHtml(
      '<style>:root{--x:red}</style><meta http-equiv="set-cookie" content="a=SECRETWORD">',
      'pdf',
    )
    const { path } = await convertHtml('<p>alphamarker', 'pdf')
    assert.equal((await readPdfText(path)).trim(), 'alphamarker')
  })

  test('a hostile web page that never finishes is stopped, and the next page is converted', async () => {
    const signal = AbortSignal.timeout(400)
    const run = page(endless, 'endless.svg').then((source) => convert(chromium, source, 'png', { signal }))
    const [stopped, next] = await Promise.all([
      assert.rejects(run, { name: 'TimeoutError' }),
      convertHtml('<p>alphamarker', 'pdf'),
    ])
    assert.equal(stopped, undefined)
    assert.equal(await countPdfPages(next.path), 1)
    assert.equal(await countPdfPages((await convertHtml('<p>x', 'pdf')).path), 1)
  })

  test('a hostile web page is converted in a new browser after the old one was killed', async () => {
    // The browser's socket path is limited to 107 bytes, so the folder must not be deep in the scratch folder.
    const baseDir = scratchFolder('b')
    const own = createChromium({ baseDir })
    await own.warm?.()
    const [name = ''] = await readdir(baseDir)
    const lines = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n')
    const pids = lines.filter((line) => line.includes(name)).map((line) => Number.parseInt(line, 10))
    assert.ok(pids.length > 1)
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The folder of the previous browser was removed with it.
      }
    }
    const { path } = await convert(own, fixture('page.html'), 'pdf')
    assert.match(await readPdfText(path), /alphamarker/)
    await own.close?.()
    assert.deepEqual(await readdir(baseDir), [])
  })
})

describe('the route of a web page', () => {
  const names = (from: FormatId, to: FormatId) =>
    planRoute({ from, to }).steps.map((step) => `${step.engine}:${step.to}`)

  test('the route of a web page is the browser for PDF and images, LibreOffice for documents', () => {
    assert.deepEqual(names('html', 'pdf'), ['chromium:pdf'])
    assert.deepEqual(names('html', 'png'), ['chromium:png'])
    assert.deepEqual(names('mhtml', 'jpg'), ['chromium:jpg'])
    assert.deepEqual(names('epub', 'pdf'), ['chromium:pdf'])
    assert.deepEqual(names('mobi', 'pdf'), ['calibre:epub', 'chromium:pdf'])
    for (const markup of ['md', 'rst', 'org', 'dbk', 'tex'] as const)
      assert.deepEqual(names(markup, 'pdf'), ['pandoc:html', 'chromium:pdf'])
    assert.deepEqual(names('docx', 'pdf'), ['libreoffice:pdf'])
    assert.deepEqual(names('svg', 'png'), ['vips:png'])
    assert.equal(planRoute({ from: 'svg', to: 'png', engine: 'chromium' }).steps[0].engine, 'chromium')
  })
})
