import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import sharp from 'sharp'
import type { Operation } from '../../lib/engines/engine.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { AppError, type ErrorCode } from '../../lib/errors.ts'
import { output, pdfPages, pdfText, zipNames } from './judge.ts'
import { bookOf, pdfOf, photoPage, picturePage, shelf } from './pdf-maker.ts'
import { convert, fixture, type Run, type RunSettings, removeRuns } from './run-engine.ts'

let files: Awaited<ReturnType<typeof shelf>>

const pixels = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])
const pictureDict = (more: string) =>
  `<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 ${more} >>`

before(async () => {
  const softMask = { dict: pictureDict('/ColorSpace /DeviceGray'), data: Buffer.from([0, 255, 255, 255]) }
  files = await shelf({
    'book.pdf': bookOf('Alpha'),
    'photo.pdf': await photoPage(),
    'clear.pdf': picturePage(pictureDict('/ColorSpace /DeviceRGB /SMask 6 0 R'), pixels, { 6: softMask }),
    'turned.pdf': Buffer.from(
      bookOf('Alpha').toString('latin1').replace('/Count 4 ', '/Count 4 /Rotate 90 '),
    ),
  })
})

after(async () => {
  await files.remove()
  await removeRuns()
})

function run(
  operation: Operation,
  options: RunSettings['options'] = {},
  name = 'book.pdf',
  settings: RunSettings = {},
): Promise<Run> {
  return convert(pdf, files.path(name), 'pdf', { operation, options, ...settings })
}

async function refused(running: Promise<unknown>, code: ErrorCode, sentence: RegExp): Promise<void> {
  await assert.rejects(running, (error) => {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, sentence)
    return true
  })
}

/** Everything in a file that is readable in any way, streams included. */
const inside = (path: string) => output('qpdf', '--qdf', '--object-streams=disable', path, '-')

/** A page as pixels: its size, and the mean color of each third of its height and width. */
async function drawn(
  path: string,
  page = 1,
): Promise<{ width: number; height: number; color(x: number, y: number): Promise<number[]> }> {
  const png = execFileSync('pdftoppm', [
    '-cropbox',
    '-png',
    '-r',
    '72',
    '-f',
    String(page),
    '-l',
    String(page),
    path,
  ])
  const { width = 0, height = 0 } = await sharp(png).metadata()
  const [w, h] = [Math.floor(width / 3), Math.floor(height / 3)]
  const color = async (x: number, y: number) => {
    const part = await sharp(png)
      .extract({ left: x * w, top: y * h, width: w, height: h })
      .toColourspace('srgb')
      .png()
      .toBuffer()
    return (await sharp(part).stats()).channels.slice(0, 3).map(({ mean }) => Math.round(mean))
  }
  return { width, height, color }
}

const isPaper = (color: readonly number[]) => color.every((level) => level > 254)

