// Run by `npm run test:aws`, as root. Checks that everything acknowledged exists after a power failure.
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateTableCommand,
  DynamoDBClient,
  paginateScan,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import {
  EventBridgeClient,
  ListRulesCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { startEmbedded } from '../embedded-aws/embedded-process.ts'
import { createPowerCutDisk } from './power-cut-disk.ts'

const rounds = 20
const writersPerStep = 3
const Bucket = 'box'
const TableName = 'table'
const arn = (service: string, name: string) => `arn:aws:${service}:eu-central-1:000000000000:${name}`
const createQueueUrl = (name: string) => `/000000000000/${name}`

type Clients = Awaited<ReturnType<typeof start>>

async function start(t: TestContext, folder: string) {
  const { firstLine, pid, end } = await startEmbedded(t, '--data', join(folder, 'data'), '--json')
  const variables: Readonly<Record<string, string>> = JSON.parse(firstLine)
  const settings = (service: string) => ({
    endpoint: variables[`AWS_ENDPOINT_URL_${service}`] ?? '',
    region: 'eu-central-1',
    credentials: {
      accessKeyId: variables.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: variables.AWS_SECRET_ACCESS_KEY ?? '',
    },
    maxAttempts: 1,
  })
  const clients = {
    s3: new S3Client({ ...settings('S3'), forcePathStyle: true }),
    sqs: new SQSClient(settings('SQS')),
    dynamoDb: new DynamoDBClient(settings('DYNAMODB')),
    events: new EventBridgeClient(settings('EVENTBRIDGE')),
  }
  const kill = async () => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process may have exited already because it lost its disk.
    }
    await end()
    for (const client of Object.values(clients)) client.destroy()
  }
  return { ...clients, kill }
}

async function prepare({ s3, sqs, dynamoDb, events }: Clients): Promise<void> {
  await s3.send(new CreateBucketCommand({ Bucket }))
  for (const QueueName of ['line', 'events']) await sqs.send(new CreateQueueCommand({ QueueName }))
  await dynamoDb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  )
  await events.send(new PutRuleCommand({ Name: 'all', EventPattern: '{"source":["power"]}' }))
  const Targets = [{ Id: '1', Arn: arn('sqs', 'events') }]
  await events.send(new PutTargetsCommand({ Rule: 'all', Targets }))
}

/**
 * What was acknowledged before the power failed. Later acknowledgements prove nothing: the kernel may report an
 * unfinished fsync as successful, while a machine without power acknowledges nothing.
 */
interface Ledger {
  /** Keys of objects, with the digest of their content. */
  readonly objects: Map<string, string>
  readonly deletedObjects: Set<string>
  readonly messages: Set<string>
  readonly pairs: Set<string>
  readonly events: Set<string>
  /** The last change of a rule. */
  readonly rule: { change: number }
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Changes something and returns a function that records it as acknowledged. */
type Step = (clients: Clients) => Promise<(ledger: Ledger) => void>

const steps: readonly Step[] = [
  async function putObject({ s3 }) {
    const Key = randomUUID()
    const Body = randomBytes(randomInt(1, 200_000))
    await s3.send(new PutObjectCommand({ Bucket, Key, Body }))
    return ({ objects }) => objects.set(Key, digest(Body))
  },
  async function deleteObject({ s3 }) {
    const Key = randomUUID()
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'gone soon' }))
    await s3.send(new DeleteObjectCommand({ Bucket, Key }))
    return ({ deletedObjects }) => deletedObjects.add(Key)
  },
  async function sendMessage({ sqs }) {
    const MessageBody = randomUUID()
    await sqs.send(new SendMessageCommand({ QueueUrl: createQueueUrl('line'), MessageBody }))
    return ({ messages }) => messages.add(MessageBody)
  },
  async function writePair({ dynamoDb }) {
    const pair = randomUUID()
    const createPairItem = (name: string) => ({ Put: { TableName, Item: { pk: { S: `${pair} ${name}` } } } })
    await dynamoDb.send(
      new TransactWriteItemsCommand({ TransactItems: [createPairItem('left'), createPairItem('right')] }),
    )
    return ({ pairs }) => pairs.add(pair)
  },
  async function putEvent({ events }) {
    const entry = { Source: 'power', DetailType: 'x', Detail: '{}' }
    const { Entries = [] } = await events.send(new PutEventsCommand({ Entries: [entry] }))
    return (ledger) => ledger.events.add(Entries[0]?.EventId ?? '')
  },
  async function changeRule({ events }) {
    const change = Date.now()
    await events.send(
      new PutRuleCommand({ Name: 'changing', EventPattern: '{"source":["none"]}', Description: `${change}` }),
    )
    return ({ rule }) => {
      rule.change = Math.max(rule.change, change)
    }
  },
]

