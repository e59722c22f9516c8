import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const png = await readFile(new URL('../fixtures/alpha.png', import.meta.url))
const pdf = await readFile(new URL('../fixtures/three-pages.pdf', import.meta.url))
const folder = scratchFolder('mutabor-pipeline')

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

const createImportTask = (bytes: Buffer, filename: string) => ({
  operation: 'import/base64',
  file: bytes.toString('base64'),
  filename,
})

interface TaskData {
  readonly status: string
  readonly code: string | null
  readonly input: readonly string[]
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly details: Readonly<Record<string, unknown>> | null
  readonly result: { readonly url: string | null; readonly files: readonly { filename: string }[] } | null
}

const create = (tasks: object, fields: object = {}) => client.post('/v1/jobs', { tasks, ...fields })

async function runPipeline(
  tasks: object,
  moreFields: object = {},
): Promise<{ job: JobData; tasks: Record<string, TaskData> }> {
  const job = await client.accepted(await create(tasks, moreFields))
  const response = await client.fetch(`/v1/jobs/${job.jobId}`)
  const { data } = (await response.json()) as { data: { tasks: Record<string, TaskData> } }
  return { job, tasks: data.tasks }
}

const listStatuses = (tasks: Record<string, TaskData>) =>
  Object.fromEntries(Object.entries(tasks).map(([name, { status }]) => [name, status]))

test('parallel conversions merged at the end of a pipeline give one PDF with the pages of all branches', async () => {
  const { job, tasks } = await runPipeline({
    image: createImportTask(png, 'image.png'),
    pages: createImportTask(pdf, 'pages.pdf'),
    jpg: { operation: 'convert', input: 'image', output_format: 'jpg' },
    webp: { operation: 'convert', input: 'image', output_format: 'webp' },
    sheets: { operation: 'convert', input: ['jpg', 'webp'], output_format: 'pdf' },
    whole: { operation: 'merge', input: ['pages', 'sheets'], filename: 'whole-{date}.pdf' },
    out: { operation: 'export/url', input: 'whole' },
  })
  const path = await client.saved(job, folder)
  const { stdout } = await run('pdfinfo', [path])
  assert.match(stdout, /Pages: +5/)
  assert.match(job.result?.filename ?? '', /^whole-\d{4}-\d\d-\d\d\.pdf$/)
  assert.deepEqual(tasks['sheets']?.input, ['jpg', 'webp'])
  assert.equal(tasks['whole']?.details?.['pages'], 5, 'the details that the engine reports')
  const { text } = { text: (await run('pdftotext', [path, '-'])).stdout }
  assert.match(text, /\S/)
})

test('an archive of several inputs contains each file under a unique name', async () => {
  const { job } = await runPipeline({
    image: createImportTask(png, 'image.png'),
    jpg: { operation: 'convert', input: 'image', output_format: 'jpg' },
    small: { operation: 'thumbnail', input: 'image', width: 16 },
    zip: { operation: 'archive', input: ['jpg', 'small', 'image'], filename: 'all' },
    members: { operation: 'extract', input: 'zip' },
    again: { operation: 'convert', input: 'members', output_format: 'webp' },
    out: { operation: 'export/url', input: ['zip', 'again'] },
  })
  const names = ((job.result as unknown as { files: { filename: string }[] }).files ?? []).map(
    ({ filename }) => filename,
  )
  assert.equal(names[0], 'all.zip')
  const { stdout } = await run('unzip', ['-Z1', await client.saved(job, folder)])
  assert.deepEqual(stdout.trim().split('\n').sort(), ['image (2).png', 'image.jpg', 'image.png'])
  assert.equal(names.length, 4, names.join(', '))
})

test('a failed branch of a pipeline does not stop the other branch, and the job fails with the error of the branch', async () => {
  const { job, tasks } = await runPipeline({
    pages: createImportTask(pdf, 'pages.pdf'),
    locked: { operation: 'encrypt-pdf', input: 'pages', options: { password: 'one' } },
    wrong: { operation: 'decrypt-pdf', input: 'locked', options: { password: 'two' } },
    after: { operation: 'convert', input: 'wrong', output_format: 'jpg' },
    fine: { operation: 'convert', input: 'pages', output_format: 'txt' },
    out: { operation: 'export/url', input: ['after', 'fine'] },
  })
  assert.deepEqual([job.status, job.error?.code], ['failed', 'PDF_ENCRYPTED'])
  assert.deepEqual(listStatuses(tasks), {
    pages: 'completed',
    locked: 'completed',
    wrong: 'failed',
    after: 'cancelled',
    fine: 'completed',
    out: 'cancelled',
  })
  assert.equal(tasks['after']?.code, 'INPUT_TASK_FAILED')
  const download = await client.fetch(`/v1/download/${job.jobId}`)
  assert.equal(download.status, 409)
})

