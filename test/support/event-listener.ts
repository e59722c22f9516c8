import { join } from 'node:path'
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import { S3Client } from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import * as z from 'zod'
import { findLastServerUrls } from '../../lib/local/commands/replay/log-files.ts'
import { loadSecrets } from '../../lib/local/runtime/secrets.ts'
import type { Client, TestService } from './service.ts'

const region = 'eu-central-1'
const queueName = 'listener'

/** Clients of the embedded servers. */
export async function openClients({ dataDir }: TestService) {
  const servers = await findLastServerUrls([join(dataDir, 'service.log')])
  const credentials = await loadSecrets(dataDir)
  const sharedConfig = { region, credentials }
  return {
    sqs: new SQSClient({ ...sharedConfig, endpoint: servers?.['AWS_ENDPOINT_URL_SQS'] ?? '' }),
    s3: new S3Client({
      ...sharedConfig,
      forcePathStyle: true,
      endpoint: servers?.['AWS_ENDPOINT_URL_S3'] ?? '',
    }),
    bus: new EventBridgeClient({
      ...sharedConfig,
      endpoint: servers?.['AWS_ENDPOINT_URL_EVENTBRIDGE'] ?? '',
    }),
  }
}

/** Creates a queue that receives every event of the service. */
export async function listenToEvents(service: TestService): Promise<void> {
  const { sqs, bus } = await openClients(service)
  await sqs.send(new CreateQueueCommand({ QueueName: queueName }))
  const EventPattern = JSON.stringify({ source: ['mutabor'] })
  await bus.send(new PutRuleCommand({ Name: queueName, EventBusName: 'mutabor', EventPattern }))
  const Arn = `arn:aws:sqs:${region}:000000000000:${queueName}`
  await bus.send(
    new PutTargetsCommand({ Rule: queueName, EventBusName: 'mutabor', Targets: [{ Id: queueName, Arn }] }),
  )
}

/** Lets a client watch its jobs for some hours: downloads are only published to subscribers. */
export async function watchEvents(client: Client, jobId: string): Promise<void> {
  const { body } = await client.fetch(`/v1/jobs/${jobId}/events`)
  await body?.cancel()
}

const ReceivedEvent = z.object({
  detail: z.looseObject({ event: z.string(), id: z.string(), stream: z.string(), sequence: z.int() }),
})
export type ReceivedEvent = z.infer<typeof ReceivedEvent>['detail']

/** Receives and deletes all events in the queue that `listenToEvents` created. */
export async function readEvents(service: TestService): Promise<ReceivedEvent[]> {
  const { sqs } = await openClients(service)
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: queueName }))
  const events: ReceivedEvent[] = []
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
