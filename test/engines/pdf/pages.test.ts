import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Tools } from '../../../lib/engines/engine.ts'
import { copyOutlines } from '../../../lib/engines/pdf/tools/part-outlines.ts'
import { EngineCrash } from '../../../lib/engines/sandbox/engine-crash.ts'
import { AppError } from '../../../lib/errors.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import {
  assertValidPdf,
  readLinkTargets,
  readOutlineItems,
  readPageNames,
  readUncompressed,
  unzipResult,
} from '../support/inspect-pdf.ts'
import { countPdfPages, listZipNames, readStdout } from '../support/inspect-result.ts'
import { createBook, createPdf, writeFiles } from '../support/pdf-maker.ts'
import { fixture, type RunSettings } from '../support/run-engine.ts'
import { createToolRunner } from '../support/run-pdf-tool.ts'

const getPath = await writeFiles({
  'alpha.pdf': createBook('Alpha'),
  'beta.pdf': createBook('Beta'),
})
const book = getPath('alpha.pdf')
const run = createToolRunner(book)

describe('splitting a PDF', () => {
  test('split-pdf without a range returns one file per page and a manifest', async () => {
    const splitRun = await run('split-pdf')
    assert.equal(splitRun.format, 'zip')
    assert.deepEqual(splitRun.result.details, { pages: 4, files: 4 })
    const folder = await unzipResult(splitRun)
    const names = ['page-001.pdf', 'page-002.pdf', 'page-003.pdf', 'page-004.pdf']
    assert.deepEqual(await listZipNames(splitRun.path), [...names, 'manifest.json'])
    for (const name of names) assert.equal(await countPdfPages(join(folder, name)), 1)
    assert.deepEqual(await readPageNames(join(folder, 'page-003.pdf')), ['Alpha page3'])
  })

  test('split-pdf returns one file per range, without content of the other pages', async () => {
    const splitRun = await run('split-pdf', { pages: '3-2,last,3' })
    const folder = await unzipResult(splitRun)
    assert.deepEqual(readdirSync(folder).toSorted(), [
      'manifest.json',
      'page-003.pdf',
      'page-004.pdf',
      'pages-003-002.pdf',
    ])
    const pathOfBothPages = join(folder, 'pages-003-002.pdf')
    assert.deepEqual(await readPageNames(pathOfBothPages), ['Alpha page3', 'Alpha page2'])
    assert.doesNotMatch(await readUncompressed(pathOfBothPages), /page1|name-value/)
  })

  test('split-pdf copies to each part the bookmarks of its pages, and warns about dropped attachments', async () => {
    const pages = await run('split-pdf')
    assert.deepEqual(pages.warnings, ['ATTACHMENTS_DROPPED'])
    assert.deepEqual(pages.details, [{ count: 1 }])
    const folder = await unzipResult(pages)
    assert.deepEqual(await readOutlineItems(join(folder, 'page-002.pdf')), [
      ['Alpha three', 1, ['Alpha two', 1]],
    ])
    assert.deepEqual(await readOutlineItems(join(folder, 'page-004.pdf')), [])
    const splitResult = await run('split-pdf', { pages: '3-2' })
    assert.deepEqual(await readOutlineItems(splitResult.path), [['Alpha three', 1, ['Alpha two', 2]]])
    assert.equal(
      await readStdout('qpdf', '--list-attachments', splitResult.path).then((attachments) =>
        attachments.includes('->'),
      ),
      false,
    )
    await assertValidPdf(splitResult.path)
  })

  test('split-pdf copies title and author to each part, both in the information dictionary and in XMP', async () => {
    const source = join(scratchFolder('facts'), 'described.pdf')
    await readStdout(
      'exiftool',
      '-q',
      '-XMP-dc:Title=Words of XMP',
      '-XMP-dc:Creator=Her',
      '-o',
      source,
      book,
    )
    const folder = await unzipResult(await run('split-pdf', {}, source))
    const splitResult = await run('split-pdf', { pages: '3-2' }, source)
    for (const path of [join(folder, 'page-003.pdf'), splitResult.path]) {
      const pdfFields = await readStdout(
        'exiftool',
        '-s3',
        '-PDF:Title',
        '-PDF:Author',
        '-XMP:Title',
        '-XMP:Creator',
        path,
      )
      assert.deepEqual(pdfFields.trim().split('\n'), ['Alpha book', 'Ada Author', 'Words of XMP', 'Her'])
      await assertValidPdf(path)
    }
  })

  test('split-pdf warns about bookmarks that cannot be read and still returns the parts', async () => {
    const warnings: string[] = []
    const tools: Tools = {
      exec: async (bin) => {
        // The JSON that qpdf writes for such a file exceeds the size limit.
        if (bin === 'qpdf')
          throw new AppError('CONVERSION_FAILED', 'too large', undefined, {
            cause: new EngineCrash('qpdf', 'SIGXFSZ', ''),
          })
        return { stdout: '<</First 5 0 R/Last 9 0 R>>', stderr: '' }
      },
      host: () => Promise.reject(new Error('no host is needed')),
      progress: () => {},
      warn: (code) => warnings.push(code),
      signal: new AbortController().signal,
      workDir: scratchFolder('outlines'),
    }
    await copyOutlines(book, [{ path: 'part.pdf', pages: [1] }], tools)
    assert.deepEqual(warnings, ['BOOKMARKS_DROPPED'])
  })

  test('split-pdf with a single range returns a PDF instead of a ZIP', async () => {
    const splitRun = await run('split-pdf', { pages: '2-3' })
    assert.equal(splitRun.format, 'pdf')
    assert.deepEqual(await readPageNames(splitRun.path), ['Alpha page2', 'Alpha page3'])
  })
})

