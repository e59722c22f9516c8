import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertRefused } from '../../support/assert-refused.ts'
import { isWhite, renderPage } from '../support/inspect-pdf.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { createBook, writeFiles } from '../support/pdf-maker.ts'
import { fixture, type RunSettings } from '../support/run-engine.ts'
import { createToolRunner } from '../support/run-pdf-tool.ts'

const getPath = await writeFiles({
  'book.pdf': createBook('Alpha'),
  'turned.pdf': Buffer.from(
    createBook('Alpha').toString('latin1').replace('/Count 4 ', '/Count 4 /Rotate 90 '),
  ),
})
const run = createToolRunner(getPath('book.pdf'))

describe('PDF watermarks', () => {
  test('a text watermark with Latin and Chinese characters is on every PDF page, with embedded fonts', async () => {
    const { path } = await run('add-watermark-pdf', { watermarkText: 'Grüße 機密', watermarkPosition: 'top' })
    for (const page of ['1', '2', '3', '4']) {
      const text = await readStdout('pdftotext', '-f', page, '-l', page, path, '-')
      assert.match(text, /Grüße 機密/)
    }
    const fonts = await readStdout('pdffonts', path)
    assert.ok(fonts.split('\n').filter((line) => / yes yes yes +\d/.test(line)).length >= 2, fonts)
    assert.ok(!isWhite(await (await renderPage(path, 4)).color(1, 0)), 'the top must not be empty')
    assert.ok(isWhite(await (await renderPage(path, 4)).color(1, 2)), 'the bottom must be empty')
  })

  test('a watermark is upright and in the requested corner of rotated PDF pages', async () => {
    const { path } = await run(
      'add-watermark-pdf',
      { watermarkText: 'ABC', watermarkPosition: 'bottom-right', watermarkOpacity: '1', pages: '4' },
      getPath('turned.pdf'),
    )
    const page = await renderPage(path, 4)
    assert.deepEqual([page.width, page.height], [300, 200])
    assert.ok(!isWhite(await page.color(2, 2)), 'the requested corner must not be empty')
    for (const [x, y] of [
      [0, 0],
      [0, 2],
      [2, 0],
    ] as const)
      assert.ok(isWhite(await page.color(x, y)), `${x} ${y}`)
    const boxes = await readStdout('pdftotext', '-bbox', '-f', '4', '-l', '4', path, '-')
    const sides = /xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">ABC</.exec(boxes)
    const [left = 0, top = 0, right = 0, bottom = 0] = (sides ?? []).slice(1).map(Number)
    assert.ok(right - left > bottom - top, `the word is ${right - left} wide and ${bottom - top} high`)
    assert.doesNotMatch(await readStdout('pdftotext', '-l', '1', path, '-'), /ABC/)
  })

  test('a PDF watermark has the requested color, opacity and position', async () => {
    const renderCenterColor = async (watermarkOpacity: number) => {
      const { path } = await run('add-watermark-pdf', {
        watermarkText: 'MMMM',
        watermarkColor: 'ff0000',
        watermarkFontSize: 40,
        watermarkOpacity,
        watermarkPosition: 'center',
      })
      return (await renderPage(path, 4)).color(1, 1)
    }
    const [red = 0, green = 0] = await renderCenterColor(1)
    assert.ok(red > 250 && green < 230, `${red} ${green}`)
    const [, faintGreen = 0] = await renderCenterColor(0.2)
    assert.ok(
      faintGreen > green + 10 && faintGreen < 254,
      `green is ${faintGreen} at low opacity, ${green} at full opacity`,
    )
  })

  test('an image watermark on a PDF keeps its transparency', async () => {
    const { path } = await run(
      'add-watermark-pdf',
      { watermarkPosition: 'Top Left', watermarkOpacity: 1, watermarkScale: 30 },
      getPath('book.pdf'),
      { more: [fixture('alpha.png')] },
    )
    const page = await renderPage(path, 4)
    assert.ok(!isWhite(await page.color(0, 0)), 'the requested corner must not be empty')
    assert.ok(isWhite(await page.color(2, 2)), 'the opposite corner must be empty')
    assert.match(await readStdout('pdfimages', '-list', path), /smask/)
  })

  test('markup in the text of a PDF watermark is drawn as text', async () => {
    const text = '</text><image href="file:///etc/passwd"/> & "x"'
    const { path } = await run('add-watermark-pdf', {
      watermarkText: text,
      watermarkFontSize: 4,
      watermarkPosition: 'top',
    })
    assert.ok(
      (await readStdout('pdftotext', '-l', '1', path, '-')).includes('<image href="file:///etc/passwd"/>'),
    )
  })

  test('a PDF watermark requires either a text or a valid image', async () => {
    await assertRefused(run('add-watermark-pdf'), 'INVALID_INPUT', /^watermarkText: expected/)
    const textAndImageRun = run('add-watermark-pdf', { watermarkText: 'x' }, getPath('book.pdf'), {
      more: [fixture('corners.png')],
    })
    await assertRefused(textAndImageRun, 'INVALID_INPUT', /^watermarkText: got a text and an image/)
    const notes = run('add-watermark-pdf', {}, getPath('book.pdf'), { more: [fixture('plain.txt')] })
    await assertRefused(notes, 'CORRUPT_FILE', /watermark image is damaged/)
  })
})

test('add-page-numbers-pdf numbers the selected pages in the requested format and position', async () => {
  const options = {
    pages: '2-last',
    startNumber: '7',
    format: 'Page {page} of {pages}',
    position: 'top right',
  }
  const { path, result } = await run('add-page-numbers-pdf', options)
  assert.deepEqual(result.details, { pages: 4, numbered: 3 })
  assert.deepEqual((await readPdfText(path)).match(/Page \d+ of \d+/g), [
    'Page 7 of 9',
    'Page 8 of 9',
    'Page 9 of 9',
  ])
  assert.ok(!isWhite(await (await renderPage(path, 4)).color(2, 0)), 'the requested corner must not be empty')
})

test('crop-pdf cuts margins off the displayed page or keeps only a box', async () => {
  const readSize = async (options: RunSettings['options'], name?: string) =>
    /Page size:\s+(\S+ x \S+)/.exec(
      await readStdout('pdfinfo', (await run('crop-pdf', options, name)).path),
    )?.[1]
  assert.equal(await readSize({ marginTop: '1in', marginLeft: 20 }), '180 x 228')
  assert.equal(await readSize({ cropBox: '10,20,100,50' }), '100 x 50')
  const { path } = await run('crop-pdf', { marginRight: '100pt' }, getPath('turned.pdf'))
  const page = await renderPage(path)
  assert.deepEqual([page.width, page.height], [200, 200])
  for (const [options, message, name] of [
    [{ marginTop: '400pt' }, /^marginTop: nothing would be left of page 1/],
    [{ marginTop: 100, marginLeft: 9, marginRight: '195pt' }, /^marginRight: nothing/],
    [{ marginTop: '210pt', marginLeft: '250pt' }, /^marginTop: nothing/, 'turned.pdf'],
    [{ marginTop: 5, marginLeft: '-1mm' }, /^marginLeft: expected 0 or more/],
  ] as const)
    await assertRefused(run('crop-pdf', options, name && getPath(name)), 'INVALID_INPUT', message)
  await assertRefused(run('crop-pdf', { cropBox: '150,0,100,50' }), 'INVALID_INPUT', /within the page/)
  await assertRefused(run('crop-pdf', {}), 'INVALID_INPUT', /at least one of the margins/)
})
