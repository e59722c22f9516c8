import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRetryRequest } from '../../lib/conversion/retry.ts'
import { copySourceFromJob } from '../../lib/conversion/source-from-job.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { newId } from '../../lib/ids.ts'
import type { FixedTask, JobState, StoredFile } from '../../lib/model/job.ts'
import {
  createEmptySource,
  createExport,
  findTask,
  importTask,
  openMaker,
  owner,
  pdfTask,
  source,
} from './job-maker.ts'

const maker = openMaker()
const services = () => maker.app.services
const isStored = async (key: string) => (await services().files.head(key)) !== undefined

/** Stores the bytes of a source in the bucket and returns the source. */
async function storeSource(name: string, content: string) {
  const { source: one } = source(name, Buffer.from(content), { sha256: 'ab' })
  await services().files.putBytes(one.key, Buffer.from(content), 'text/plain')
  return { source: one }
}
const readContent = async ({ key }: { key: string }) =>
  Buffer.from(await services().files.read(key, 0, 100)).toString()

const tasks = {
  in: importTask,
  more: importTask,
  pdf: { ...pdfTask, engine: 'libreoffice', password: 'secret', continue_on_error: true },
  both: { operation: 'archive', input: ['pdf', 'more'] },
  out: { ...createExport('both'), filename: 'b' },
}
async function createJob(moreFields: Parameters<typeof maker.job>[2] = {}) {
  const imports = {
    in: await storeSource('a.txt', 'The first.'),
    more: await storeSource('b.md', 'The second.'),
  }
  return maker.job(tasks, imports, moreFields)
}

describe('reusing a file of an earlier job', () => {
  const principal = { ownerId: owner } as Parameters<typeof copySourceFromJob>[1] // a stub with only the members that are used
  const openSourceFile = (sourceRequest: Parameters<typeof copySourceFromJob>[0], by: object = {}) =>
    copySourceFromJob(sourceRequest, { ...principal, ...by }, services())

  test('a file of an earlier job is copied for a new job, and the copy is deleted if the job is not created', async () => {
    const { job, fixed } = await createJob()
    const { source: copy, discard } = await openSourceFile({ sourceJobId: job.id })
    const [originalFile] = fixed.flatMap(({ files = [] }) => files)
    assert.match(copy.key, /^received\/2d\/upl_/)
    assert.notEqual(copy.key, originalFile?.key)
    assert.deepEqual([copy.field, copy.filename, copy.size, copy.sha256], ['sourceJobId', 'a.txt', 10, 'ab'])
    assert.equal(Buffer.from(await copy.read(4, 9)).toString(), 'first')
    copy.adopt()
    await discard()
    assert.equal(await readContent(copy), 'The first.')
    const unwantedCopy = await openSourceFile({ sourceJobId: job.id, filename: 'c.txt' })
    assert.equal(unwantedCopy.source.filename, 'c.txt')
    await unwantedCopy.discard()
    assert.equal(await isStored(unwantedCopy.source.key), false)
  })

  test('a file of an earlier job is selected by naming the task that has it as input or result', async () => {
    const { job, tasks: createdTasks } = await createJob()
    const file: StoredFile = {
      key: `jobs/${job.id}/a`,
      filename: 'made.pdf',
      format: 'pdf',
      mimeType: 'application/pdf',
      size: 9,
      sha256: 'cd',
    }
    await services().files.putBytes(file.key, Buffer.from('The made.'), file.mimeType)
    const number = createdTasks.find(({ name }) => name === 'pdf')?.number ?? 0
    await services().jobs.store.changeTask({ jobId: job.id, task: number }, { set: { files: [file] } })
    const getFilename = async (sourceTask: string) =>
      (await openSourceFile({ sourceJobId: job.id, sourceTask })).source.filename
    assert.deepEqual([await getFilename('more'), await getFilename('pdf')], ['b.md', 'made.pdf'])
    await assert.rejects(getFilename('none'), { code: 'TASK_NOT_FOUND' })
    await assert.rejects(getFilename('both'), { code: 'FILE_GONE' })
  })

  test('the first available file of an earlier job is used by default', async () => {
    const awaitedUpload = await maker.upload()
    const tasks = { in: importTask, more: importTask, out: createExport(['in', 'more']) }
    const { job } = await maker.job(tasks, {
      in: { awaited: awaitedUpload, form: {} },
      more: await storeSource('b.md', 'The second.'),
    })
    assert.equal((await openSourceFile({ sourceJobId: job.id })).source.filename, 'b.md')
    const { source: lateSource } = await storeSource('late.txt', 'The late.')
    const file = { ...lateSource, format: 'txt', mimeType: 'text/plain' }
    await services().jobs.store.changeTask({ jobId: job.id, task: 0 }, { set: { files: [file] } })
    assert.equal((await openSourceFile({ sourceJobId: job.id })).source.filename, 'late.txt')
    await services().jobs.store.changeTask({ jobId: job.id, task: 0 }, { set: { files: [] } })
    await assert.rejects(openSourceFile({ sourceJobId: job.id, sourceTask: 'in' }), { code: 'FILE_GONE' })
    const waitingJob = await maker.job(
      { in: importTask, out: createExport('in') },
      { in: { awaited: await maker.upload(), form: {} } },
    )
    await assert.rejects(openSourceFile({ sourceJobId: waitingJob.job.id }), {
      code: 'FILE_GONE',
      details: { field: 'sourceJobId', jobId: waitingJob.job.id },
    })
  })

  test('files of expired, deleted or unknown jobs and of the jobs of other owners cannot be reused', async () => {
    const { job } = await createJob({ keyId: 'key_1' })
    const assertJobNotFound = (sourceJobId: string, by: object = {}) =>
      assert.rejects(openSourceFile({ sourceJobId }, by), {
        code: 'JOB_NOT_FOUND',
        details: { field: 'sourceJobId' },
      })
    await assertJobNotFound(job.id, { ownerId: 'anon_2' })
    await assertJobNotFound(job.id, { isPublic: true, keyId: 'key_2' })
    await (await openSourceFile({ sourceJobId: job.id }, { isPublic: true, keyId: 'key_1' })).discard()
    for (const id of [newId('job'), newId('upl'), '']) await assertJobNotFound(id)
    await services().jobs.store.changeJob(job.id, { set: { status: 'expired' } })
    await assert.rejects(openSourceFile({ sourceJobId: job.id }), { code: 'FILE_GONE' })
    await services().jobs.store.changeJob(job.id, { set: { deletedAt: new Date().toISOString() } })
    await assertJobNotFound(job.id)
  })
})

