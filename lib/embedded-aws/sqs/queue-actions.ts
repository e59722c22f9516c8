// The actions on queues: creation and deletion, attributes, tags and redrive.
import type { Actions, SqsCaller, SqsServices } from './call.ts'
import { createInvalidValueError, createMissingParameterError, SqsError } from './errors.ts'
import { checkAttributeNames, describeAttributes } from './queue-attributes.ts'
import { createQueueNotFoundError, type Queue } from './queues.ts'

interface Page {
  readonly MaxResults?: number | undefined
  readonly NextToken?: string | undefined
}

export function createQueueActions({ store, queues, moveTasks, receiver }: SqsServices) {
  const listUrls = (foundQueues: readonly Queue[], page: Page, caller: SqsCaller) => {
    const { items, ...next } = paginateUrls(foundQueues, page)
    return { urls: items.map((queue) => queues.getUrl(queue, caller.host)), ...next }
  }
  return {
    CreateQueue: async ({ QueueName, Attributes = {}, tags, Tags }, { host }) => {
      const givenTags = tags ?? Tags ?? {}
      checkTags(QueueName, givenTags)
      const queue = await store.commit(() => queues.create(QueueName, Attributes, givenTags))
      return { QueueUrl: queues.getUrl(queue, host) }
    },
    DeleteQueue: ({ QueueUrl }) =>
      store.commit(() => {
        const queue = queues.requireByUrl(QueueUrl)
        queues.destroy(queue)
        store.markChanged(queue.id)
        return undefined
      }),
    GetQueueUrl: ({ QueueName, QueueOwnerAWSAccountId }, { host }) => {
      const isForeign = QueueOwnerAWSAccountId !== undefined && QueueOwnerAWSAccountId !== queues.accountId
      const queue = isForeign ? undefined : queues.findByName(QueueName)
      if (!queue) throw createQueueNotFoundError()
      return { QueueUrl: queues.getUrl(queue, host) }
    },
    ListQueues: ({ QueueNamePrefix = '', ...page }, caller) => {
      const foundQueues = queues.all().filter((queue) => queue.name.startsWith(QueueNamePrefix))
      const { urls, ...next } = listUrls(foundQueues, page, caller)
      return urls.length > 0 ? { QueueUrls: urls, ...next } : {}
    },
    ListDeadLetterSourceQueues: ({ QueueUrl, ...page }, caller) => {
      const { urls, ...next } = listUrls(queues.listSources(queues.requireByUrl(QueueUrl)), page, caller)
      return { queueUrls: urls, ...next }
    },
    GetQueueAttributes: async ({ QueueUrl, AttributeNames = [] }) => {
      checkAttributeNames(AttributeNames)
      const { queue, counts } = await store.commit(() => {
        const foundQueue = queues.requireByUrl(QueueUrl)
        receiver.dropExpired(foundQueue)
        return { queue: foundQueue, counts: receiver.count(foundQueue) }
      })
      const allAttributes: Record<string, string> = {
        QueueArn: queue.arn,
        ApproximateNumberOfMessages: `${counts.visible}`,
        ApproximateNumberOfMessagesNotVisible: `${counts.hidden}`,
        ApproximateNumberOfMessagesDelayed: `${counts.delayed}`,
        CreatedTimestamp: `${Math.floor(queue.createdAt / 1000)}`,
        LastModifiedTimestamp: `${Math.floor(queue.modifiedAt / 1000)}`,
        ...describeAttributes(queue.attributes, queue.settings.fifo),
      }
      const wantedNames = AttributeNames.includes('All')
        ? allAttributes
        : Object.fromEntries(Object.entries(allAttributes).filter(([name]) => AttributeNames.includes(name)))
      return Object.keys(wantedNames).length > 0 ? { Attributes: wantedNames } : {}
    },
    SetQueueAttributes: ({ QueueUrl, Attributes }) =>
      store.commit(() => void queues.setAttributes(queues.requireByUrl(QueueUrl), Attributes)),
    PurgeQueue: ({ QueueUrl }) => store.commit(() => void queues.purge(queues.requireByUrl(QueueUrl))),
    TagQueue: ({ QueueUrl, Tags }) => {
      if (Object.keys(Tags).length === 0) throw createMissingParameterError('Tags')
      return store.commit(() => {
        const queue = queues.requireByUrl(QueueUrl)
        const tags = { ...queue.tags, ...Tags }
        checkTags(queue.name, tags)
        queues.setTags(queue, tags)
        return undefined
      })
    },
    UntagQueue: ({ QueueUrl, TagKeys }) => {
      if (TagKeys.length === 0) throw createMissingParameterError('TagKeys')
      return store.commit(() => {
        const queue = queues.requireByUrl(QueueUrl)
        const remainingTags = Object.entries(queue.tags).filter(([key]) => !TagKeys.includes(key))
        queues.setTags(queue, Object.fromEntries(remainingTags))
        return undefined
      })
    },
    ListQueueTags: ({ QueueUrl }) => {
      const { tags } = queues.requireByUrl(QueueUrl)
      return Object.keys(tags).length > 0 ? { Tags: tags } : {}
    },
    StartMessageMoveTask: (input) => store.commit(() => moveTasks.start(input)),
    CancelMessageMoveTask: ({ TaskHandle }) => store.commit(() => moveTasks.cancel(TaskHandle)),
    ListMessageMoveTasks: ({ SourceArn, MaxResults = 1 }) => {
      if (MaxResults < 1 || MaxResults > 10)
        throw createInvalidValueError('MaxResults', MaxResults, 'Must be between 1 and 10, if provided.')
      return moveTasks.list(SourceArn, MaxResults)
    },
  } satisfies Partial<Actions>
}

const maxResults = 1000

/**
 * AWS: "You must set MaxResults to receive a value for NextToken in the response." The token is the last name returned.
 */
function paginateUrls(foundQueues: readonly Queue[], { MaxResults, NextToken }: Page) {
  if (MaxResults !== undefined && (MaxResults < 1 || MaxResults > maxResults))
    throw createInvalidValueError(
      'MaxResults',
      MaxResults,
      `MaxResults must be an integer between 1 and ${maxResults}.`,
    )
  const afterName = NextToken === undefined ? '' : Buffer.from(NextToken, 'base64').toString()
  if (NextToken !== undefined && Buffer.from(afterName).toString('base64') !== NextToken)
    throw createInvalidValueError('NextToken', NextToken, 'The token was not issued by this service.')
  const remainingQueues = foundQueues.filter((queue) => queue.name > afterName)
  const items = remainingQueues.slice(0, MaxResults ?? maxResults)
  const lastQueue = items.at(-1)
  const hasMore = MaxResults !== undefined && remainingQueues.length > items.length && lastQueue !== undefined
  return { items, ...(hasMore && { NextToken: Buffer.from(lastQueue.name).toString('base64') }) }
}

function checkTags(queueName: string, tags: Readonly<Record<string, string>>) {
  if (Object.keys(tags).length > 50)
    throw new SqsError('InvalidParameterValueException', `Too many tags added for queue ${queueName}.`)
  for (const [key, value] of Object.entries(tags)) {
    if (key.length < 1 || key.length > 128)
      throw new SqsError(
        'InvalidParameterValueException',
        'Tag keys must be between 1 and 128 characters in length.',
      )
    if (value.length > 256)
      throw new SqsError(
        'InvalidParameterValueException',
        'Tag values must be between 0 and 256 characters in length.',
      )
  }
}
