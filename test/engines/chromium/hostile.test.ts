import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { createChromium } from '../../../lib/engines/chromium.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { colorAt, folder, renderPdfPage, writePage } from '../support/chromium-pages.ts'
import { createChapter, createEpub } from '../support/epub-maker.ts'
import { countPdfPages, readPdfText, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const chromium = createChromium()

after(() => chromium.close?.())

/** Ten billion squares, which take forever to draw. */
const groups = Array.from(
  { length: 10 },
  (_, at) => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(10)}</g>`,
)

const endless = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><defs><path id="a0" d="h1"/>${groups.join('')}</defs><use href="#a10"/></svg>`

const convertHtml = async (html: string | Buffer, to: FormatId, options: RunSettings['options'] = {}) =>
  convert(chromium, await writePage(html), to, { options, from: 'html' })

describe('fitting web content to the paper', () => {
  const words = Array.from({ length: 14 }, (_, at) => `<td>value${at}00000</td>`).join('')
  /** Returns how far to the right the words of a PDF reach, as a fraction of the width of their page. */
  const measureWidth = async (path: string) => {
    const [, ...pages] = (await readStdout('pdftotext', '-bbox', path, '-')).split('<page width=')
    const fractions = pages.map((page) => {
      const edges = [...page.matchAll(/xMax="([\d.]+)"/g)].map(([, right]) => Number(right))
      return Math.max(...edges) / Number.parseFloat(page.slice(1))
    })
    return Math.max(...fractions)
  }

  test('a web page with content wider than the paper is scaled to fit completely', async () => {
    const html = `<p>alphamarker</p><div style="overflow:auto"><table border=1><tr>${words}</table></div>
      <pre>${'x = 1; '.repeat(60)}end</pre><img style="width:3000px" src="data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP8AACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==">`
    const { path } = await convertHtml(html, 'pdf')
    const text = await readPdfText(path)
    assert.match(text, /value1300000/)
    assert.match(text, /end/)
    const width = await measureWidth(path)
    assert.ok(width < 0.966, `content beyond the margin: ${width}`)
    assert.ok(width > 0.75, `scaled down more than necessary: ${width}`)
    // Content that fits keeps its size.
    assert.match(await readStdout('pdftotext', '-bbox', path, '-'), /xMax="9\d\.\d+"[^>]*>alphamarker/)
  })

  test('collapsed and scrollable content of a web page is printed completely', async () => {
    const lines = Array.from({ length: 150 }, (_, at) => `<p>line${at}</p>`).join('')
    const html = `<style>html, body { height: 100%; overflow: hidden } main { height: 100vh; overflow: auto }</style>
      <main>${lines}<details name="a"><summary>more</summary>folded one</details><details name="a">folded two</details></main>`
    const text = await readPdfText((await convertHtml(html, 'pdf')).path)
    for (const words of [/line0\b/, /line149\b/, /folded one/, /folded two/]) assert.match(text, words)
  })

  test('web content wider than the paper is scaled to the paper size that the style sheet of the page sets', async () => {
    const html = `<style>@page{size:A5;margin:30mm}</style><table border=1><tr>${words}</table>`
    const { path } = await convertHtml(html, 'pdf')
    assert.match((await readPdfText(path)).replaceAll(/\s/g, ''), /1300000/)
    assert.ok((await measureWidth(path)) < (148 - 29) / 148)
  })
})

describe('ebooks to PDF', () => {
  const red = '#c02020'
  const font = Buffer.from('OTTOnone')
  const createPageImage = () =>
    sharp({ create: { width: 60, height: 85, channels: 3, background: red } })
      .png()
      .toBuffer()

  async function createBook(name: string): Promise<string> {
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
        'cover.png': await createPageImage(),
        'font.ttf': font,
      },
      spine: ['one.xhtml', 'text/two b.xhtml'],
      properties: { 'cover.png': 'cover-image' },
    })
    return path
  }

  test('an ebook converted to PDF has its cover, style sheets and links, and starts each chapter on a new page', async () => {
    const { path, warnings } = await convert(chromium, await createBook('birds.epub'), 'pdf')
    assert.deepEqual(warnings, [])
    assert.equal(await countPdfPages(path), 3)
    const info = await readStdout('pdfinfo', path)
    assert.match(info, /Title: +Birds & Co\n/)
    assert.match(info, /Author: +Ada Grün\n/)
    assert.doesNotMatch(info, /Creator:|Producer/)
    assert.match(info, /Page size: +595\.\d+ x 841\.\d+ pts \(A4\)/)
    const [nearColor = 0] = await colorAt(await renderPdfPage(path, 1), 2, 2)
    assert.ok(nearColor > 150, 'the cover fills the page')
    const secondPage = await readStdout('pdftotext', '-f', '2', '-l', '2', '-bbox', path, '-')
    const measureHeight = (text: string, word: string) => {
      const [, top, bottom] =
        new RegExp(`yMin="([\\d.]+)" xMax="[\\d.]+" yMax="([\\d.]+)">${word}`).exec(text) ?? []
      return Number(bottom) - Number(top)
    }
    // Each chapter uses the style sheets of its own document. Font sizes of 20 and 40 pixels are 15 and 30 points; the
    // boxes of words are slightly higher.
    assert.ok(Math.abs(measureHeight(secondPage, 'alphamarker') - 17) < 4, secondPage)
    const thirdPage = await readStdout('pdftotext', '-f', '3', '-l', '3', '-bbox', path, '-')
    assert.ok(Math.abs(measureHeight(thirdPage, 'betamarker') - 34) < 7, thirdPage)
    assert.doesNotMatch(await readPdfText(path), /EVIL/)
    assert.match(await readPdfText(path), /grün/)
    assert.match(await readStdout('pdfinfo', '-url', path), /2 +Annotation +https:\/\/host\.invalid/)
    // Both chapters have an element with this id; the link leads to the one in the other chapter.
    assert.match(await readStdout('pdfinfo', '-dests', path), /^ +3 \[.*"mutabor-2-same"/m)
    assert.match(await readStdout('pdfimages', '-list', path), /3 +\d+ image +9 +9/)
  })

  test('an ebook converted to PDF has the requested paper and margins', async () => {
    const options = { pageSize: 'A5', marginLeft: '40mm', headerText: 'head' }
    const { path } = await convert(chromium, await createBook('a5.epub'), 'pdf', { options })
    assert.match(await readStdout('pdfinfo', path), /Page size: +4\d\d(\.\d+)? x 59\d/)
    const [, left] =
      /xMin="([\d.]+)"[^>]*>alphamarker/.exec(await readStdout('pdftotext', '-bbox', path, '-')) ?? []
    assert.ok(Math.abs(Number(left) - (40 / 25.4) * 72) < 2, left)
  })

  test('an ebook with a fixed layout becomes a PDF with pages in their own sizes', async () => {
    const path = join(folder, 'fixed.epub')
    const createPage = (width: number) =>
      createChapter(
        '<p style="position:absolute;left:10px;top:10px">alphamarker</p>',
        `<meta name="viewport" content="width=${width}, height=300"/>`,
      )
    await createEpub(path, {
      files: { 'a.xhtml': createPage(400), 'b.xhtml': createPage(600) },
      spine: ['a.xhtml', 'b.xhtml'],
      metadata: '<meta property="rendition:layout">pre-paginated</meta>',
    })
    const htmlRun = await convert(chromium, path, 'pdf')
    assert.equal(await countPdfPages(htmlRun.path), 2)
    const info = await readStdout('pdfinfo', '-l', '2', htmlRun.path)
    assert.match(info, /Page +1 size: +300(\.\d+)? x 22[45]/)
    assert.match(info, /Page +2 size: +450(\.\d+)? x 22[45]/)
  })

  test('an ebook without documents or with a damaged package is refused as damaged', async () => {
    const path = join(folder, 'empty.epub')
    await createEpub(path, { files: { 'x.css': 'p{}' }, spine: [] })
    await assertRefused(convert(chromium, path, 'pdf'), 'CORRUPT_FILE')
    await assertRefused(
      convert(chromium, await writePage('PK\u0003\u0004 no', 'cut.epub'), 'pdf'),
      'CORRUPT_FILE',
    )
  })
})

