import { setTimeout as sleep } from 'node:timers/promises'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs'
import * as z from 'zod'

/** Returns messages from dead-letter queues to their source. */

/** How long to wait for the redrive to finish; after that, SQS continues in the background. */
const maxWaitMs = 60_000
const pollMs = 250

const createClient = (region: string) => new SQSClient({ region, useQueueUrlAsEndpoint: false })

/** Moves messages back to their source queue. @returns how many were moved, and whether the move is finished. */
export async function redriveMessages(
  name: string,
  region: string,
): Promise<{ movedCount: number; isFinished: boolean }> {
  const sqs = createClient(region)
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name }))
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  )
  const { QueueArn: SourceArn } = Attributes
  await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }))
  const deadlineMs = Date.now() + maxWaitMs
  for (;;) {
    const { Results: [latestTask] = [] } = await sqs.send(
      new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }),
    )
    const movedCount = latestTask?.ApproximateNumberOfMessagesMoved ?? 0
    if (latestTask?.Status === 'FAILED')
      throw new Error(`SQS moved ${movedCount} messages: ${latestTask.FailureReason}`)
    if (latestTask?.Status !== 'RUNNING') return { movedCount, isFinished: true }
    if (Date.now() > deadlineMs) return { movedCount, isFinished: false }
    await sleep(pollMs)
  }
}

/** Message with an event, as a rule of the bus sends it to a function. */
const BusEventMessage = z.object({
  source: z.string(),
  'detail-type': z.string(),
  time: z.string(),
  detail: z.unknown(),
})

/**
 * Publishes failed events to the bus again, because there is no source queue to which they could be moved. Other
 * subscribers receive them twice, which is harmless: the events keep their ids.
 * @returns the number of events.
 */
export async function republishEvents(name: string, bus: string, region: string): Promise<number> {
  const sqs = createClient(region)
  const events = new EventBridgeClient({ region })
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name }))
  for (let count = 0; ; ) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 60 }),
    )
    if (Messages.length === 0) return count
    for (const { Body = '', ReceiptHandle } of Messages) {
      const { source, 'detail-type': type, time, detail } = BusEventMessage.parse(JSON.parse(Body))
      const entry = { Source: source, DetailType: type, Time: new Date(time), Detail: JSON.stringify(detail) }
      const { FailedEntryCount } = await events.send(
        new PutEventsCommand({ Entries: [{ EventBusName: bus, ...entry }] }),
      )
      if (FailedEntryCount) throw new Error(`the bus rejected an event of type ${type}`)
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
      count += 1
    }
  }
}