describe('a watermark', () => {
  test('stands in its own script on every page, with its fonts inside', async () => {
    const { path } = await run('add-watermark-pdf', { watermarkText: 'Grüße 機密', watermarkPosition: 'top' })
    for (const page of ['1', '4']) {
      const text = await output('pdftotext', '-f', page, '-l', page, path, '-')
      assert.match(text, /Grüße 機密/)
    }
    const fonts = await output('pdffonts', path)
    assert.ok(fonts.split('\n').filter((line) => / yes yes yes +\d/.test(line)).length >= 2, fonts)
    assert.ok(!isPaper(await (await drawn(path, 4)).color(1, 0)))
    assert.ok(isPaper(await (await drawn(path, 4)).color(1, 2)))
  })

  test('stands upright on pages that are shown on their side, where it was asked for', async () => {
    const { path } = await run(
      'add-watermark-pdf',
      { watermarkText: 'ABC', watermarkPosition: 'bottom-right', watermarkOpacity: '1', pages: '4' },
      'turned.pdf',
    )
    const page = await drawn(path, 4)
    assert.deepEqual([page.width, page.height], [300, 200])
    assert.ok(!isPaper(await page.color(2, 2)))
    for (const [x, y] of [
      [0, 0],
      [0, 2],
      [2, 0],
    ] as const)
      assert.ok(isPaper(await page.color(x, y)), `${x} ${y}`)
    assert.doesNotMatch(await output('pdftotext', '-l', '1', path, '-'), /ABC/)
  })

  test('has the color, the strength and the place that were asked for', async () => {
    const { path } = await run('add-watermark-pdf', {
      watermarkText: 'MMMM',
      watermarkColor: 'ff0000',
      watermarkFontSize: 40,
      watermarkOpacity: 1,
      watermarkPosition: 'center',
    })
    const [red = 0, green = 0] = await (await drawn(path, 4)).color(1, 1)
    assert.ok(red > 250 && green < 230, `${red} ${green}`)
  })

  test('may be a picture, with what is clear in it', async () => {
    const { path } = await run(
      'add-watermark-pdf',
      { watermarkPosition: 'Top Left', watermarkOpacity: 1, watermarkScale: 30 },
      'book.pdf',
      { more: [fixture('alpha.png')] },
    )
    const page = await drawn(path, 4)
    assert.ok(!isPaper(await page.color(0, 0)))
    assert.ok(isPaper(await page.color(2, 2)))
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
    const both = run('add-watermark-pdf', { watermarkText: 'x' }, 'book.pdf', {
      more: [fixture('corners.png')],
    })
    await refused(both, 'INVALID_INPUT', /^watermarkText: a picture came/)
    const notes = run('add-watermark-pdf', {}, 'book.pdf', { more: [fixture('plain.txt')] })
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
  assert.ok(!isPaper(await (await drawn(path, 4)).color(2, 0)))
})

test('cropping cuts margins off pages as they are shown, or takes a box', async () => {
  const size = async (options: RunSettings['options'], name?: string) =>
    /Page size:\s+(\S+ x \S+)/.exec(await output('pdfinfo', (await run('crop-pdf', options, name)).path))?.[1]
  assert.equal(await size({ marginTop: '1in', marginLeft: 20 }), '180 x 228')
  assert.equal(await size({ cropBox: '10,20,100,50' }), '100 x 50')
  const { path } = await run('crop-pdf', { marginRight: '100pt' }, 'turned.pdf')
  const page = await drawn(path)
  assert.deepEqual([page.width, page.height], [200, 200])
  await refused(run('crop-pdf', { marginTop: '400pt' }), 'INVALID_INPUT', /nothing would be left of page 1/)
  await refused(run('crop-pdf', { cropBox: '150,0,100,50' }), 'INVALID_INPUT', /reaches beyond the page/)
  await refused(run('crop-pdf', {}), 'INVALID_INPUT', /at least one of the margins/)
})

test('flattening turns filled-in fields into page content, also those that only readers draw', async () => {
  const { path } = await run('flatten-pdf')
  assert.match(await pdfText(path), /Alpha-name-value[\s\S]*Alpha-city-value/)
  assert.match(await output('pdfinfo', path), /Form:\s+none/)
  assert.match(await inside(path), /https:\/\/example\.com/)
})

test('flattening keeps comments that only readers draw', async () => {
  const page = (annotation: string) =>
    pdfOf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Annots [4 0 R] >>',
      4: `<< /Type /Annot /Rect [10 40 190 70] /F 4 ${annotation} >>`,
    })
  const notes = await shelf({
    'text.pdf': page('/Subtype /FreeText /Contents (spoken words) /DA (/Helv 12 Tf 0 g)'),
    'box.pdf': page('/Subtype /Square /C [1 0 0] /IC [1 0 0]'),
  })
  const flat = (name: string) => convert(pdf, notes.path(name), 'pdf', { operation: 'flatten-pdf' })
  const text = await flat('text.pdf')
  assert.match(await pdfText(text.path), /spoken words/)
  assert.doesNotMatch(await inside(text.path), /FreeText/)
  const [red = 0, green = 255] = await (await drawn((await flat('box.pdf')).path)).color(1, 1)
  assert.ok(red > 240 && green < 150, `${red} ${green}`)
  await notes.remove()
})

