import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { TransientError } from '../../lib/jobs/failure.ts'
import { createExportPaths, runTransfer, type TransferRun } from '../../lib/jobs/run/run-transfer.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import type { RemoteStore } from '../../lib/transfer/transfer.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { send, state } from './support/job-with-export.ts'

assert.ok(send)

/** A task that exports its files to a test store. */
function createExport(put: RemoteStore['put'], moreFields: Partial<typeof send> = {}) {
  const seenFiles: unknown[] = []
  const services = {
    config: { GCS_ENDPOINT: undefined },
    guardedHttp: async () => ({ forOwner: () => ({}) }),
    vault: { unsealAll: () => ({ prefix: 'x' }) },
    files: { stream: async ({ key }: { key: string }) => Readable.from([key]) },
  }
  const operation = {
    kind: 'export',
    pathFields: undefined,
    openStore: async () => async (fields: unknown) => {
      seenFiles.push(fields)
      return { put, close: async () => seenFiles.push('closed') }
    },
  }
  const run = {
    services,
    operation,
    state,
    task: { ...send, ...moreFields },
    workDir: '/nowhere',
    signal: new AbortController().signal,
    progress: (percent: number) => seenFiles.push(percent),
  }
  return { seen: seenFiles, run: run as unknown as TransferRun }
}

test('an export records the URL of each file and reports progress by bytes', async () => {
  const { seen, run } = createExport(async ({ path, size, mimeType }, reportSent) => {
    assert.equal(mimeType, 'image/png')
    reportSent(size)
    return `s3://there/${path}`
  })
  const { deliveries } = await runTransfer(run)
  const createExpectedFile = (name: string, size: number) => ({
    filename: name,
    size,
    mimeType: 'image/png',
    sha256: '',
  })
  assert.deepEqual(
    deliveries?.map(({ url, ...rest }) => {
      assert.match(url, new RegExp(`^s3://there/.*${rest.filename}$`))
      return rest
    }),
    [createExpectedFile('a.webp', 3), createExpectedFile('b.webp', 1)],
  )
  assert.deepEqual(seen, [{ prefix: 'x' }, 75, 100, 'closed'])
})

test('an export to a drive fails if a job was deleted before its files could be saved', async () => {
  const { run, seen } = createExport(async () => assert.fail('nothing is stored'))
  const fields = { drive: 'dropbox', api: '', upload: '', token: '', folder: '', jobIds: ['job_1', 'job_2'] }
  const deletedState = { ...state, job: { ...state.job, id: 'job_2', deletedAt: state.job.createdAt } }
  const states = new Map([
    ['job_1', state],
    ['job_2', deletedState],
  ])
  Object.assign(run.services, {
    vault: { unsealAll: () => fields },
    jobs: { store: { getState: async (id: string) => states.get(id) } },
  })
  Object.assign(run.operation, { sendsResults: true })
  await assert.rejects(runTransfer(run), { code: 'FILE_GONE' })
  assert.deepEqual(seen, [])
})

test('export paths come from the template or prefix and are unique', () => {
  const files = ['a.webp', 'b.png', 'a.webp'].map((filename) => ({ filename }))
  const of = { jobId: 'job_1', createdAt: '2026-01-02T00:00:00.000Z' }
  const pathFields = { path: 'path', prefix: 'prefix', isFolder: true } as Parameters<
    typeof createExportPaths
  >[2]
  const paths = (fields: Record<string, string>, where = pathFields) =>
    createExportPaths(files, fields, where, of)
  assert.deepEqual(paths({}), ['a.webp', 'b.png', 'a (2).webp'])
  assert.deepEqual(paths({ prefix: 'in' }), ['in/a.webp', 'in/b.png', 'in/a (2).webp'])
  assert.deepEqual(
    paths({ prefix: 'in' }, { ...pathFields, isFolder: false } as typeof pathFields)[1],
    'inb.png',
  )
  assert.deepEqual(paths({ path: 'all/{name}/{index}' })[1], 'all/b/2.png')
  assert.deepEqual(paths({ path: 'v1.2/same' }), ['v1.2/same', 'v1.2/same (2)', 'v1.2/same (3)'])
})

test('a remote error fails an export with EXPORT_FAILED, and a transient error is retried after 5 and then 30 seconds', async () => {
  const runFailingExport = (isTransient: boolean, attempt: number) =>
    createExport(
      async () => {
        throw new RemoteError('forbidden', 'It is not allowed.', { isTransient, status: 403 })
      },
      { attempt },
    )
  const { run, seen } = runFailingExport(false, 1)
  await assert.rejects(runTransfer(run), { code: 'EXPORT_FAILED', message: 'It is not allowed.' })
  assert.deepEqual(seen.at(-1), 'closed')
  for (const [attempt, pause] of [
    [1, 5],
    [2, 30],
    [3, 0],
  ] as const)
    await assert.rejects(runTransfer(runFailingExport(true, attempt).run), (error) => {
      assert.ok(error instanceof TransientError)
      assert.deepEqual(
        Object.values(error).filter((value) => typeof value === 'number'),
        [pause],
      )
      return true
    })
})

/** The services that every import uses. */
const importServices = {
  config: {
    GCS_ENDPOINT: undefined,
    ANONYMOUS_PLAN: 'free',
    MAX_FILE_MB: 1,
    RETENTION_HOURS: 1,
    WORK_DIR: scratchFolder('mutabor-transfer'),
    MIN_FREE_DISK_GB: 0,
  },
  plans: { free: {} },
  guardedHttp: async () => ({ forOwner: () => ({}) }),
}

