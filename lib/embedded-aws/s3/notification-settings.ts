// Reads and writes the notification configuration of a bucket; notifications.ts delivers the messages.
import { randomUUID } from 'node:crypto'
import { readXmlBody } from './body.ts'
import { type QueueRule, readSetting, writeSetting } from './bucket-settings.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { createInvalidArgumentError, S3Error } from './errors.ts'
import { overlaps } from './notification-rules.ts'
import { getChildren, getChildText, getChildTexts, type Parsed, toXml } from './xml.ts'

const knownEvents = {
  ObjectCreated: ['*', 'Put', 'Post', 'Copy', 'CompleteMultipartUpload'],
  ObjectRemoved: ['*', 'Delete'],
  ObjectTagging: ['*', 'Put', 'Delete'],
  LifecycleExpiration: ['*', 'Delete'],
}
const eventNames = Object.entries(knownEvents).flatMap(([type, names]) =>
  names.map((name) => `s3:${type}:${name}`),
)

export function getNotification({ db }: S3Services, { bucket }: S3Call): S3Reply {
  const { queues, eventBridge } = readSetting(db, bucket, 'notification') ?? {
    queues: [],
    eventBridge: false,
  }
  return {
    xml: toXml('NotificationConfiguration', {
      QueueConfiguration: queues.map(({ id, arn, events, filters }) => ({
        Id: id,
        Queue: arn,
        Event: events,
        Filter:
          filters.length === 0
            ? undefined
            : { S3Key: { FilterRule: filters.map(({ name, value }) => ({ Name: name, Value: value })) } },
      })),
      EventBridgeConfiguration: eventBridge ? {} : undefined,
    }),
  }
}

export async function putNotification({ db, notifier }: S3Services, call: S3Call): Promise<S3Reply> {
  const document = await readXmlBody(call, 'NotificationConfiguration')
  const otherConfiguration = ['TopicConfiguration', 'CloudFunctionConfiguration'].find(
    (name) => name in document,
  )
  if (otherConfiguration !== undefined)
    throw new S3Error('NotImplemented', `${otherConfiguration} is not implemented`)
  const queues = getChildren(document, 'QueueConfiguration').map(readQueueRule)
  const eventBridge = 'EventBridgeConfiguration' in document
  if ((queues.length > 0 || eventBridge) && !notifier.connected)
    throw new S3Error('NotImplemented', 'This server has no queues and no event bus to notify')
  checkOverlap(queues)
  if (call.headers.get('x-amz-skip-destination-validation') !== 'true')
    for (const { arn } of queues) await checkDestination(notifier, call, arn)
  await writeSetting(db, call.bucket, 'notification', { queues, eventBridge })
  return { status: 200 }
}

function readQueueRule(element: Parsed): QueueRule {
  const arn = getChildText(element, 'Queue') ?? ''
  if (!/^arn:aws:sqs:[a-z0-9-]+:\d{12}:[\w.-]+$/.test(arn))
    throw createInvalidArgumentError('The ARN is not well formed', 'Queue', arn)
  const events = getChildTexts(element, 'Event')
  if (events.length === 0) throw new S3Error('MalformedXML')
  const unknownEvent = events.find((event) => !eventNames.includes(event))
  if (unknownEvent !== undefined)
    throw createInvalidArgumentError('The event is not supported for notifications', 'Event', unknownEvent)
  const rules = getChildren(element, 'Filter')
    .flatMap((filter) => getChildren(filter, 'S3Key'))
    .flatMap((s3Key) => getChildren(s3Key, 'FilterRule'))
  const filters = rules.map((rule) => {
    const name = getChildText(rule, 'Name')?.toLowerCase()
    if (name !== 'prefix' && name !== 'suffix')
      throw createInvalidArgumentError(
        'filter rule name must be either prefix or suffix',
        'FilterRule.Name',
        name ?? '',
      )
    return { name, value: getChildText(rule, 'Value') ?? '' } as const
  })
  if (new Set(filters.map(({ name }) => name)).size < filters.length)
    throw new S3Error('InvalidArgument', 'Cannot specify more than one prefix or suffix rule in a filter.')
  return { id: getChildText(element, 'Id') || randomUUID(), arn, events, filters }
}

/** Refuses two rules that match the same object and event, as S3 does. */
function checkOverlap(rules: readonly QueueRule[]): void {
  const overlap = rules.some((rule, index) => rules.slice(index + 1).some((other) => overlaps(rule, other)))
  if (overlap)
    throw new S3Error(
      'InvalidArgument',
      'Configurations overlap. Configurations on the same bucket cannot share a common event type.',
    )
}

async function checkDestination(notifier: S3Services['notifier'], call: S3Call, arn: string): Promise<void> {
  try {
    await notifier.test(call, arn)
  } catch (cause) {
    const error = createInvalidArgumentError(
      'Unable to validate the following destination configurations',
      arn,
      String(cause),
    )
    error.cause = cause
    throw error
  }
}