describe('redacting', () => {
  test('removes words from pages, fields, outline and title, for good', async () => {
    const { path, result, warnings } = await run('redact-pdf', {
      terms: '["alpha page2", "city-value", "alpha BOOK"]',
    })
    assert.deepEqual(result.details, { pages: 4, redactions: 2, redactedPages: [2, 3] })
    assert.deepEqual(warnings, [])
    const left = await inside(path)
    assert.match(left, /Alpha page1/)
    assert.doesNotMatch(left, /Alpha page2|city-value|Alpha book|attached words/i)
    const [red = 255] = await (await drawn(path, 2)).color(1, 0)
    assert.ok(red < 240, 'the place is not black')
  })

  test('takes the pixels below away, too', async () => {
    const scan = await run('merge', {}, 'photo.pdf', { more: [files.path('photo.pdf')] })
    const page = await convert(pdf, scan.path, 'pdf', {
      operation: 'add-watermark-pdf',
      options: { watermarkText: 'SECRET', watermarkPosition: 'center', watermarkOpacity: 1 },
    })
    const { path } = await convert(pdf, page.path, 'pdf', {
      operation: 'redact-pdf',
      options: { terms: ['secret'] },
    })
    const folder = (await run('rotate-pdf')).workDir
    execFileSync('pdfimages', ['-png', '-l', '1', path, join(folder, 'left')])
    const place = await sharp(join(folder, 'left-000.png'))
      .extract({ left: 200, top: 380, width: 200, height: 40 })
      .raw()
      .toBuffer()
    assert.deepEqual([...new Set(place)], [255])
  })

  test('says when there was nothing to remove', async () => {
    assert.deepEqual((await run('redact-pdf', { terms: 'nowhere' })).warnings, ['NOTHING_TO_DO'])
    assert.deepEqual((await run('redact-pdf', { terms: 'x' }, 'photo.pdf')).warnings, ['NOTHING_TO_DO'])
  })
})

test('sanitizing removes what acts and what is carried along, and keeps what is seen', async () => {
  const { path, result } = await run('sanitize-pdf')
  assert.deepEqual(result.details?.removed, { actions: 2, links: 1, attachments: 2 })
  const left = await inside(path)
  assert.doesNotMatch(
    left,
    /JavaScript|app\.alert|Launch|calc\.exe|EmbeddedFiles|attached words|example\.com/,
  )
  assert.match(await pdfText(path), /Alpha page1/)
  assert.match(left, /Alpha book/)
  const kept = await run('sanitize-pdf', { removeLinks: 'false', removeMetadata: 'true' })
  assert.match(await inside(kept.path), /example\.com/)
  assert.doesNotMatch(await inside(kept.path), /Alpha book|Somebody/)
})

test('metadata is set in both places that readers look at, and the old is gone', async () => {
  const { path } = await run('edit-pdf-metadata', {
    title: 'Grüße "機密" <x> -all=',
    author: '',
    keywords: 'one, two',
  })
  const told = await output('pdfinfo', path)
  assert.match(told, /Title:\s+Grüße "機密" <x> -all=\n/)
  assert.match(told, /Keywords:\s+one, two/)
  assert.doesNotMatch(told, /Author/)
  assert.match(await output('pdfinfo', '-meta', path), /Grüße &quot;機密&quot; &lt;x&gt; -all=/)
  assert.doesNotMatch(await inside(path), /Somebody/)
  const bare = await run('edit-pdf-metadata', { removeMetadata: true })
  assert.doesNotMatch(await output('pdfinfo', bare.path), /Title|Author/)
  await refused(run('edit-pdf-metadata'), 'INVALID_INPUT', /^title: expected at least one/)
})

