import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { listenToEvents, type ReceivedEvent, readEvents, watchEvents } from '../support/event-listener.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const png = Buffer.from(await readFile(new URL('../fixtures/alpha.png', import.meta.url)))
const files = createServer((_, response) => response.setHeader('content-type', 'image/png').end(png))

let service: TestService
let client: Client
before(async () => {
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  service = await startService({ OUTGOING_ALLOW: '127.0.0.1/32' })
  client = new Client(service)
  await listenToEvents(service)
})
after(async () => {
  await service.stop()
  files.close()
})

const createImage = (name: string) => ({ name, bytes: new Uint8Array(png) })
const exportTask = { operation: 'export/url', input: 'image' }
const convertToWebp = (...input: string[]) => ({ operation: 'convert', input, output_format: 'webp' })
const importFile = () => ({
  operation: 'import/url',
  url: `http://127.0.0.1:${(files.address() as AddressInfo).port}/a.png`,
})

const put = async (presignedUpload: { url: string; headers: Readonly<Record<string, string>> }) =>
  assert.equal(
    (await fetch(presignedUpload.url, { method: 'PUT', headers: { ...presignedUpload.headers }, body: png }))
      .status,
    200,
  )

async function createJob(tasks: object) {
  const response = await client.post('/v1/jobs', { tasks })
  return ((await response.json()) as { data: { jobId: string; tasks: Record<string, AwaitedTask> } }).data
}

interface AwaitedTask {
  readonly result: { readonly put: { url: string; headers: Record<string, string> } } | null
}

/** Functions that create jobs whose files arrive in different ways; each returns the id of its job. */
const jobCreators: Readonly<Record<string, () => Promise<string>>> = {
  form: async () =>
    (await client.accepted(await client.convert(createImage('a.png'), { targetFormat: 'webp' }))).jobId,
  merge: async () => {
    const form = new FormData()
    for (const name of ['a.png', 'b.png']) form.append('file', new Blob([png]), name)
    form.set('mergeType', 'image')
    return (await client.accepted(await client.fetch('/v1/convert/merge', { method: 'POST', body: form })))
      .jobId
  },
  'upload before the job': async () => {
    const presignedUpload = await client.presign({
      filename: 'a.png',
      contentType: 'image/png',
      size: png.length,
    })
    await put(presignedUpload)
    const request = { uploadId: presignedUpload.uploadId, targetFormat: 'webp' }
    return (await client.accepted(await client.post('/v1/convert', request))).jobId
  },
  'upload after the job': async () => {
    const file = { operation: 'import/upload' }
    const { jobId, tasks } = await createJob({
      file,
      second: file,
      image: convertToWebp('file', 'second'),
      out: exportTask,
    })
    for (const name of ['file', 'second']) await put(tasks[name]?.result?.put ?? assert.fail('no URL'))
    await client.finishedJob(jobId)
    return jobId
  },
  import: async () => {
    const { jobId } = await createJob({ file: importFile(), out: { ...exportTask, input: 'file' } })
    await client.finishedJob(jobId)
    return jobId
  },
  imports: async () => {
    const tasks = {
      file: importFile(),
      second: importFile(),
      image: convertToWebp('file', 'second'),
      out: exportTask,
    }
    const { jobId } = await createJob(tasks)
    await client.finishedJob(jobId)
    return jobId
  },
}

/** Removes duplicate events, and sorts the rest by sequence number. */
const sortUnique = (events: readonly ReceivedEvent[]) =>
  [...new Map(events.map((event) => [event.id, event])).values()].sort((a, b) => a.sequence - b.sequence)

const uploads: Readonly<Record<string, number>> = {
  form: 1,
  merge: 2,
  'upload before the job': 0,
  'upload after the job': 2,
  import: 1,
  imports: 2,
}

test('all events of a job, including those of its files, are numbered consecutively from 1', async () => {
  const ids: Record<string, string> = {}
  for (const [name, run] of Object.entries(jobCreators)) {
    const jobId = await run()
    ids[name] = jobId
    await watchEvents(client, jobId)
    await client.download(jobId)
    assert.equal((await client.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status, 204)
  }
  const events: ReceivedEvent[] = []
  const listEvents = (jobId: string | undefined) =>
    events.filter(
      ({ stream, file, job }) =>
        stream === jobId ||
        [file, job].some((subject) => [(subject as Part)?.jobId, (subject as Part)?.id].includes(jobId)),
    )
  await waitUntil(async () => {
    events.push(...(await readEvents(service)))
    return Object.values(ids).every((jobId) =>
      listEvents(jobId).some(({ event }) => event === 'file.deleted'),
    )
  }, 'all jobs are deleted')
  for (const [name, jobId] of Object.entries(ids)) {
    const jobEvents = sortUnique(listEvents(jobId))
    const numberedEvents = jobEvents.map(({ sequence, event }) => `${sequence} ${event}`)
    const numbers = jobEvents.map(({ sequence }) => sequence)
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
      `${name}: ${numberedEvents}`,
    )
    assert.ok(
      jobEvents.every(({ stream }) => stream === jobId),
      name,
    )
    const names = jobEvents.map(({ event }) => event)
    assert.equal(
      names.filter((event) => event === 'file.uploaded').length,
      uploads[name],
      `${name}: ${numberedEvents}`,
    )
    const endIndex = names.indexOf('job.completed')
    assert.ok(names.lastIndexOf('file.uploaded') < endIndex, `${name}: ${numberedEvents}`)
    assert.ok(endIndex < names.indexOf('file.downloaded'), `${name}: ${numberedEvents}`)
    assert.ok(names.indexOf('file.downloaded') < names.indexOf('file.deleted'), `${name}: ${numberedEvents}`)
  }
})

type Part = { readonly id?: string; readonly jobId?: string } | undefined
