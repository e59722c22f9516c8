import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type TestService } from './service.ts'
import { waitUntil } from './wait-until.ts'

const image = readFileSync(new URL('../fixtures/alpha.png', import.meta.url))

interface CommonJobOptions {
  readonly headers?: Record<string, string>
  /**
   * Whether the usage of the job has been counted, which is the last step of its processing. If omitted, the final
   * status of the job is awaited instead.
   */
  readonly isCounted?: () => boolean
}

/**
 * The most common job: a new client converts an image, asks once for the status of the completed job, and downloads the
 * result. How much of AWS it uses is in `lib/deployment/job-calls.json`.
 */
export async function runCommonJob(
  service: Pick<TestService, 'url'>,
  { headers = {}, isCounted }: CommonJobOptions = {},
): Promise<void> {
  const client = new Client(service)
  const send = () => client.convert({ name: 'alpha.png', bytes: image }, { targetFormat: 'webp' }, headers)
  const reply = await sendUntilAccepted(send)
  assert.equal(reply.status, 202, await reply.clone().text())
  const { data } = (await reply.json()) as { data: { jobId: string } }
  if (isCounted) await waitUntil(isCounted, 'the job is counted', 60)
  else await client.finishedJob(data.jobId)
  const status = await sendUntilAccepted(() => client.fetch(`/v1/status/${data.jobId}`, { headers }))
  assert.equal(status.status, 200, await status.clone().text())
  assert.equal(((await status.json()) as { data: { status: string } }).data.status, 'completed')
  const download = await sendUntilAccepted(() => client.fetch(`/v1/download/${data.jobId}`, { headers }))
  assert.equal(download.status, 302, await download.clone().text())
  const file = await fetch(download.headers.get('location') ?? '')
  assert.ok(file.ok, `the file was answered with ${file.status}`)
  await file.arrayBuffer()
}

/** Sends a request again while the service is overloaded: on a busy machine, a server may take too long to answer. */
async function sendUntilAccepted(send: () => Promise<Response>): Promise<Response> {
  let reply = await send()
  for (let triesLeft = 5; reply.status === 503 && triesLeft > 0; triesLeft--) {
    await pause(1000)
    reply = await send()
  }
  return reply
}
