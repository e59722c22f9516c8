import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSealed } from '../../lib/crypto/sealed.ts'
import { getWebhookIdOfJob } from '../../lib/webhooks/webhook.ts'
import { Webhooks } from '../../lib/webhooks/webhooks.ts'
import {
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

describe('job creation', () => {
  test('a new job is stored as requested and displays its first file and last target', async () => {
    const a = createText('a.txt')
    const requestedFields = { keyId: 'key_1', tag: 'mine', retryOf: 'job_0', failFast: true, expiresInS: 60 }
    const createdState = await maker.job(
      {
        in: importTask,
        more: importTask,
        pdf: { ...pdfTask, input: ['in', 'more'], continue_on_error: true },
        page: { operation: 'thumbnail', input: 'pdf' },
        out: { ...createExport(['page']), filename: 'b' },
      },
      { in: { source: a.source }, more: { source: createText('b.md').source } },
      requestedFields,
    )
    assert.deepEqual(await maker.app.services.jobs.store.getState(createdState.job.id), createdState)
    const { job } = createdState
    assert.deepEqual(
      [job.owner, job.keyId, job.requestId, job.tag, job.retryOf, job.failFast, job.retentionS, job.require],
      [owner, 'key_1', 'req_1', 'mine', 'job_0', true, 60, 'all'],
    )
    assert.deepEqual(job.display, {
      source: { filename: 'a.txt', format: 'txt', size: 7 },
      target: { format: 'png' },
      operations: ['import/upload', 'convert', 'thumbnail', 'export/url'],
      // The interval for documents, because the document is the only file with a known route.
      pollS: 5,
    })
    assert.deepEqual(
      findFixedTask(createdState, 'more')?.files?.map(({ filename, format }) => [filename, format]),
      [['b.md', 'md']],
    )
    assert.deepEqual(findFixedTask(createdState, 'out')?.spec, { filename: 'b' })
    assert.equal(findFixedTask(createdState, 'out')?.status, 'pending')
    const pdf = findTask(createdState, 'pdf')
    assert.deepEqual([pdf?.ins, pdf?.spec, pdf?.continueOnError], [[0, 1], { to: 'pdf', options: {} }, true])
    assert.equal(findTask(createdState, 'page')?.continueOnError, undefined)
    assert.equal(a.adopted, 1)
  })

  test('a new job gets default settings and the retention time of the service', async () => {
    const png = { in: { source: source('a.png', fixture('corners.png')).source } }
    const { job } = await maker.job(
      { in: importTask, jpg: { ...pdfTask, output_format: 'jpg' }, out: createExport('jpg') },
      png,
    )
    assert.deepEqual(
      [job.tag, job.keyId, job.failFast, job.hasWebhook],
      [null, undefined, undefined, undefined],
    )
    assert.equal(job.retentionS, maker.app.services.config.RETENTION_HOURS * 3600)
    assert.equal(job.display.pollS, 2, 'images are converted quickly')
    const jobWithLongTask = await maker.job(
      { in: importTask, jpg: { ...pdfTask, output_format: 'jpg' }, out: createExport('jpg') },
      png,
      {
        expiresInS: 1e7,
      },
    )
    assert.equal(jobWithLongTask.job.retentionS, job.retentionS)
  })

  test('a new job detects the format of a file once for tasks with the same requirements', async () => {
    const countReads = async (inputNames: readonly string[]) => {
      const bytes = fixture('corners.png')
      let count = 0
      const read = async (start: number, end: number) => {
        count += 1
        return bytes.subarray(start, end)
      }
      const conversionTasks = inputNames.map((name) => [name, { ...pdfTask, output_format: 'jpg' }])
      await maker.job(
        { in: importTask, ...Object.fromEntries(conversionTasks), out: createExport(inputNames) },
        { in: source('a.png', bytes, { read }) },
      )
      return count
    }
    const readsOfOneInput = await countReads(['a'])
    assert.ok(readsOfOneInput > 0)
    assert.equal(await countReads(['a', 'b', 'c']), readsOfOneInput)
  })

  test('a new job returns warnings about unknown options', async () => {
    const odd = { ...pdfTask, oddness: 1 }
    const createdState = await maker.job(
      { in: importTask, pdf: odd, out: createExport('pdf') },
      { in: createText() },
    )
    assert.deepEqual(
      findTask(createdState, 'pdf')?.warnings.map(({ code, field }) => [code, field]),
      [['UNKNOWN_PARAMETER', 'oddness']],
    )
  })

  test('a new job that awaits an upload is stored without a conversion plan', async () => {
    const awaitedUpload = await maker.upload()
    const createdState = await maker.job(
      {
        other: importTask,
        in: importTask,
        pdf: { ...pdfTask, oddness: 1 },
        out: createExport(['pdf', 'other']),
      },
      { other: createText(), in: { awaited: awaitedUpload, form: { url: 'http://a.test' } } },
    )
    const waitingTask = findTask(createdState, 'in')
    assert.deepEqual([waitingTask?.uploadId, waitingTask?.form], [awaitedUpload.id, { url: 'http://a.test' }])
    const { jobId, task } = (await maker.app.services.uploads.get(awaitedUpload.id)) ?? {}
    assert.deepEqual([jobId, task], [createdState.job.id, 1])
    assert.deepEqual([createdState.job.status, createdState.job.display.pollS], ['pending', 5])
    assert.deepEqual(findTask(createdState, 'pdf')?.warnings, [])
  })

  test('a new job that only awaits uploads displays its target but no source', async () => {
    const createdState = await maker.job(
      { in: importTask, gif: { ...pdfTask, output_format: 'gif' }, out: createExport('gif') },
      { in: { awaited: await maker.upload(), form: {} } },
    )
    assert.deepEqual(
      [createdState.job.display.source, createdState.job.display.target],
      [null, { format: 'gif' }],
    )
    const plainJob = await maker.job(
      { in: importTask, out: createExport('in') },
      { in: { awaited: await maker.upload(), form: {} } },
    )
    assert.equal(plainJob.job.display.target, null)
    const givenState = await maker.job({ in: importTask, out: createExport('in') }, { in: createText() })
    assert.deepEqual(givenState.job.display.target, { format: 'txt' })
  })

  test('a new job can fetch a remote file as an upload that later requests can use', async () => {
    const into = await maker.upload()
    const fetchTask = { operation: 'import/url', url: 'https://a.test/b', headers: { a: 'b' } }
    const createdState = await maker.job({ in: fetchTask, out: createExport('in') }, { in: { into } })
    const task = findTask(createdState, 'in')
    assert.equal(task?.uploadId, into.id)
    assert.ok(isSealed(task?.spec['url']) && isSealed(task?.spec['headers']))
    assert.equal((await maker.app.services.uploads.get(into.id))?.importJobId, createdState.job.id)
    const loneState = await maker.job({ in: fetchTask, out: createExport('in') }, {})
    assert.equal(findTask(loneState, 'in')?.uploadId, undefined)
  })

  test('a new job encrypts passwords and keys before storing them', async () => {
    const store = { bucket: 'box', region: 'eu-central-1', access_key_id: 'AK', secret_access_key: 's' }
    const createdState = await maker.job(
      {
        in: importTask,
        locked: { operation: 'encrypt-pdf', input: 'in', password: 'new', dpi: 1 },
        out: { operation: 'export/s3', input: 'locked', key: 'a', ...store },
      },
      { in: source('a.pdf', fixture('report.pdf')) },
    )
    const { vault } = maker.app.services
    const sentSpec = findTask(createdState, 'out')?.spec ?? {}
    assert.ok(isSealed(sentSpec['secret_access_key']))
    assert.deepEqual(vault.unsealAll(sentSpec, createdState.job.id), { key: 'a', ...store })
    const { options = {} } = (findTask(createdState, 'locked')?.spec ?? {}) as {
      options?: Record<string, unknown>
    }
    assert.ok(isSealed(options['password']))
    assert.deepEqual(vault.unsealAll(options, createdState.job.id), { password: 'new', dpi: 1 })
  })

  test('a new job stores its webhook, and is rejected if the webhook URL is private', async () => {
    const url = 'https://example.com/hook'
    const tasks = { in: importTask, pdf: pdfTask, out: createExport('pdf') }
    const { job } = await maker.job(
      tasks,
      { in: createText() },
      { webhookUrl: url, webhookFormat: 'facade-v2' },
    )
    assert.equal(job.hasWebhook, true)
    const webhooks = new Webhooks(maker.app.services)
    const webhook = await webhooks.store.find(getWebhookIdOfJob(job.id))
    assert.ok(webhook)
    assert.deepEqual([webhooks.getUrl(webhook), webhook.format, webhook.owner], [url, 'facade-v2', owner])
    await assert.rejects(maker.job(tasks, { in: createText() }, { webhookUrl: 'http://127.0.0.1/' }), {
      code: 'URL_NOT_ALLOWED',
    })
  })
})
