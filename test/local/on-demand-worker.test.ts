import assert from 'node:assert/strict'
import { mkdirSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { isAlive } from '../../lib/engines/sandbox/process-exit.ts'
import { OnDemandWorker, type OnDemandWorkerOptions } from '../../lib/local/runtime/on-demand-worker.ts'
import { removeLeftoverFolders } from '../../lib/local/runtime/remove-leftover-folders.ts'
import { createRandom } from '../jobs/simulated-aws.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { waitUntil } from '../support/wait-until.ts'

const silentLog = pino({ level: 'silent' })
const workers: OnDemandWorker[] = []
after(() => Promise.all(workers.map((worker) => worker.close())))

function start(options: Partial<OnDemandWorkerOptions> = {}): OnDemandWorker {
  const worker = new OnDemandWorker({
    queue: 'image',
    environment: { PATH: process.env['PATH'] ?? '' },
    logFd: openSync('/dev/null', 'a'),
    log: silentLog,
    idleMs: 60_000,
    maxMemoryBytes: 1024 ** 3,
    file: fileURLToPath(new URL('./misbehaving-worker.ts', import.meta.url)),
    ...options,
  })
  workers.push(worker)
  return worker
}

const context = {
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'odd',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn',
  memoryLimitInMB: '512',
  awsRequestId: 'id',
  logGroupName: 'group',
  logStreamName: 'stream',
}
const invoke = (worker: OnDemandWorker, body: string, timeLimitMs = 60_000) =>
  worker.invoke({ Records: [{ body }] }, { ...context, getRemainingTimeInMillis: () => timeLimitMs })

test('a worker process starts when first needed and serves the next invocation as well', async () => {
  const worker = start()
  const firstReply = await invoke(worker, 'respond')
  assert.equal(await invoke(worker, 'respond'), firstReply)
})

test('an error in a function fails only its own invocation', async () => {
  const worker = start()
  const pid = await invoke(worker, 'respond')
  await assert.rejects(invoke(worker, 'fail'), /expected failure/)
  assert.equal(await invoke(worker, 'respond'), pid)
})

test('a worker that dies fails its invocations, and the next one gets a new worker', async () => {
  const worker = start()
  const pid = await invoke(worker, 'respond')
  await Promise.all([
    assert.rejects(invoke(worker, 'sleep'), /worker exited: exit code 3/),
    assert.rejects(invoke(worker, 'die'), /worker exited: exit code 3/),
  ])
  assert.notEqual(await invoke(worker, 'respond'), pid)
})

test('an event that requires isolation uses a worker process of its own, which exits afterwards', async () => {
  const worker = start()
  const sharedReply = await invoke(worker, 'respond')
  const invokeIsolated = (body: string) =>
    worker.invoke(
      { Records: [{ body }] },
      { ...context, getRemainingTimeInMillis: () => 60_000 },
      { apart: true },
    )
  const pid = Number(await invokeIsolated('respond'))
  assert.notEqual(pid, sharedReply)
  await waitUntil(() => !isAlive(pid), 'the process ends', 20)
  const runningInvocation = invoke(worker, 'sleep')
  await assert.rejects(invokeIsolated('die'), /worker exited: exit code 3/)
  assert.equal(await invoke(worker, 'respond'), sharedReply, 'the shared process was not affected')
  await worker.close()
  await assert.rejects(runningInvocation)
})

test('a worker that hangs is killed, and the error contains the reason', async () => {
  const worker = start({ hangTimeoutMs: 3000 })
  await assert.rejects(invoke(worker, 'hang'), /worker exited: it stopped responding/)
  assert.ok(await invoke(worker, 'respond'))
})

const slowStartingWorker = fileURLToPath(new URL('./slow-starting-worker.ts', import.meta.url))

test('a worker may take longer to start than its hang timeout', async () => {
  const worker = start({ file: slowStartingWorker, hangTimeoutMs: 500 })
  assert.ok(await invoke(worker, 'respond'))
})

test('a worker that does not start is killed, and the error contains the reason', async () => {
  const worker = start({ file: slowStartingWorker, startTimeoutMs: 500 })
  await assert.rejects(invoke(worker, 'respond'), /worker exited: it did not start in time/)
})

test('a worker is not killed when the service itself was suspended', async () => {
  const worker = start({ hangTimeoutMs: 3000 })
  const pid = await invoke(worker, 'respond')
  const rejectedInvocation = assert.rejects(invoke(worker, 'sleep', 12_000), /it exceeded its time limit/)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000)
  // After the blocking wait, the check of the worker runs before anything else.
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await invoke(worker, 'respond'), pid)
  await rejectedInvocation
})

test('a worker that uses too much memory is killed, and the error contains the reason', async () => {
  const worker = start({ maxMemoryBytes: 200 * 1024 * 1024 })
  await assert.rejects(invoke(worker, 'eat'), /worker exited: it used too much memory/)
  assert.ok(await invoke(worker, 'respond'))
})

test('a worker whose function exceeds its time limit is killed, and the error contains the reason', async () => {
  const worker = start()
  await assert.rejects(invoke(worker, 'sleep', 500), /worker exited: it exceeded its time limit/)
})

test('an idle worker exits and is started again when needed', async () => {
  const worker = start({ idleMs: 100 })
  const pid = Number(await invoke(worker, 'respond'))
  const deadline = Date.now() + 10_000
  const isRunning = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  while (isRunning()) {
    assert.ok(Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.notEqual(await invoke(worker, 'respond'), pid)
})

test('an invocation that arrives while an idle worker exits runs immediately in a new one', async () => {
  const worker = start({ idleMs: 40 })
  const random = createRandom(8118)
  const pids = new Set<unknown>()
  for (let round = 0; round < 12; round++) {
    const startedAtMs = performance.now()
    pids.add(await invoke(worker, 'respond'))
    const tookMs = performance.now() - startedAtMs
    assert.ok(tookMs < 8000, `round ${round} took ${tookMs} ms`)
    // The next invocation comes around the time at which the idle timeout ends, or while the worker exits.
    await new Promise((resolve) => setTimeout(resolve, 30 + random() * 30))
  }
  assert.ok(pids.size > 1, 'some invocations got a new worker')
})

test('invocations go to a new worker while the old one is slow to exit', async () => {
  const worker = start({ idleMs: 20 })
  const pid = await invoke(worker, 'linger')
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.ok(isAlive(Number(pid)), 'the old worker is still alive')
  assert.notEqual(await invoke(worker, 'respond'), pid)
})

test('the folders of a killed worker are removed, but no other folders', async () => {
  const folder = scratchFolder('mutabor-leftovers')
  const clearedEvent = Promise.withResolvers<void>()
  const cleanUp = (pid: number) =>
    void removeLeftoverFolders(pid, [folder], silentLog).then(clearedEvent.resolve)
  const worker = start({ cleanUp })
  const pid = Number(await invoke(worker, 'respond'))
  const otherFolders = [`task-${pid}1-abcdef`, `task-1${pid}-abcdef`, 'task-abcdef', `other-${pid}-abcdef`]
  for (const name of [`task-${pid}-abcdef`, `mutabor-office-${pid}-Ab12cd`, ...otherFolders])
    mkdirSync(join(folder, name, 'piece-1'), { recursive: true })
  process.kill(pid, 'SIGKILL')
  await clearedEvent.promise
  assert.deepEqual(readdirSync(folder).sort(), otherFolders.sort())
})
