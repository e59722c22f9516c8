import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ImportSource } from '../../lib/conversion/job-request.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { parseTasks } from '../../lib/tasks/parse-tasks.ts'
import {
  createEmptySource,
  createExport,
  createText,
  findFixedTask,
  findTask,
  fixture,
  importTask,
  openMaker,
  owner,
  pdfTask,
  source,
} from './job-maker.ts'

const maker = openMaker()

describe('rejected job requests', () => {
  const createPdfSource = (name: string) => source('a.pdf', fixture(name))
  const assertJobRefused = (
    tasks: Record<string, unknown>,
    imports: Record<string, ImportSource>,
    expectedError: object,
    moreFields: Parameters<typeof maker.job>[2] = {},
  ) => assert.rejects(maker.job(tasks, imports, moreFields), { name: 'AppError', ...expectedError })

  test('a rejected job keeps no files and leaves its uploads available', async () => {
    const [a, upload] = [createText(), await maker.upload()]
    const claimedSource = { ...createText().source, upload }
    const tasks = {
      in: importTask,
      more: importTask,
      mp3: { ...pdfTask, output_format: 'mp3' },
      out: createExport(['mp3', 'more']),
    }
    await assertJobRefused(
      tasks,
      { in: a, more: { source: claimedSource } },
      { code: 'UNSUPPORTED_CONVERSION' },
    )
    assert.equal(a.adopted, 0)
    assert.equal((await maker.app.services.uploads.get(upload.id))?.jobId, undefined)
  })

  test('a job that uses an upload twice, or an upload of another job, is rejected with the id of that upload', async () => {
    const upload = await maker.upload()
    const createImport = (field: string): ImportSource => ({
      source: { ...createText().source, upload, field },
    })
    const tasks = {
      in: importTask,
      more: importTask,
      pdf: { ...pdfTask, input: ['in', 'more'] },
      out: createExport('pdf'),
    }
    await assertJobRefused(
      tasks,
      { in: createImport('a'), more: createImport('b') },
      {
        code: 'INVALID_INPUT',
        message: new RegExp(`^b: ${upload.id} is named twice`),
        details: { field: 'b', uploadId: upload.id },
      },
    )
    const one = { in: importTask, pdf: pdfTask, out: createExport('pdf') }
    const createdState = await maker.job(one, { in: createImport('a') })
    assert.equal((await maker.app.services.uploads.get(upload.id))?.jobId, createdState.job.id)
    await assertJobRefused(
      one,
      { in: createImport('a') },
      {
        code: 'CONFLICT',
        message: /was already used by another job/,
        details: { field: 'uploadId', uploadId: upload.id },
      },
    )
  })

  test('a repeated request for an existing job id returns that job', async () => {
    const jobId = newId('job')
    const ownImports = { in: { source: { ...createText().source, upload: await maker.upload() } } }
    const tasks = { in: importTask, pdf: pdfTask, out: createExport('pdf') }
    const createdState = await maker.job(tasks, ownImports, { jobId })
    assert.equal(createdState.job.id, jobId)
    const lateSource = createText()
    const repeatedState = await maker.job(
      tasks,
      { in: { source: { ...ownImports.in.source, adopt: lateSource.source.adopt } } },
      { jobId, tag: 'again' },
    )
    assert.deepEqual([repeatedState.job.id, repeatedState.job.tag, lateSource.adopted], [jobId, null, 0])
  })

  test('the files of a failed job request are kept if the job may have been stored', async () => {
    const brokenApp = maker.app.with({
      jobs: { create: () => Promise.reject(new Error('no answer')) } as never,
    })
    const a = createText()
    const tasks = parseTasks({ in: importTask, pdf: pdfTask, out: createExport('pdf') })
    const request = { owner, requestId: 'req_1', tasks, imports: new Map([['in', a]]) }
    await assert.rejects(startJob(request, brokenApp.services), /no answer/)
    assert.equal(a.adopted, 1)
  })

  test('the error for a rejected job names the task and the field', async () => {
    const createTasks = (fields: object) => ({
      in: importTask,
      pdf: { ...pdfTask, ...fields },
      out: createExport('pdf'),
    })
    await assertJobRefused(
      createTasks({ page_size: 'A99' }),
      { in: createText() },
      { message: /^tasks\.pdf\.pageSize: / },
    )
    for (const moreFields of [{ pdfEngine: 'other' }, { options: { pdf_engine: 'other' } }])
      await assertJobRefused(
        createTasks(moreFields),
        { in: { awaited: await maker.upload(), form: {} } },
        {
          code: 'UNSUPPORTED_CONVERSION',
          message: /^tasks\.pdf\.pdfEngine: /,
          details: { field: 'tasks.pdf.pdfEngine', expected: ['auto'], task: 'pdf' },
        },
      )
    await assertJobRefused(
      createTasks({}),
      { in: createEmptySource() },
      {
        code: 'INVALID_INPUT',
        message: /^tasks\.in: /,
        details: { field: 'tasks.in.file', task: 'in' },
      },
    )
  })

  test('the error for a job that a conversion endpoint creates contains the field name that the client sent', async () => {
    const tasks = { in: importTask, pdf: { ...pdfTask, page_size: 'A99' }, out: createExport('pdf') }
    const clientFieldNames = { additionalFilesField: 'additionalFile' }
    await assertJobRefused(tasks, { in: createText() }, { message: /^pageSize: / }, clientFieldNames)
    await assertJobRefused(
      { ...tasks, pdf: { ...pdfTask, pdfEngine: 'other' } },
      { in: createText() },
      { message: /^pdfEngine/ },
      clientFieldNames,
    )
    await assertJobRefused(
      tasks,
      { in: createEmptySource() },
      { details: { field: 'file' } },
      clientFieldNames,
    )
    const two = {
      in: importTask,
      more: importTask,
      small: { operation: 'rotate-pdf', input: ['in', 'more'] },
      out: createExport('small'),
    }
    const files = { in: createPdfSource('report.pdf'), more: createPdfSource('three-pages.pdf') }
    await assertJobRefused(
      two,
      files,
      { code: 'INVALID_REQUEST', details: { field: 'additionalFile', max: 1, got: 2 } },
      clientFieldNames,
    )
    await assertJobRefused(two, files, {
      details: { field: 'tasks.small.input', task: 'small', max: 1, got: 2 },
    })
  })

  const lockedPdfName = 'needs-password.pdf'
  const createTasksWith = (taskFields: object) => ({
    in: importTask,
    work: { input: 'in', ...taskFields },
    out: createExport('work'),
  })
  const createJob = (taskFields: object, file: string) =>
    maker.job(createTasksWith(taskFields), { in: createPdfSource(file) })
  const assertRefused = (taskFields: object, expected: object) =>
    assertJobRefused(createTasksWith(taskFields), { in: createPdfSource(lockedPdfName) }, expected)

  test('a job is rejected if its password does not open the PDF', async () => {
    const page = { operation: 'convert', output_format: 'png' }
    await assertRefused(page, {
      code: 'PDF_ENCRYPTED',
      message: /is encrypted/,
      details: { field: 'tasks.in.password', filename: 'a.pdf', task: 'in' },
    })
    await assertRefused({ ...page, password: 'no' }, { message: /cannot be opened with the password/ })
    await createJob({ ...page, password: 'secret' }, lockedPdfName)
    // The new password does not open the PDF.
    const encryptTask = { operation: 'encrypt-pdf', password: 'secret' }
    await assertRefused(encryptTask, {
      message: /is encrypted.*`currentPassword`/,
      details: { field: 'tasks.in.currentPassword', filename: 'a.pdf', task: 'in' },
    })
    await createJob({ ...encryptTask, currentPassword: 'secret' }, lockedPdfName)
    await assertRefused(
      { operation: 'decrypt-pdf', password: 'no' },
      { message: /cannot be opened with the password/ },
    )
  })

  test('a job is rejected with advice if its PDF is encrypted and the conversion does not support passwords', async () => {
    for (const overrides of [{}, { password: 'secret' }])
      await assertRefused(
        { operation: 'convert', output_format: 'docx', ...overrides },
        {
          code: 'PDF_ENCRYPTED',
          message: /Decrypt it first with toolOperation=decrypt-pdf/,
          details: { field: 'tasks.in.file', hint: 'toolOperation=decrypt-pdf', task: 'in' },
        },
      )
    // Without a route, the PDF need not be opened.
    await assertRefused({ operation: 'convert', output_format: 'mp3' }, { code: 'UNSUPPORTED_CONVERSION' })
    await assertRefused(
      { operation: 'convert', output_format: 'mp3', password: 'no' },
      { code: 'UNSUPPORTED_CONVERSION' },
    )
  })

  test('a job is rejected if its PDF is damaged, unless the job repairs it', async () => {
    const half = source('a.pdf', fixture('report.pdf').subarray(0, 3000))
    await assertJobRefused(
      createTasksWith({ operation: 'rotate-pdf' }),
      { in: half },
      { code: 'CORRUPT_FILE' },
    )
    await maker.job(createTasksWith({ operation: 'repair-pdf' }), { in: half })
  })

  test('a job is not rejected for a missing password if none of its tasks opens the file', async () => {
    await maker.job({ in: importTask, out: createExport('in') }, { in: createPdfSource(lockedPdfName) })
    await createJob({ operation: 'archive' }, lockedPdfName)
    await createJob({ operation: 'metadata' }, lockedPdfName)
    // An unsupported target is reported instead of the password.
    const impossibleTask = { operation: 'convert', output_format: 'mp3', password: 'secret' }
    await assertRefused(impossibleTask, { code: 'UNSUPPORTED_CONVERSION', message: /^tasks\.work: / })
    const bothTasks = {
      in: importTask,
      zip: { operation: 'archive', input: 'in' },
      png: { ...pdfTask, output_format: 'png' },
      out: createExport(['zip', 'png']),
    }
    await assertJobRefused(bothTasks, { in: createPdfSource(lockedPdfName) }, { code: 'PDF_ENCRYPTED' })
  })
})

