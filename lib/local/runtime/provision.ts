import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  ResourceAlreadyExistsException,
} from '@aws-sdk/client-eventbridge'
import {
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketNotificationConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueNameExists,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { createFunctionArn } from '../../embedded-aws/lambda/runtime.ts'
import { createEventPattern } from '../../resources/events.ts'
import type { FunctionDeclaration, Trigger } from '../../resources/function-declaration.ts'
import { functions } from '../../resources/functions.ts'
import { getVisibilityTimeoutS } from '../../resources/queue-functions.ts'
import { maxReceiveCount, type QueueId, queueIds } from '../../resources/queues.ts'
import { bucket, createUploadPattern, table } from '../../resources/storage.ts'
import { removeObsoleteRules } from './obsolete-rules.ts'

interface ResourceNames {
  readonly region: string
  readonly tableName: string
  readonly bucketName: string
  readonly busName: string
  readonly queuePrefix: string
}

interface Queue {
  readonly url: string
  readonly arn: string
}

export interface ProvisionedQueues {
  readonly queues: Readonly<Record<QueueId, Queue>>
  /** Queue that holds asynchronous invocations until they have run; on AWS, it is internal to Lambda. */
  readonly invocations: Queue
  /** The dead-letter queues of functions that are declared with one, by function. */
  readonly deadLetterQueues: Readonly<Record<string, Queue>>
}

/** Creates the resources declared in `lib/resources`, as a deployment does; existing resources are kept or updated. */
export async function provision(names: ResourceNames): Promise<ProvisionedQueues> {
  const [queues] = await Promise.all([
    createQueues(names),
    createTable(names),
    createBucket(names),
    createBus(names),
  ])
  return queues
}

/** Ignores the error that a resource already exists, because an earlier start created it. */
function ignoreError(ExpectedError: new (...args: never[]) => Error) {
  return (error: unknown) => {
    if (!(error instanceof ExpectedError)) throw error
  }
}

async function createTable({ region, tableName }: ResourceNames): Promise<void> {
  const client = new DynamoDBClient({ region })
  const { TimeToLiveAttribute, ...schema } = table
  // The declaration is deeply readonly and the SDK's type is not, but the SDK does not write to it.
  const input = { ...schema, TableName: tableName } as unknown as CreateTableCommandInput
  await client.send(new CreateTableCommand(input)).then(
    () =>
      client.send(
        new UpdateTimeToLiveCommand({
          TableName: tableName,
          TimeToLiveSpecification: { AttributeName: TimeToLiveAttribute, Enabled: true },
        }),
      ),
    ignoreError(ResourceInUseException),
  )
}

async function createBucket({ region, bucketName }: ResourceNames): Promise<void> {
  const client = new S3Client({ region, forcePathStyle: true })
  await client
    .send(new CreateBucketCommand({ Bucket: bucketName }))
    .catch(ignoreError(BucketAlreadyOwnedByYou))
  await client.send(
    new PutBucketNotificationConfigurationCommand({
      Bucket: bucketName,
      NotificationConfiguration: { EventBridgeConfiguration: {} },
    }),
  )
  await client.send(
    new PutBucketCorsCommand({
      Bucket: bucketName,
      CORSConfiguration: {
        CORSRules: bucket.cors.map((rule) => ({
          ...rule,
          AllowedOrigins: [...rule.AllowedOrigins],
          AllowedMethods: [...rule.AllowedMethods],
          AllowedHeaders: [...rule.AllowedHeaders],
          ExposeHeaders: [...rule.ExposeHeaders],
        })),
      },
    }),
  )
  await client.send(
    new PutBucketLifecycleConfigurationCommand({
      Bucket: bucketName,
      LifecycleConfiguration: {
        Rules: bucket.lifecycle.map((rule) => ({
          ID: rule.ID,
          Status: 'Enabled',
          Filter: { Prefix: rule.Prefix },
          Expiration: { Days: rule.ExpirationInDays },
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: rule.AbortIncompleteMultipartDays },
        })),
      },
    }),
  )
}

async function createQueues({ region, queuePrefix }: ResourceNames): Promise<ProvisionedQueues> {
  const client = new SQSClient({ region })
  const createQueue = async (name: string, attributes: Record<string, string>) => {
    const QueueName = `${queuePrefix}${name}`
    const { QueueUrl } = await client
      .send(new CreateQueueCommand({ QueueName, Attributes: attributes }))
      // An older version of the service created the queue with other settings.
      .catch(async (error: unknown) => {
        if (!(error instanceof QueueNameExists)) throw error
        const foundQueue = await client.send(new GetQueueUrlCommand({ QueueName }))
        const changedAttributes = { QueueUrl: foundQueue.QueueUrl ?? '', Attributes: attributes }
        await client.send(new SetQueueAttributesCommand(changedAttributes))
        return foundQueue
      })
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    )
    return { url: QueueUrl ?? '', arn: Attributes?.QueueArn ?? '' }
  }
  const createDeadLetterQueue = (name: string) =>
    createQueue(`${name}-dead`, { MessageRetentionPeriod: String(14 * 24 * 3600) })
  const createQueuePair = async (id: QueueId) => {
    const deadLetterQueue = await createDeadLetterQueue(id)
    const queue = await createQueue(id, {
      VisibilityTimeout: String(getVisibilityTimeoutS(id)),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetterQueue.arn, maxReceiveCount }),
    })
    return [id, queue] as const
  }
  const functionDeclarations: Readonly<Record<string, FunctionDeclaration>> = functions
  const namesWithDeadLetterQueue = Object.keys(functionDeclarations).filter(
    (name) => functionDeclarations[name]?.deadLetter,
  )
  const [pairs, invocations, deadLetterQueues] = await Promise.all([
    Promise.all(queueIds.map(createQueuePair)),
    createQueue('invocations', {}),
    Promise.all(
      namesWithDeadLetterQueue.map(async (name) => [name, await createDeadLetterQueue(name)] as const),
    ),
  ])
  return {
    queues: Object.fromEntries(pairs) as ProvisionedQueues['queues'], // one entry for each id
    invocations,
    deadLetterQueues: Object.fromEntries(deadLetterQueues),
  }
}

async function createBus(names: ResourceNames): Promise<void> {
  const { region, busName } = names
  const client = new EventBridgeClient({ region })
  await client
    .send(new CreateEventBusCommand({ Name: busName }))
    .catch(ignoreError(ResourceAlreadyExistsException))
  for (const bus of ['default', busName])
    await removeObsoleteRules(client, region, bus, Object.keys(functions))
  for (const [Name, { trigger }] of Object.entries(functions)) {
    const rule = createRule(trigger, names)
    if (!rule) continue
    await client.send(new PutRuleCommand({ Name, ...rule }))
    const Targets = [{ Id: Name, Arn: createFunctionArn(region, Name) }]
    await client.send(new PutTargetsCommand({ Rule: Name, EventBusName: rule.EventBusName, Targets }))
  }
}

/** Returns the rule that invokes the function. Schedules are rules of the default bus. */
function createRule(trigger: Trigger, { busName, bucketName }: ResourceNames) {
  if ('schedule' in trigger) return { EventBusName: 'default', ScheduleExpression: trigger.schedule }
  if ('events' in trigger)
    return {
      EventBusName: busName,
      EventPattern: JSON.stringify(createEventPattern(trigger.events, trigger.for)),
    }
  if ('uploads' in trigger) {
    const EventPattern = JSON.stringify(createUploadPattern(bucketName, trigger.uploads))
    return { EventBusName: 'default', EventPattern }
  }
  return undefined
}
