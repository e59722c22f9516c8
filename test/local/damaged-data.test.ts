import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkDatabase } from '../../lib/local/runtime/database-check.ts'
import { getStartFailure, startEmbedded } from '../embedded-aws/embedded-process.ts'
import { before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const program = fileURLToPath(new URL('../../lib/local/commands/start.ts', import.meta.url))
const stores = ['dynamodb.sqlite', 'sqs.sqlite', 'events.sqlite', 's3/objects.sqlite']
const blob = `s3/blobs/ab/${'ab'.repeat(16)}`

/** Data of a service that was stopped, and of one that was killed, whose databases still have write-ahead logs. */
let stoppedFolder: string
let killedFolder: string

before(async () => {
  const folder = scratchFolder('damaged-data')
  stoppedFolder = join(folder, 'stopped')
  killedFolder = join(folder, 'killed')
  assert.deepEqual(await start(stoppedFolder, { signal: 'SIGTERM' }), { isReady: true, code: 0, output: '' })
  // A write-ahead log that contains every page would repair its database.
  for (const store of stores) {
    const database = new DatabaseSync(join(stoppedFolder, store))
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
  }
  cpSync(stoppedFolder, killedFolder, { recursive: true })
  await start(killedFolder, { signal: 'SIGKILL' })
  for (const dataDir of [stoppedFolder, killedFolder])
    writeFileSync(join(dataDir, blob), 'bytes of an object')
})

interface Start {
  readonly isReady: boolean
  readonly code: number | null
  readonly output: string
}

/** Runs the service until it is ready, or until its start fails. */
async function start(
  dataDir: string,
  { args = [], signal = 'SIGTERM' }: { args?: readonly string[]; signal?: 'SIGTERM' | 'SIGKILL' } = {},
): Promise<Start> {
  const env = { ...process.env, PORT: '0', ENGINES: 'none', MIN_FREE_DISK_GB: '0', DATA_DIR: dataDir }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exitOutput = Promise.all([text(child.stderr), once(child, 'exit')])
  const isReady = await waitUntilReady(child)
  if (isReady) child.kill(signal)
  const [output, [code]] = await exitOutput
  return { isReady, code, output }
}

async function waitUntilReady({ stdout }: ChildProcess): Promise<boolean> {
  assert.ok(stdout)
  for await (const line of createInterface({ input: stdout })) {
    if (!line.includes('is ready: ')) continue
    stdout.resume()
    return true
  }
  return false
}

function copyFile(source: string): string {
  const dataDir = join(scratchFolder('damaged-data'), 'data')
  cpSync(source, dataDir, { recursive: true })
  return dataDir
}

/** Flips all bits of the two pages in the middle of a file. */
function flipMiddle(file: string): void {
  const bytes = readFileSync(file)
  const middleOffset = Math.floor(bytes.length / 8192) * 4096
  writeFileSync(
    file,
    bytes.map((byte, at) => (at >= middleOffset && at < middleOffset + 8192 ? byte ^ 0xff : byte)),
  )
}

const damagesByName: Readonly<Record<string, (file: string) => void>> = {
  'have flipped bytes in the middle': flipMiddle,
  'are cut in half': (file) => truncateSync(file, statSync(file).size / 2),
  'are cut to a few bytes': (file) => truncateSync(file, 50),
  'are replaced by garbage': (file) => writeFileSync(file, 'no database at all. '.repeat(1000)),
}
const losses: Readonly<Record<string, (file: string) => void>> = {
  'has 0 bytes': (file) => truncateSync(file, 0),
  'is missing': (file) => rmSync(file),
}

function assertRefused({ isReady, code, output }: Start, file: string): void {
  assert.deepEqual({ isReady, code }, { isReady: false, code: 1 }, output)
  assert.ok(output.includes(file), output)
  assert.match(output, /npm run restore/)
  assert.match(output, /npm start -- --accept-loss/)
  assert.doesNotMatch(output, /\n +at |Error:/, 'the message has no stack')
}

const readIfExists = (file: string) => (existsSync(file) ? readFileSync(file, 'latin1') : undefined)

suite('damaged databases at startup', { concurrency: 2 }, () => {
  const assertStartRefused = async (damagedFiles: readonly string[], damage: (file: string) => void) => {
    const dataDir = copyFile(stoppedFolder)
    const files = damagedFiles.map((store) => join(dataDir, store))
    files.forEach(damage)
    const contentsBefore = files.map(readIfExists)
    const startedService = await start(dataDir)
    for (const file of files) assertRefused(startedService, file)
    for (const store of stores)
      assert.equal(
        startedService.output.includes(join(dataDir, store)),
        damagedFiles.includes(store),
        startedService.output,
      )
    assert.deepEqual(files.map(readIfExists), contentsBefore)
    assert.ok(existsSync(join(dataDir, blob)), 'no bytes of objects are deleted')
  }

  for (const [name, damage] of Object.entries(damagesByName))
    test(`the service does not start if its databases ${name}, names each file in the error and changes nothing`, () =>
      assertStartRefused(stores, damage))

  for (const store of stores)
    for (const [name, damage] of Object.entries(losses))
      test(`the service does not start if ${store} ${name}, names only that file in the error and changes nothing`, () =>
        assertStartRefused([store], damage))

  for (const store of stores)
    test(`--accept-loss sets a damaged ${store} aside and starts with an empty ${store}`, async () => {
      const dataDir = copyFile(killedFolder)
      const file = join(dataDir, store)
      flipMiddle(file)
      writeFileSync(file, `garbage ${readFileSync(file, 'latin1')}`, 'latin1')
      const [damagedFile, log] = [readIfExists(file), readIfExists(`${file}-wal`)]
      const secrets = readFileSync(join(dataDir, 'secrets.json'), 'utf8')
      const { isReady, output } = await start(dataDir, { args: ['--accept-loss'] })
      assert.ok(isReady, output)
      // The index of objects is set aside together with the files, whose names only the index knows.
      const entry = store.split('/')[0] ?? ''
      const [asideFolder, ...moreFolders] = readdirSync(dataDir).filter(
        (found) =>
          found.startsWith(`${entry}.damaged-`) && !found.endsWith('-wal') && !found.endsWith('-shm'),
      )
      assert.ok(asideFolder && moreFolders.length === 0)
      assert.ok(output.includes(join(dataDir, asideFolder)), output)
      const keptFile = join(dataDir, asideFolder, ...store.split('/').slice(1))
      assert.equal(readIfExists(keptFile), damagedFile)
      assert.equal(readIfExists(`${keptFile}-wal`), log)
      if (entry === 's3') assert.ok(existsSync(join(dataDir, blob.replace('s3', asideFolder))))
      assert.equal(readFileSync(join(dataDir, 'secrets.json'), 'utf8'), secrets)
      assert.ok((await start(dataDir)).isReady, 'later starts need no flag')
      assert.equal(readIfExists(keptFile), damagedFile)
    })

  test('the service refuses to start after it was killed while it set a database aside, and no data is lost', async () => {
    const dataDir = copyFile(killedFolder)
    const file = join(dataDir, 'sqs.sqlite')
    const log = readIfExists(`${file}-wal`)
    assert.ok(log)
    renameSync(file, `${file}.damaged-2026-01-01T00-00-00`)
    assertRefused(await start(dataDir), file)
    assert.equal(readIfExists(`${file}-wal`), log)
    const { isReady, output } = await start(dataDir, { args: ['--accept-loss'] })
    assert.ok(isReady, output)
    const walFiles = readdirSync(dataDir).filter((name) => /^sqs\.sqlite\.damaged-.*-wal$/.test(name))
    assert.deepEqual(
      walFiles.map((name) => readIfExists(join(dataDir, name))),
      [log],
    )
  })

  test('the service does not start on a write-ahead log with a damaged header', async () => {
    const dataDir = copyFile(killedFolder)
    const log = join(dataDir, 'sqs.sqlite-wal')
    const bytes = readFileSync(log)
    bytes[9] = (bytes[9] ?? 0) ^ 1
    writeFileSync(log, bytes)
    assertRefused(await start(dataDir), log)
    assert.deepEqual(readFileSync(log), bytes)
  })

  test('the service does not start on a data folder without its s3 folder', async () => {
    const dataDir = copyFile(stoppedFolder)
    rmSync(join(dataDir, 's3'), { recursive: true })
    assertRefused(await start(dataDir), join(dataDir, 's3/objects.sqlite'))
  })

  test('the embedded servers also refuse damaged data and accept a loss on request', async (t) => {
    const dataDir = copyFile(stoppedFolder)
    const file = join(dataDir, 'events.sqlite')
    flipMiddle(file)
    const { code, output } = await getStartFailure('--data', dataDir)
    assert.equal(code, 1)
    assert.ok(output.includes(file) && output.includes('--accept-loss'), output)
    assert.doesNotMatch(output, /\n +at /)
    await (await startEmbedded(t, '--data', dataDir, '--accept-loss')).end()
  })
})

suite('damaged secrets at startup', { concurrency: 2 }, () => {
  const flipSecret = (file: string) => {
    const secrets = JSON.parse(readFileSync(file, 'utf8'))
    const [firstCharacter, ...rest] = secrets.serviceSecret
    secrets.serviceSecret = [firstCharacter === 'A' ? 'B' : 'A', ...rest].join('')
    writeFileSync(file, JSON.stringify(secrets))
  }
  const secretDamages: Readonly<Record<string, (file: string) => void>> = {
    'is garbage': (file) => writeFileSync(file, 'no JSON'),
    'is empty': (file) => writeFileSync(file, ''),
    'lacks a secret': (file) => writeFileSync(file, '{"accessKeyId":"MUTABOR0123456789ABCDEF"}'),
    'has a flipped character': flipSecret,
    'is missing': (file) => rmSync(file),
  }
  for (const [name, damage] of Object.entries(secretDamages)) {
    test(`the service refuses to start when secrets.json ${name}, and creates no new secrets`, async () => {
      const dataDir = copyFile(stoppedFolder)
      const file = join(dataDir, 'secrets.json')
      damage(file)
      const contentsBefore = readIfExists(file)
      const startedService = await start(dataDir)
      assertRefused(startedService, file)
      assert.match(startedService.output, /session/, 'the message says what is lost without the secrets')
      assert.equal(readIfExists(file), contentsBefore)
    })

    test(`--accept-loss creates new secrets when secrets.json ${name}, and keeps the old file if there is one`, async () => {
      const dataDir = copyFile(stoppedFolder)
      const file = join(dataDir, 'secrets.json')
      const oldContents = readFileSync(file, 'utf8')
      damage(file)
      const damagedContents = readIfExists(file)
      const { isReady, output } = await start(dataDir, { args: ['--accept-loss'] })
      assert.ok(isReady, output)
      assert.notEqual(readFileSync(file, 'utf8'), oldContents)
      const setAsideFiles = readdirSync(dataDir).filter((found) => found.startsWith('secrets.json.damaged-'))
      assert.deepEqual(
        setAsideFiles.map((found) => readIfExists(join(dataDir, found))),
        damagedContents === undefined ? [] : [damagedContents],
      )
      assert.ok((await start(dataDir)).isReady)
    })
  }
})

test('a secrets.json without a checksum, as from a previous version, is accepted and gets a checksum', async () => {
  const dataDir = copyFile(killedFolder)
  const file = join(dataDir, 'secrets.json')
  const { checksum: _, ...secrets } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(secrets))
  assert.deepEqual(await start(dataDir), { isReady: true, code: 0, output: '' })
  const { checksum, ...kept } = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(kept, secrets)
  assert.ok(checksum, 'the checksum is added, so that later damage is found')
})

