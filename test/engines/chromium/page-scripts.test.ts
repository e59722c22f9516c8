import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import iconv from 'iconv-lite'
import sharp from 'sharp'
import { createChromium } from '../../../lib/engines/chromium.ts'
import { hasScripts } from '../../../lib/formats/detect/page-scripts.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { createOptionsSchema } from '../../../lib/plan/index.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { writePage } from '../support/chromium-pages.ts'
import { convertAndCleanUp } from '../support/convert-and-clean-up.ts'
import { countPdfPages, readPdfText } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings, removeRuns } from '../support/run-engine.ts'

const baseDir = scratchFolder('s')
const chromium = createChromium({ baseDir })

after(async () => {
  await chromium.close?.()
  await removeRuns()
})

const withScripts = { traits: ['page-scripts'] } as const

let pages = 0
async function convertPage(html: string, to: FormatId, settings: RunSettings = withScripts) {
  pages++
  return convert(chromium, await writePage(html, `scripts-${pages}.html`), to, { from: 'html', ...settings })
}

const createScriptPage = (code: string) => `<p id="out">alphamarker</p><script>${code}</script>`
const write = (value: string) => `out.textContent += ' ' + ${value};`

async function readPrintedText(html: string, settings: RunSettings = withScripts) {
  const run = await convertPage(html, 'pdf', settings)
  return { ...run, text: (await readPdfText(run.path)).replaceAll(/\s+/g, ' ').trim() }
}

/** Counts the red pixels of an image. */
async function countRed(path: string): Promise<number> {
  const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let count = 0
  for (let at = 0; at < data.length; at += info.channels)
    if ((data[at] ?? 0) > 200 && (data[at + 1] ?? 0) < 60 && (data[at + 2] ?? 0) < 60) count++
  return count
}

describe('scripts of uploaded web pages', () => {
  test('a canvas, a table and form values made by the scripts of an uploaded page are in the result', async () => {
    const chart = fixture('odd/html-canvas-chart.html')
    const chartImage = await convert(chromium, chart, 'png', withScripts)
    assert.deepEqual(chartImage.warnings, [])
    assert.ok((await countRed(chartImage.path)) > 1000)
    const { text, warnings } = await readPrintedText(`<table id="rows"></table><form><input id="name"></form>
      <select id="list"></select><script>
      for (const city of ['Oslo', 'Lima']) rows.insertRow().insertCell().textContent = city
      document.getElementById('name').value = 'typed'
      list.add(new Option('chosen'))</script>`)
    assert.match(text, /Oslo Lima typed chosen/)
    assert.deepEqual(warnings, [])
  })

  test('timers and animations of a page end before the page is converted', async () => {
    const { text, warnings } = await readPrintedText(
      createScriptPage(`setTimeout(() => { ${write("'later'")} }, 2000)
        const start = performance.now()
        const frame = () => performance.now() - start < 1000 ? requestAnimationFrame(frame) : ${write("'drawn'").slice(0, -1)}
        requestAnimationFrame(frame)
        setInterval(() => 0, 100)`),
    )
    assert.match(text, /later/)
    assert.match(text, /drawn/)
    assert.deepEqual(warnings, [])
  })

  test('noscript elements of a page whose scripts ran are not printed', async () => {
    const { text, warnings } = await readPrintedText(
      createScriptPage(write("'seen'")).replace(
        '<script',
        '<noscript><p>turn scripts on</p></noscript><script',
      ),
    )
    assert.match(text, /seen/)
    assert.doesNotMatch(text, /turn scripts on/)
    assert.deepEqual(warnings, [])
  })

  test('text that the scripts of a page remove counts as hidden', async () => {
    const { result } = await readPrintedText(
      createScriptPage("out.textContent = 'alphamarker'; gone.remove()").replace(
        '<script',
        '<p id="gone">removed words</p><script',
      ),
    )
    assert.equal(result.hiddenText?.trim(), 'removed words')
  })

  test('text that scripts remove from a page in CP437 or Windows-1252 counts as hidden', async () => {
    const html = `<p>Größe</p><p id="gone">Übermut</p><script>gone.remove()</script>`
    for (const encoding of ['cp437', 'windows-1252']) {
      pages++
      const path = await writePage(html, `scripts-${pages}.html`)
      await writeFile(path, iconv.encode(html, encoding))
      const run = await convert(chromium, path, 'pdf', { ...withScripts, options: { encoding } })
      assert.equal((await readPdfText(run.path)).trim(), 'Größe', encoding)
      assert.equal(run.result.hiddenText?.trim(), 'Übermut', encoding)
    }
  })

  test('a page with scripts and 200,000 words is converted', async () => {
    const words = 'word '.repeat(200_000)
    const { text, warnings } = await readPrintedText(
      `<div hidden>${words}</div>${createScriptPage(write("'ran'"))}`,
    )
    assert.match(text, /alphamarker ran/)
    assert.deepEqual(warnings, [])
  })

  test('page scripts run neither with scripts=false nor in a page that an earlier conversion step made', async () => {
    for (const settings of [{}, { ...withScripts, options: { scripts: false } }])
      assert.equal((await readPrintedText(createScriptPage(write("'EVIL'")), settings)).text, 'alphamarker')
    const chart = fixture('odd/html-canvas-chart.html')
    assert.deepEqual((await convert(chromium, chart, 'pdf', {})).warnings, ['SCRIPTS_NOT_RUN'])
    assert.deepEqual(
      (await convert(chromium, chart, 'pdf', { ...withScripts, options: { scripts: false } })).warnings,
      [],
    )
  })
})