describe('a smaller PDF', () => {
  const sizeOf = async (path: string) => (await stat(path)).size

  test('shows the same pages with coarser pictures', async () => {
    const before = await sizeOf(files.path('photo.pdf'))
    const { path, result } = await run('compress-pdf', { pdfQuality: 'screen' }, 'photo.pdf')
    const after = await sizeOf(path)
    assert.ok(after < before / 4, `${after} of ${before}`)
    assert.deepEqual(result.details, { pages: 1, sizeBefore: before, sizeAfter: after })
    assert.equal(await pdfPages(path), 1)
    const [level = 0] = await (await drawn(path)).color(1, 1)
    assert.ok(level > 100 && level < 155, `the photograph is gone: ${level}`)
  })

  test('is never larger: then the source comes back with a warning', async () => {
    const { path, warnings } = await run('compress-pdf', { pdfQuality: 'prepress' }, 'clear.pdf')
    assert.deepEqual(warnings, ['NOT_SMALLER'])
    assert.deepEqual(await readFile(path), await readFile(files.path('clear.pdf')))
  })

  test('has the best quality that fits the size asked for', async () => {
    const sizes = []
    for (const targetSize of [40_000, 80_000]) {
      const { path, result, warnings } = await run('compress', { targetSize }, 'photo.pdf')
      sizes.push(await sizeOf(path))
      assert.ok((sizes.at(-1) ?? 0) <= targetSize, `${sizes.at(-1)}`)
      assert.equal(result.details?.reached, true)
      assert.deepEqual(warnings, [])
    }
    assert.ok((sizes[1] ?? 0) > (sizes[0] ?? 0), sizes.join())
  })

  test('says what was reached where the size is out of reach', async () => {
    const { path, result, warnings } = await run('compress', { targetSize: 1000 }, 'photo.pdf')
    assert.deepEqual(warnings, ['TARGET_NOT_REACHED'])
    assert.equal(result.details?.sizeAfter, await sizeOf(path))
    assert.equal(result.details?.reached, false)
  })

  test('is the smaller, the lower its quality', async () => {
    const sizes = []
    for (const quality of ['high', 'low', 1]) {
      sizes.push(await sizeOf((await run('compress', { quality }, 'photo.pdf')).path))
    }
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => b - a),
    )
    assert.equal(new Set(sizes).size, 3)
  })
})

