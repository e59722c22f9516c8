import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { after, before } from '../hooks.ts'
import { Client, type JobData, type Presigned, startService, type TestService } from '../support/service.ts'

let service: TestService
let client: Client
let png: Buffer<ArrayBuffer>
before(async () => {
  service = await startService()
  client = new Client(service)
  png = Buffer.from(
    await sharp({ create: { width: 64, height: 48, channels: 3, background: '#c33' } })
      .png()
      .toBuffer(),
  )
})
after(() => service.stop())

const readData = async (response: Response) => ((await response.json()) as { data: JobData }).data

async function convertPng(name = 'red.png', fields: Record<string, string> = {}): Promise<JobData> {
  const createdReply = await client.convert({ name, bytes: png }, { targetFormat: 'webp', ...fields })
  assert.equal(createdReply.status, 202)
  return client.finishedJob((await readData(createdReply)).jobId)
}

test('POST /v1/convert with a file in a form creates a job that converts the file', async () => {
  const createdReply = await client.convert({ name: 'red.png', bytes: png }, { targetFormat: 'webp' })
  assert.equal(createdReply.status, 202)
  assert.match(createdReply.headers.get('location') ?? '', /^\/v1\/jobs\/job_/)
  assert.equal(createdReply.headers.get('retry-after'), '2')
  const body = (await createdReply.json()) as { jobId: string; status: string; data: JobData }
  assert.equal(body.jobId, body.data.jobId)
  assert.equal(body.status, 'queued')
  const job = await client.finishedJob(body.jobId)
  assert.equal(job.status, 'completed')
  assert.equal(job.result?.filename, 'red.webp')
  assert.equal(job.result?.mimeType, 'image/webp')
  const bytes = await client.download(job.jobId)
  const image = await sharp(bytes).metadata()
  assert.deepEqual([image.format, image.width, image.height], ['webp', 64, 48])
  assert.equal(bytes.length, job.result?.size)
  assert.equal(createHash('sha256').update(bytes).digest('hex'), job.result?.sha256)
})

test('sourceJobId converts the file of an earlier job again, and only for the owner of that job', async () => {
  const firstJob = await convertPng()
  const convertAgain = (fields: Record<string, unknown>, by = client) =>
    by.post('/v1/convert', { sourceJobId: firstJob.jobId, targetFormat: 'jpg', ...fields })
  const secondJob = await client.accepted(await convertAgain({ quality: 20 }))
  const thirdJob = await client.accepted(
    await convertAgain({ sourceTask: 'convert-file', targetFormat: 'png' }),
  )
  await client.fetch(`/v1/jobs/${firstJob.jobId}`, { method: 'DELETE' })
  const [job, third] = [await client.finishedJob(secondJob.jobId), await client.finishedJob(thirdJob.jobId)]
  assert.equal(job.result?.filename, 'red.jpg')
  assert.equal((await sharp(await client.download(job.jobId)).metadata()).format, 'jpeg')
  assert.equal(third.result?.filename, 'red.png')

  const readErrorCode = async (response: Response) =>
    ((await response.json()) as { error?: { code: string } }).error?.code
  assert.equal(await readErrorCode(await convertAgain({})), 'JOB_NOT_FOUND')
  const sourceJobId = secondJob.jobId
  assert.equal(await readErrorCode(await convertAgain({ sourceJobId }, new Client(service))), 'JOB_NOT_FOUND')
  assert.equal(await readErrorCode(await convertAgain({ sourceJobId, sourceTask: 'x' })), 'TASK_NOT_FOUND')
  assert.equal(await readErrorCode(await convertAgain({ sourceJobId, quality: 'x' })), 'INVALID_INPUT')
  assert.equal(await readErrorCode(await convertAgain({ sourceJobId, uploadId: 'upl_1' })), 'INVALID_REQUEST')
})

test('POST /v1/convert with Prefer: wait replies when the job has completed', async () => {
  const response = await client.convert(
    { name: 'red.png', bytes: png },
    { targetFormat: 'jpg' },
    { prefer: 'wait=25' },
  )
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('preference-applied'), 'wait=25')
  const job = await readData(response)
  assert.equal(job.status, 'completed')
  assert.equal(job.progress.percent, 100)
})

const waitHeader = { prefer: 'wait=25' }