test('--accept-loss leaves intact data unchanged', async () => {
  const dataDir = copyFile(killedFolder)
  const secrets = readFileSync(join(dataDir, 'secrets.json'), 'utf8')
  assert.deepEqual(await start(dataDir, { args: ['--accept-loss'] }), { isReady: true, code: 0, output: '' })
  assert.equal(readFileSync(join(dataDir, 'secrets.json'), 'utf8'), secrets)
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.includes('.damaged-')),
    [],
  )
})

test('a first start that was killed while it created the databases can be repeated', async (t) => {
  const freshFolder = join(scratchFolder('damaged-data'), 'fresh')
  await (await startEmbedded(t, '--data', freshFolder)).end()
  for (const [lastIndex, store] of stores.entries()) {
    const dataDir = copyFile(freshFolder)
    rmSync(join(dataDir, 's3/blobs'), { recursive: true })
    for (const laterStore of stores.slice(lastIndex))
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(join(dataDir, `${laterStore}${suffix}`), { force: true })
    writeFileSync(join(dataDir, store), '')
    assert.deepEqual(await start(dataDir), { isReady: true, code: 0, output: '' })
  }
})

test('the integrity check of a large database finds damage, and stops at its time limit', async () => {
  const file = join(scratchFolder('damaged-data'), 'large.sqlite')
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE large (id INTEGER PRIMARY KEY, bytes BLOB)')
  const insert = database.prepare('INSERT INTO large (bytes) VALUES (zeroblob(3000))')
  database.exec('BEGIN')
  for (let row = 0; row < 12_000; row++) insert.run()
  database.exec('COMMIT')
  database.close()
  assert.deepEqual(await checkDatabase(file, 60_000), { file, isComplete: true })
  assert.deepEqual(await checkDatabase(file, 1), { file, isComplete: false })
  flipMiddle(file)
  const { damage, isComplete } = await checkDatabase(file, 60_000)
  assert.ok(damage && isComplete)
  truncateSync(file, statSync(file).size / 2)
  assert.ok((await checkDatabase(file, 1)).damage, 'the header and the schema are always checked')
})

test('unknown arguments of the start command are rejected', async () => {
  const { isReady, code, output } = await start(copyFile(stoppedFolder), { args: ['--accept-los'] })
  assert.deepEqual({ isReady, code }, { isReady: false, code: 2 })
  assert.match(output, /--accept-los'?/)
  assert.match(output, /Usage: npm start/)
})
