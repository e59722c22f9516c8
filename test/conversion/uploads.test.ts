import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Files } from '../../lib/aws/files.ts'
import { receiveStoredFile, receiveUpload } from '../../lib/conversion/receive-upload.ts'
import { openSource, openUploadedSource } from '../../lib/conversion/source.ts'
import { newId } from '../../lib/ids.ts'
import type { JobError } from '../../lib/model/job.ts'
import type { NewUpload, UploadRecord } from '../../lib/uploads/uploads.ts'
import { once, runBefore } from '../http/fault-injection.ts'
import { createExport, createText, findTask, fixture, importTask, openMaker, owner } from './job-maker.ts'

const maker = openMaker()
const services = () => maker.app.services
const put = (key: string, bytes: Uint8Array = Buffer.from('A text.')) =>
  services().files.putBytes(key, bytes, 'text/plain')
async function createUpload(moreFields: Partial<NewUpload> = {}, bytes?: Uint8Array) {
  const upload = await maker.upload(moreFields)
  await put(upload.key, bytes)
  return upload
}
const openUpload = (id: string, by = owner, filename?: string) =>
  openUploadedSource(id, 'uploadId', { ownerId: by }, services(), filename)
const isStored = async (key: string) => (await services().files.head(key)) !== undefined
const tasks = { in: importTask, zip: { operation: 'archive', input: 'in' }, out: createExport('zip') }

describe('uploads as job inputs', () => {
  test('an upload is read under its own or a requested file name, and reading fails after it was overwritten', async () => {
    const upload = await createUpload({ filename: 'b.txt' })
    const one = await openUpload(upload.id)
    assert.deepEqual(
      [one.field, one.filename, one.key, one.size, one.sha256],
      ['uploadId', 'b.txt', upload.key, 7, ''],
    )
    assert.deepEqual(one.upload, upload)
    assert.equal(Buffer.from(await one.read(2, 6)).toString(), 'text')
    assert.equal((await openUpload(upload.id, owner, '../c.txt')).filename, 'c.txt')
    const request = {
      body: { uploadId: upload.id, filename: 'd.txt' },
      files: [],
      principal: { ownerId: owner },
    }
    const source = await openSource(request as never, services()) // a stub with only the members that are used
    assert.deepEqual([source.field, source.filename, source.key], ['uploadId', 'd.txt', upload.key])
    assert.equal((await openUpload(`uploads/2d/${upload.id}`)).key, upload.key, 'also by the key')
    // Other bytes are uploaded during the detection.
    await put(upload.key, Buffer.from('Another text.'))
    await assert.rejects(one.read(0, 4))
  })

  test('only the owner of an upload can use it, unless it was created anonymously', async () => {
    const assertGone = (id: string, by = owner) =>
      assert.rejects(openUpload(id, by), { code: 'UPLOAD_NOT_FOUND', details: { field: 'uploadId' } })
    await assertGone((await createUpload()).id, 'anon_2')
    await openUpload((await createUpload({ open: true })).id, 'anon_2')
    await assertGone((await createUpload({ expiresAt: new Date(Date.now() - 1000).toISOString() })).id)
    for (const id of [newId('upl'), newId('job'), 'x', '']) await assertGone(id)
  })

  test('an upload of an anonymous user belongs to the account that they created later', async () => {
    const [upload, account] = [await createUpload(), newId('acc')]
    await assert.rejects(openUpload(upload.id, account), { code: 'UPLOAD_NOT_FOUND' })
    const ttl = Math.ceil(Date.now() / 1000) + 3600
    await services().table.put({ pk: `MOVED#${account}`, sk: 'MOVED', from: owner, ttl })
    assert.equal((await openUpload(upload.id, account)).key, upload.key)
  })

  test('an upload can be used by one job only, unless that job was never stored', async () => {
    const upload = await createUpload()
    const { job } = await maker.job(tasks, { in: { source: await openUpload(upload.id) } })
    await assert.rejects(openUpload(upload.id), {
      code: 'CONFLICT',
      message: new RegExp(`${upload.id} was already used by the job ${job.id}`),
      details: { field: 'uploadId', uploadId: upload.id, jobId: job.id },
    })
    await openUpload((await createUpload({ jobId: newId('job') })).id)
  })

  test('a job that uses an upload whose file has not arrived is rejected with the reason', async () => {
    const assertUploadIncomplete = async (overrides: Partial<NewUpload>, message: RegExp) => {
      const { id } = await maker.upload(overrides)
      await assert.rejects(openUpload(id), {
        code: 'UPLOAD_INCOMPLETE',
        message,
        details: { field: 'uploadId' },
      })
    }
    await assertUploadIncomplete({}, /has not arrived. PUT it to the presigned URL first/)
    await assertUploadIncomplete({ partsId: 'x' }, /is not complete. Send its parts, then POST/)
    const importingJob = await maker.job(
      { in: { operation: 'import/url', url: 'https://a.test/' }, out: createExport('in') },
      {},
    )
    const importJobId = importingJob.job.id
    await assertUploadIncomplete({ importJobId }, /is still being fetched/)
    const error: JobError = { code: 'URL_NOT_ALLOWED', message: 'It is not there.' }
    await services().jobs.store.changeJob(importJobId, { set: { status: 'failed', error } })
    await assertUploadIncomplete({ importJobId }, /could not be fetched: It is not there. Import it again/)
    await assertUploadIncomplete(
      { importJobId: newId('job') },
      /could not be fetched: its import was deleted. Import it again/,
    )
  })
})

