import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'
import { openDriveServer } from '../transfer/drive-server.ts'

/** Tests saving results to a drive, from the consent of its owner to the stored file. */

let drive: Awaited<ReturnType<typeof openDriveServer>>
let service: TestService
let client: Client
before(async () => {
  drive = await openDriveServer()
  service = await startService({
    DRIVES: JSON.stringify(drive.settings),
    OUTGOING_ALLOW: '127.0.0.0/8,::1/128',
  })
  client = new Client(service)
})
after(async () => {
  await service.stop()
  drive.close()
})

async function fetchData<T>(response: Response): Promise<T> {
  const text = await response.text()
  assert.ok(response.ok, text)
  return JSON.parse(text).data
}

async function connect(id: string, access: 'read' | 'write'): Promise<string> {
  const startedAuthorization = await fetchData<{ authorizationUrl: string }>(
    await client.fetch(`/v1/cloud/${id}/auth?access=${access}`),
  )
  const { headers } = await fetch(startedAuthorization.authorizationUrl, { redirect: 'manual' })
  const { pathname, search } = new URL(headers.get('location') ?? '')
  return (await fetchData<{ connectionId: string }>(await client.fetch(`${pathname}${search}`))).connectionId
}

async function convert(name: string): Promise<JobData> {
  const response = await client.convert({ name, bytes: Buffer.from('# Hello') }, { targetFormat: 'html' })
  return client.finishedJob((await fetchData<JobData>(response)).jobId)
}

async function readErrorCode(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } }
  return `${response.status} ${error.code}`
}

for (const [id, folder] of [
  ['google-drive', 'dir'],
  ['dropbox', '/Folder'],
  ['onedrive', 'dir'],
] as const)
  test(`conversion results are saved to a folder of the drive ${id}`, async () => {
    const connectionId = await connect(id, 'write')
    const jobs = [await convert('one.md'), await convert('two.md')]
    const folderId = id === 'dropbox' ? 'id:dir' : 'dir'
    const body = { connectionId, folderId, jobIds: jobs.map(({ jobId }) => jobId), tag: 'saved' }
    const response = await client.post(`/v1/cloud/${id}/export`, body)
    assert.equal(response.status, 202)
    const { jobId, files } = await fetchData<{ jobId: string; files: { filename: string }[] }>(response)
    assert.deepEqual(
      files.map(({ filename }) => filename),
      ['one.html', 'two.html'],
    )
    const job = await client.finishedJob(jobId)
    assert.equal(job.status, 'completed', job.error?.message)
    const storedFiles = drive.uploads.files.filter((file) => file.drive === id)
    assert.deepEqual(
      storedFiles.map(({ parent, name }) => [parent, name]),
      [
        [folder, 'one.html'],
        [folder, 'two.html'],
      ],
    )
    assert.deepEqual(storedFiles[0]?.bytes, await client.download(jobs[0]?.jobId ?? ''))
    const shownJob = JSON.stringify(await fetchData(await client.fetch(`/v1/jobs/${jobId}`)))
    assert.ok(!shownJob.includes(drive.state.access), 'the token is not shown')
    assert.match(shownJob, /"url":"(?:https|dropbox):\/\/[^"]+"/)
  })

/** Tasks that wait for an upload. */
const waitingTasks = {
  file: { operation: 'import/upload' },
  page: { operation: 'convert', input: 'file', output_format: 'html' },
  out: { operation: 'export/url', input: 'page' },
}

test('an invalid drive export is refused with the matching error code', async () => {
  const connectionId = await connect('dropbox', 'write')
  const { jobId } = await convert('one.md')
  const send = (fields: object) =>
    client.post('/v1/cloud/dropbox/export', { connectionId, jobId, ...fields }).then(readErrorCode)
  assert.equal(await send({ connectionId: await connect('dropbox', 'read') }), '409 DRIVE_NOT_CONNECTED')
  assert.equal(await send({ folderId: 'id:f1' }), '502 EXPORT_FAILED')
  assert.equal(await send({ folderId: 'id:none' }), '502 EXPORT_FAILED')
  assert.equal(await send({ jobIds: [jobId] }), '400 INVALID_INPUT')
  assert.equal(await send({ task: 'none' }), '404 TASK_NOT_FOUND')
  assert.equal(await send({ file: 'none.txt' }), '404 TASK_NOT_FOUND')
  assert.equal(await send({ jobId: 'job_01M8GX6F5KSMSJJG8QCW3YEE51' }), '404 JOB_NOT_FOUND')
  const waitingJob = await client.post('/v1/jobs', { tasks: waitingTasks })
  assert.equal(await send({ jobId: (await fetchData<JobData>(waitingJob)).jobId }), '409 CONFLICT')
  const stranger = new Client(service)
  const strangerReply = await stranger.post('/v1/cloud/dropbox/export', { connectionId, jobId })
  assert.equal(await readErrorCode(strangerReply), '409 DRIVE_NOT_CONNECTED')
})

test('an export to a full drive fails with the reason', async () => {
  const connectionId = await connect('onedrive', 'write')
  const { jobId } = await convert('one.md')
  drive.uploads.isFull = true
  const reply = await client.post('/v1/cloud/onedrive/export', { connectionId, jobId, file: 'one.html' })
  const job = await client.finishedJob((await fetchData<JobData>(reply)).jobId)
  drive.uploads.isFull = false
  assert.deepEqual([job.status, job.error?.code], ['failed', 'EXPORT_FAILED'])
  assert.match(job.error?.message ?? '', /OneDrive has no space left/)
})

test('a drive export whose token cannot be renewed is refused with an export error', async () => {
  // The token's lifetime is too short for a task, so that each request renews the token.
  drive.state.lifetimeS = 60
  const connectionId = await connect('google-drive', 'write')
  const { jobId } = await convert('one.md')
  drive.state.dropsTokenRequests = true
  const reply = await client.post('/v1/cloud/google-drive/export', { connectionId, jobId })
  drive.state.dropsTokenRequests = false
  drive.state.lifetimeS = 3600
  assert.equal(await readErrorCode(reply), '502 EXPORT_FAILED')
})