async function followRedirect(headers: Record<string, string> = waitHeader): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([png]), 'red.png')
  form.set('targetFormat', 'webp')
  const response = await client.fetch('/v1/convert?redirect=true', {
    method: 'POST',
    body: form,
    headers,
  })
  assert.equal(response.status, 303)
  return response.headers.get('location') ?? ''
}

test('POST /v1/convert with redirect=true redirects the client to the result', async () => {
  const response = await client.fetch(await followRedirect())
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'image/webp')
  assert.match(response.headers.get('content-disposition') ?? '', /red\.webp/)
})

test('an HTML form without scripts downloads the result with redirect=true', async () => {
  const response = await client.fetch(
    await followRedirect({ accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }),
  )
  assert.equal(response.headers.get('content-type'), 'image/webp')
})

test('a request repeated with its idempotency key is redirected to the same download URL', async () => {
  const key = { ...waitHeader, 'idempotency-key': crypto.randomUUID() }
  const firstDownload = await followRedirect(key)
  assert.match(firstDownload, /\/v1\/download\/job_/)
  assert.equal(await followRedirect(key), firstDownload)
})

test('the earlier names of the field targetFormat are still accepted', async () => {
  for (const field of ['output_format', 'target']) {
    const response = await client.convert({ name: 'red.png', bytes: png }, { [field]: 'webp' })
    assert.equal(response.status, 202, field)
  }
})

test('an invalid conversion option is refused, and an unknown option is ignored with a warning', async () => {
  const job = await convertPng('red.png', { quality: '40', colour: 'blue' })
  assert.equal(job.status, 'completed')
  assert.deepEqual(
    job.warnings.map(({ code, field }) => [code, field]),
    [['UNKNOWN_PARAMETER', 'colour']],
  )
  const wrongReply = await client.convert(
    { name: 'red.png', bytes: png },
    { targetFormat: 'webp', quality: 'best' },
  )
  assert.equal(wrongReply.status, 400)
  const { error } = (await wrongReply.json()) as { error: { message: string; details: { field: string } } }
  assert.equal(error.details.field, 'quality')
  assert.match(
    error.message,
    /^quality: expected a whole number from 1 to 100, or low, medium, high or highest, got "best"\.$/,
  )
})

test('an encrypted DOCX is converted to text with its password', async () => {
  const locked = { name: 'a.docx', bytes: await readFile('test/fixtures/office/locked.docx') }
  const createdReply = await client.convert(locked, { targetFormat: 'txt', password: 'secret' })
  const job = await client.finishedJob((await readData(createdReply)).jobId)
  assert.deepEqual([job.status, job.error], ['completed', null])
  assert.match(new TextDecoder().decode(await client.download(job.jobId)), /\w{3}/)
})

test('an option sent twice with different values is rejected, even if the notations differ', async () => {
  for (const repeatedOption of [
    { colorSpace: 'srgb', color_space: 'grayscale' },
    { quality: '40', options: '{"quality":50}' },
  ]) {
    const wrongReply = await client.convert(
      { name: 'red.png', bytes: png },
      { targetFormat: 'jpg', ...repeatedOption },
    )
    const { error } = (await wrongReply.json()) as { error: { code: string; message: string } }
    assert.deepEqual([wrongReply.status, error.code], [400, 'INVALID_INPUT'])
    assert.match(error.message, /sent twice with different values/)
  }
  const sameOptions = { targetFormat: 'webp', quality: '40', options: '{"quality":40}' }
  assert.equal((await client.convert({ name: 'red.png', bytes: png }, sameOptions)).status, 202)
})

