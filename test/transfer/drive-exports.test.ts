import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { beforeEach, test } from 'node:test'
import { driveIds } from '../../lib/component-ids.ts'
import { openDriveStore } from '../../lib/transfer/drives/drive-store.ts'
import { getDrive } from '../../lib/transfer/drives/index.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import type { OutgoingFile, TransferDeps } from '../../lib/transfer/transfer.ts'
import { after, before } from '../hooks.ts'
import { openDriveServer } from './drive-server.ts'

/** Storing files in drives, through their upload sessions. */

let server: Awaited<ReturnType<typeof openDriveServer>>
const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.0/8', '::1/128'] })
before(async () => {
  server = await openDriveServer()
})
after(async () => {
  server.close()
  await guardedHttp.close()
})
beforeEach(() => {
  server.state.access = 'token'
  server.uploads.files.length = 0
  server.uploads.sessions.clear()
  server.uploads.chunks = 0
  server.uploads.isFull = false
  server.uploads.losesLastReply = false
})

const createFile = (path: string, bytes: Buffer): OutgoingFile => ({
  path,
  size: bytes.length,
  mimeType: 'text/plain',
  sha256: createHash('sha256').update(bytes).digest('hex'),
  open: async ({ start, end }) => Readable.from([Buffer.from(bytes.subarray(start, end))]),
})

function openStore(drive: (typeof driveIds)[number], folder: string, deps: Partial<TransferDeps> = {}) {
  server.state.scope = getDrive(drive).scopes.write
  const { api, upload } = server.settings[drive].endpoints
  const fields = { drive, api, upload, token: 'token', folder, jobIds: ['job_1'] }
  return openDriveStore(fields, { guardedHttp, signal: AbortSignal.timeout(60_000), ...deps })
}

const folders = { 'google-drive': ['root', 'dir'], dropbox: ['', '/Folder'], onedrive: ['root', 'dir'] }
const ignore = () => {}

for (const drive of driveIds) {
  test(`${drive} stores empty files and files with special characters in their names in the chosen folder`, async () => {
    const files = [
      createFile('Größe & 日本 100%.txt', Buffer.from('hello')),
      createFile('empty.txt', Buffer.alloc(0)),
    ]
    for (const folder of folders[drive]) {
      const store = await openStore(drive, folder)
      for (const file of files) assert.match(await store.put(file, ignore), /^\w+:\/\//)
    }
    assert.deepEqual(
      server.uploads.files.map(({ parent, name, bytes }) => [parent, name, bytes.toString()]),
      folders[drive].flatMap((folder) => [
        [folder, 'Größe & 日本 100%.txt', 'hello'],
        [folder, 'empty.txt', ''],
      ]),
    )
    assert.equal(server.uploads.sessions.size, 0)
  })

  test(`an upload to ${drive} resumes where its connection was lost`, async () => {
    const bytes = randomBytes(300_001)
    let sentBytes = 0
    server.uploads.interruptions = 2
    await (await openStore(drive, folders[drive][0] ?? '')).put(createFile('a.bin', bytes), (sent) => {
      sentBytes += sent
    })
    assert.deepEqual(server.uploads.files[0]?.bytes, bytes)
    assert.equal(server.uploads.chunks, 3)
    assert.equal(sentBytes, bytes.length)
  })

  test(`an upload to a full ${drive} fails with no-space, and one with a read-only or invalid token with forbidden`, async () => {
    server.uploads.isFull = true
    const put = async () =>
      (await openStore(drive, folders[drive][0] ?? '')).put(createFile('a', Buffer.from('a')), ignore)
    await assert.rejects(put, { reason: 'no-space', isTransient: false })
    server.uploads.isFull = false
    const store = await openStore(drive, folders[drive][0] ?? '')
    server.state.scope = getDrive(drive).scopes.read
    await assert.rejects(store.put(createFile('a', Buffer.from('a')), ignore), { reason: 'forbidden' })
    server.state.access = 'other'
    await assert.rejects(store.put(createFile('a', Buffer.from('a')), ignore), { reason: 'forbidden' })
    assert.deepEqual(server.uploads.files, [])
  })
}

test('large files are sent to Dropbox and OneDrive in several chunks of an accepted size', async () => {
  const bytes = Buffer.alloc(66 * 1024 ** 2, 'chunk')
  for (const drive of ['dropbox', 'onedrive'] as const) {
    server.uploads.chunks = 0
    await (await openStore(drive, folders[drive][0] ?? '')).put(createFile('large.bin', bytes), ignore)
    assert.ok(server.uploads.chunks >= 2)
    assert.ok(server.uploads.files.at(-1)?.bytes.equals(bytes))
  }
})

test('a OneDrive upload whose last reply is lost succeeds, but fails if a file of that name existed before', async () => {
  const put = async (bytes: string) =>
    (await openStore('onedrive', 'root')).put(createFile('a.txt', Buffer.from(bytes)), ignore)
  server.uploads.losesLastReply = true
  assert.equal(await put('first'), 'https://onedrive.live.com/a.txt')
  assert.equal(server.uploads.files.length, 1)
  await assert.rejects(put('other'), {
    reason: 'incomplete',
    isTransient: false,
    message: /without saying whether the file/,
  })
})

test('a repeated Dropbox export stores no second copy, and another export to the same name gets a number', async () => {
  const states: string[] = []
  const deps = { onStarted: async (state: string) => void states.push(state) }
  const file = createFile('a.txt', Buffer.from('a'))
  const location = await (await openStore('dropbox', '', deps)).put(file, ignore)
  const repeatedExport = await openStore('dropbox', '', deps)
  await repeatedExport.cleanUp?.(states.at(-1) ?? '')
  let sentBytes = 0
  assert.equal(await repeatedExport.put(file, (sent) => (sentBytes += sent)), location)
  assert.equal(sentBytes, 1)
  assert.equal(server.uploads.files.length, 1)
  const otherResult = await (await openStore('dropbox', '')).put(file, ignore)
  assert.deepEqual([location, otherResult], ['dropbox:///a.txt', 'dropbox:///a (1).txt'])
})

test('a repeated drive export stores a file with new content even if a file with that name is already stored', async () => {
  const states: string[] = []
  const deps = { onStarted: async (state: string) => void states.push(state) }
  await (await openStore('dropbox', '', deps)).put(createFile('a.txt', Buffer.from('first')), ignore)
  const repeatedExport = await openStore('dropbox', '', deps)
  await repeatedExport.cleanUp?.(states.at(-1) ?? '')
  await repeatedExport.put(createFile('a.txt', Buffer.from('second')), ignore)
  assert.deepEqual(
    server.uploads.files.map(({ bytes }) => bytes.toString()),
    ['first', 'second'],
  )
})