describe('job retries', () => {
  const retry = async (state: JobState) => {
    const { job, discard } = await createRetryRequest(state, services())
    const createdState = await startJob({ owner, requestId: 'req_2', ...job }, services())
    return { made: createdState, discard }
  }
  const getRequest = ({ fixed, tasks: recordedTasks, job }: JobState) =>
    [...fixed, ...recordedTasks]
      .toSorted((a, b) => a.number - b.number)
      .map(({ number, name, operation, ins, spec, ...rest }) => ({
        number,
        name,
        operation,
        ins,
        continueOnError: 'continueOnError' in rest,
        spec: services().vault.unsealAll(spec ?? {}, job.id),
      }))

  test('a retried job has the tasks and options of the original and copies of its files', async () => {
    const state = await createJob({ tag: 'mine', failFast: true })
    const { made, discard } = await retry(state)
    await discard()
    assert.deepEqual(getRequest(made), getRequest(state))
    const { options } = services().vault.unsealAll(findTask(made, 'pdf')?.spec ?? {}, made.job.id)
    assert.deepEqual(services().vault.unsealAll(options as object as Record<string, unknown>, made.job.id), {
      password: 'secret',
    })
    assert.deepEqual([made.job.tag, made.job.failFast, made.job.require], ['mine', true, 'all'])
    const listFiles = (jobState: JobState) => jobState.fixed.flatMap(({ files: listFiles = [] }) => listFiles)
    assert.deepEqual(await Promise.all(listFiles(made).map(readContent)), ['The first.', 'The second.'])
    for (const [at, { key, ...file }] of listFiles(made).entries()) {
      const { key: keyBefore, ...same } = listFiles(state)[at] as StoredFile
      assert.deepEqual(file, same)
      assert.notEqual(key, keyBefore)
    }
  })

  test('discarding a job retry deletes the copied files, except those that a job has taken over', async () => {
    const state = await createJob()
    const { job, discard } = await createRetryRequest(state, services())
    const keys = [...job.imports.values()].flatMap((one) => ('source' in one ? [one.source.key] : []))
    assert.equal(keys.length, 2)
    for (const key of keys) assert.match(key, /^received\/2d\/upl_/)
    const [firstImport] = job.imports.values()
    assert.ok(firstImport && 'source' in firstImport)
    assert.equal(Buffer.from(await firstImport.source.read(4, 9)).toString(), 'first')
    firstImport.source.adopt()
    await discard()
    assert.deepEqual(await Promise.all(keys.map(isStored)), [true, false])
  })

  test('retrying a job with a deleted file is rejected and leaves no copies of its other files', async () => {
    const state = await createJob()
    const [, secondFile] = state.fixed.flatMap(({ files = [] }) => files)
    await services().files.delete([secondFile?.key ?? ''])
    const copies: string[] = []
    const { files } = services()
    const copyTo = (file: StoredFile, to: string) => {
      copies.push(to)
      return files.copy(file, to)
    }
    const recordingFiles = { copy: copyTo, delete: (keys: readonly string[]) => files.delete(keys) } as never
    await assert.rejects(createRetryRequest(state, { ...services(), files: recordingFiles }), {
      code: 'FILE_GONE',
    })
    assert.equal(copies.length, 2)
    assert.deepEqual(await Promise.all(copies.map(isStored)), [false, false])
  })

  test('a retried batch reports the items of the original that never had a file', async () => {
    const items = {
      a: importTask,
      b: importTask,
      'a-pdf': { ...pdfTask, input: 'a' },
      'b-pdf': { ...pdfTask, input: 'b' },
      out: createExport(['a-pdf', 'b-pdf']),
    }
    const state = await maker.job(
      items,
      { a: await storeSource('a.txt', 'A.'), b: createEmptySource() },
      { isBatch: true },
    )
    const { made } = await retry(state)
    assert.equal(made.job.require, 'any')
    assert.equal(made.job.tag, null)
    assert.equal(made.job.failFast, undefined)
    const b = made.fixed.find(({ name }) => name === 'b')
    assert.deepEqual(
      [b?.status, b?.code, b?.message, b?.details],
      [
        ...['failed', 'FILE_GONE'],
        'tasks.b: the original job had no file. The file is empty. Check it and send it again.',
        { task: 'b' },
      ],
    )
    assert.ok(findTask(made, 'a-pdf'))
  })

  test('a retried batch reports the same errors as the original batch for items that cannot be converted', async () => {
    const mp3Task = { ...pdfTask, output_format: 'mp3', input: 'b', password: 'secret' }
    const items = {
      a: importTask,
      b: importTask,
      'a-pdf': { ...pdfTask, input: 'a' },
      'b-mp3': mp3Task,
      out: createExport(['a-pdf', 'b-mp3']),
    }
    const state = await maker.job(
      items,
      { a: await storeSource('a.txt', 'A.'), b: await storeSource('b.txt', 'B.') },
      { isBatch: true },
    )
    const refusal = ({ fixed }: JobState) => {
      const { code, message, details } = fixed.find(({ name }) => name === 'b-mp3') ?? assert.fail()
      return { code, message, details }
    }
    assert.equal(refusal(state).code, 'UNSUPPORTED_CONVERSION')
    const { made } = await retry(state)
    assert.deepEqual(refusal(made), refusal(state))
    assert.ok(!JSON.stringify(state).includes('secret'))
    assert.deepEqual(made.job.display.target, { format: 'pdf' })
  })

  test('a retry of a job that never received its upload reports that the original job had no file', async () => {
    const awaitedUpload = await maker.upload()
    const state = await maker.job(
      { in: importTask, out: createExport('in') },
      { in: { awaited: awaitedUpload, form: {} } },
    )
    const { job } = await createRetryRequest(state, services())
    const importSource = job.imports.get('in')
    assert.ok(importSource && 'refused' in importSource)
    assert.equal(importSource.refused.message, 'tasks.in: the original job had no file.')
  })

  test('a retried job fetches remote files again, and a retry is rejected if an operation of the job no longer exists', async () => {
    const url = 'https://a.test/'
    const state = await maker.job({ in: { operation: 'import/url', url }, out: createExport('in') }, {})
    const { made } = await retry(state)
    assert.deepEqual(getRequest(made), getRequest(state))
    assert.deepEqual(services().vault.unsealAll(findTask(made, 'in')?.spec ?? {}, made.job.id), { url })
    const oldState = { ...state, tasks: state.tasks.map((task) => ({ ...task, operation: 'old' })) }
    await assert.rejects(createRetryRequest(oldState, services()), {
      code: 'UNSUPPORTED_CONVERSION',
      message: /^The operation old of this job is no longer supported/,
      details: { operation: 'old' },
    })
  })

  test('a retried job keeps the order of its tasks', async () => {
    const state = await maker.job(
      { in: importTask, pdf: pdfTask, out: createExport('pdf') },
      { in: await storeSource('a.txt', 'A.') },
    )
    const reversedState = { ...state, fixed: [...state.fixed].reverse() as FixedTask[] }
    const { job, discard } = await createRetryRequest(reversedState, services())
    await discard()
    assert.deepEqual(
      job.tasks.map(({ name, input }) => [name, input]),
      [
        ['in', []],
        ['pdf', ['in']],
        ['out', ['pdf']],
      ],
    )
  })
})
