import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { pdf } from '../../../lib/engines/pdf.ts'
import { assertValidPdf, readUncompressed, renderPage } from '../support/inspect-pdf.ts'
import { countPdfPages, readPdfText, readStdout } from '../support/inspect-result.ts'
import { createBook, createPhotoPage, createTransparentImagePage, writeFiles } from '../support/pdf-maker.ts'
import { convert } from '../support/run-engine.ts'
import { createToolRunner } from '../support/run-pdf-tool.ts'

const getPath = await writeFiles({
  'book.pdf': createBook('Alpha'),
  'photo.pdf': await createPhotoPage(),
  'clear.pdf': createTransparentImagePage(),
})
const run = createToolRunner(getPath('book.pdf'))

describe('PDF compression', () => {
  const getSize = async (path: string) => (await stat(path)).size

  test('compress-pdf makes a PDF with a photo smaller and keeps the page and the photo', async () => {
    const bytesBefore = await getSize(getPath('photo.pdf'))
    const { path, result } = await run('compress-pdf', { pdfQuality: 'screen' }, getPath('photo.pdf'))
    const bytesAfter = await getSize(path)
    assert.ok(bytesAfter < bytesBefore / 4, `${bytesAfter} of ${bytesBefore}`)
    assert.deepEqual(result.details, { pages: 1, sizeBefore: bytesBefore, sizeAfter: bytesAfter })
    assert.equal(await countPdfPages(path), 1)
    const [level = 0] = await (await renderPage(path)).color(1, 1)
    assert.ok(level > 100 && level < 155, `the photo is missing: gray level ${level}`)
  })

  test('compress-pdf returns the source with a warning if the result would be larger', async () => {
    const { path, warnings } = await run('compress-pdf', { pdfQuality: 'prepress' }, getPath('clear.pdf'))
    assert.deepEqual(warnings, ['NOT_SMALLER'])
    assert.deepEqual(await readFile(path), await readFile(getPath('clear.pdf')))
  })

  test('PDF compression stays within the target size, and its result is larger for a larger target size', async () => {
    const sizes = []
    for (const targetSize of [40_000, 80_000]) {
      const { path, result, warnings } = await run('compress', { targetSize }, getPath('photo.pdf'))
      sizes.push(await getSize(path))
      assert.ok((sizes.at(-1) ?? 0) <= targetSize, `${sizes.at(-1)}`)
      assert.equal(result.details?.reached, true)
      assert.deepEqual(warnings, [])
    }
    assert.ok((sizes[1] ?? 0) > (sizes[0] ?? 0), sizes.join())
  })

  test('PDF compression warns if the target size cannot be reached, and reports the size of the result', async () => {
    const { path, result, warnings } = await run('compress', { targetSize: 1000 }, getPath('photo.pdf'))
    assert.deepEqual(warnings, ['TARGET_NOT_REACHED'])
    assert.equal(result.details?.sizeAfter, await getSize(path))
    assert.equal(result.details?.reached, false)
  })

  test('PDF compression makes smaller files with a lower quality', async () => {
    const sizes = []
    for (const quality of ['high', 'low', 1]) {
      sizes.push(await getSize((await run('compress', { quality }, getPath('photo.pdf'))).path))
    }
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => b - a),
    )
    assert.equal(new Set(sizes).size, 3)
  })
})

test('to-pdfa embeds fonts, defines the color space and declares the conformance level', async () => {
  for (const [pdfaVersion, part] of [
    ['1b', '1'],
    ['PDF/A-2B', '2'],
    ['3b', '3'],
  ] as const) {
    const { path, result, warnings } = await run('to-pdfa', { pdfaVersion })
    assert.deepEqual(warnings, ['FORM_FLATTENED', 'ACTIVE_CONTENT_REMOVED'])
    assert.equal(result.details?.pdfaVersion, `${part}b`)
    const meta = await readStdout('pdfinfo', '-meta', path)
    assert.match(meta, new RegExp(`pdfaid:part(?:>|=['"])${part}`))
    assert.match(meta, /pdfaid:conformance(?:>|=['"])B/)
    const text = await readUncompressed(path)
    assert.match(text, /\/OutputIntents/)
    assert.doesNotMatch(text, /JavaScript|Launch/)
    // Only PDF/A-3 allows attached files of any kind.
    assert.equal(text.includes('EmbeddedFiles'), part === '3')
    const [, , ...fonts] = (await readStdout('pdffonts', path)).trim().split('\n')
    assert.ok(
      fonts.length > 0 && fonts.every((line) => / yes (?:yes|no ) (?:yes|no ) +\d+ +\d+$/.test(line)),
      fonts.join('\n'),
    )
    assert.match(await readPdfText(path), /Alpha page3/)
  }
})

test('grayscale-pdf removes all color and keeps the text', async () => {
  const form = await run('grayscale-pdf')
  assert.deepEqual(form.warnings, ['FORM_FLATTENED'])
  assert.match(await readPdfText(form.path), /Alpha-name-value[\s\S]*Alpha page3/)
  const { path } = await run('grayscale-pdf', {}, getPath('clear.pdf'))
  for (const [name, file] of [
    ['the form', form.path],
    ['the image', path],
  ] as const) {
    const png = sharp(execFileSync('pdftoppm', ['-png', '-r', '20', '-singlefile', file])).removeAlpha()
    const { data, info } = await png.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
    assert.equal(info.channels, 3)
    const coloredIndex = data.findIndex((level, at) => Math.abs(level - (data[at - (at % 3)] ?? 0)) > 1)
    assert.equal(coloredIndex, -1, `${name} has a color at byte ${coloredIndex}`)
  }
})

test('linearize-pdf optimizes a PDF for fast web view', async () => {
  const { path } = await run('linearize-pdf')
  assert.match(await readStdout('pdfinfo', path), /Optimized:\s+yes/)
})

describe('PDF repair', () => {
  test('repair-pdf recovers all pages from a broken cross-reference table or a truncated file', async () => {
    const intactPdf = createBook('Alpha').toString('latin1')
    const brokenPdf = await writeFiles({
      'table.pdf': Buffer.from(intactPdf.replace(/^\d{10} 00000 n/gm, '0000000007 00000 n'), 'latin1'),
      'cut.pdf': Buffer.from(intactPdf.slice(0, intactPdf.indexOf('51 0 obj')), 'latin1'),
    })
    for (const name of ['table.pdf', 'cut.pdf']) {
      const { path, result } = await convert(pdf, brokenPdf(name), 'pdf', { operation: 'repair-pdf' })
      assert.equal(result.details?.pages, 4, name)
      assert.match(await readPdfText(path), /Alpha page3/)
      await assertValidPdf(path)
    }
  })
})