async function write(step: Step, clients: Clients, ledger: Ledger, powerCut: AbortSignal): Promise<void> {
  try {
    for (;;) {
      const recordAcknowledged = await step(clients)
      if (powerCut.aborted) return
      recordAcknowledged(ledger)
    }
  } catch (error) {
    if (!powerCut.aborted) throw error
  }
}

async function check(clients: Clients, ledger: Ledger): Promise<void> {
  await checkObjects(clients, ledger)
  const findMissing = (expected: ReadonlySet<string>, found: ReadonlySet<string>) =>
    [...expected].filter((name) => !found.has(name))
  assert.deepEqual(findMissing(ledger.messages, await receiveAll(clients, 'line')), [], 'messages are lost')
  const pairKeys = new Set<string>()
  for await (const { Items = [] } of paginateScan({ client: clients.dynamoDb }, { TableName }))
    for (const { pk } of Items) pairKeys.add(pk?.S ?? '')
  for (const pairItem of pairKeys) {
    const [pair] = pairItem.split(' ')
    assert.ok(pairKeys.has(`${pair} left`) && pairKeys.has(`${pair} right`), 'a transaction is incomplete')
  }
  const foundKeys = new Set([...pairKeys].map((pairItem) => pairItem.slice(0, 36)))
  assert.deepEqual(findMissing(ledger.pairs, foundKeys), [], 'transactions are lost')
  const rules = await clients.events.send(new ListRulesCommand({ NamePrefix: 'changing' }))
  assert.ok(Number(rules.Rules?.[0]?.Description ?? 0) >= ledger.rule.change, 'the change of a rule is lost')
  await checkEvents(clients, ledger)
}

async function checkObjects({ s3 }: Clients, { objects, deletedObjects }: Ledger): Promise<void> {
  const foundObjects = new Set<string>()
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket }))
    for (const { Key = '', Size } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
      assert.equal(bytes.length, Size, `${Key} is incomplete`)
      if (objects.has(Key)) assert.equal(digest(bytes), objects.get(Key), `${Key} has other content`)
      assert.ok(!deletedObjects.has(Key), `${Key} is back`)
      foundObjects.add(Key)
    }
  for (const key of objects.keys()) assert.ok(foundObjects.has(key), `${key} is lost`)
}

/** Checks that no event is lost. Some events are delivered only after the restart. */
async function checkEvents(clients: Clients, { events }: Ledger): Promise<void> {
  const missingEvents = new Set(events)
  for (
    const deadline = Date.now() + 30_000;
    missingEvents.size > 0 && Date.now() < deadline;
    await pause(100)
  )
    for (const body of await receiveAll(clients, 'events')) missingEvents.delete(JSON.parse(body).id)
  assert.deepEqual([...missingEvents], [], 'events are lost')
}

/** Receives all messages without deleting them; they stay hidden until the test ends. */
async function receiveAll({ sqs }: Clients, queue: string): Promise<Set<string>> {
  const bodies = new Set<string>()
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: createQueueUrl(queue),
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 3600,
      }),
    )
    if (Messages.length === 0) return bodies
    for (const { Body = '' } of Messages) bodies.add(Body)
  }
}

test('acknowledged changes of all embedded servers survive a power failure', async (t) => {
  const disk = createPowerCutDisk(t)
  if (typeof disk === 'string') {
    t.skip(disk)
    return
  }
  const ledger: Ledger = {
    objects: new Map(),
    deletedObjects: new Set(),
    messages: new Set(),
    pairs: new Set(),
    events: new Set(),
    rule: { change: 0 },
  }
  let clients = await start(t, disk.folder)
  await prepare(clients)
  for (let round = 0; round < rounds; round++) {
    const runningClients = clients
    const powerCut = new AbortController()
    const writers = steps.flatMap((step) =>
      Array.from({ length: writersPerStep }, () => write(step, runningClients, ledger, powerCut.signal)),
    )
    // The time of the power failure has to be random.
    await Promise.race([pause(randomInt(100, 1500)), Promise.all(writers)])
    powerCut.abort()
    disk.cutPower()
    await runningClients.kill()
    await Promise.all(writers)
    await disk.restore()
    clients = await start(t, disk.folder)
  }
  await check(clients, ledger)
  await clients.kill()
  const { rule, ...sets } = ledger
  assert.ok(rule.change > 0, 'no change of a rule was acknowledged')
  const counts = Object.entries(sets).map(([name, { size }]) => `${size} ${name}`)
  for (const [name, { size }] of Object.entries(sets)) assert.ok(size > 0, `no ${name} were acknowledged`)
  t.diagnostic(`${rounds} power failures: ${counts.join(', ')} acknowledged`)
})
