import assert from 'node:assert/strict'
import { defined } from '../../lib/validation/defined.ts'
import { type CompatCases, type CompatService, createSender } from './sdk.ts'

/** Creates one part of a form from its headers and its body. */
const createPart = (head: readonly string[], body: string) =>
  [`--${boundary}`, ...head, '', body, ''].join('\r\n')
const boundary = '0123456789abcdef'

export interface RecordedForm {
  readonly url: string
  readonly parameters: Readonly<Record<string, string>>
}

/** How an SDK writes its requests and forms. */
interface SdkForm {
  readonly headers: Readonly<Record<string, string>>
  /** Content type of the forms. */
  readonly type: string
  readonly field: (name: string, value: string) => readonly string[]
  readonly file: readonly string[]
  /** Whether the SDK sends its key to the storage too. */
  readonly sendsKeyToStorage?: true
}

/** Forms as the SDKs write them, recorded from their requests. */
const writers = {
  Python: {
    headers: { 'user-agent': 'CloudConvertSDK/CloudConvert-Python-SDK 2.1.0', accept: 'application/json' },
    type: `multipart/form-data; boundary=${boundary}`,
    field: (name) => [`Content-Disposition: form-data; name="${name}"`],
    file: ['Content-Disposition: form-data; name="file"; filename="letter.md"'],
  },
  PHP: {
    headers: { 'user-agent': 'cloudconvert-php/v3', 'accept-encoding': 'application/json' },
    type: `multipart/form-data; boundary="${boundary}"`,
    field: (name, value) => [
      `Content-Disposition: form-data; name="${name}"`,
      `Content-Length: ${value.length}`,
    ],
    file: [
      'Content-Disposition: form-data; name="file"; filename="letter.md"',
      'Content-Length: 7',
      'Content-Type: text/markdown',
    ],
  },
  Java: {
    headers: { 'user-agent': 'cloudconvert-java/v2' },
    type: `multipart/form-data; charset=ISO-8859-1; boundary=${boundary}`,
    field: (name) => [
      `Content-Disposition: form-data; name="${name}"`,
      'Content-Type: text/plain; charset=ISO-8859-1',
      'Content-Transfer-Encoding: 8bit',
    ],
    file: [
      'Content-Disposition: form-data; name="file"; filename="letter.md"',
      'Content-Type: application/octet-stream',
      'Content-Transfer-Encoding: binary',
    ],
    sendsKeyToStorage: true,
  },
} satisfies Record<string, SdkForm>

async function upload(
  { url, parameters }: RecordedForm,
  writer: SdkForm,
  { key }: CompatService,
): Promise<void> {
  const fields = Object.entries(parameters).map(([name, value]) =>
    createPart(writer.field(name, value), value),
  )
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': writer.type,
      ...defined({ authorization: writer.sendsKeyToStorage && `Bearer ${key}` }),
    },
    body: [...fields, createPart(writer.file, '# Title'), `--${boundary}--\r\n`].join(''),
  })
  assert.equal(response.status, 201, await response.text())
}

/**
 * Creates a job of three tasks, waits for its end, retries one of its tasks, and tries to cancel that task too late.
 */
async function checkJobs(compatService: CompatService, writer: SdkForm): Promise<void> {
  const call = createSender(compatService, writer.headers)
  const createdJob = await call('POST', '/v2/jobs', {
    tag: '',
    tasks: {
      file: { operation: 'import/upload' },
      page: { operation: 'convert', input: 'file', input_format: 'md', output_format: 'html' },
      link: { operation: 'export/url', input: ['page'] },
    },
  })
  assert.equal(createdJob.status, 201)
  const { id, tasks } = createdJob.body.data
  await upload(tasks[0].result.form, writer, compatService)
  const finishedJob = await call('GET', `/v2/jobs/${id}/wait`)
  assert.equal(finishedJob.body.data.status, 'finished')
  const [{ url: link }] = finishedJob.body.data.tasks[2].result.files
  assert.match(await (await fetch(link)).text(), /Title/)
  const retriedTask = await call('POST', `/v2/tasks/${tasks[1].id}/retry`, {})
  assert.equal(retriedTask.status, 201)
  const retriedTaskId = retriedTask.body.data.id
  assert.equal((await call('GET', `/v2/tasks/${retriedTaskId}/wait`)).body.data.status, 'finished')
  assert.equal((await call('POST', `/v2/tasks/${retriedTaskId}/cancel`, {})).status, 409)
}

/**
 * Creates single tasks, each with an earlier one as input, without waiting until the service has noticed the upload.
 */
async function checkTasks(compatService: CompatService, writer: SdkForm): Promise<void> {
  const call = createSender(compatService, writer.headers)
  const file = await call('POST', '/v2/import/upload', { operation: 'import/upload' })
  assert.deepEqual([file.status, file.body.data.status], [201, 'waiting'])
  await upload(file.body.data.result.form, writer, compatService)
  const source = (await call('GET', `/v2/tasks/${file.body.data.id}`)).body.data
  assert.equal(source.operation, 'import/upload')
  const page = await call('POST', '/v2/convert', {
    operation: 'convert',
    input: [source.id],
    input_format: 'md',
    output_format: 'html',
    engine: null,
    engine_version: null,
    filename: null,
    name: 'my-page',
  })
  assert.equal(page.status, 201, JSON.stringify(page.body))
  const { id, name } = page.body.data
  assert.equal(name, 'my-page')
  assert.equal((await call('GET', `/v2/tasks/${id}/wait`)).body.data.status, 'finished')
  const zip = await call('POST', '/v2/archive', { input: [source.id, id], output_format: 'zip' })
  await call('GET', `/v2/tasks/${zip.body.data.id}/wait`)
  const link = await call('POST', '/v2/export/url', { input: zip.body.data.id, inline: false })
  const status = await call('GET', `/v2/tasks/${link.body.data.id}/wait`)
  const [onlyFile, ...otherFiles] = status.body.data.result.files
  assert.deepEqual([status.body.data.status, otherFiles], ['finished', []])
  assert.match(await (await fetch(onlyFile.url)).text(), /^PK/)
  for (const task of [id, source.id]) assert.equal((await call('DELETE', `/v2/tasks/${task}`)).status, 204)
  // Later tasks use copies of the files of the deleted tasks.
  assert.equal((await fetch(onlyFile.url)).status, 200)
}

export const recordedCases: CompatCases = Object.fromEntries(
  Object.entries<SdkForm>(writers).flatMap(([language, writer]) => [
    [
      `what the SDK for ${language} sends works`,
      (compatService: CompatService) => checkJobs(compatService, writer),
    ],
    [
      `what the SDK for ${language} sends for tasks without a job works`,
      (compatService: CompatService) => checkTasks(compatService, writer),
    ],
  ]),
)
