import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refused } from '../assert-refused.ts'
import { drawn, isPaper } from './inspect-pdf.ts'
import { output, pdfText } from './judge.ts'
import { bookOf, shelf } from './pdf-maker.ts'
import { fixture, type RunSettings } from './run-engine.ts'
import { toolsOn } from './run-pdf-tool.ts'

const pathOf = await shelf({
  'book.pdf': bookOf('Alpha'),
  'turned.pdf': Buffer.from(bookOf('Alpha').toString('latin1').replace('/Count 4 ', '/Count 4 /Rotate 90 ')),
})
const run = toolsOn(pathOf('book.pdf'))

describe('a watermark', () => {
  test('stands in its own script on every page, with its fonts inside', async () => {
    const { path } = await run('add-watermark-pdf', { watermarkText: 'Grüße 機密', watermarkPosition: 'top' })
    for (const page of ['1', '4']) {
      const text = await output('pdftotext', '-f', page, '-l', page, path, '-')
      assert.match(text, /Grüße 機密/)
    }
    const fonts = await output('pdffonts', path)
    assert.ok(fonts.split('\n').filter((line) => / yes yes yes +\d/.test(line)).length >= 2, fonts)
    assert.ok(!isPaper(await (await drawn(path, 4)).color(1, 0)), 'there is nothing at the top')
    assert.ok(isPaper(await (await drawn(path, 4)).color(1, 2)), 'there is something at the bottom')
  })

  test('stands upright on pages that are shown on their side, where it was asked for', async () => {
    const { path } = await run(
      'add-watermark-pdf',
      { watermarkText: 'ABC', watermarkPosition: 'bottom-right', watermarkOpacity: '1', pages: '4' },
      pathOf('turned.pdf'),
    )
    const page = await drawn(path, 4)
    assert.deepEqual([page.width, page.height], [300, 200])
    assert.ok(!isPaper(await page.color(2, 2)), 'there is nothing in the asked corner')
    for (const [x, y] of [
      [0, 0],
      [0, 2],
      [2, 0],
    ] as const)
      assert.ok(isPaper(await page.color(x, y)), `${x} ${y}`)
    const boxes = await output('pdftotext', '-bbox', '-f', '4', '-l', '4', path, '-')
    const sides = /xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">ABC</.exec(boxes)
    const [left = 0, top = 0, right = 0, bottom = 0] = (sides ?? []).slice(1).map(Number)
    assert.ok(right - left > bottom - top, `the word is ${right - left} wide and ${bottom - top} high`)
    assert.doesNotMatch(await output('pdftotext', '-l', '1', path, '-'), /ABC/)
  })

  test('has the color, the strength and the place that were asked for', async () => {
    const middle = async (watermarkOpacity: number) => {
      const { path } = await run('add-watermark-pdf', {
        watermarkText: 'MMMM',
        watermarkColor: 'ff0000',
        watermarkFontSize: 40,
        watermarkOpacity,
        watermarkPosition: 'center',
      })
      return (await drawn(path, 4)).color(1, 1)
    }
    const [red = 0, green = 0] = await middle(1)
    assert.ok(red > 250 && green < 230, `${red} ${green}`)
    const [, faint = 0] = await middle(0.2)
    assert.ok(faint > green + 10 && faint < 254, `${faint} where it is faint, ${green} where it is not`)
  })

  test('may be a picture, with what is clear in it', async () => {
    const { path } = await run(
      'add-watermark-pdf',
      { watermarkPosition: 'Top Left', watermarkOpacity: 1, watermarkScale: 30 },
      pathOf('book.pdf'),
      { more: [fixture('alpha.png')] },
    )
    const page = await drawn(path, 4)
    assert.ok(!isPaper(await page.color(0, 0)), 'there is nothing in the asked corner')
    assert.ok(isPaper(await page.color(2, 2)), 'there is something in another corner')
    assert.match(await output('pdfimages', '-list', path), /smask/)
  })

  test('is text only: what looks like a drawing stays text', async () => {
    const text = '</text><image href="file:///etc/passwd"/> & "x"'
    const { path } = await run('add-watermark-pdf', {
      watermarkText: text,
      watermarkFontSize: 4,
      watermarkPosition: 'top',
    })
    assert.ok(
      (await output('pdftotext', '-l', '1', path, '-')).includes('<image href="file:///etc/passwd"/>'),
    )
  })

  test('needs one thing to show', async () => {
    await refused(run('add-watermark-pdf'), 'INVALID_INPUT', /^watermarkText: expected/)
    const both = run('add-watermark-pdf', { watermarkText: 'x' }, pathOf('book.pdf'), {
      more: [fixture('corners.png')],
    })
    await refused(both, 'INVALID_INPUT', /^watermarkText: a picture came/)
    const notes = run('add-watermark-pdf', {}, pathOf('book.pdf'), { more: [fixture('plain.txt')] })
    await refused(notes, 'CORRUPT_FILE', /picture for the watermark/)
  })
})

test('page numbers count where and how they are asked to', async () => {
  const options = {
    pages: '2-last',
    startNumber: '7',
    format: 'Page {page} of {pages}',
    position: 'top right',
  }
  const { path, result } = await run('add-page-numbers-pdf', options)
  assert.deepEqual(result.details, { pages: 4, numbered: 3 })
  assert.deepEqual((await pdfText(path)).match(/Page \d+ of \d+/g), [
    'Page 7 of 9',
    'Page 8 of 9',
    'Page 9 of 9',
  ])
  assert.ok(!isPaper(await (await drawn(path, 4)).color(2, 0)), 'there is nothing in the asked corner')
})

test('cropping cuts margins off pages as they are shown, or takes a box', async () => {
  const size = async (options: RunSettings['options'], name?: string) =>
    /Page size:\s+(\S+ x \S+)/.exec(await output('pdfinfo', (await run('crop-pdf', options, name)).path))?.[1]
  assert.equal(await size({ marginTop: '1in', marginLeft: 20 }), '180 x 228')
  assert.equal(await size({ cropBox: '10,20,100,50' }), '100 x 50')
  const { path } = await run('crop-pdf', { marginRight: '100pt' }, pathOf('turned.pdf'))
  const page = await drawn(path)
  assert.deepEqual([page.width, page.height], [200, 200])
  for (const [options, complaint, name] of [
    [{ marginTop: '400pt' }, /^marginTop: nothing would be left of page 1/],
    [{ marginTop: 100, marginLeft: 9, marginRight: '195pt' }, /^marginRight: nothing/],
    [{ marginTop: '210pt', marginLeft: '250pt' }, /^marginTop: nothing/, 'turned.pdf'],
    [{ marginTop: 5, marginLeft: '-1mm' }, /^marginLeft: expected 0 or more/],
  ] as const)
    await refused(run('crop-pdf', options, name && pathOf(name)), 'INVALID_INPUT', complaint)
  await refused(run('crop-pdf', { cropBox: '150,0,100,50' }), 'INVALID_INPUT', /reaches beyond the page/)
  await refused(run('crop-pdf', {}), 'INVALID_INPUT', /at least one of the margins/)
})
