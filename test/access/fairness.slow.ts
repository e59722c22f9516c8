import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Client, startService } from '../support/service.ts'

const file = {
  name: 'alpha.png',
  bytes: new Uint8Array(readFileSync(new URL('../fixtures/alpha.png', import.meta.url))),
}
const busyClientJobCount = 400

/** Starts a conversion to WebP and returns the job id. */
async function startConversion(client: Client): Promise<string> {
  const { data } = (await (await client.convert(file, { targetFormat: 'webp' })).json()) as {
    data: { jobId: string }
  }
  return data.jobId
}

test('a job does not wait for hundreds of earlier jobs of another owner', async () => {
  const service = await startService()
  try {
    const [busyClient, idleClient] = [new Client(service), new Client(service)]
    // First give both owners an identity and warm up the engines.
    await busyClient.finishedJob(await startConversion(busyClient))
    await idleClient.finishedJob(await startConversion(idleClient))
    const sentIds: string[] = []
    while (sentIds.length < busyClientJobCount)
      sentIds.push(...(await Promise.all(Array.from({ length: 20 }, () => startConversion(busyClient)))))
    const { status } = await idleClient.finishedJob(await startConversion(idleClient))
    assert.equal(status, 'completed')
    const response = await busyClient.fetch('/v1/jobs?status=queued&limit=100')
    const { data } = (await response.json()) as { data: { items?: unknown[]; jobs?: unknown[] } }
    assert.equal((data.items ?? data.jobs)?.length, 100, 'the jobs of the other owner are still queued')
  } finally {
    await service.stop()
  }
})