describe('receiving an upload', () => {
  const getReceivingDeps = () => {
    const { uploads, files, jobs } = services()
    return { uploads, files, jobs }
  }
  const arrive = (uploadId: string, key: string) =>
    receiveStoredFile({ uploadId, key, createdAt: new Date() }, getReceivingDeps())
  async function createAwaitedUpload(moreFields: Partial<NewUpload> = {}) {
    const awaitedUpload = await maker.upload(moreFields)
    const { job } = await maker.job(tasks, { in: { awaited: awaitedUpload, form: {} } })
    const readState = async () => {
      const state = await services().jobs.store.getState(job.id)
      assert.ok(state)
      return { job: state.job, task: findTask(state, 'in') }
    }
    return { awaited: awaitedUpload, readState }
  }

  test('an awaited upload that arrives completes the task that waits for it', async () => {
    const { awaited, readState } = await createAwaitedUpload({ filename: 'a.pdf' })
    await receiveUpload(awaited.id, getReceivingDeps())
    assert.equal((await readState()).task?.status, 'pending')
    await put(awaited.key, fixture('needs-password.pdf'))
    await receiveUpload(awaited.id, getReceivingDeps())
    const { task, job } = await readState()
    assert.equal(task?.status, 'completed')
    assert.equal(job.status, 'queued')
    const [file] = task.files
    assert.deepEqual([file?.filename, file?.format], ['a.pdf', 'pdf'])
    assert.match(file?.etag ?? '', /^"/)
    assert.ok(file && (await isStored(file.key)))
    assert.equal(await isStored(awaited.key), false, 'the file has left the key that a URL was signed for')
  })

  test('an awaited upload that arrives again after its task used it is deleted and changes nothing', async () => {
    const { awaited, readState } = await createAwaitedUpload()
    await put(awaited.key)
    await arrive(awaited.id, awaited.key)
    const [file] = (await readState()).task?.files ?? []
    assert.ok(file)
    await put(awaited.key, Buffer.from('Another text.'))
    await arrive(awaited.id, awaited.key)
    assert.equal(await isStored(awaited.key), false)
    assert.deepEqual((await readState()).task?.files, [file])
    assert.equal(Buffer.from(await services().files.read(file.key, 0, 20)).toString(), 'A text.')
    await services().jobs.delete((await readState()).job.id)
    assert.equal(await isStored(file.key), false, 'it is deleted with its job')
    assert.equal(await services().uploads.get(awaited.id), undefined)
  })

  test('the file.uploaded event of an upload is published exactly once, even if a job uses the upload first', async () => {
    const upload = await createUpload()
    const storedObject = await services().files.head(upload.key)
    const dateBefore = new Date()
    await maker.job(tasks, { in: { source: await openUpload(upload.id) } })
    const publishedFacts: { occurredAt: string; file: { key: string } }[] = []
    const { store } = services().jobs
    const publishUpload = async (facts: (typeof publishedFacts)[number], ref?: object) => {
      assert.equal(ref, undefined, 'it is no event of the job')
      publishedFacts.push(facts)
    }
    const jobs = { store, publishUpload } as never
    const publishEvent = (createdAt: Date) =>
      receiveStoredFile({ uploadId: upload.id, key: upload.key, createdAt }, { ...getReceivingDeps(), jobs })
    await publishEvent(dateBefore)
    await publishEvent(new Date(Date.now() + 1))
    assert.equal(publishedFacts.length, 1)
    assert.deepEqual(
      [publishedFacts[0]?.occurredAt, publishedFacts[0]?.file.key],
      [storedObject?.storedAt.toISOString(), upload.key],
    )
  })

  test('an upload that is overwritten while it is being copied is used in its latest version', async () => {
    const { awaited, readState } = await createAwaitedUpload()
    await put(awaited.key)
    const files = runBefore(
      services().files,
      'copy',
      once(() => put(awaited.key, Buffer.from('Another text.'))),
    )
    await receiveUpload(awaited.id, { ...getReceivingDeps(), files })
    const [file] = (await readState()).task?.files ?? []
    assert.equal(file?.size, 13)
    assert.equal(await isStored(awaited.key), false)
  })

  test('an awaited upload that is too large or damaged fails its task and is deleted', async () => {
    for (const [moreFields, bytes, code] of [
      [{ maxSize: 6 }, undefined, 'FILE_TOO_LARGE'],
      [{ filename: 'a.png' }, undefined, 'CORRUPT_FILE'],
    ] as const) {
      const { awaited, readState } = await createAwaitedUpload(moreFields)
      await put(awaited.key, bytes)
      await receiveUpload(awaited.id, getReceivingDeps())
      const { task } = await readState()
      assert.deepEqual([task?.status, task?.code], ['failed', code])
      assert.ok(task?.message && task.details?.['field'] === 'file')
      assert.equal(await isStored(awaited.key), false)
    }
    const exactUpload = await createAwaitedUpload({ maxSize: 7 })
    await put(exactUpload.awaited.key)
    await receiveUpload(exactUpload.awaited.id, getReceivingDeps())
    assert.equal((await exactUpload.readState()).task?.status, 'completed')
  })

  test('an upload that arrives is kept if no task waits for it', async () => {
    const unusedUpload = await createUpload()
    const { id, key } = await createUpload({ jobId: newId('job') })
    for (const uploadId of [unusedUpload.id, id, newId('upl')])
      await receiveUpload(uploadId, getReceivingDeps())
    assert.deepEqual([await isStored(unusedUpload.key), await isStored(key)], [true, true])
  })

  test('an upload is not reported as damaged if format detection fails unexpectedly', async () => {
    const { awaited, readState } = await createAwaitedUpload()
    await put(awaited.key)
    const files = new (class extends Files {
      override read = () => Promise.reject(new Error('no answer'))
    })(services().config)
    await assert.rejects(receiveUpload(awaited.id, { ...getReceivingDeps(), files }), /no answer/)
    assert.equal((await readState()).task?.status, 'pending')
  })

  test('the file.uploaded event of an arrived upload contains the format of the file and the kind of upload', async () => {
    const publishedFacts: object[] = []
    const { store } = services().jobs
    const jobs = { store, publishUpload: async (facts: object) => void publishedFacts.push(facts) } as never
    const publishEvent = ({ id, key }: Pick<UploadRecord, 'id' | 'key'>) =>
      receiveStoredFile({ uploadId: id, key, createdAt: new Date() }, { ...getReceivingDeps(), jobs })
    const ownUpload = await createUpload({ jobId: newId('job') })
    const storedObject = await services().files.head(ownUpload.key)
    await publishEvent(ownUpload)
    const { owner } = ownUpload
    assert.deepEqual(publishedFacts.splice(0), [
      {
        owner,
        via: 'presigned',
        occurredAt: storedObject?.storedAt.toISOString(),
        file: {
          key: ownUpload.key,
          filename: 'a.txt',
          format: 'txt',
          mimeType: 'text/plain',
          size: 7,
          sha256: '',
          etag: storedObject?.etag,
        },
      },
    ])
    const odd = await createUpload({ partsId: 'x', filename: 'a.png', contentType: 'image/png' })
    await publishEvent(odd)
    const [{ via, file }] = publishedFacts.splice(0) as [{ via: string; file: object }]
    assert.equal(via, 'multipart')
    assert.deepEqual(file, {
      key: odd.key,
      filename: 'a.png',
      mimeType: 'image/png',
      format: null,
      size: 7,
      sha256: '',
    })
    // Imports publish their own files, and missing files are not published.
    for (const upload of [await createUpload({ importJobId: newId('job') }), await maker.upload()])
      await publishEvent(upload)
    await publishEvent({ id: newId('upl'), key: ownUpload.key })
    assert.deepEqual(publishedFacts, [])
  })

  test('an arrived upload is kept while a job can use it, and deleted otherwise', async () => {
    const isStoredAfterUpload = async (upload: UploadRecord) => {
      await arrive(upload.id, upload.key)
      return isStored(upload.key)
    }
    assert.equal(await isStoredAfterUpload(await createUpload()), true)
    assert.equal(await isStoredAfterUpload(await createUpload({ jobId: newId('job') })), false)
    const { key } = await createUpload()
    await arrive(newId('upl'), key)
    assert.equal(await isStored(key), false)
    // Jobs of earlier versions used the uploaded object itself instead of a copy.
    const usedUpload = await createUpload()
    const { read, ...source } = createText().source
    const { job } = await maker.job(tasks, { in: { source: { ...source, read, key: usedUpload.key } } })
    await services().table.update({ pk: `UPLOAD#${usedUpload.id}`, sk: 'UPLOAD' }, { set: { jobId: job.id } })
    assert.equal(await isStoredAfterUpload({ ...usedUpload, jobId: job.id }), true)
    assert.equal(
      await isStoredAfterUpload(await createUpload({ jobId: job.id })),
      false,
      'the job has no such file',
    )
    await services().jobs.store.changeJob(job.id, { set: { status: 'expired' } })
    assert.equal(await isStoredAfterUpload({ ...usedUpload, jobId: job.id }), false)
    const deletedJob = await maker.job(tasks, { in: createText() })
    await services().jobs.store.changeJob(deletedJob.job.id, { set: { deletedAt: new Date().toISOString() } })
    assert.equal(await isStoredAfterUpload(await createUpload({ jobId: deletedJob.job.id })), false)
  })
})