describe('pages of a PDF', () => {
  test('extract-pdf-pages keeps the requested order, and links and bookmarks lead to the new positions', async () => {
    const { path, result } = await run('extract-pdf-pages', { pages: '3,1' })
    assert.deepEqual(result.details, { pages: 2 })
    assert.deepEqual(await readPageNames(path), ['Alpha page3', 'Alpha page1'])
    assert.deepEqual(await readOutlineItems(path), [
      ['Alpha one', 2],
      ['Alpha three', 1],
    ])
    assert.deepEqual(await readLinkTargets(path, 2), [1])
    assert.match(await readStdout('pdfinfo', path), /Title:\s+Alpha book/)
    await assertValidPdf(path)
  })

  test('PDF attachments are kept when pages are extracted, removed or rotated', async () => {
    for (const [operation, options] of [
      ['extract-pdf-pages', { pages: '2' }],
      ['remove-pdf-pages', { pages: '2' }],
      ['rotate-pdf', { rotate: 90 }],
    ] as const) {
      const { path, warnings } = await run(operation, options)
      assert.match(await readStdout('qpdf', '--list-attachments', path), / -> /, operation)
      assert.deepEqual(warnings, [])
    }
  })

  test('extract-pdf-pages leaves no content of other pages in the file', async () => {
    const { path } = await run('extract-pdf-pages', { pages: '2' })
    const content = await readUncompressed(path)
    assert.match(content, /Alpha page2/)
    assert.doesNotMatch(content, /Alpha page[13]|city-value|name-value/)
  })

  test('remove-pdf-pages removes the given pages, and refuses to remove all pages', async () => {
    const { path } = await run('remove-pdf-pages', { pages: '2,4' })
    assert.deepEqual(await readPageNames(path), ['Alpha page1', 'Alpha page3'])
    assert.equal(await countPdfPages(path), 2)
    await assertRefused(run('remove-pdf-pages', { pages: '1-last' }), 'INVALID_INPUT', /leave at least one/)
  })

  test('reorder-pdf-pages moves pages that the request does not list to the end, in their original order', async () => {
    const { path } = await run('reorder-pdf-pages', { pages: '3,1' })
    assert.deepEqual(await readPageNames(path), ['Alpha page3', 'Alpha page1', 'Alpha page2'])
    assert.equal(await countPdfPages(path), 4)
    assert.deepEqual(await readLinkTargets(path, 2), [1, 3])
    assert.deepEqual(await readOutlineItems(path), [
      ['Alpha one', 2],
      ['Alpha three', 1, ['Alpha two', 3]],
    ])
    await assertRefused(run('reorder-pdf-pages', { pages: '1-3,2' }), 'INVALID_INPUT', /appears twice/)
  })

  test('rotate-pdf rotates all pages or only the given ones', async () => {
    const rotateAndReadAngles = async (options: RunSettings['options']) =>
      [
        ...(
          await readStdout('pdfinfo', '-f', '1', '-l', '4', (await run('rotate-pdf', options)).path)
        ).matchAll(/rot:\s+(\d+)/g),
      ].map(([, degrees]) => Number(degrees))
    assert.deepEqual(await rotateAndReadAngles({ rotate: '90' }), [90, 90, 90, 90])
    assert.deepEqual(await rotateAndReadAngles({ rotate: -90, pages: '1,last' }), [270, 0, 0, 270])
  })

  test('PDF page tools refuse page numbers that do not exist', async () => {
    for (const operation of ['split-pdf', 'extract-pdf-pages', 'remove-pdf-pages', 'rotate-pdf'] as const) {
      await assertRefused(run(operation, { pages: '2-9' }), 'INVALID_INPUT', /^pages: page 9 .* pages 1 to 4/)
    }
  })

  test('remove-blank-pages-pdf removes only blank pages, and refuses a PDF of blank pages', async () => {
    const { path, result } = await run('remove-blank-pages-pdf')
    assert.deepEqual(result.details, { pages: 3, removed: [4] })
    assert.deepEqual(await readPageNames(path), ['Alpha page1', 'Alpha page2', 'Alpha page3'])
    const emptyPdf = createPdf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>',
    })
    const blankPath = join((await run('split-pdf', { pages: '1' })).workDir, 'blank.pdf')
    await writeFile(blankPath, emptyPdf)
    await assertRefused(run('remove-blank-pages-pdf', {}, blankPath), 'INVALID_INPUT', /none would be left/)
  })
})

