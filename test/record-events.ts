// Records the examples of events: what a webhook receives for jobs with each kind of outcome.
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type TestService } from './support/service.ts'
import type { openReceiver } from './webhooks/receiver.ts'

/** Account events are written by hand, in events/examples/accounts.json. */
const eventNames = [
  'job.created',
  'job.queued',
  'job.started',
  'job.progress',
  'job.completed',
  'job.failed',
  'job.cancelled',
  'job.expired',
  'file.uploaded',
  'file.downloaded',
  'file.deleted',
] as const

/** How long to wait at most until the next sweep has deleted the files of an expired job. */
const maxWaitS = 150
const downloadEveryS = 20

/** Triggers the events. @returns a function that waits for all of them. */
export async function recordEvents(
  service: TestService,
  receiver: Awaited<ReturnType<typeof openReceiver>>,
): Promise<() => Promise<Record<string, unknown>>> {
  const client = new Client(service)
  await client.post('/v1/webhooks', { url: receiver.url('/events'), events: ['*'] })
  const bytes = await readFile(new URL('fixtures/alpha.png', import.meta.url))
  const image = { name: 'photo.png', bytes: new Uint8Array(bytes) }
  const run = async (file: typeof image, fields: Record<string, string>) => {
    const { data } = (await (await client.convert(file, fields)).json()) as { data: { jobId: string } }
    return client.finishedJob(data.jobId)
  }
  // The first event of each kind is recorded, so the simplest job goes first.
  const { jobId } = await run(image, { targetFormat: 'webp', tag: 'holiday' })
  await client.download(jobId)
  const damagedImage = image.bytes.map((byte, at) => (at > 100 && at < 280 ? 0 : byte))
  await run({ name: 'photo.png', bytes: damagedImage }, { targetFormat: 'webp' })
  // Uploaded separately, because a form of this size is too large for a request on AWS.
  const audio = createTone(600)
  const presignedUpload = await client.presign({
    filename: 'tone.wav',
    contentType: 'audio/wav',
    size: audio.length,
  })
  await fetch(presignedUpload.url, { method: 'PUT', headers: { ...presignedUpload.headers }, body: audio })
  await client.accepted(
    await client.post('/v1/convert', { uploadId: presignedUpload.uploadId, targetFormat: 'mp3' }),
  )
  const text = { operation: 'import/raw', filename: 'hello.md', file: '# Hello' }
  const laterTasks = {
    page: { operation: 'convert', input: 'text', output_format: 'html' },
    out: { operation: 'export/url', input: 'page' },
  }
  const waitingTasks = { text: { operation: 'import/upload', filename: 'hello.md' }, ...laterTasks }
  const awaitedReply = await client.post('/v1/jobs', { tasks: waitingTasks })
  const { data } = (await awaitedReply.json()) as { data: { jobId: string } }
  await client.post(`/v1/jobs/${data.jobId}/cancel`, {})
  await client.post('/v1/jobs', { tasks: { text, ...laterTasks }, expiresIn: 60 })
  return async () => {
    for (let secondsLeft = maxWaitS; ; secondsLeft--) {
      const receivedEvents = receiver.at('/events').map(({ json }) => json)
      const firstEvents = eventNames.flatMap(
        (name) => receivedEvents.find(({ event }) => event === name) ?? [],
      )
      if (firstEvents.length === eventNames.length)
        return Object.fromEntries(firstEvents.map((firstEvent) => [firstEvent.event, firstEvent]))
      if (secondsLeft === 0) throw new Error(`only ${firstEvents.map(({ event }) => event)} were received`)
      // Downloads again: a download does not wait until its event is stored, so a busy table can lose the event.
      if (secondsLeft % downloadEveryS === 0) await client.download(jobId)
      await sleep(1000)
    }
  }
}

/** A WAV with a rising tone, 8 kHz, 16 bits. */
function createTone(seconds: number): Uint8Array<ArrayBuffer> {
  const samples = 8000 * seconds
  const file = Buffer.alloc(44 + 2 * samples)
  file.write('RIFF')
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8)
  for (const [value, at] of [
    [16, 16],
    [8000, 24],
    [16_000, 28],
    [2 * samples, 40],
  ] as const)
    file.writeUInt32LE(value, at)
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [2, 32],
    [16, 34],
  ] as const)
    file.writeUInt16LE(value, at)
  file.write('data', 36)
  for (let at = 0; at < samples; at++)
    file.writeInt16LE(Math.round(8000 * Math.sin(at * at * 1e-9)), 44 + 2 * at)
  return new Uint8Array(file)
}