describe('hostile web pages', () => {
  test('a hostile web page reaches no host and no file, and runs no script', async () => {
    let requestCount = 0
    const server = createServer((_, response) => {
      requestCount++
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const secret = join(folder, 'secret.txt')
    await writeFile(secret, 'SECRETWORD')
    const createReferencesTo = (
      link: string,
    ) => `<img src="${link}"><iframe src="${link}"></iframe><object data="${link}"></object>
      <embed src="${link}"><link rel="stylesheet" href="${link}"><link rel="preload" as="image" href="${link}">
      <link rel="prefetch" href="${link}"><link rel="preconnect" href="${link}"><link rel="dns-prefetch" href="${link}">
      <video src="${link}" poster="${link}" autoplay></video><style>@import "${link}";@font-face{font-family:x;src:url(${link})}
      p{font-family:x;background:url(${link})}</style><p>text</p>
      <svg width="9" height="9"><image href="${link}"/><use href="${link}#a"/></svg>
      <iframe srcdoc='<img src="${link}"><script>parent.document.body.textContent="EVIL"</script>'></iframe>`
    const html = `<body onload="document.body.textContent='EVIL'">${createReferencesTo(host)}${createReferencesTo('file:///etc/fonts/fonts.conf')}${createReferencesTo(`file://${secret}`)}
      <script>document.body.textContent = 'EVIL'; new WebSocket('${host.replace('http', 'ws')}')</script>
      <meta http-equiv="refresh" content="0;url=${host}"><h1>alphamarker</h1>`
    const { path, warnings } = await convertHtml(html, 'pdf')
    server.close()
    const text = await readPdfText(path)
    assert.match(text, /alphamarker/)
    assert.doesNotMatch(text, /EVIL|SECRETWORD|fontconfig/)
    assert.equal(requestCount, 0)
    assert.deepEqual(warnings, ['LINKS_DROPPED'])
  })

  test('a hostile web page that reloads and embeds itself is converted', async () => {
    const html =
      '<meta http-equiv="refresh" content="0"><iframe src=""></iframe><iframe src="?x"></iframe><h1>alphamarker</h1>'
    assert.match(await readPdfText((await convertHtml(html, 'pdf')).path), /alphamarker/)
  })

  test('a web page converted after a hostile web page that sets a cookie contains only its own text', async () => {
    await convertHtml(
      '<style>:root{--x:red}</style><meta http-equiv="set-cookie" content="a=SECRETWORD">',
      'pdf',
    )
    const { path } = await convertHtml('<p>alphamarker', 'pdf')
    assert.equal((await readPdfText(path)).trim(), 'alphamarker')
  })

  test('a hostile web page that never finishes is stopped, and the next page is converted', async () => {
    const signal = AbortSignal.timeout(400)
    const run = writePage(endless, 'endless.svg').then((source) =>
      convert(chromium, source, 'png', { signal }),
    )
    const [stoppedRun, nextRun] = await Promise.all([
      assert.rejects(run, { name: 'TimeoutError' }),
      convertHtml('<p>alphamarker', 'pdf'),
    ])
    assert.equal(stoppedRun, undefined)
    assert.equal(await countPdfPages(nextRun.path), 1)
    assert.equal(await countPdfPages((await convertHtml('<p>x', 'pdf')).path), 1)
  })

  test('a web page is converted in a new browser after the processes of the old browser were killed', async () => {
    // The browser's socket path is limited to 107 bytes, so the folder must not be deep in the scratch folder.
    const baseDir = scratchFolder('b')
    const ownEngine = createChromium({ baseDir })
    await ownEngine.warm?.()
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
    const { path } = await convert(ownEngine, fixture('page.html'), 'pdf')
    assert.match(await readPdfText(path), /alphamarker/)
    await ownEngine.close?.()
    assert.deepEqual(await readdir(baseDir), [])
  })
})

describe('routes of web pages', () => {
  const listNames = (from: FormatId, to: FormatId) =>
    planRoute({ from, to }).steps.map((step) => `${step.engine}:${step.to}`)

  test('web pages, ebooks and markup documents are converted to PDF by the browser, and DOCX by LibreOffice', () => {
    assert.deepEqual(listNames('html', 'pdf'), ['chromium:pdf'])
    assert.deepEqual(listNames('html', 'png'), ['chromium:png'])
    assert.deepEqual(listNames('mhtml', 'jpg'), ['chromium:jpg'])
    assert.deepEqual(listNames('epub', 'pdf'), ['chromium:pdf'])
    assert.deepEqual(listNames('mobi', 'pdf'), ['calibre:epub', 'chromium:pdf'])
    for (const markup of ['md', 'rst', 'org', 'dbk', 'tex'] as const)
      assert.deepEqual(listNames(markup, 'pdf'), ['pandoc:html', 'chromium:pdf'])
    assert.deepEqual(listNames('docx', 'pdf'), ['libreoffice:pdf'])
    assert.deepEqual(listNames('svg', 'png'), ['vips:png'])
    assert.equal(planRoute({ from: 'svg', to: 'png', engine: 'chromium' }).steps[0].engine, 'chromium')
  })
})
