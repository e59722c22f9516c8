import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import pino from 'pino'
import { openDynamoDb } from '../../../lib/embedded-aws/dynamodb/server.ts'
import { checkDatabaseFile } from '../../../lib/embedded-aws/dynamodb/startup-checks.ts'
import { supervise } from '../../../lib/embedded-aws/dynamodb/supervisor.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createTable, makeFolder, silentLog, startDynamoDb } from './start-dynamodb.ts'

/** Creates a log that records its lines. */
function createRecordingLog() {
  const lines: { msg: string; lastOutput?: string }[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { log, lines }
}

for (const [caseName, signal] of [
  ['crashed', 'SIGKILL'],
  ['hangs', 'SIGSTOP'],
] as const)
  test(`a DynamoDB process that ${caseName} is replaced on the same port and keeps its data`, async (t) => {
    const { client, documents, pid, url } = await startDynamoDb(t, { checkEveryMs: 50, probeTimeoutMs: 200 })
    await createTable(client, 'table')
    await documents.send(new PutCommand({ TableName: 'table', Item: { pk: 'a', sk: 1, word: 'kept' } }))
    const pidBefore = pid()
    assert.ok(pidBefore)
    process.kill(pidBefore, signal)
    // The first request to the hanging process may wait forever, as the SDK has no timeout.
    const deadline = Date.now() + 20_000
    const query = () =>
      documents.send(new GetCommand({ TableName: 'table', Key: { pk: 'a', sk: 1 } }), {
        abortSignal: AbortSignal.timeout(1000),
      })
    // The signal arrives slightly later; until then the old process may respond.
    let result = await query().catch(() => undefined)
    while ((!result || pid() === pidBefore) && Date.now() < deadline)
      result = await query().catch(() => undefined)
    assert.equal(result?.Item?.['word'], 'kept')
    assert.notEqual(pid(), pidBefore)
    assert.equal((await fetch(url, { method: 'POST' })).ok, false, 'it responds at its old URL')
  })

test('a DynamoDB process that is briefly slow is not restarted', async (t) => {
  const { client, pid } = await startDynamoDb(t, { checkEveryMs: 20, probeTimeoutMs: 400 })
  const pidBefore = pid()
  assert.ok(pidBefore)
  // Stopped for longer than one health check may take, but less than two.
  process.kill(pidBefore, 'SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 500))
  process.kill(pidBefore, 'SIGCONT')
  await client.send(new ListTablesCommand({}))
  assert.equal(pid(), pidBefore)
})

test('a DynamoDB process that keeps exiting is restarted after growing delays, and the log says what to do', async (t) => {
  const dir = makeFolder()
  const flag = join(dir, 'started')
  // Succeeds once, so that it counts as started; then it exits immediately.
  const script = `if [ -e ${flag} ]; then echo "no room left" >&2; exit 1; fi; touch ${flag}; sleep 0.1`
  const { log, lines } = createRecordingLog()
  const startedAtMs = Date.now()
  const supervisor = await supervise({
    command: ['/bin/sh', '-c', script],
    probe: async () => {
      if (lines.length > 0) throw new Error('it does not respond')
    },
    checkEveryMs: 1000,
    probeTimeoutMs: 1000,
    log,
  })
  t.after(() => supervisor.close())
  await waitUntil(() => lines.length >= 6, 'six restarts', 20)
  assert.ok(Date.now() - startedAtMs > 100 + 200 + 400 + 800)
  assert.match(lines[0]?.msg ?? '', /exited and is restarted/)
  assert.match(lines[5]?.msg ?? '', /keeps exiting before it responds\. Check its last output/)
  assert.equal(lines[5]?.lastOutput, 'no room left')
})

test('starting DynamoDB on a port in use fails with a message', async (t) => {
  const otherServer = createServer().listen(0, '127.0.0.1')
  await once(otherServer, 'listening')
  t.after(() => otherServer.close())
  // A TCP server's address is an AddressInfo.
  const { port } = otherServer.address() as AddressInfo
  const file = join(makeFolder(), 'dynamodb.sqlite')
  await assert.rejects(
    openDynamoDb({ file, port, log: silentLog }),
    new RegExp(`^Error: Port ${port} on 127.0.0.1 is in use\\. Stop the program that uses it`),
  )
})

test('starting DynamoDB on a file in use by another process fails with a message', async (t) => {
  const { file } = await startDynamoDb(t)
  assert.throws(
    () => checkDatabaseFile(file, 0),
    /dynamodb\.sqlite of the embedded DynamoDB is in use by another process\. Stop that process, or use another data folder\.$/,
  )
})

test('starting DynamoDB on a file that is not a database fails with a message', async () => {
  const file = join(makeFolder(), 'dynamodb.sqlite')
  await writeFile(file, 'these words are no database, however long they go on')
  await assert.rejects(
    openDynamoDb({ file, port: 0, log: silentLog }),
    /cannot be read \(file is not a database\)\. Restore a backup, or use another data folder\.$/,
  )
})

test('closing DynamoDB stops its process and leaves an intact file', async (t) => {
  const { client, file, pid, stop } = await startDynamoDb(t)
  await createTable(client, 'table')
  const runningPid = pid()
  assert.ok(runningPid)
  await stop()
  assert.equal(pid(), undefined)
  const database = new DatabaseSync(file, { readOnly: true })
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  database.close()
})

test('the DynamoDB process does not outlive a killed service', async () => {
  const file = join(makeFolder(), 'dynamodb.sqlite')
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server-process.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
  const reopenedDynamoDb = await openWhenFree(file)
  await reopenedDynamoDb.close()
})

/**
 * Opens the database once the previous program is gone. The kernel kills that program shortly after the service has
 * exited.
 */
async function openWhenFree(file: string) {
  const deadline = Date.now() + 5000
  for (;;) {
    try {
      return await openDynamoDb({ file, port: 0, log: silentLog })
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}
