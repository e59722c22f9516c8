import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { TransientError, toClientError } from '../../lib/jobs/failure.ts'
import type { ClaimedTask } from '../../lib/jobs/run/claimed-task.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { transferTask } from '../../lib/jobs/run/transfer-task.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { send, state } from './support/job-with-export.ts'

test('an internal error of a transfer is thrown as a TransientError, and clients see only an internal error', async () => {
  const WORK_DIR = scratchFolder('mutabor-transfer')
  const fault = new TypeError('a bug')
  const services = {
    config: { WORK_DIR },
    vault: { unsealAll: () => ({}) },
    guardedHttp: () => Promise.reject(fault),
  }
  const { signal } = new AbortController()
  const run = {
    services,
    remainingMs: 60_000,
    stopSignal: signal,
    outOfSpaceSignal: signal,
  } as unknown as TaskRun
  for (const [operation, code] of [
    ['import/s3', 'IMPORT_FAILED'],
    ['export/sftp', 'EXPORT_FAILED'],
  ] as const) {
    const claimedTask = {
      task: { ...send, operation },
      state,
      lease: { startHeartbeat: () => {} },
    } as unknown as ClaimedTask
    await assert.rejects(transferTask(run, claimedTask), (error) => {
      assert.ok(error instanceof TransientError)
      assert.equal(error.clientError.cause, fault)
      const { message, ...expectFile } = toClientError(error)
      assert.deepEqual(expectFile, { code })
      assert.match(message, /internal error/)
      return true
    })
  }
})

test('the files of a transfer are deleted if another worker took over the task', async () => {
  const storedKeys = new Set<string>()
  const files = {
    stream: async () => Readable.from([Buffer.from('x')]),
    receive: async (key: string, body: AsyncIterable<Buffer>) => {
      for await (const _ of body) storedKeys.add(key)
    },
    delete: async (keys: readonly string[]) => {
      for (const key of keys) storedKeys.delete(key)
    },
  }
  const services = {
    files,
    config: { WORK_DIR: scratchFolder('mutabor-transfer'), MIN_FREE_DISK_GB: 0 },
    vault: { unsealAll: () => ({ jobIds: ['job_1'], tasks: ['work'], filename: 'a.zip', manifest: false }) },
    jobs: { store: { getState: async () => state } },
  }
  const { signal } = new AbortController()
  const run = {
    services,
    remainingMs: 60_000,
    stopSignal: signal,
    outOfSpaceSignal: signal,
  } as unknown as TaskRun
  const transfer = async (isStored: boolean) => {
    const endedTransfers: Partial<typeof send>[] = []
    const lease = {
      startHeartbeat: () => {},
      reportProgress: () => {},
      finish: async (end: (typeof endedTransfers)[number]) => {
        endedTransfers.push(end)
        return isStored
      },
    }
    const startedAt = new Date().toISOString()
    const zipTask = { ...send, operation: 'import/results', attempt: 1, startedAt }
    await transferTask(run, { task: zipTask, state, lease } as unknown as ClaimedTask)
    const [end] = endedTransfers
    return [end?.status, end?.percent, end?.files?.map(({ filename }) => filename)]
  }
  const completedResult = ['completed', 100, ['a.zip']]
  assert.deepEqual(await transfer(true), completedResult)
  assert.equal(storedKeys.size, 1)
  assert.deepEqual(await transfer(false), completedResult)
  assert.equal(storedKeys.size, 0)
})

test('a transfer that exceeds the time limit of its worker fails with advice', async () => {
  const connect = (_host: string, _port: number, signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const services = {
    config: { WORK_DIR: scratchFolder('mutabor-transfer') },
    vault: { unsealAll: () => ({ host: 'box.example', port: 22, file: 'a.png' }) },
    guardedHttp: async () => ({ forOwner: () => ({ connect }) }),
  }
  const { signal } = new AbortController()
  const run = {
    services,
    remainingMs: 20,
    stopSignal: signal,
    outOfSpaceSignal: signal,
  } as unknown as TaskRun
  const startedTask = { ...send, operation: 'import/sftp', startedAt: new Date().toISOString() }
  const claimedTask = {
    task: startedTask,
    state,
    lease: { startHeartbeat: () => {} },
  } as unknown as ClaimedTask
  await assert.rejects(transferTask(run, claimedTask), {
    code: 'TIMEOUT',
    message:
      /did not finish within 0 s, .*Import fewer files per task, or send the file as a multipart upload/,
  })
})
