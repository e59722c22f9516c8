import assert from 'node:assert/strict'
import { openSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { SQSEvent } from 'aws-lambda'
import pino from 'pino'
import { Worker, type WorkerOptions } from '../../lib/local/workers.ts'

const workers: Worker[] = []
after(() => Promise.all(workers.map((worker) => worker.close())))

function start(options: Partial<WorkerOptions> = {}): Worker {
  const worker = new Worker({
    image: 'image',
    environment: { PATH: process.env['PATH'] ?? '' },
    logFd: openSync('/dev/null', 'a'),
    log: pino({ level: 'silent' }),
    idleMs: 60_000,
    timeoutMs: 60_000,
    maxMemoryBytes: 1024 ** 3,
    file: fileURLToPath(new URL('./odd-worker.ts', import.meta.url)),
    ...options,
  })
  workers.push(worker)
  return worker
}

const event = (body: string) => ({ Records: [{ body }] }) as SQSEvent

test('a worker starts when first needed and serves many invocations', async () => {
  const worker = start()
  const first = await worker.invoke(event('answer'))
  assert.equal(await worker.invoke(event('answer')), first)
})

test('an error of the function is an error of its invocation alone', async () => {
  const worker = start()
  const pid = await worker.invoke(event('answer'))
  await assert.rejects(worker.invoke(event('fail')), /as told/)
  assert.equal(await worker.invoke(event('answer')), pid)
})

test('a worker that dies fails what it was doing; the next invocation gets a new one', async () => {
  const worker = start()
  const pid = await worker.invoke(event('answer'))
  await Promise.all([
    assert.rejects(worker.invoke(event('sleep')), /worker ended: exit code 3/),
    assert.rejects(worker.invoke(event('die')), /worker ended: exit code 3/),
  ])
  assert.notEqual(await worker.invoke(event('answer')), pid)
})

test('a worker that hangs is killed', async () => {
  const worker = start({ hangMs: 1000 })
  await assert.rejects(worker.invoke(event('hang')), /worker ended: SIGKILL/)
  assert.ok(await worker.invoke(event('answer')))
})

test('a worker that takes too much memory is killed', async () => {
  const worker = start({ maxMemoryBytes: 200 * 1024 * 1024 })
  await assert.rejects(worker.invoke(event('eat')), /worker ended: SIGKILL/)
  assert.ok(await worker.invoke(event('answer')))
})

test('a worker whose function runs over its time is killed', async () => {
  const worker = start({ timeoutMs: 500 })
  await assert.rejects(worker.invoke(event('sleep')), /worker ended: SIGKILL/)
})

test('an idle worker ends and comes back when needed', async () => {
  const worker = start({ idleMs: 100 })
  const pid = Number(await worker.invoke(event('answer')))
  const deadline = Date.now() + 10_000
  const lives = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  while (lives()) {
    assert.ok(Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.notEqual(await worker.invoke(event('answer')), pid)
})
