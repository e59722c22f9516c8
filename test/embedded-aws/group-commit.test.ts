import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { GroupCommit, openDatabase } from '../../lib/embedded-aws/group-commit.ts'
import { IncrementalVacuum } from '../../lib/embedded-aws/sqlite-vacuum.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { waitUntil } from '../support/wait-until.ts'

interface Sync {
  complete(): void
  fail(error: Error): void
}

/** Opens a store whose syncs are controlled by the test: each one runs until the test completes it. */
function openStore(t: TestContext) {
  const file = join(scratchFolder('mutabor-commits'), 'store.sqlite')
  const db = openDatabase(file, 'CREATE TABLE IF NOT EXISTS note (text TEXT UNIQUE)')
  const syncs: Sync[] = []
  const syncListeners: (() => void)[] = []
  const failures: Error[] = []
  const store = new GroupCommit(db, {
    createClosedError: () => new Error('closed'),
    onFailed: (error) => failures.push(error),
    sync: () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      syncs.push({ complete: resolve, fail: reject })
      for (const notify of syncListeners.splice(0)) notify()
      return promise
    },
  })
  t.after(() => {
    if (db.isOpen) db.close()
  })
  const insert = db.prepare('INSERT INTO note VALUES (?)')
  const texts = () =>
    db
      .prepare('SELECT text FROM note ORDER BY text')
      .all()
      .map(({ text }) => text)
  return {
    store,
    failures,
    texts,
    note: (text: string) => () => void insert.run(text),
    syncs: () => syncs.length,
    /** Returns the sync with this number, from 0, once it has started. */
    async sync(number: number): Promise<Sync> {
      for (;;) {
        const sync = syncs[number]
        if (sync) return sync
        await new Promise<void>((resolve) => syncListeners.push(resolve))
      }
    },
  }
}

const nextCommit = (store: GroupCommit) => new Promise<void>((resolve) => store.onCommit(resolve))

/** Records the order in which promises resolve or reject. */
function recordOrder(order: string[], name: string, commit: Promise<unknown>): Promise<unknown> {
  return commit.then(
    () => order.push(name),
    () => order.push(`${name} refused`),
  )
}

test('a database commit resolves after its data is synced, but its change is visible earlier', async (t) => {
  const { store, note, sync, texts } = openStore(t)
  const order: string[] = []
  const committing = recordOrder(order, 'committed', store.commit(note('a')))
  const firstSync = await sync(0)
  assert.deepEqual(texts(), ['a'])
  assert.deepEqual(order, [])
  firstSync.complete()
  await committing
})

test('database commits during a sync share the next sync and resolve in order', async (t) => {
  const { store, note, sync, syncs } = openStore(t)
  const order: string[] = []
  const answers = [recordOrder(order, 'a', store.commit(note('a')))]
  const firstSync = await sync(0)
  for (const name of ['b', 'c']) {
    const commit = nextCommit(store)
    answers.push(recordOrder(order, name, store.commit(note(name))))
    await commit
  }
  assert.equal(syncs(), 1)
  firstSync.complete()
  const secondSync = await sync(1)
  assert.deepEqual(order, ['a'])
  secondSync.complete()
  await Promise.all(answers)
  assert.deepEqual(order, ['a', 'b', 'c'])
  assert.equal(syncs(), 2)
})

test('a database commit that only has to survive a process crash resolves without a sync', async (t) => {
  const { store, note, sync, syncs } = openStore(t)
  await store.commit(note('a'), 'process')
  assert.equal(syncs(), 0)
  const bothCommits = [store.commit(note('b')), store.commit(note('c'), 'process')]
  await bothCommits[1]
  ;(await sync(0)).complete()
  await bothCommits[0]
})

test('failing and read-only transactions wait until the data that they read is synced', async (t) => {
  const { store, note, sync, texts, syncs } = openStore(t)
  const order: string[] = []
  const firstCommit = recordOrder(order, 'a', store.commit(note('a')))
  const startedSync = await sync(0)
  const commit = nextCommit(store)
  const otherCommits = [
    recordOrder(order, 'same again', store.commit(note('a'))),
    recordOrder(order, 'look', store.commit(texts)),
  ]
  await commit
  assert.deepEqual(order, [])
  startedSync.complete()
  await Promise.all([firstCommit, ...otherCommits])
  assert.deepEqual(order, ['a', 'same again refused', 'look'])
  await store.commit(texts)
  assert.equal(syncs(), 1, 'no sync is needed without new writes')
})

