import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { after, before } from '../hooks.ts'
import { type HostileUpload, hostileUploads } from '../support/hostile-uploads.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const monitorPath = fileURLToPath(new URL('../support/event-loop-monitor.mjs', import.meta.url))
const eventLoopFile = join(tmpdir(), `mutabor-event-loop-${process.pid}`)
/** How long the event loop may be busy, and how long a reply of `/health` may take, in milliseconds. */
const maxMs = 100

let service: TestService
before(async () => {
  service = await startService({ NODE_OPTIONS: `--import=${monitorPath}`, EVENT_LOOP_FILE: eventLoopFile })
  // This upload makes the service load the modules that it loads on demand.
  await send({ filename: 'a.txt', bytes: 'a' })
  await readMaxBusyMs()
})
after(async () => {
  await service.stop()
  await rm(eventLoopFile, { force: true })
})

function send({ filename, bytes, fields = {} }: HostileUpload): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ targetFormat: 'png', ...fields })) form.set(name, value)
  // A Buffer is a view of an ArrayBuffer.
  form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer> | string]), filename)
  return fetch(`${service.url}/v1/convert`, { method: 'POST', body: form })
}

/** Returns the longest time for which the event loop of the service was busy since the last call. */
async function readMaxBusyMs(): Promise<number> {
  await rm(eventLoopFile, { force: true })
  process.kill(service.pid, 'SIGUSR2')
  const read = () => {
    try {
      return readFileSync(eventLoopFile, 'utf8')
    } catch {
      return undefined
    }
  }
  await waitUntil(async () => read() !== undefined, 'the longest busy time')
  return Number(read())
}

/** Requests `/health` repeatedly until the work is done, and returns the sorted reply times in milliseconds. */
async function pollHealth(promise: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let isDone = false
  const finishedWork = promise.finally(() => {
    isDone = true
  })
  while (!isDone) {
    const start = performance.now()
    assert.equal((await fetch(`${service.url}/health`)).ok, true)
    times.push(performance.now() - start)
    await sleep(10)
  }
  await finishedWork
  return times.sort((a, b) => a - b)
}

const getPercentile99 = (times: readonly number[]) => times[Math.ceil(times.length * 0.99) - 1] ?? 0

interface Measurement {
  readonly response: Response
  readonly maxBusyMs: number
  /** 99th percentile of the reply times of `/health` before the upload. */
  readonly idleMs: number
  /** 99th percentile of the reply times of `/health` during the upload. */
  readonly maxHealthMs: number
}

async function measure(upload: HostileUpload): Promise<Measurement> {
  const idleMs = getPercentile99(await pollHealth(sleep(300)))
  await readMaxBusyMs()
  const sending = send(upload)
  const maxHealthMs = getPercentile99(await pollHealth(sending))
  return { response: await sending, maxBusyMs: await readMaxBusyMs(), idleMs, maxHealthMs }
}

/** Reply times count only if `/health` was fast before the upload, because a busy machine slows down all replies. */
const isTooSlow = ({ maxBusyMs, idleMs, maxHealthMs }: Measurement) =>
  maxBusyMs > maxMs || (idleMs < maxMs / 4 && maxHealthMs > maxMs)

describe('uploads of hostile files', () => {
  for (const [name, upload] of Object.entries(hostileUploads))
    test(`the service keeps responding while it receives ${name}`, async () => {
      let measuredUpload = await measure(upload)
      // Other load only makes replies slower, so a slow measurement is repeated.
      for (let run = 0; run < 2 && isTooSlow(measuredUpload); run++) measuredUpload = await measure(upload)
      const { response, maxBusyMs, idleMs, maxHealthMs } = measuredUpload
      assert.ok(
        !isTooSlow(measuredUpload),
        `busy for ${maxBusyMs} ms, /health took ${maxHealthMs} ms, before ${idleMs} ms`,
      )
      const { error } = (await response.json()) as { error?: { code: string; message: string } | null }
      assert.ok(response.status < 500, JSON.stringify(error))
    })
})

/** Returns the process ids of the decoder processes below the service. */
function findDecoderPids(parent = service.pid): number[] {
  const tasks = readdirSync(`/proc/${parent}/task`)
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${parent}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((pid) => {
    try {
      const isDecoder = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/decoders/program')
      return isDecoder ? [pid] : findDecoderPids(pid)
    } catch {
      return [] // it has ended
    }
  })
}

function killDecoders(): number {
  return findDecoderPids().filter((pid) => {
    try {
      return process.kill(pid, 'SIGKILL')
    } catch {
      return false // it has ended since it was listed
    }
  }).length
}

test('an upload whose decoder process is killed every time fails with an error code, and the next upload works', async () => {
  const client = new Client(service)
  const slowUpload = hostileUploads['an SVG with many unclosed groups']
  assert.ok(slowUpload)
  await send({ filename: 'a.txt', bytes: 'a' })
  let isAnswered = false
  const sending = send(slowUpload).finally(() => {
    isAnswered = true
  })
  let killedCount = 0
  while (!isAnswered) {
    killedCount += killDecoders()
    await sleep(20)
  }
  assert.ok(killedCount > 0)
  const response = await sending
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  assert.equal(error.code, 'SERVICE_UNAVAILABLE', JSON.stringify(error))
  assert.match(error.message, /exited each time\. Send it again/)
  const nextReply = await send({
    filename: 'a.png',
    bytes: readFileSync(new URL('../fixtures/alpha.png', import.meta.url)),
  })
  await client.accepted(nextReply)
})
