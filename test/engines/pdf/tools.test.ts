import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { pdf } from '../../../lib/engines/pdf.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Operation } from '../../../lib/model/operations.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { unzipResult } from '../support/inspect-pdf.ts'
import { listZipNames } from '../support/inspect-result.ts'
import {
  createBook,
  createPdf,
  createPhotoPage,
  createTransparentImagePage,
  writeFiles,
} from '../support/pdf-maker.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'
import { createToolRunner } from '../support/run-pdf-tool.ts'

const getPath = await writeFiles({
  'book.pdf': createBook('Alpha'),
  'photo.pdf': await createPhotoPage(),
  'clear.pdf': createTransparentImagePage(),
})
const run = createToolRunner(getPath('book.pdf'))

describe('PDF image extraction', () => {
  test('extract-pdf-images returns a ZIP with a manifest and one copy of an image that is on two pages', async () => {
    const mergedTwice = await run('merge', {}, getPath('photo.pdf'), { more: [getPath('photo.pdf')] })
    const extractedRun = await convert(pdf, mergedTwice.path, 'pdf', { operation: 'extract-pdf-images' })
    assert.equal(extractedRun.format, 'zip')
    assert.deepEqual(await listZipNames(extractedRun.path), ['image-001.jpg', 'manifest.json'])
  })

  test('extract-pdf-images keeps the transparency of images', async () => {
    const extractedRun = await run('extract-pdf-images', {}, getPath('clear.pdf'))
    assert.deepEqual(await listZipNames(extractedRun.path), ['image-001.png', 'manifest.json'])
    const raw = await sharp(join(await unzipResult(extractedRun), 'image-001.png'))
      .raw()
      .toBuffer()
    assert.deepEqual([...raw.subarray(0, 8)], [255, 0, 0, 0, 0, 255, 0, 255])
  })

  test('extract-pdf-images refuses a PDF without images', async () => {
    await assertRefused(run('extract-pdf-images'), 'INVALID_INPUT', /contains no images/)
  })
})

test('pdf-info returns the properties of a PDF as JSON and as details', async () => {
  const { path, format, result } = await run('pdf-info')
  assert.equal(format, 'json')
  const pdfFacts = JSON.parse(await readFile(path, 'utf8'))
  assert.deepEqual(pdfFacts.pageSizes, [{ width: 200, height: 300, pages: 4 }])
  assert.deepEqual(pdfFacts.fonts, [{ name: 'Helvetica', type: 'Type 1', embedded: false }])
  assert.deepEqual(pdfFacts.attachments, ['notes.txt'])
  assert.deepEqual(
    [
      pdfFacts.pages,
      pdfFacts.title,
      pdfFacts.author,
      pdfFacts.outlineItems,
      pdfFacts.javascript,
      pdfFacts.signed,
      pdfFacts.encrypted,
    ],
    [4, 'Alpha book', 'Ada Author', 3, true, false, false],
  )
  assert.equal(result.details?.pages, 4)
  const lockedPdfRun = await convert(pdf, fixture('owner-password.pdf'), 'json', { operation: 'pdf-info' })
  assert.equal(lockedPdfRun.result.details?.encrypted, true)
})

test('PDF tools finish on a document with circular references', async () => {
  const loops = await writeFiles({
    'loop.pdf': createPdf({
      1: '<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R /Names << /Dests 7 0 R >> >>',
      2: '<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>',
      3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>',
      5: '<< /First 6 0 R >>',
      6: '<< /Title (again) /Next 6 0 R /First 6 0 R /Dest (x) >>',
      7: '<< /Kids [7 0 R] >>',
    }),
  })
  for (const operation of ['pdf-info', 'sanitize-pdf', 'reorder-pdf-pages'] as const) {
    const runningConversion = convert(pdf, loops('loop.pdf'), 'pdf', { operation, options: { pages: '1' } })
    await runningConversion.catch((error: unknown) => assert.ok(error instanceof AppError, String(error)))
  }
})

