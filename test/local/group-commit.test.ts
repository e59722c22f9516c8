import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type GroupCommit, groupCommit, openDatabase } from '../../lib/local/group-commit.ts'
import { IncrementalVacuum } from '../../lib/local/sqlite-vacuum.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { until } from '../wait-until.ts'

interface Sync {
  complete(): void
  fail(error: Error): void
}

/** A store whose disk does what the test says: each sync is under way until it is ended. */
function openStore(t: TestContext) {
  const file = join(scratchFolder('mutabor-commits'), 'store.sqlite')
  const db = openDatabase(file, 'CREATE TABLE IF NOT EXISTS note (text TEXT UNIQUE)')
  const syncs: Sync[] = []
  const syncListeners: (() => void)[] = []
  const failures: Error[] = []
  const store = groupCommit(db, {
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
    /** The number of the sync, from 0, once it is under way. */
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

/** Notes in which order promises settle. */
function recordOrder(order: string[], name: string, answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => order.push(name),
    () => order.push(`${name} refused`),
  )
}

test('an answer waits for the disk, and what it stores is seen before', async (t) => {
  const { store, note, sync, texts } = openStore(t)
  const order: string[] = []
  const answer = recordOrder(order, 'answer', store.commit(note('a')))
  const first = await sync(0)
  assert.deepEqual(texts(), ['a'])
  assert.deepEqual(order, [])
  first.complete()
  await answer
})

test('what comes while a sync is under way shares the next one, and is answered in order', async (t) => {
  const { store, note, sync, syncs } = openStore(t)
  const order: string[] = []
  const answers = [recordOrder(order, 'a', store.commit(note('a')))]
  const first = await sync(0)
  for (const name of ['b', 'c']) {
    const done = nextCommit(store)
    answers.push(recordOrder(order, name, store.commit(note(name))))
    await done
  }
  assert.equal(syncs(), 1)
  first.complete()
  const second = await sync(1)
  assert.deepEqual(order, ['a'])
  second.complete()
  await Promise.all(answers)
  assert.deepEqual(order, ['a', 'b', 'c'])
  assert.equal(syncs(), 2)
})

test('a change that needs to outlive the process only is answered at once', async (t) => {
  const { store, note, sync, syncs } = openStore(t)
  await store.commit(note('a'), 'process')
  assert.equal(syncs(), 0)
  const both = [store.commit(note('b')), store.commit(note('c'), 'process')]
  await both[1]
  ;(await sync(0)).complete()
  await both[0]
})

test('a refusal, and a change that only reads, wait for what they saw', async (t) => {
  const { store, note, sync, texts, syncs } = openStore(t)
  const order: string[] = []
  const first = recordOrder(order, 'a', store.commit(note('a')))
  const started = await sync(0)
  const done = nextCommit(store)
  const others = [
    recordOrder(order, 'same again', store.commit(note('a'))),
    recordOrder(order, 'look', store.commit(texts)),
  ]
  await done
  assert.deepEqual(order, [])
  started.complete()
  await Promise.all([first, ...others])
  assert.deepEqual(order, ['a', 'same again refused', 'look'])
  await store.commit(texts)
  assert.equal(syncs(), 1, 'nothing was written since, so nothing is synced')
})

test('a failed sync refuses what waits for it and everything after it, and says so once', async (t) => {
  const { store, note, sync, failures } = openStore(t)
  const waiting = [store.commit(note('a'))]
  const first = await sync(0)
  const done = nextCommit(store)
  waiting.push(store.commit(note('b')))
  await done
  first.fail(new Error('EIO: i/o error, fdatasync'))
  const sentence = /The disk could not keep what was written to .*store\.sqlite, so nothing more is taken/
  for (const answer of waiting) await assert.rejects(answer, sentence)
  await assert.rejects(store.commit(note('c')), sentence)
  await assert.rejects(store.commit(note('d'), 'process'), sentence)
  await assert.rejects(store.close(), sentence)
  assert.equal(failures.length, 1)
  assert.match(String(failures[0]?.cause), /EIO/)
})

test('closing waits for the disk', async (t) => {
  const { store, note, sync } = openStore(t)
  const order: string[] = []
  const answers = [recordOrder(order, 'a', store.commit(note('a')))]
  const first = await sync(0)
  answers.push(recordOrder(order, 'closed', store.close()))
  await assert.rejects(store.commit(note('b')), /closed/)
  assert.deepEqual(order, [])
  first.complete()
  await Promise.all(answers)
  assert.deepEqual(order, ['a', 'closed'])
})

test('the log stays one file, however often it is written over', async (t) => {
  const file = join(scratchFolder('mutabor-commits'), 'store.sqlite')
  const db = openDatabase(file, 'CREATE TABLE note (text TEXT)')
  const store = groupCommit(db, { createClosedError: () => new Error('closed') })
  t.after(() => store.close())
  const insert = db.prepare('INSERT INTO note VALUES (?)')
  const { ino } = statSync(`${file}-wal`)
  const text = 'x'.repeat(100_000)
  for (let commit = 0; commit < 100; commit++) await store.commit(() => void insert.run(text))
  assert.ok(statSync(`${file}-wal`).size < 9_000_000, 'it was written over')
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  await store.commit(() => void insert.run(text))
  assert.equal(statSync(`${file}-wal`).ino, ino)
})

test('a file that another process holds for a moment keeps nobody but its writers waiting', async (t) => {
  const file = join(scratchFolder('mutabor-commits'), 'held.sqlite')
  const db = openDatabase(file, 'CREATE TABLE note (text TEXT)')
  const store = groupCommit(db, { createClosedError: () => new Error('closed') })
  t.after(() => store.close())
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const answer = store.commit(() => db.exec("INSERT INTO note VALUES ('a')"))
  const started = performance.now()
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 10))
  const tookMs = performance.now() - started
  assert.ok(tookMs < 1000, `ten turns of 10 ms took ${tookMs} ms`)
  other.close()
  await answer
})

test('a file gives back what mass deletion has left, in steps that keep nobody waiting', async (t) => {
  const file = join(scratchFolder('mutabor-commits'), 'large.sqlite')
  const db = openDatabase(file, 'CREATE TABLE note (text TEXT)')
  t.after(() => db.close())
  db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO note SELECT hex(randomblob(1000)) FROM n;
    PRAGMA wal_checkpoint(TRUNCATE);
    DELETE FROM note WHERE rowid % 50 > 0`)
  const before = statSync(file).size
  assert.ok(before > 9e6)
  let maxBlockedMs = 0
  let last = performance.now()
  const watch = setInterval(() => {
    maxBlockedMs = Math.max(maxBlockedMs, performance.now() - last)
    last = performance.now()
  }, 1)
  t.after(() => clearInterval(watch))
  new IncrementalVacuum(db, 0).schedule()
  const sizeNow = () => {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    return statSync(file).size
  }
  await until(() => sizeNow() < before / 4, 'the file is a quarter of what it was')
  assert.ok(maxBlockedMs < 300, `it took ${maxBlockedMs} ms in one go`)
  assert.equal(db.prepare('SELECT count(*) AS n FROM note').get()?.['n'], 100)
})