test('a pipeline with continue_on_error completes without the files of the failed task', async () => {
  const { job, tasks } = await runPipeline({
    pages: createImportTask(pdf, 'pages.pdf'),
    locked: { operation: 'encrypt-pdf', input: 'pages', options: { password: 'one' } },
    wrong: {
      operation: 'decrypt-pdf',
      input: 'locked',
      options: { password: 'two' },
      continue_on_error: true,
    },
    both: { operation: 'archive', input: ['wrong', 'pages'] },
    out: { operation: 'export/url', input: 'both' },
  })
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  assert.equal(tasks['wrong']?.status, 'failed')
  const { stdout } = await run('unzip', ['-Z1', await client.saved(job, folder)])
  assert.equal(stdout.trim(), 'pages.pdf')
})

test('cancelling a job marks its unfinished tasks as cancelled', async () => {
  const response = await create({
    pages: createImportTask(pdf, 'pages.pdf'),
    word: { operation: 'convert', input: 'pages', output_format: 'docx' },
    back: { operation: 'convert', input: 'word', output_format: 'pdf' },
    out: { operation: 'export/url', input: 'back' },
  })
  const { jobId } = (await response.json()) as { jobId: string }
  const cancelReply = await client.fetch(`/v1/jobs/${jobId}/cancel`, { method: 'POST' })
  const { data } = (await cancelReply.json()) as { data: { status: string; tasks: Record<string, TaskData> } }
  assert.equal(cancelReply.status, 200)
  assert.equal(data.status, 'cancelled')
  assert.equal(data.tasks['back']?.status, 'cancelled')
  assert.equal(data.tasks['out']?.status, 'cancelled')
  assert.equal((await client.fetch(`/v1/jobs/${jobId}/cancel`, { method: 'POST' })).status, 409)
})

test('a retried job completes with a result of the same size, even if the first job is deleted', async () => {
  const firstJob = await runPipeline({
    image: createImportTask(png, 'image.png'),
    jpg: { operation: 'convert', input: 'image', output_format: 'jpg' },
    out: { operation: 'export/url', input: 'jpg' },
  })
  const retryReply = await client.fetch(`/v1/jobs/${firstJob.job.jobId}/retry`, { method: 'POST' })
  assert.equal((await client.fetch(`/v1/jobs/${firstJob.job.jobId}`, { method: 'DELETE' })).status, 204)
  const secondJob = await client.accepted(retryReply)
  assert.equal((secondJob as unknown as { retryOf: string }).retryOf, firstJob.job.jobId)
  assert.equal(secondJob.result?.size, firstJob.job.result?.size)
  assert.equal((await client.fetch(`/v1/jobs/${firstJob.job.jobId}/retry`, { method: 'POST' })).status, 404)
})

/** Invalid graphs, with the task that the error names. */
const wrongPipelines: readonly (readonly [
  caseName: string,
  tasks: object,
  task: string,
  sentence: RegExp,
])[] = [
  ['a cycle', { a: 'b', b: 'a' }, 'a', /its inputs form a cycle/],
  ['a task that is its own input', { a: 'a' }, 'a', /its own input/],
  ['an input that is not a task', { a: 'missing' }, 'a', /names the task "missing", which does not exist/],
]
for (const [caseName, inputs, task, sentence] of wrongPipelines) {
  test(`a job with ${caseName} is refused, and the error names the task`, async () => {
    const tasks = Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => [
        name,
        { operation: 'convert', input, output_format: 'pdf' },
      ]),
    )
    const response = await create({ ...tasks, out: { operation: 'export/url', input: Object.keys(tasks) } })
    const { error } = (await response.json()) as { error: { code: string; message: string; details: object } }
    assert.deepEqual([response.status, error.code], [400, 'INVALID_REQUEST'])
    assert.match(error.message, sentence)
    assert.partialDeepStrictEqual(error.details, { task })
  })
}