test('an imported file with a wrong SHA-256 or more than max_size bytes is rejected and deleted', async () => {
  const storedFileKeys = new Set<string>()
  let fields: object = { sha256: 'ab'.repeat(32) }
  const services = {
    ...importServices,
    vault: { unsealAll: () => fields },
    files: {
      receive: async (key: string, body: AsyncIterable<Buffer>) => {
        for await (const _ of body) storedFileKeys.add(key)
      },
      delete: async (keys: readonly string[]) => {
        for (const key of keys) storedFileKeys.delete(key)
      },
    },
  }
  const remoteTextFile = {
    filename: 'a.txt',
    size: 2,
    isResumable: false,
    open: async () => Readable.from([Buffer.from('hi')]),
  }
  const run = {
    services,
    operation: { kind: 'import', find: async () => async () => [remoteTextFile] },
    state,
    task: { ...send, attempt: 1 },
    workDir: '/nowhere',
    progress: () => {},
    signal: new AbortController().signal,
  } as unknown as TransferRun
  const sha256 = '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4'
  await assert.rejects(runTransfer(run), {
    name: 'AppError',
    code: 'IMPORT_FAILED',
    details: { reason: 'incomplete', sha256 },
    message: `The file has the SHA-256 ${sha256}, not the expected one.`,
  })
  fields = { max_size: 1 }
  await assert.rejects(runTransfer(run), { code: 'FILE_TOO_LARGE' })
  assert.deepEqual([...storedFileKeys], [])
})

test('a transfer that crashed three times is not retried', async () => {
  const deletedFiles: unknown[] = []
  const { run, seen } = createExport(async () => assert.fail('nothing is sent'), {
    attempt: 4,
    begun: 'upload 1',
  })
  const { operation } = run
  assert.ok('openStore' in operation && operation.openStore)
  const open = operation.openStore
  const openStore: typeof open = async () => async (fields, deps) => ({
    ...(await (
      await open()
    )(fields, deps)),
    cleanUp: async (uploadState: string) => void deletedFiles.push(uploadState),
  })
  const code = 'EXPORT_FAILED'
  const crashedError = { code, message: /crashed in all three attempts/, details: { reason: 'incomplete' } }
  await assert.rejects(runTransfer({ ...run, operation: { ...operation, openStore } }), crashedError)
  assert.deepEqual([deletedFiles, seen.at(-1)], [['upload 1'], 'closed'])
  const find = () => assert.fail('nothing is looked for')
  const runWithFind = { ...run, operation: { kind: 'import', find } } as unknown as TransferRun
  await assert.rejects(runTransfer(runWithFind), { ...crashedError, code: 'IMPORT_FAILED' })
})

test('an import task reports progress, and deletes all of its files if one fails', async () => {
  const importedKeys: string[] = []
  const percents: number[] = []
  let canReadSecondFile = true
  const bytes = Buffer.from('hello')
  const services = {
    ...importServices,
    vault: { unsealAll: () => ({}) },
    files: {
      receive: async (key: string, body: AsyncIterable<Buffer>) => {
        for await (const _ of body) importedKeys.push(key)
      },
      read: async () => bytes,
      delete: async (keys: readonly string[]) => {
        for (const key of keys) importedKeys.splice(importedKeys.indexOf(key), 1)
      },
    },
  }
  const createRemoteFile = (filename: string, openFile: () => Promise<Readable>) => ({
    filename,
    size: 5,
    isResumable: false,
    open: openFile,
  })
  const foundFiles = [
    createRemoteFile('a.txt', async () => Readable.from([bytes])),
    createRemoteFile('b.txt', async () => {
      if (!canReadSecondFile)
        throw new RemoteError('forbidden', 'It is not allowed.', { isTransient: false, status: 403 })
      return Readable.from([bytes])
    }),
  ]
  const run = {
    services,
    operation: { kind: 'import', find: async () => async () => foundFiles },
    state,
    task: { ...send, attempt: 1 },
    workDir: '/nowhere',
    progress: (percent: number) => percents.push(percent),
    signal: new AbortController().signal,
  } as unknown as TransferRun
  const { files } = await runTransfer(run)
  assert.deepEqual(percents, [50, 100])
  const keys = [0, 1].map((at) => `jobs/job_1/2/import-1-${at}`)
  assert.deepEqual(
    [importedKeys, files?.map(({ key, format }) => [key, format])],
    [keys, keys.map((key) => [key, 'txt'])],
  )
  importedKeys.length = 0
  canReadSecondFile = false
  await assert.rejects(runTransfer(run), { code: 'IMPORT_FAILED', message: 'It is not allowed.' })
  assert.deepEqual(importedKeys, [])
})

test('a task that captures a website fails if no browser engine is installed', async () => {
  const services = { engines: async () => [{ id: 'vips' }], vault: { unsealAll: () => ({}) }, config: {} }
  const guardedHttp = async () => ({ forOwner: () => ({}) })
  const operation = { kind: 'import', capture: () => assert.fail('there is none') }
  const { signal } = new AbortController()
  const run = {
    services: { ...services, guardedHttp },
    operation,
    state,
    task: { ...send, attempt: 1 },
    signal,
  }
  await assert.rejects(runTransfer(run as unknown as TransferRun), { code: 'UNSUPPORTED_CONVERSION' })
})
