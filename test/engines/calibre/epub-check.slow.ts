// Run by `npm run test:slow`: validates ebooks with EPUBCheck, which takes several seconds per ebook.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createCalibre } from '../../../lib/engines/calibre.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'

const folder = scratchFolder('checked')
const calibre = createCalibre()
after(() => calibre.close?.())

/** Returns EPUBCheck's errors, one per line; warnings are ignored. */
function runEpubCheck(path: string): Promise<string[]> {
  // Debian's EPUBCheck needs the kernel's binfmt support for JARs, so it is started with java.
  const args = ['-XX:TieredStopAtLevel=1', '-jar', '/usr/bin/epubcheck', path]
  return new Promise((resolve, reject) => {
    execFile('java', args, (_, stdout, stderr) => {
      const lines = `${stdout}${stderr}`.split('\n')
      if (lines.includes('EPUBCheck completed'))
        resolve(lines.filter((line) => /^(?:ERROR|FATAL)/.test(line)))
      else reject(new Error(`EPUBCheck did not run, is Debian's epubcheck installed? It said: ${stderr}`))
    })
  })
}

/** Old HTML with constructs that are invalid in an ebook. */
const oldHtml = `<html><head><title> </title></head><body type="main"><h1 id="a">alphamarker</h1>
  <h2 id="b c" onclick="x()">named <a href="#b c">itself</a> <a href="#b%20c">again</a></h2>
  <p><svg width="9" height="9"><circle r="3"></circle></svg></p>
  <p id="a">twice <a href="#nowhere">x</a> <a href="other.html">y</a> <a href="#a">z</a></p>
  <center><font color="red" size="5">red</font></center><ol><li value="3">three</li></ol>
  <table border=1 cellpadding=3><col width=30><tr valign=top><td width=30 bgcolor="#eee">c</td></tr></table>
  <blockquote>bare</blockquote></body></html>`

test('an ebook from an old web page is valid, even after conversion through a Kindle format', async () => {
  const page = join(folder, 'old.html')
  await writeFile(page, oldHtml)
  const book = await convert(pandoc, page, 'epub')
  const mobi = await convert(calibre, book.path, 'mobi')
  const roundTrip = await convert(calibre, mobi.path, 'epub')
  for (const { path } of [book, roundTrip])
    assert.deepEqual(
      (await runEpubCheck(path)).map((line) => line.slice(0, 300)),
      [],
    )
})

test('an ebook with formulas is valid and keeps its MathML after conversion through a Kindle format', async () => {
  const page = join(folder, 'formulas.html')
  const math = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>r</mi><mn>2</mn></msup></math>'
  const lines = `<h1>One</h1><p>Area ${math} and so on</p>`
  await writeFile(page, `<html lang="en"><head><title>Formulas</title></head><body>${lines}</body></html>`)
  const book = await convert(pandoc, page, 'epub')
  const kindle = await convert(calibre, book.path, 'azw3')
  const roundTrip = await convert(calibre, kindle.path, 'epub')
  const secondRoundTrip = await convert(calibre, roundTrip.path, 'epub')
  for (const { path } of [roundTrip, secondRoundTrip]) {
    assert.deepEqual(
      (await runEpubCheck(path)).map((line) => line.slice(0, 300)),
      [],
    )
    const content = await readStdout('unzip', '-p', path, '*.html', '*.opf')
    assert.match(content, /<math xmlns="http:\/\/www.w3.org\/1998\/Math\/MathML"[^>]*>.*<msup>/s)
    assert.match(content, /<item [^>]*properties="mathml"/)
  }
})

for (const name of ['letter.docx', 'plain.txt', 'comic.cbr', 'fruit.mmd', 'table.csv'])
  test(`an ebook from ${name} is valid`, async () => {
    const engine = /(?:mmd|csv)$/.test(name) ? pandoc : calibre
    const { path } = await convert(engine, fixture(name), 'epub')
    assert.deepEqual(
      (await runEpubCheck(path)).map((line) => line.slice(0, 300)),
      [],
    )
  })
