import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { fixture } from '../engines/support/run-engine.ts'
import { detectFile } from './detect-file.ts'

const readFixture = (name: string) => readFile(fixture(name))

async function createBitmap(coder: 'bmp2' | 'bmp3'): Promise<Buffer> {
  const args = [fixture('corners.png'), '-alpha', 'off', `${coder}:-`]
  const { stdout } = await promisify(execFile)('convert', args, { encoding: 'buffer' })
  return stdout
}

test('a binary Excel workbook is detected by its content, even if its extension is wrong or missing', async () => {
  const bytes = await readFixture('fruit.xlsb')
  for (const name of ['fruit.xlsb', 'fruit.xlsx', 'fruit'])
    assert.equal(await detectFile(name, bytes), 'xlsb')
})

test('a Uniform Office file is detected as text or presentation by its content', async () => {
  const createUniform = (type: string) =>
    `<?xml version="1.0"?>\n<uof:UOF xmlns:uof="http://schemas.uof.org/cn/2003/uof" uof:mimetype="vnd.uof.${type}"></uof:UOF>`
  assert.equal(await detectFile('a.uot', createUniform('text')), 'uot')
  assert.equal(await detectFile('a.uop', createUniform('presentation')), 'uop')
  await assert.rejects(detectFile('a.uot', createUniform('text').slice(0, -4)), { code: 'CORRUPT_FILE' })
})

test('a BMP image is detected as bmp, bmp2 or bmp3 according to its file extension', async () => {
  assert.equal(await detectFile('a.bmp2', await createBitmap('bmp2')), 'bmp2')
  assert.equal(await detectFile('a.bmp3', await createBitmap('bmp3')), 'bmp3')
  assert.equal(await detectFile('a.bmp', await createBitmap('bmp2')), 'bmp')
})

test('a FITS image without its size in the header is rejected as damaged', async () => {
  const bytes = await readFixture('corners.fits')
  assert.equal(await detectFile('a.fits', bytes), 'fits')
  const brokenFits = Buffer.from(bytes.toString('latin1').replace('NAXIS2', 'NAXMS2'), 'latin1')
  await assert.rejects(detectFile('a.fits', brokenFits), { code: 'CORRUPT_FILE' })
})

test('an XHTML page is detected as HTML', async () => {
  const page = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>Apple</body></html>'
  assert.equal(await detectFile('a.xhtml', page), 'html')
  assert.equal(await detectFile('a.xhtml', '<h1>Apple</h1><p>Only a part of a page.</p>'), 'html')
})

test('a DOCX that declares a huge unpacked size is rejected as too large', async () => {
  const bytes = await readFixture('letter.docx')
  // APPNOTE 4.3.12: in a directory entry, the size is at offset 24 and the name at 46.
  const entry = bytes.lastIndexOf('word/document.xml') - 46
  assert.equal(bytes.readUInt32LE(entry), 0x02014b50)
  bytes.writeUInt32LE(600 * 1024 * 1024, entry + 24)
  await assert.rejects(detectFile('letter.docx', bytes), {
    code: 'FILE_TOO_LARGE',
    message: /the limit for a file of its size is 64 MB/,
  })
})

test('a compressed SVG is detected even if it decompresses to 40 MB', async () => {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1">${' '.repeat(40 << 20)}</svg>`
  assert.equal(await detectFile('a.svgz', gzipSync(drawing)), 'svgz')
})

test('files with unusual headers are detected by their content', async () => {
  for (const [name, format] of [
    ['v7.tar', 'tar'],
    ['true.ttf', 'ttf'],
  ] as const)
    assert.equal(await detectFile('file', await readFixture(`odd/${name}`)), format)
  assert.equal(await detectFile('a.mka', await readFixture('odd/webm.mka')), 'mka')
  assert.equal(await detectFile('a.webm', await readFixture('odd/webm.mka')), 'webm')
  assert.equal(await detectFile('a.txt', 'true, it is a text that begins so\n'), 'txt')
})

test('an SVG whose use elements multiply to a huge number of shapes is rejected as too large', async () => {
  const createDrawing = (levels: number) => {
    const createNestedPart = (level: number) =>
      `<g id="part${level}">${`<use xlink:href="#part${level - 1}"/>`.repeat(10)}</g>`
    const parts = Array.from({ length: levels }, (_, index) => createNestedPart(index + 1)).join('')
    return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><defs><rect id="part0" width="1" height="1"/>${parts}</defs><use xlink:href="#part${levels}"/></svg>`
  }
  assert.equal(await detectFile('a.svg', createDrawing(4)), 'svg')
  const tooLarge = { code: 'FILE_TOO_LARGE', message: /500000 shapes/ }
  await assert.rejects(detectFile('a.svg', createDrawing(11)), tooLarge)
  await assert.rejects(detectFile('a.svgz', gzipSync(createDrawing(11).replaceAll('xlink:', ''))), tooLarge)
  const circle = createDrawing(1).replace('<rect id="part0"', '<use id="part0" href="#part1"')
  assert.equal(await detectFile('a.svg', circle), 'svg')
  const deepSvg = `<svg xmlns="http://www.w3.org/2000/svg">${'<g id="a">'.repeat(50_000)}<use href="#a"/>`
  await assert.rejects(detectFile('a.svg', `${deepSvg}</svg>`), tooLarge)
})

test('an SVG with a tag name of 400,000 characters is checked in linear time', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><rect id="a"/><use href="#a"/>'
  const start = performance.now()
  assert.equal(await detectFile('a.svg', `${svg}<${'a'.repeat(400_000)}</svg>`), 'svg')
  // The check takes about 10 ms; with quadratic backtracking it would take half a minute.
  assert.ok(performance.now() - start < 10_000)
})
