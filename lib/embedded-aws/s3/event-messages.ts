// Messages for queues and events for the event bus, in the two formats that S3 documents.
import { randomUUID } from 'node:crypto'
import { uriEncode } from '../sigv4.ts'
import { accountId } from './account.ts'
import type { NotificationSettings } from './bucket-settings.ts'
import { coversEvent, getFilterValue } from './notification-rules.ts'
import type { S3Object } from './stored-object.ts'

export type S3EventName =
  | 'ObjectCreated:Put'
  | 'ObjectCreated:Post'
  | 'ObjectCreated:Copy'
  | 'ObjectCreated:CompleteMultipartUpload'
  | 'ObjectRemoved:Delete'
  | 'ObjectTagging:Put'
  | 'ObjectTagging:Delete'
  | 'LifecycleExpiration:Delete'

export interface NotifyTarget {
  readonly kind: 'sqs' | 'eventbridge'
  readonly arn?: string
}
export interface EventSource {
  readonly ip: string
  readonly principal: string
  readonly requestId: string
}

/** EventBridge's names and reasons for the events. */
const busNames: Readonly<Record<S3EventName, readonly [detailType: string, reason?: string]>> = {
  'ObjectCreated:Put': ['Object Created', 'PutObject'],
  'ObjectCreated:Post': ['Object Created', 'POST Object'],
  'ObjectCreated:Copy': ['Object Created', 'CopyObject'],
  'ObjectCreated:CompleteMultipartUpload': ['Object Created', 'CompleteMultipartUpload'],
  'ObjectRemoved:Delete': ['Object Deleted', 'DeleteObject'],
  'LifecycleExpiration:Delete': ['Object Deleted', 'Lifecycle Expiration'],
  'ObjectTagging:Put': ['Object Tags Added'],
  'ObjectTagging:Delete': ['Object Tags Deleted'],
}

/** Creates one message for each target whose rules cover the event. */
export function createEventMessages(
  { queues, eventBridge }: NotificationSettings,
  event: S3EventName,
  object: S3Object,
  source: EventSource,
  region: string,
): { target: NotifyTarget; body: unknown }[] {
  const rules = queues.filter(
    (rule) =>
      rule.events.some((pattern) => coversEvent(pattern, `s3:${event}`)) &&
      object.key.startsWith(getFilterValue(rule, 'prefix')) &&
      object.key.endsWith(getFilterValue(rule, 'suffix')),
  )
  const queueMessages = rules.map(({ id, arn }) => ({
    target: { kind: 'sqs' as const, arn },
    body: { Records: [createQueueRecord(id, event, object, source, region)] },
  }))
  if (!eventBridge) return queueMessages
  return [
    ...queueMessages,
    { target: { kind: 'eventbridge' }, body: createBusEvent(event, object, source, region) },
  ]
}

/** Returns a sequencer. Of two events for the same key, the later one has the larger sequencer, compared as text. */
function createSequencer({ id }: S3Object): string {
  return `${id.toString(16).padStart(10, '0')}${Date.now().toString(16).padStart(12, '0')}`.toUpperCase()
}

/** Format of the record: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html */
function createQueueRecord(
  id: string,
  event: S3EventName,
  object: S3Object,
  source: EventSource,
  region: string,
) {
  // Keys are form-encoded in these messages, except for slashes.
  const key = object.key.split('/').map(uriEncode).join('/').replaceAll('%20', '+')
  const isCreation = event.startsWith('ObjectCreated:')
  return {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: region,
    eventTime: new Date().toISOString(),
    eventName: event,
    userIdentity: { principalId: source.principal },
    requestParameters: { sourceIPAddress: source.ip },
    responseElements: { 'x-amz-request-id': source.requestId, 'x-amz-id-2': source.requestId },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: id,
      bucket: {
        name: object.bucket,
        ownerIdentity: { principalId: accountId },
        arn: `arn:aws:s3:::${object.bucket}`,
      },
      object: {
        key,
        ...(isCreation && { size: object.size, eTag: object.etag }),
        sequencer: createSequencer(object),
      },
    },
  }
}

/** Format of the event: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html */
function createBusEvent(event: S3EventName, object: S3Object, source: EventSource, region: string) {
  const [detailType, reason] = busNames[event]
  const isDeletion = detailType === 'Object Deleted'
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': detailType,
    source: 'aws.s3',
    account: accountId,
    time: new Date().toISOString(),
    region,
    resources: [`arn:aws:s3:::${object.bucket}`],
    detail: {
      version: '0',
      bucket: { name: object.bucket },
      object: {
        key: object.key,
        ...(!isDeletion && { size: object.size, etag: object.etag }),
        sequencer: createSequencer(object),
      },
      'request-id': source.requestId,
      requester: source.principal,
      'source-ip-address': source.ip,
      ...(reason !== undefined && { reason }),
      ...(isDeletion && { 'deletion-type': 'Permanently Deleted' }),
    },
  }
}
