// Kills the server at random times while eight clients write, and keeps a ledger of the acknowledged requests.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { createSqsClient, startSqs } from './start-sqs.ts'

const WRITERS = 8
const ACCOUNT = '000000000000'
/** How long the test reuses a deduplication id: a minute less than SQS remembers it. */
const DEDUPLICATION_MS = 240_000

interface Ledger {
  readonly sentBodies: Set<string>
  /** Bodies of messages whose deletion was requested, whether or not it was acknowledged. */
  readonly requestedDeletes: Set<string>
  readonly deletedBodies: Set<string>
  /** By deduplication id: the acknowledged MessageId, and when it was acknowledged. */
  readonly fifo: Map<string, { readonly messageId: string; readonly at: number }>
  next: number
}

export async function runSqsKillRounds(t: TestContext, rounds: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sqs-kill-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'sqs.db')
  const ledger: Ledger = {
    sentBodies: new Set(),
    requestedDeletes: new Set(),
    deletedBodies: new Set(),
    fifo: new Map(),
    next: 0,
  }
  for (let round = 0; round < rounds; round++) {
    await writeUntilKilled(file, ledger)
    checkFile(file, ledger)
  }
  await drain(t, file, ledger)
  const { sentBodies, deletedBodies, fifo } = ledger
  assert.ok(sentBodies.size > rounds && deletedBodies.size > 0 && fifo.size > 0, 'The writers hardly wrote.')
  return `${rounds} kills: ${sentBodies.size} sends, ${deletedBodies.size} deletes and ${fifo.size} FIFO sends acknowledged`
}

async function writeUntilKilled(file: string, ledger: Ledger) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server-process.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exitedEvent = once(child, 'exit')
  const [port] = await once(createInterface(child.stdout), 'line')
  const client = createSqsClient(`http://127.0.0.1:${String(port)}`)
  await createQueues(client)
  const writers = Array.from({ length: WRITERS }, (_, i) => write(client, ledger, i))
  await pause(50 + Math.random() * 450)
  child.kill('SIGKILL')
  await exitedEvent
  await Promise.all(writers)
  client.destroy()
}

async function createQueues(client: SQSClient) {
  await client.send(new CreateQueueCommand({ QueueName: 'plain' }))
  const Attributes = { FifoQueue: 'true' }
  await client.send(new CreateQueueCommand({ QueueName: 'ordered.fifo', Attributes }))
}

/** Writes until the server no longer responds. */
async function write(client: SQSClient, ledger: Ledger, writer: number) {
  const steps = [
    writeStandardMessages,
    writeStandardMessages,
    receiveAndDelete,
    writeFifoMessages,
    repeatFifoMessage,
  ]
  try {
    for (let i = writer; ; i++) await steps[i % steps.length]?.(client, ledger, writer)
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
  }
}

async function writeStandardMessages(client: SQSClient, ledger: Ledger) {
  const body = `plain-${ledger.next++}`
  await client.send(new SendMessageCommand({ QueueUrl: `/${ACCOUNT}/plain`, MessageBody: body }))
  ledger.sentBodies.add(body)
}

async function receiveAndDelete(client: SQSClient, ledger: Ledger) {
  const QueueUrl = `/${ACCOUNT}/plain`
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 3, VisibilityTimeout: 600 }),
  )
  for (const { Body = '', ReceiptHandle } of Messages) {
    assert.ok(!ledger.deletedBodies.has(Body), `${Body} came back after its delete was acknowledged.`)
    ledger.requestedDeletes.add(Body)
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    ledger.deletedBodies.add(Body)
  }
}

async function writeFifoMessages(client: SQSClient, ledger: Ledger, writer: number) {
  const id = `fifo-${ledger.next++}`
  const at = Date.now()
  ledger.fifo.set(id, { messageId: await sendWithId(client, id, writer), at })
}

async function repeatFifoMessage(client: SQSClient, ledger: Ledger, writer: number) {
  // On a busy machine the rounds take longer than an id is remembered.
  const recentMessages = [...ledger.fifo].filter(([, { at }]) => Date.now() - at < DEDUPLICATION_MS)
  const [id, firstSend] = recentMessages[Math.floor(Math.random() * recentMessages.length)] ?? []
  if (id !== undefined)
    assert.equal(await sendWithId(client, id, writer), firstSend?.messageId, `${id} was not known any more.`)
}

async function sendWithId(client: SQSClient, id: string, writer: number): Promise<string> {
  const { MessageId = '' } = await client.send(
    new SendMessageCommand({
      QueueUrl: `/${ACCOUNT}/ordered.fifo`,
      MessageBody: id,
      MessageGroupId: `writer-${writer}`,
      MessageDeduplicationId: id,
    }),
  )
  return MessageId
}

function checkFile(file: string, ledger: Ledger) {
  const db = new DatabaseSync(file)
  try {
    const rows = db.prepare('SELECT body, messages.seq FROM bodies LEFT JOIN messages USING (seq)').all()
    const half = db
      .prepare('SELECT count(*) AS n FROM messages WHERE seq NOT IN (SELECT seq FROM bodies)')
      .get()
    assert.equal(half?.n, 0, 'A message has no body.')
    assert.ok(!rows.some((row) => row.seq === null), 'A body has no message.')
    checkBodies(
      rows.map((row) => String(row.body)),
      ledger,
    )
  } finally {
    db.close()
  }
}

function checkBodies(
  bodies: readonly string[],
  { sentBodies, requestedDeletes, deletedBodies, fifo }: Ledger,
) {
  const presentBodies = new Set(bodies)
  assert.equal(presentBodies.size, bodies.length, 'A message is there twice.')
  const lostBodies = [...sentBodies].filter((body) => !presentBodies.has(body) && !requestedDeletes.has(body))
  assert.deepEqual(lostBodies, [], 'Acknowledged messages are lost.')
  assert.deepEqual(
    [...deletedBodies].filter((body) => presentBodies.has(body)),
    [],
    'Deleted messages are back.',
  )
  assert.deepEqual(
    [...fifo.keys()].filter((id) => !presentBodies.has(id)),
    [],
    'Acknowledged FIFO messages are lost.',
  )
}

/** Receives all remaining messages through the protocol, as a final check. */
async function drain(t: TestContext, file: string, ledger: Ledger) {
  const { receive, client } = await startSqs(t, { file, now: () => Date.now() + 700_000 })
  const bodies: string[] = []
  for (const QueueUrl of [`/${ACCOUNT}/plain`, `/${ACCOUNT}/ordered.fifo`]) {
    let messages = await receive(QueueUrl, { MaxNumberOfMessages: 10 })
    while (messages.length > 0) {
      bodies.push(...messages.map((message) => message.Body ?? ''))
      for (const { ReceiptHandle } of messages)
        await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
      messages = await receive(QueueUrl, { MaxNumberOfMessages: 10 })
    }
  }
  checkBodies(bodies, ledger)
}