describe('merging PDFs', () => {
  const merge = (options: RunSettings['options'] = {}) =>
    run('merge', options, book, {
      more: [getPath('beta.pdf'), fixture('three-pages.pdf')],
      names: ['First part.pdf', 'b.pdf', 'c.pdf'],
    })

  test('merging PDFs keeps their order, bookmarks, links and filled-in forms', async () => {
    const { path, result } = await merge()
    assert.deepEqual(result.details, { pages: 11, files: 3 })
    assert.deepEqual(
      await readPageNames(path),
      [1, 2, 3].map((page) => `Alpha page${page}`).concat([1, 2, 3].map((page) => `Beta page${page}`)),
    )
    assert.deepEqual(await readOutlineItems(path), [
      ['Alpha one', 1],
      ['Alpha three', 3, ['Alpha two', 2]],
      ['Beta one', 5],
      ['Beta three', 7, ['Beta two', 6]],
    ])
    assert.deepEqual(await readLinkTargets(path, 1), [3, 2])
    assert.deepEqual(await readLinkTargets(path, 5), [7, 6])
    const form = await readStdout('qpdf', '--json', '--json-key=acroform', path)
    for (const value of ['Alpha-name-value', 'Alpha-city-value', 'Beta-name-value', 'Beta-city-value']) {
      assert.match(form, new RegExp(`"value": "u:${value}"`))
    }
    await assertValidPdf(path)
  })

  test('the outline option of a PDF merge groups the bookmarks by file or drops them', async () => {
    assert.deepEqual(await readOutlineItems((await merge({ outline: 'per_file' })).path), [
      ['First part', 1, ['Alpha one', 1], ['Alpha three', 3, ['Alpha two', 2]]],
      ['b', 5, ['Beta one', 5], ['Beta three', 7, ['Beta two', 6]]],
      ['c', 9],
    ])
    assert.deepEqual(await readOutlineItems((await merge({ outline: 'none' })).path), [])
  })
})

test('the operation merge-pdf merges two PDFs into one PDF with all their pages', async () => {
  const { path } = await run('merge-pdf', {}, book, { more: [getPath('beta.pdf')] })
  assert.equal(await countPdfPages(path), 8)
})

test('PDF page tools warn if the structure tags for screen readers are removed', async () => {
  const taggedPdf = await writeFiles({
    'tagged.pdf': createPdf({
      1: '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 5 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 99 99] >>',
      3: '<< /Type /Page /Parent 2 0 R >>',
      4: '<< /Type /Page /Parent 2 0 R >>',
      5: '<< /Type /StructTreeRoot /K 6 0 R >>',
      6: '<< /Type /StructElem /S /P /P 5 0 R /Pg 3 0 R /ActualText (words of page one) >>',
    }),
  })
  const extractedRun = await run('extract-pdf-pages', { pages: '2' }, taggedPdf('tagged.pdf'))
  assert.deepEqual(extractedRun.warnings, ['TAGS_REMOVED'])
  assert.doesNotMatch(await readUncompressed(extractedRun.path), /words of page one/)
  const reorderedRun = await run('reorder-pdf-pages', { pages: '2' }, taggedPdf('tagged.pdf'))
  assert.deepEqual(reorderedRun.warnings, [])
  assert.match(await readStdout('pdfinfo', reorderedRun.path), /Tagged:\s+yes/)
})

test('split-pdf keeps hidden layers hidden', async () => {
  const source = join(scratchFolder('layers'), 'layers.pdf')
  const createWords = (word: string) => `BT /F 20 Tf 20 50 Td (${word}) Tj ET`
  const data = Buffer.from(`/OC /A BDC ${createWords('shown')} EMC /OC /B BDC ${createWords('hidden')} EMC`)
  const resources = '<< /Font << /F 6 0 R >> /Properties << /A 7 0 R /B 8 0 R >> >>'
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 5 0 R /Resources ${resources} >>`
  const layers = '<< /OCGs [7 0 R 8 0 R] /D << /Order [7 0 R 8 0 R] /OFF [8 0 R] >> >>'
  const objects = {
    1: `<< /Type /Catalog /Pages 2 0 R /OCProperties ${layers} >>`,
    2: '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
    3: page,
    4: page,
    5: { dict: '<< >>', data },
    6: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    7: '<< /Type /OCG /Name (A) >>',
    8: '<< /Type /OCG /Name (B) >>',
  }
  await writeFile(source, createPdf(objects))
  const { path } = await run('split-pdf', { pages: '2' }, source)
  assert.equal((await readStdout('pdftotext', path, '-')).trim(), 'shown')
})