test('for the archive, fonts and colors are inside and the file says which rules it keeps', async () => {
  for (const [pdfaVersion, part] of [
    ['1b', '1'],
    ['PDF/A-2B', '2'],
    ['3b', '3'],
  ] as const) {
    const { path, result } = await run('to-pdfa', { pdfaVersion })
    assert.equal(result.details?.pdfaVersion, `${part}b`)
    const meta = await output('pdfinfo', '-meta', path)
    assert.match(meta, new RegExp(`pdfaid:part(?:>|=['"])${part}`))
    assert.match(meta, /pdfaid:conformance(?:>|=['"])B/)
    const text = await inside(path)
    assert.match(text, /\/OutputIntents/)
    assert.doesNotMatch(text, /JavaScript|Launch|EmbeddedFiles/)
    const [, , ...fonts] = (await output('pdffonts', path)).trim().split('\n')
    assert.ok(
      fonts.length > 0 && fonts.every((line) => / yes (?:yes|no ) (?:yes|no ) +\d+ +\d+$/.test(line)),
      fonts.join('\n'),
    )
    assert.match(await pdfText(path), /Alpha page3/)
  }
})

test('in gray no color is left and the pages say the same', async () => {
  const form = await run('grayscale-pdf')
  assert.deepEqual(form.warnings, ['FORM_FLATTENED'])
  assert.match(await pdfText(form.path), /Alpha-name-value[\s\S]*Alpha page3/)
  const { path } = await run('grayscale-pdf', {}, 'clear.pdf')
  const { channels } = await sharp(execFileSync('pdftoppm', ['-png', '-r', '20', path])).stats()
  const [red, green, blue] = channels.map(({ mean }) => Math.round(mean))
  assert.deepEqual([red, red], [green, blue])
})

test('linearizing orders a PDF for reading while it loads', async () => {
  const { path } = await run('linearize-pdf')
  assert.match(await output('pdfinfo', path), /Optimized:\s+yes/)
})

describe('pictures of a PDF', () => {
  test('come as they are, each once, in a ZIP with a list', async () => {
    const twice = await run('merge', {}, 'photo.pdf', { more: [files.path('photo.pdf')] })
    const done = await convert(pdf, twice.path, 'pdf', { operation: 'extract-pdf-images' })
    assert.equal(done.format, 'zip')
    assert.deepEqual(await zipNames(done.path), ['image-001.jpg', 'manifest.json'])
  })

  test('keep what is clear in them', async () => {
    const { path, workDir } = await run('extract-pdf-images', {}, 'clear.pdf')
    assert.deepEqual(await zipNames(path), ['image-001.png', 'manifest.json'])
    execFileSync('python3', ['-m', 'zipfile', '-e', path, workDir])
    const raw = await sharp(join(workDir, 'image-001.png')).raw().toBuffer()
    assert.deepEqual([...raw.subarray(0, 8)], [255, 0, 0, 0, 0, 255, 0, 255])
  })

  test('that are not there are an error', async () => {
    await refused(run('extract-pdf-images'), 'INVALID_INPUT', /holds no pictures/)
  })
})

describe('a broken PDF', () => {
  test('is repaired as far as it can be', async () => {
    const whole = bookOf('Alpha').toString('latin1')
    const broken = await shelf({
      'table.pdf': Buffer.from(whole.replace(/^\d{10} 00000 n/gm, '0000000007 00000 n'), 'latin1'),
      'cut.pdf': Buffer.from(whole.slice(0, whole.indexOf('51 0 obj')), 'latin1'),
    })
    for (const name of ['table.pdf', 'cut.pdf']) {
      const { path, result } = await convert(pdf, broken.path(name), 'pdf', { operation: 'repair-pdf' })
      assert.equal(result.details?.pages, 4, name)
      assert.match(await pdfText(path), /Alpha page3/)
      execFileSync('qpdf', ['--check', path], { stdio: 'pipe' })
    }
    await broken.remove()
  })
})

test('facts about a PDF come as JSON and as details', async () => {
  const { path, format, result } = await run('pdf-info')
  assert.equal(format, 'json')
  const facts = JSON.parse(await readFile(path, 'utf8'))
  assert.deepEqual(facts.pageSizes, [{ width: 200, height: 300, pages: 4 }])
  assert.deepEqual(facts.fonts, [{ name: 'Helvetica', type: 'Type 1', embedded: false }])
  assert.deepEqual(facts.attachments, ['notes.txt'])
  assert.deepEqual(
    [
      facts.pages,
      facts.title,
      facts.author,
      facts.outlineItems,
      facts.javascript,
      facts.signed,
      facts.encrypted,
    ],
    [4, 'Alpha book', 'Somebody', 3, true, false, false],
  )
  assert.equal(result.details?.pages, 4)
  const locked = await convert(pdf, fixture('owner-password.pdf'), 'json', { operation: 'pdf-info' })
  assert.equal(locked.result.details?.encrypted, true)
})

test('a document that loops in itself comes to an end', async () => {
  const loops = await shelf({
    'loop.pdf': pdfOf({
      1: '<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R /Names << /Dests 7 0 R >> >>',
      2: '<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>',
      3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>',
      5: '<< /First 6 0 R >>',
      6: '<< /Title (again) /Next 6 0 R /First 6 0 R /Dest (x) >>',
      7: '<< /Kids [7 0 R] >>',
    }),
  })
  for (const operation of ['pdf-info', 'sanitize-pdf', 'reorder-pdf-pages'] as const) {
    const running = convert(pdf, loops.path('loop.pdf'), 'pdf', { operation, options: { pages: '1' } })
    await running.catch((error: unknown) => assert.ok(error instanceof AppError, String(error)))
  }
  await loops.remove()
})
