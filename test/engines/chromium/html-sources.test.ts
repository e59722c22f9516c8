import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { chromium } from '../../../lib/engines/chromium.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'

const folder = scratchFolder('html-sources')

after(() => chromium.close?.())

async function print(name: string, html: string) {
  const path = join(folder, `${name}.html`)
  await writeFile(path, html)
  const run = await convert(chromium, path, 'pdf')
  return { ...run, text: (await readStdout('pdftotext', run.path, '-')).replaceAll(/\s+/g, ' ').trim() }
}

test('a web page with an XML declaration is parsed as XHTML only if it declares the XHTML namespace', async () => {
  const createPage = (attributes: string, text: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<html${attributes}><head><title>t</title></head><body><p>${text}</p></body></html>`
  const html = await print('declared', createPage('', 'one &eacute; <br> two'))
  assert.equal(html.text, 'one é two')
  const xhtml = await print('xhtml', createPage(' xmlns="http://www.w3.org/1999/xhtml"', 'three <b/> four'))
  assert.equal(xhtml.text, 'three four')
})

test('a web page that claims to be XHTML but is not well-formed is printed as HTML, not as an error message', async () => {
  const page = `<?xml version="1.0" encoding="UTF-8"?>
    <html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>Größe<br>is not closed &eacute;</body></html>`
  const { text, warnings } = await print('malformed', page)
  assert.equal(text, 'Größe is not closed é')
  assert.deepEqual(warnings, [])
})

test('a missing inline frame causes a warning, a page that refreshes to another one does not', async () => {
  const frame = await print(
    'missing-frame',
    '<p>host</p><iframe src="https://example.com/map.html"></iframe>',
  )
  assert.deepEqual(frame.warnings, ['LINKS_DROPPED'])
  const refresh = '<meta http-equiv="refresh" content="0;url=https://example.com/"><p>host</p>'
  assert.deepEqual((await print('refresh', refresh)).warnings, [])
})

test('text that may not wrap is wrapped at the edge of the paper', async () => {
  const words = Array.from({ length: 80 }, (_, at) => `word${at}`).join(' ')
  for (const style of ['white-space:nowrap', 'white-space:pre']) {
    const { text } = await print('no-wrap', `<p style="${style}">${words} last</p>`)
    assert.ok(text.endsWith(`word79 last`), style)
  }
})

test('a web page drawn by scripts that do not run causes a warning', async () => {
  for (const to of ['pdf', 'png'] as const) {
    const { warnings } = await convert(chromium, fixture('odd/html-canvas-chart.html'), to)
    assert.deepEqual(warnings, ['SCRIPTS_NOT_RUN'], to)
  }
  const empty = await print('app', '<div id="app"></div><script>app.textContent = "text"</script>')
  assert.deepEqual(empty.warnings, ['SCRIPTS_NOT_RUN'])
  const readable = await print('article', '<p>text</p><script>document.title = "t"</script>')
  assert.deepEqual(readable.warnings, [])
  const namedImageRun = await print('named', '<img name="querySelector"><script></script><p>text</p>')
  assert.equal(namedImageRun.text, 'text')
})

test('the fallback content of objects that are not in the page is printed', async () => {
  const { text, warnings } = await print(
    'objects',
    '<object data="missing.svg">for SVG</object> <object data="missing" type="text/html">for a page</object>',
  )
  assert.equal(text, 'for SVG for a page')
  assert.deepEqual(warnings, ['LINKS_DROPPED'])
})

test('inline frames and the values of form fields are printed with a web page', async () => {
  const form =
    '<form><input value="typed"><textarea>area</textarea><select><option>no<option selected>chosen</select></form>'
  const { text } = await print('frame', `<iframe srcdoc="<p>inside"></iframe>${form}`)
  for (const word of ['inside', 'typed', 'area', 'chosen']) assert.ok(text.includes(word), word)
})

test('a wide table is printed completely on a page with form fields named like DOM properties, or with elements of an unknown namespace', async () => {
  const cells = Array.from({ length: 14 }, (_, at) => `<td>value${at}00000</td>`).join('')
  const names = ['parentElement', 'closest', 'style', 'getBoundingClientRect', 'styleSheets', 'title', 'body']
  const fields = names.map((name) => `<input name="${name}"><img name="${name}">`).join('')
  const { text } = await print('named-fields', `<form>${fields}<table><tr>${cells}</table></form>`)
  assert.match(text, /value1300000/)
  const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:d="urn:d"><head><title>t</title></head><body>
    <d:table style="overflow:auto"><d:pre>inner</d:pre></d:table><table><tr>${cells}<d:td>x</d:td></tr></table></body></html>`
  assert.match((await print('other-elements', xhtml)).text, /inner.*value1300000/)
})