test('a failed database sync rejects waiting and later commits, and is reported once', async (t) => {
  const { store, note, sync, failures } = openStore(t)
  const waitingCommits = [store.commit(note('a'))]
  const firstSync = await sync(0)
  const commit = nextCommit(store)
  waitingCommits.push(store.commit(note('b')))
  await commit
  firstSync.fail(new Error('EIO: i/o error, fdatasync'))
  const sentence = /Writes to .*store\.sqlite could not be synced to disk, so no further changes are accepted/
  for (const committing of waitingCommits) await assert.rejects(committing, sentence)
  await assert.rejects(store.commit(note('c')), sentence)
  await assert.rejects(store.commit(note('d'), 'process'), sentence)
  await assert.rejects(store.close(), sentence)
  assert.equal(failures.length, 1)
  assert.match(String(failures[0]?.cause), /EIO/)
})

test('closing a database waits for the running sync', async (t) => {
  const { store, note, sync } = openStore(t)
  const order: string[] = []
  const answers = [recordOrder(order, 'a', store.commit(note('a')))]
  const firstSync = await sync(0)
  answers.push(recordOrder(order, 'closed', store.close()))
  await assert.rejects(store.commit(note('b')), /closed/)
  assert.deepEqual(order, [])
  firstSync.complete()
  await Promise.all(answers)
  assert.deepEqual(order, ['a', 'closed'])
})

test('the write-ahead log of a database stays the same file when it is overwritten or truncated', async (t) => {
  const file = join(scratchFolder('mutabor-commits'), 'store.sqlite')
  const db = openDatabase(file, 'CREATE TABLE note (text TEXT)')
  const store = new GroupCommit(db, { createClosedError: () => new Error('closed') })
  t.after(() => store.close())
  const insert = db.prepare('INSERT INTO note VALUES (?)')
  const { ino } = statSync(`${file}-wal`)
  const text = 'x'.repeat(100_000)
  for (let commit = 0; commit < 100; commit++) await store.commit(() => void insert.run(text))
  assert.ok(statSync(`${file}-wal`).size < 9_000_000, 'the log was overwritten')
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  await store.commit(() => void insert.run(text))
  assert.equal(statSync(`${file}-wal`).ino, ino)
})

test('a database file locked by another process delays writers but does not block the event loop', async (t) => {
  const file = join(scratchFolder('mutabor-commits'), 'held.sqlite')
  const db = openDatabase(file, 'CREATE TABLE note (text TEXT)')
  const store = new GroupCommit(db, { createClosedError: () => new Error('closed') })
  t.after(() => store.close())
  const otherConnection = new DatabaseSync(file)
  otherConnection.exec('BEGIN IMMEDIATE')
  const committing = store.commit(() => db.exec("INSERT INTO note VALUES ('a')"))
  const startedAtMs = performance.now()
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 10))
  const elapsedMs = performance.now() - startedAtMs
  assert.ok(elapsedMs < 1000, `ten turns of 10 ms took ${elapsedMs} ms`)
  otherConnection.close()
  await committing
})

test('the database file shrinks after a mass deletion, in steps that do not block the event loop', async (t) => {
  const file = join(scratchFolder('mutabor-commits'), 'large.sqlite')
  const db = openDatabase(file, 'CREATE TABLE note (text TEXT)')
  t.after(() => db.close())
  db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO note SELECT hex(randomblob(1000)) FROM n;
    PRAGMA wal_checkpoint(TRUNCATE);
    DELETE FROM note WHERE rowid % 50 > 0`)
  const sizeBefore = statSync(file).size
  assert.ok(sizeBefore > 9e6)
  let maxBlockedMs = 0
  let lastMs = performance.now()
  const watch = setInterval(() => {
    maxBlockedMs = Math.max(maxBlockedMs, performance.now() - lastMs)
    lastMs = performance.now()
  }, 1)
  t.after(() => clearInterval(watch))
  new IncrementalVacuum(db, 0).schedule()
  const readFileSize = () => {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    return statSync(file).size
  }
  await waitUntil(() => readFileSize() < sizeBefore / 4, 'the file shrinks to a quarter')
  assert.ok(maxBlockedMs < 300, `it took ${maxBlockedMs} ms in one go`)
  assert.equal(db.prepare('SELECT count(*) AS n FROM note').get()?.['n'], 100)
})
