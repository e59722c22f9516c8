import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type GroupCommit, groupCommit, openDatabase } from '../../lib/local/group-commit.ts'
import { scratchFolder } from '../scratch.ts'

interface Sync {
  end(): void
  fail(error: Error): void
}

/** A store whose disk does what the test says: each sync is under way until it is ended. */
function openStore(t: TestContext) {
  const file = join(scratchFolder('mutabor-commits'), 'store.sqlite')
  const db = openDatabase(file, 'CREATE TABLE IF NOT EXISTS note (text TEXT UNIQUE)')
  const syncs: Sync[] = []
  const begun: (() => void)[] = []
  const failures: Error[] = []
  const store = groupCommit(db, {
    closed: () => new Error('closed'),
    failed: (error) => failures.push(error),
    sync: () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      syncs.push({ end: resolve, fail: reject })
      for (const tell of begun.splice(0)) tell()
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
        await new Promise<void>((resolve) => begun.push(resolve))
      }
    },
  }
}

const committed = (store: GroupCommit) => new Promise<void>((resolve) => store.onCommit(resolve))

/** Notes in which order promises settle. */
function watch(order: string[], name: string, answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => order.push(name),
    () => order.push(`${name} refused`),
  )
}

test('an answer waits for the disk, and what it stores is seen before', async (t) => {
  const { store, note, sync, texts } = openStore(t)
  const order: string[] = []
  const answer = watch(order, 'answer', store.commit(note('a')))
  const first = await sync(0)
  assert.deepEqual(texts(), ['a'])
  assert.deepEqual(order, [])
  first.end()
  await answer
})

test('what comes while a sync is under way shares the next one, and is answered in order', async (t) => {
  const { store, note, sync, syncs } = openStore(t)
  const order: string[] = []
  const answers = [watch(order, 'a', store.commit(note('a')))]
  const first = await sync(0)
  for (const name of ['b', 'c']) {
    const done = committed(store)
    answers.push(watch(order, name, store.commit(note(name))))
    await done
  }
  assert.equal(syncs(), 1)
  first.end()
  const second = await sync(1)
  assert.deepEqual(order, ['a'])
  second.end()
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
  ;(await sync(0)).end()
  await both[0]
})

test('a refusal, and a change that only reads, wait for what they saw', async (t) => {
  const { store, note, sync, texts, syncs } = openStore(t)
  const order: string[] = []
  const first = watch(order, 'a', store.commit(note('a')))
  const started = await sync(0)
  const done = committed(store)
  const others = [
    watch(order, 'same again', store.commit(note('a'))),
    watch(order, 'look', store.commit(texts)),
  ]
  await done
  assert.deepEqual(order, [])
  started.end()
  await Promise.all([first, ...others])
  assert.deepEqual(order, ['a', 'same again refused', 'look'])
  await store.commit(texts)
  assert.equal(syncs(), 1, 'nothing was written since, so nothing is synced')
})

test('a failed sync refuses what waits for it and everything after it, and says so once', async (t) => {
  const { store, note, sync, failures } = openStore(t)
  const waiting = [store.commit(note('a'))]
  const first = await sync(0)
  const done = committed(store)
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
  const answers = [watch(order, 'a', store.commit(note('a')))]
  const first = await sync(0)
  answers.push(watch(order, 'closed', store.close()))
  await assert.rejects(store.commit(note('b')), /closed/)
  assert.deepEqual(order, [])
  first.end()
  await Promise.all(answers)
  assert.deepEqual(order, ['a', 'closed'])
})

test('the log stays one file, however often it is written over', async (t) => {
  const file = join(scratchFolder('mutabor-commits'), 'store.sqlite')
  const db = openDatabase(file, 'CREATE TABLE note (text TEXT)')
  const store = groupCommit(db, { closed: () => new Error('closed') })
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