describe('batch requests', () => {
  const items = {
    a: importTask,
    b: importTask,
    'a-pdf': { ...pdfTask, input: 'a' },
    'b-pdf': { ...pdfTask, input: 'b' },
    out: createExport(['a-pdf', 'b-pdf']),
  }
  test('a batch processes its valid items and reports the error of an invalid item', async () => {
    const goneError = new AppError('UPLOAD_NOT_FOUND', 'It is gone.', { field: 'items.1' })
    for (const [brokenSource, code, message, details] of [
      [
        createEmptySource(),
        'INVALID_INPUT',
        'The file is empty. Check it and send it again.',
        { field: 'file' },
      ],
      [{ refused: goneError }, 'UPLOAD_NOT_FOUND', 'It is gone.', { field: 'items.1' }],
    ] as const) {
      const createdState = await maker.job(items, { a: createText(), b: brokenSource }, { isBatch: true })
      assert.equal(createdState.job.require, 'any')
      assert.equal(createdState.job.display.source?.filename, 'a.txt')
      assert.ok(findTask(createdState, 'a-pdf'))
      for (const name of ['b', 'b-pdf']) {
        const rejectedTask = findFixedTask(createdState, name)
        assert.deepEqual(
          [rejectedTask?.status, rejectedTask?.code, rejectedTask?.message, rejectedTask?.details],
          ['failed', code, message, details],
          name,
        )
      }
    }
    const firstState = await maker.job(
      items,
      { a: createEmptySource(), b: createText('c.txt') },
      { isBatch: true },
    )
    assert.equal(firstState.job.display.source?.filename, 'c.txt')
  })

  test('a batch accepts valid items before an item with a missing or unknown target', async () => {
    for (const [lastSource, code] of [
      [{}, 'INVALID_REQUEST'],
      [{ targetFormat: 'nothing' }, 'UNSUPPORTED_FORMAT'],
    ] as const) {
      const openUploads = await Promise.all([maker.upload({ open: true }), maker.upload({ open: true })])
      for (const { key } of openUploads)
        await maker.app.services.files.putBytes(key, Buffer.from('A text.'), 'text/plain')
      const [firstUpload, secondUpload] = openUploads.map(({ id }) => ({ uploadId: id }))
      const { status, json } = await maker.app.send('POST', '/v1/convert/batch', {
        body: {
          items: [
            { ...firstUpload, targetFormat: 'html' },
            { ...secondUpload, ...lastSource },
          ],
        },
      })
      assert.equal(status, 202, JSON.stringify(json))
      const { accepted, items } = json.data
      assert.equal(accepted, 1)
      assert.deepEqual([items[0].targetFormat, items[1].error.code], ['html', code])
    }
  })

  test('a batch reports the target format of each item', async () => {
    const body = {
      targetFormat: 'pdf',
      items: [{ url: 'https://a.test/a' }, { url: 'https://a.test/b', targetFormat: 'html' }],
    }
    const { json } = await maker.app.send('POST', '/v1/convert/batch', { body })
    assert.deepEqual(
      json.data.items.map((item: { targetFormat: string }) => item.targetFormat),
      ['pdf', 'html'],
    )
  })

  test('a batch in which no item can be converted is rejected immediately', async () => {
    const allErrors: (readonly AppError[])[] = []
    const createAllRefusedError = (errors: readonly AppError[]) => {
      allErrors.push(errors)
      return new AppError('UNSUPPORTED_CONVERSION', 'Nothing works.')
    }
    const batchOptions = { isBatch: true, createAllRefusedError }
    await assert.rejects(maker.job(items, { a: createEmptySource(), b: createEmptySource() }, batchOptions), {
      message: 'Nothing works.',
    })
    assert.deepEqual(
      allErrors.map((errors) => errors.map(({ code }) => code)),
      [['INVALID_INPUT', 'INVALID_INPUT']],
    )
    await maker.job(items, { a: createText(), b: createEmptySource() }, batchOptions)
    assert.equal(
      (await maker.job(items, { a: createEmptySource(), b: createEmptySource() }, { isBatch: true })).tasks
        .length,
      0,
    )
    assert.equal(allErrors.length, 1)
  })

  test('a batch reports an invalid page size for the affected item only, but is rejected for an unsupported pdfEngine', async () => {
    const odd = { ...items, 'b-pdf': { ...items['b-pdf'], page_size: 'A99' } }
    const createdState = await maker.job(odd, { a: createText(), b: createText() }, { isBatch: true })
    assert.match(findFixedTask(createdState, 'b-pdf')?.message ?? '', /^pageSize: /)
    await assert.rejects(maker.job(odd, { a: createText(), b: createText() }), {
      message: /^tasks\.b-pdf\.pageSize: /,
    })
    await assert.rejects(
      maker.job(
        { ...items, 'b-pdf': { ...items['b-pdf'], pdfEngine: 'x' } },
        { a: createText(), b: createText() },
        { isBatch: true },
      ),
      { message: /^pdfEngine/ },
    )
  })

  test('a batch is not accepted when an unexpected error occurs', async () => {
    const failingSource = { ...createText().source, read: () => Promise.reject(new Error('no answer')) }
    await assert.rejects(
      maker.job(items, { a: createText(), b: { source: failingSource } }, { isBatch: true }),
      /no answer/,
    )
  })
})