const image = createImportTask(png, 'image.png')
const refusals: readonly (readonly [caseName: string, tasks: object, code: string, field: string])[] = [
  ['an unknown operation', { a: { operation: 'transmute' } }, 'INVALID_REQUEST', 'tasks.a.operation'],
  ['an unknown field of an import task', { a: { ...image, quality: 3 } }, 'INVALID_INPUT', 'tasks.a.quality'],
  ['a task name with a slash', { 'a/b': image }, 'INVALID_REQUEST', 'tasks.a/b'],
  ['a file that is not base64', { a: { ...image, file: '§' }, out: 'a' }, 'INVALID_INPUT', 'tasks.a.file'],
  [
    'a conversion without a target',
    { a: image, b: { operation: 'convert', input: 'a' }, out: 'b' },
    'INVALID_REQUEST',
    'tasks.b.output_format',
  ],
  [
    'an unsupported target format',
    { a: image, b: { operation: 'convert', input: 'a', output_format: 'mp3' }, out: 'b' },
    'UNSUPPORTED_CONVERSION',
    'tasks.b',
  ],
  [
    'an option of the wrong type',
    {
      a: image,
      b: { operation: 'convert', input: 'a', output_format: 'jpg', jpegQuality: 'much' },
      out: 'b',
    },
    'INVALID_INPUT',
    'tasks.b.jpegQuality',
  ],
]
for (const [caseName, givenTasks, code, field] of refusals) {
  test(`a job with ${caseName} is refused, and the error names the task and the field`, async () => {
    const { out, ...tasks } = givenTasks as Record<string, unknown>
    const response = await create({
      ...tasks,
      ...(out !== undefined && { out: { operation: 'export/url', input: out } }),
    })
    const { error } = (await response.json()) as { error: { code: string; details: { field: string } } }
    assert.deepEqual([error.code, error.details.field], [code, field])
  })
}

test('the file of a conversion or export task can be downloaded, but a task that does not exist returns 404', async () => {
  const { job } = await runPipeline({
    image,
    jpg: { operation: 'convert', input: 'image', output_format: 'jpg' },
    gif: { operation: 'convert', input: 'jpg', output_format: 'gif' },
    out: { operation: 'export/url', input: 'gif' },
  })
  // `task` selects the file of this task, which may be an intermediate one. Without it, the job's result is returned.
  for (const [query, magic] of [
    ['?task=jpg', 'ffd8ff'],
    ['?task=gif', '474946'],
    ['?task=out', '474946'],
    ['', '474946'],
  ]) {
    const downloadReply = await client.fetch(`/v1/download/${job.jobId}${query}`)
    assert.equal(downloadReply.status, 302)
    const bytes = Buffer.from(await (await fetch(downloadReply.headers.get('location') ?? '')).arrayBuffer())
    assert.equal(bytes.toString('hex', 0, 3), magic, query)
  }
  const response = await client.fetch(`/v1/download/${job.jobId}?task=nowhere`)
  assert.equal(response.status, 404)
  const { error } = (await response.json()) as { error: { code: string } }
  assert.equal(error.code, 'TASK_NOT_FOUND')
})

test('capturing a website in the local network is refused', async () => {
  const response = await create({
    page: { operation: 'capture-website', url: service.url, outputFormat: 'png', cookies: { a: 'secret' } },
    out: { operation: 'export/url', input: 'page' },
  })
  const { error } = (await response.json()) as { error: { code: string; details: { field: string } } }
  assert.deepEqual([error.code, error.details.field], ['URL_NOT_ALLOWED', 'tasks.page.url'])
})

test('a job may shorten the retention of its files, but not extend it', async () => {
  const tasks = { in: createImportTask(png, 'a.png'), out: { operation: 'export/url', input: 'in' } }
  const readRetention = async (expiresIn: number) => {
    const job = await client.accepted(await create(tasks, { expiresIn }))
    const { endedAt, expiresAt } = job as unknown as Record<'endedAt' | 'expiresAt', string>
    return (Date.parse(expiresAt) - Date.parse(endedAt)) / 1000
  }
  assert.equal(await readRetention(90), 90)
  assert.equal(await readRetention(1_000_000), 24 * 3600)
  assert.equal((await create(tasks, { expiresIn: 59 })).status, 400)
})