describe('the scripts option', () => {
  test('scripts run only in an uploaded HTML page, not in a page made from Markdown', async () => {
    const path = await writePage(createScriptPage(write("'written'")), 'sent.html')
    const uploadedPageRun = await convertAndCleanUp(path, 'pdf')
    assert.match(await readPdfText(uploadedPageRun.path), /alphamarker written/)
    assert.deepEqual(uploadedPageRun.codes, [])
    const text = await writePage(`# Title\n\n${createScriptPage(write("'EVIL'"))}\n`, 'source.md')
    const { path: printed } = await convertAndCleanUp(text, 'pdf')
    const markdown = await readPdfText(printed)
    assert.match(markdown, /alphamarker/)
    assert.doesNotMatch(markdown, /EVIL/)
  })

  test('only conversions of HTML in the browser have the scripts option', () => {
    const hasOption = (from: FormatId, to: FormatId) =>
      'scripts' in createOptionsSchema(planRoute({ from, to })).shape
    assert.equal(hasOption('html', 'pdf'), true)
    assert.equal(hasOption('html', 'png'), true)
    for (const from of ['mhtml', 'epub', 'md', 'eml', 'docx'] as const)
      assert.equal(hasOption(from, 'pdf'), false, from)
  })
})

describe('hostile page scripts', () => {
  let host = ''
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.setHeader('access-control-allow-origin', '*')
    response.end('SECRETWORD')
  })
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => server.close())

  test('hostile page scripts reach no file and no host', async () => {
    const { text } = await readPrintedText(
      createScriptPage(`const reach = async (url) => {
        try { ${write('await (await fetch(url)).text()')} } catch { ${write("'failed'")} }
      }
      for (const url of ['http://${host}/', 'http://localhost:${host.split(':')[1]}/', 'file:///etc/passwd', 'http://169.254.169.254/latest/meta-data/']) {
        reach(url)
        const frame = document.createElement('iframe')
        frame.src = url
        frame.onload = () => { try { ${write('frame.contentDocument.body.innerText')} } catch {} }
        document.body.append(frame)
        new Image().src = url
        try { const request = new XMLHttpRequest(); request.open('GET', url, false); request.send(); ${write('request.responseText')} } catch {}
        try { new WebSocket(url.replace('http', 'ws')) } catch {}
        try { navigator.sendBeacon(url, 'x') } catch {}
      }
      const code = "fetch('http://${host}/worker').then((r) => r.text()).then(postMessage)"
      const worker = new Worker(URL.createObjectURL(new Blob([code])))
      worker.onmessage = ({ data }) => { ${write('data')} }
      ${write("'workers:' + typeof navigator.serviceWorker")}
      new RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }] }).createDataChannel('x')`),
    )
    assert.equal(text.match(/failed/g)?.length, 4)
    assert.match(text, /alphamarker.*workers:undefined/)
    assert.doesNotMatch(text, /SECRETWORD|root:/)
    assert.equal(requests, 0)
  })

  const endless = {
    'runs before the page is loaded':
      'for (;;) { alert(1); confirm(2); open("about:blank"); console.log(3) }',
    'runs in a timer': 'setTimeout(() => { for (;;) ; }, 100)',
    'sends requests': "const next = () => fetch('/x').catch(next); for (let i = 0; i < 2000; i++) next()",
  }
  for (const [name, code] of Object.entries(endless)) {
    test(`an endless page script that ${name} is stopped, and the text that it has written is printed`, async () => {
      const otherPage = convertPage('<p>betamarker', 'pdf', {})
      const { text, warnings } = await readPrintedText(createScriptPage(`${write("'before'")} ${code}`))
      assert.equal(text, 'alphamarker before')
      assert.ok(warnings.includes('SCRIPTS_STOPPED'), String(warnings))
      assert.equal(await countPdfPages((await otherPage).path), 1)
    })
  }

  test('page scripts that open pop-ups, close the window or navigate to refused URLs do not replace the page', async () => {
    const urls = ['http://other.invalid/', 'data:text/html,EVIL', 'file:///etc/passwd']
    const { text, warnings } = await readPrintedText(
      createScriptPage(`for (let i = 0; i < 2000; i++) open('about:blank')
        close();
        ${JSON.stringify(urls)}.forEach((url, at) => setTimeout(() => { location = url }, at * 200))
        ${write("'after'")}`),
    )
    assert.equal(text, 'alphamarker after')
    assert.deepEqual(warnings, [])
  })

  test('a page whose scripts navigate to about:blank is converted without scripts', async () => {
    const { text, warnings } = await readPrintedText(createScriptPage("location = 'about:blank'"))
    assert.equal(text, 'alphamarker')
    assert.deepEqual(warnings, ['SCRIPTS_NOT_RUN'])
  })

  test('a page whose scripts remove all content is converted without scripts', async () => {
    const { text, warnings } = await readPrintedText(createScriptPage('document.documentElement.remove()'))
    assert.equal(text, 'alphamarker')
    assert.deepEqual(warnings, ['SCRIPTS_NOT_RUN'])
  })

  test('a page whose scripts use much memory is converted', async () => {
    const { text } = await readPrintedText(
      createScriptPage(`for (let i = 0; i < 4; i++) {
          const one = document.createElement('canvas')
          one.width = one.height = 16384
          one.getContext('2d').fillRect(0, 0, 16384, 16384)
          one.style.width = '9px'
          document.body.append(one)
        }
        const kept = []
        for (;;) kept.push(new Uint8Array(100e6).fill(1))`),
    )
    assert.match(text, /alphamarker/)
  })

  test('a page whose scripts replace built-in functions is converted', async () => {
    const { text } = await readPrintedText(
      createScriptPage(`Array.prototype.filter = Element.prototype.getBoundingClientRect = () => { for (;;) ; }
        document.querySelectorAll = () => { throw 1 }
        Object.defineProperty(document, 'title', { get() { for (;;) ; } })`),
    )
    assert.equal(text, 'alphamarker')
  })
})

test('a page counts as having scripts only if a script can run without user action and network access', () => {
  const htmlWithScripts = [
    '<script>x</script>',
    '<SCRIPT type="text/javascript">',
    "<script type='module'>",
    '<body onload="f()">',
    '<script src="data:text/javascript,x">',
    '<iframe srcdoc="&lt;script>">',
  ]
  const htmlWithoutScripts = [
    '<p>text',
    '<script src="https://cdn.invalid/x.js"></script>',
    '<script type="application/ld+json">{}',
    '<a onclick="f()">',
    '<script async type="text/template">',
    'onload=',
  ]
  for (const html of htmlWithScripts) assert.equal(hasScripts(html), true, html)
  for (const html of htmlWithoutScripts) assert.equal(hasScripts(html), false, html)
  assert.equal(hasScripts(Buffer.from('<script>x', 'utf16le').toString('latin1')), true)
})