test('a download has its file name, supports range and conditional requests, and ignores an Authorization header', async () => {
  const job = await convertPng('naïve "€" 😀.png')
  const redirect = await client.fetch(`/v1/download/${job.jobId}`)
  assert.equal(redirect.status, 302)
  const location = redirect.headers.get('location') ?? ''
  const wholeDownload = await fetch(location, { headers: { authorization: 'Bearer sk_something' } })
  assert.equal(wholeDownload.status, 200)
  assert.equal(wholeDownload.headers.get('content-type'), 'image/webp')
  assert.match(
    wholeDownload.headers.get('content-disposition') ?? '',
    /^attachment; .*filename\*=UTF-8''na%C3%AFve/,
  )
  const bytes = Buffer.from(await wholeDownload.arrayBuffer())
  const partialDownload = await fetch(location, { headers: { range: 'bytes=2-5' } })
  assert.equal(partialDownload.status, 206)
  // RFC 9530: the digest of the whole file, even if a range is sent.
  const digest = `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
  for (const { headers } of [redirect, wholeDownload, partialDownload])
    assert.equal(headers.get('repr-digest'), digest)
  assert.deepEqual(Buffer.from(await partialDownload.arrayBuffer()), bytes.subarray(2, 6))
  const rangeBeyondEnd = await fetch(location, { headers: { range: `bytes=${bytes.length}-` } })
  assert.equal(rangeBeyondEnd.status, 416)
  await rangeBeyondEnd.text()
  for (const { headers } of [wholeDownload, partialDownload, rangeBeyondEnd]) {
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox;/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  }
  const inlineReply = await fetch(`${service.url}/v1/download/${job.jobId}?inline=true`)
  assert.match(inlineReply.headers.get('content-disposition') ?? '', /^inline;/)
  await inlineReply.arrayBuffer()
  const cachedDownload = await fetch(location, {
    headers: { 'if-none-match': wholeDownload.headers.get('etag') ?? '' },
  })
  assert.equal(cachedDownload.status, 304)
  const head = await fetch(`${service.url}/v1/download/${job.jobId}`, { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.equal(head.headers.get('content-length'), String(bytes.length))
})

const presign = () => ({ filename: 'red.png', contentType: 'image/png', size: png.length })

test('a presigned upload can be converted by one job only', async () => {
  const upload = await client.presign(presign())
  const convert = () => client.post('/v1/convert', { uploadId: upload.uploadId, targetFormat: 'webp' })
  const earlyJob = await convert()
  assert.equal(earlyJob.status, 409)
  assert.equal(((await earlyJob.json()) as { error: { code: string } }).error.code, 'UPLOAD_INCOMPLETE')
  const put = await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: png })
  assert.equal(put.status, 200)
  const answers = await Promise.all([convert(), convert()])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409])
  const acceptedReply = answers.find(({ status }) => status === 202)
  assert.ok(acceptedReply, 'neither of the two was accepted')
  assert.equal((await client.finishedJob((await readData(acceptedReply)).jobId)).status, 'completed')
})

test('the status of an upload is visible only to its owner', async () => {
  const { uploadId, url, headers } = await client.presign(presign())
  const fetchStatus = async () => {
    const response = await client.fetch(`/v1/uploads/${uploadId}`)
    return ((await response.json()) as { data: Record<string, unknown> }).data
  }
  assert.equal((await fetchStatus())['status'], 'pending')
  await fetch(url, { method: 'PUT', headers, body: png })
  assert.partialDeepStrictEqual(await fetchStatus(), { status: 'ready', filename: 'red.png', jobId: null })
  const { jobId } = await readData(await client.post('/v1/convert', { uploadId, targetFormat: 'webp' }))
  assert.equal((await fetchStatus())['jobId'], jobId)
  const stranger = await new Client(service).fetch(`/v1/uploads/${uploadId}`)
  assert.equal(stranger.status, 404)
  assert.equal(((await stranger.json()) as { error: { code: string } }).error.code, 'UPLOAD_NOT_FOUND')
})

test('a presigned form accepts the declared file, but no larger one', async () => {
  const presignForm = () => client.presign({ ...presign(), method: 'POST' })
  const send = ({ url, fields }: Presigned, bytes: Buffer<ArrayBuffer>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new Blob([bytes]), 'red.png')
    return fetch(url, { method: 'POST', body: form })
  }
  const refusedReply = await send(await presignForm(), Buffer.concat([png, png]))
  assert.equal(refusedReply.status, 400)
  assert.match(await refusedReply.text(), /EntityTooLarge/)
  const upload = await presignForm()
  const sentReply = await send(upload, png)
  assert.ok(sentReply.ok, `the reply to the declared file was ${sentReply.status}`)
  const conversion = { uploadId: upload.uploadId, targetFormat: 'webp' }
  const response = await client.post('/v1/convert', conversion, { prefer: 'wait=25' })
  assert.equal((await readData(response)).status, 'completed')
})

test('the storage rejects a presigned upload of another size, type or content', async () => {
  const { url, headers } = await client.presign(presign())
  const longerReply = await fetch(url, { method: 'PUT', headers, body: Buffer.concat([png, png]) })
  assert.equal(longerReply.status, 403)
  const otherReply = await fetch(url, { method: 'PUT', headers: { 'content-type': 'text/html' }, body: png })
  assert.equal(otherReply.status, 403)
  const uploadWithHash = await client.presign({ ...presign(), sha256: '0'.repeat(64) })
  const wrongReply = await fetch(uploadWithHash.url, {
    method: 'PUT',
    headers: uploadWithHash.headers,
    body: png,
  })
  assert.equal(wrongReply.status, 400)
  assert.match(await wrongReply.text(), /BadDigest|checksum/i)
})

test('a job list contains only the client’s own jobs, and its pages work in both directions', async () => {
  const ownClient = new Client(service)
  await ownClient.fetch('/v1/jobs')
  const ids: string[] = []
  for (const tag of ['a', 'b', 'c', 'd', 'e']) {
    const response = await ownClient.convert(
      { name: `${tag}.png`, bytes: png },
      { targetFormat: 'webp', tag },
    )
    ids.unshift((await readData(response)).jobId)
  }
  type Page = {
    data: { jobs: JobData[]; pagination: { hasMore: boolean; nextCursor: string; prevCursor: string } }
  }
  const fetchPage = async (query: string) =>
    (await (await ownClient.fetch(`/v1/jobs?${query}`)).json()) as Page
  const firstPage = await fetchPage('limit=2')
  const secondPage = await fetchPage(`limit=2&cursor=${firstPage.data.pagination.nextCursor}`)
  const thirdPage = await fetchPage(`limit=2&cursor=${secondPage.data.pagination.nextCursor}`)
  const listedIds = [firstPage, secondPage, thirdPage].flatMap(({ data }) =>
    data.jobs.map(({ jobId }) => jobId),
  )
  assert.deepEqual(listedIds, ids)
  assert.equal(thirdPage.data.pagination.hasMore, false)
  const back = await fetchPage(`limit=2&cursor=${thirdPage.data.pagination.prevCursor}`)
  assert.deepEqual(
    back.data.jobs.map(({ jobId }) => jobId),
    ids.slice(2, 4),
  )
  assert.deepEqual(
    (await fetchPage('tag=c')).data.jobs.map(({ jobId }) => jobId),
    [ids[2]],
  )
  const foreignReply = await ownClient.fetch(
    `/v1/jobs?limit=3&tag=c&cursor=${firstPage.data.pagination.nextCursor}`,
  )
  assert.equal(foreignReply.status, 400)
  const stranger = new Client(service)
  const strangerPage = (await (await stranger.fetch('/v1/jobs')).json()) as Page
  assert.deepEqual(strangerPage.data.jobs, [])
})

test('anyone who knows the id of an anonymous job can see it and its tasks, but not change it', async () => {
  const job = await convertPng()
  const stranger = new Client(service)
  const strangerReply = await stranger.fetch(`/v1/jobs/${job.jobId}`)
  assert.equal(strangerReply.status, 200)
  const { data } = (await strangerReply.json()) as {
    data: {
      tasks: Record<
        string,
        { operation: string; status: string; engine: string | null; result: { url: string } | null }
      >
    }
  }
  assert.deepEqual(Object.keys(data.tasks), ['import-file', 'convert-file', 'export-file'])
  assert.equal(data.tasks['convert-file']?.engine, 'vips')
  assert.match(data.tasks['export-file']?.result?.url ?? '', /\/v1\/download\//)
  assert.equal((await stranger.fetch(`/v1/jobs/${job.jobId}`, { method: 'DELETE' })).status, 403)
  assert.equal((await stranger.fetch(`/v1/jobs/${job.jobId}/cancel`, { method: 'POST' })).status, 403)
  assert.equal((await client.fetch(`/v1/jobs/${job.jobId}/cancel`, { method: 'POST' })).status, 409)
})

test('a deleted job and its files return 404', async () => {
  const job = await convertPng()
  const location = (await client.fetch(`/v1/download/${job.jobId}`)).headers.get('location') ?? ''
  assert.equal((await client.fetch(`/v1/jobs/${job.jobId}`, { method: 'DELETE' })).status, 204)
  assert.equal((await client.fetch(`/v1/jobs/${job.jobId}`)).status, 404)
  assert.equal((await client.fetch(`/v1/download/${job.jobId}`)).status, 404)
  assert.equal((await fetch(location)).status, 404)
  assert.equal((await client.fetch(`/v1/jobs/${job.jobId}`, { method: 'DELETE' })).status, 404)
})
