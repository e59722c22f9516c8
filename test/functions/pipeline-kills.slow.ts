import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import * as z from 'zod'
import { lastServerUrls } from '../../lib/local/commands/replay/log-files.ts'
import { loadSecrets } from '../../lib/local/runtime/secrets.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const kills = 20
const region = 'eu-central-1'
const queueName = 'listener'
const png = await readFile(new URL('../fixtures/alpha.png', import.meta.url))

/** One import, thirty parallel conversions, an archive of the results, extracted and archived again. */
function graph() {
  const conversions = Array.from({ length: 30 }, (_, at) => `c${at}`)
  const formats = ['webp', 'jpg', 'gif']
  return {
    file: { operation: 'import/base64', file: png.toString('base64'), filename: 'a.png' },
    ...Object.fromEntries(
      conversions.map((name, at) => [
        name,
        { operation: 'convert', input: 'file', output_format: formats[at % 3], filename: `${name}.{ext}` },
      ]),
    ),
    zip: { operation: 'archive', input: conversions },
    apart: { operation: 'extract', input: 'zip' },
    again: { operation: 'archive', input: 'apart', output_format: 'tar' },
    out: { operation: 'export/url', input: ['zip', 'again'] },
  }
}

async function clients({ dataDir }: TestService) {
  const servers = await lastServerUrls([join(dataDir, 'service.log')])
  const credentials = await loadSecrets(dataDir)
  const shared = { region, credentials }
  return {
    sqs: new SQSClient({ ...shared, endpoint: servers?.['AWS_ENDPOINT_URL_SQS'] ?? '' }),
    bus: new EventBridgeClient({ ...shared, endpoint: servers?.['AWS_ENDPOINT_URL_EVENTBRIDGE'] ?? '' }),
  }
}

/** A queue that receives every event of the service. */
async function listen(service: TestService): Promise<void> {
  const { sqs, bus } = await clients(service)
  await sqs.send(new CreateQueueCommand({ QueueName: queueName }))
  const EventPattern = JSON.stringify({ source: ['mutabor'] })
  await bus.send(new PutRuleCommand({ Name: queueName, EventBusName: 'mutabor', EventPattern }))
  const Arn = `arn:aws:sqs:${region}:000000000000:${queueName}`
  await bus.send(
    new PutTargetsCommand({ Rule: queueName, EventBusName: 'mutabor', Targets: [{ Id: queueName, Arn }] }),
  )
}

const ReceivedEvent = z.object({
  detail: z.looseObject({ event: z.string(), id: z.string(), stream: z.string(), sequence: z.int() }),
})
type Event = z.infer<typeof ReceivedEvent>['detail']

async function readEvents(service: TestService): Promise<Event[]> {
  const { sqs } = await clients(service)
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: queueName }))
  const events: Event[] = []
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    )
    if (Messages.length === 0) return events
    for (const { Body = '', ReceiptHandle } of Messages) {
      events.push(ReceivedEvent.parse(JSON.parse(Body)).detail)
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    }
  }
}

/** Park and Miller's minimal standard generator, 0 to 1. */
function createRandom(seed: number) {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** A task whose worker was killed three times rightly fails; such a job is not counted. */
const isGivenUp = ({ error }: { readonly error?: { readonly message: string } | null }) =>
  error?.message.includes('crashed in all three attempts') === true

test(`a pipeline survives ${kills} kills of the whole service with the same result and every event once`, async () => {
  for (const seed of [20_261_122, 20_261_123]) if (await outlives(seed)) return
  assert.fail('one task met three kills, twice')
})

/** Returns false if a task failed because its worker was killed three times. */
async function outlives(seed: number): Promise<boolean> {
  const random = createRandom(seed)
  const dataDir = await mkdtemp(join(tmpdir(), 'mutabor-kills-'))
  // The more tasks a kill interrupts, the sooner one is interrupted three times.
  const settings = { PARALLEL: '2' }
  let service = await startService(settings, dataDir)
  const port = new URL(service.url).port
  try {
    await listen(service)
    const client = new Client(service)
    const response = await client.post('/v1/jobs', { tasks: graph() })
    const { jobId } = (await response.json()) as { jobId: string }
    assert.equal(response.status, 202)
    let percent = 0
    let inTheMiddle = 0
    for (let kill = 0; kill < kills; kill++) {
      await pause(300 + random() * 1500)
      const { data } = (await (await client.fetch(`/v1/status/${jobId}`)).json()) as {
        data: { progress: { percent: number } }
      }
      assert.ok(
        data.progress.percent >= percent,
        `progress decreased from ${percent} to ${data.progress.percent}`,
      )
      percent = data.progress.percent
      if (percent < 100) inTheMiddle++
      await service.kill()
      service = await startService({ ...settings, PORT: port }, dataDir)
    }
    assert.ok(inTheMiddle >= 5, `only ${inTheMiddle} kills hit an unfinished job`)
    const job = await client.finished(jobId)
    if (isGivenUp(job)) return false
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    const path = await client.saved(job, scratchFolder('mutabor-kills'))
    const { stdout } = await run('unzip', ['-Z1', path])
    assert.equal(stdout.trim().split('\n').length, 30)

    const events = await readEvents(service)
    const byId = Map.groupBy(events, ({ id }) => id)
    for (const [id, received] of byId)
      for (const event of received)
        assert.deepEqual(event, received[0], `${id} was published in two versions`)
    const ofJob = [...byId.values()].flatMap(([event]) => (event?.stream === jobId ? event : []))
    const once = ofJob.sort((a, b) => a.sequence - b.sequence)
    assert.deepEqual(
      once.map(({ sequence }) => sequence),
      once.map((_, at) => at + 1),
      'an event was lost or published with two ids',
    )
    const kinds = once.map(({ event }) => event).filter((event) => event !== 'job.progress')
    const ends = ['job.completed', 'file.downloaded']
    assert.deepEqual(kinds, ['job.created', 'job.queued', 'job.started', ...ends])
    return true
  } finally {
    await service.kill()
    await rm(dataDir, { recursive: true, force: true })
  }
}
