import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { Client, startService } from '../support/service.ts'

const floodSize = 16

test('the job of one owner completes while at least half of the 16 earlier jobs of another owner are still queued', {
  timeout: 180_000,
}, async (t) => {
  const service = await startService({ PARALLEL: '1', ANONYMOUS_PLAN: 'self-hosted' })
  t.after(() => service.stop())
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image = sharp({ create: { width: 1400, height: 1000, channels: 3, background: '#888', noise } })
  const bytes = Buffer.from(await image.png().toBuffer())
  const send = async (client: Client) => {
    const response = await client.convert({ name: 'a.png', bytes }, { targetFormat: 'avif' })
    assert.equal(response.status, 202)
    return ((await response.json()) as { jobId: string }).jobId
  }
  const [floodingClient, otherClient] = [new Client(service), new Client(service)]
  await floodingClient.finishedJob(await send(floodingClient))
  await otherClient.finishedJob(await send(otherClient))
  const flood = await Promise.all(Array.from({ length: floodSize }, () => send(floodingClient)))
  await otherClient.finishedJob(await send(otherClient))
  const statuses = await Promise.all(
    flood.map(async (id) => {
      const { data } = (await (await floodingClient.fetch(`/v1/status/${id}`)).json()) as {
        data: { status: string }
      }
      return data.status
    }),
  )
  const waitingCount = statuses.filter((status) => status === 'queued').length
  assert.ok(waitingCount >= floodSize / 2, `${waitingCount} of ${floodSize} jobs of the flood still wait`)
  for (const id of flood) assert.equal((await floodingClient.finishedJob(id)).status, 'completed')
})