describe('all PDF tools', () => {
  const requiredOptions: Partial<Record<Operation, RunSettings['options']>> = {
    'encrypt-pdf': { password: 'x' },
    'extract-pdf-pages': { pages: '1' },
    'remove-pdf-pages': { pages: '1' },
    'reorder-pdf-pages': { pages: '1' },
    'add-watermark-pdf': { watermarkText: 'x' },
    'edit-pdf-metadata': { title: 'x' },
    'crop-pdf': { marginTop: '1mm' },
    'redact-pdf': { terms: 'x' },
    'metadata/write': { title: 'x' },
  }
  const operations = pdf.capabilities.flatMap(({ operation, to }) =>
    operation !== 'convert' && to.includes('pdf') ? [operation] : [],
  )

  test('every PDF tool rejects garbage and truncated files with an error code', async () => {
    const folder = await writeFiles({
      'garbage.pdf': Buffer.from(`%PDF-1.7\n${'garbage '.repeat(500)}`),
      'half.pdf': (await readFile(fixture('needs-password.pdf'))).subarray(0, 250),
    })
    for (const operation of operations) {
      for (const name of ['garbage.pdf', 'half.pdf']) {
        const moreInputs = operation.startsWith('merge') ? [getPath('book.pdf')] : []
        await assert.rejects(
          run(operation, requiredOptions[operation], folder(name), { more: moreInputs }),
          (error) => {
            assert.ok(error instanceof AppError, `${operation} of ${name}: ${String(error)}`)
            assert.match(error.code, /CORRUPT_FILE|PDF_ENCRYPTED/)
            return true
          },
          `${operation} of ${name}`,
        )
      }
    }
  })

  test('PDF tools warn that their changes invalidate a signature', async () => {
    // The replacement is as long as the original, so that the cross-reference table stays valid.
    const signedBook = createBook('Alpha').toString('latin1').replace('/Type /Annot', '/ByteRange[]')
    const signedPath = await writeFiles({ 'signed.pdf': Buffer.from(signedBook, 'latin1') })
    const changingOperations = [
      'rotate-pdf',
      'linearize-pdf',
      'encrypt-pdf',
      'repair-pdf',
      'metadata/write',
    ] as const
    for (const operation of changingOperations) {
      const options = { ...requiredOptions[operation], dropSignatures: 'true' }
      const { warnings } = await run(operation, options, signedPath('signed.pdf'))
      assert.deepEqual(warnings, ['SIGNATURE_INVALID'], operation)
    }
    const dropSignatures = true
    const mergedRun = await run('merge', { dropSignatures }, getPath('book.pdf'), {
      more: [signedPath('signed.pdf')],
    })
    assert.deepEqual(mergedRun.warnings, ['SIGNATURE_INVALID'])
    const splitRun = await run('split-pdf', { dropSignatures }, signedPath('signed.pdf'))
    assert.ok(splitRun.warnings.includes('SIGNATURE_INVALID'))
  })

  test('only operations that write PDFs have the option dropSignatures', () => {
    const targets = pdf.capabilities.flatMap(({ from, to, options }) =>
      from.includes('pdf') && 'dropSignatures' in options.shape ? to : [],
    )
    // split-pdf writes a ZIP of PDFs.
    assert.deepEqual([...new Set(targets)].sort(), ['pdf', 'zip'])
  })

  test('operations that would change a signed PDF are refused without the option dropSignatures', async () => {
    // The replacement is as long as the original, so that the cross-reference table stays valid.
    const signedBook = createBook('Alpha').toString('latin1').replace('/Type /Annot', '/ByteRange[]')
    const signedPath = await writeFiles({ 'signed.pdf': Buffer.from(signedBook, 'latin1') })
    const checkRefusal = (operation: string) => (error: unknown) => {
      assert.ok(error instanceof AppError, `${operation}: ${String(error)}`)
      assert.deepEqual(
        [error.code, error.status],
        ['UNSUPPORTED_CONVERSION', 422],
        `${operation}: ${error.message}`,
      )
      assert.deepEqual(error.details, { field: 'dropSignatures', reason: 'signed' })
      return true
    }
    const changingOperations = pdf.capabilities.flatMap(({ operation, from, options }) =>
      from.includes('pdf') && 'dropSignatures' in options.shape ? [operation] : [],
    )
    for (const operation of ['repair-pdf', 'ocr-pdf', 'metadata/write'] as const)
      assert.ok(changingOperations.includes(operation), operation)
    for (const operation of changingOperations) {
      const moreInputs = operation.startsWith('merge') ? [getPath('book.pdf')] : []
      const options = requiredOptions[operation]
      await assert.rejects(
        run(operation, options, signedPath('signed.pdf'), { more: moreInputs }),
        checkRefusal(operation),
        operation,
      )
    }
    await run('pdf-info', {}, signedPath('signed.pdf'))
    // The text of a signed PDF can be read without changing it.
    await convert(pdf, signedPath('signed.pdf'), 'txt', { operation: 'ocr-pdf' })
  })
})
