// The actions on messages: send, receive, delete, change visibility.
import { checkBatch, runBatch } from './batches.ts'
import type { Actions, SqsCaller, SqsServices } from './call.ts'
import { createInvalidValueError, createMissingParameterError, SqsError } from './errors.ts'
import type { ActionInput } from './inputs.ts'
import { viewMessage } from './message-view.ts'
import type { ReceivedMessage } from './messages.ts'
import { maxVisibilityS, messageBytesLimit } from './queue-attributes.ts'
import type { Queue } from './queues.ts'
import { checkToken, draftMessage, measureMessageBytes, readFifoFields } from './sending.ts'

export function createMessageActions(services: SqsServices) {
  return {
    ...createSendActions(services),
    ...createAcknowledgeActions(services),
    ...createReceiveActions(services),
  }
}

function createSendActions({ store, queues, sender }: SqsServices) {
  const getSenderFields = (caller: SqsCaller) => ({ sender: caller.accessKeyId, trace: caller.trace })
  return {
    SendMessage: ({ QueueUrl, ...message }, caller) => {
      const draft = draftMessage(
        requireNoKmsKey(queues.requireByUrl(QueueUrl)),
        message,
        getSenderFields(caller),
      )
      return store.commit(() => {
        const queue = queues.requireByUrl(QueueUrl)
        store.markChanged(queue.id)
        return sender.send(queue, draft)
      })
    },
    SendMessageBatch: ({ QueueUrl, Entries }, caller) => {
      checkBatch('SendMessageBatch', Entries)
      const target = requireNoKmsKey(queues.requireByUrl(QueueUrl))
      checkWholeBatch(target, Entries)
      return store.commit(() => {
        const queue = queues.requireByUrl(QueueUrl)
        store.markChanged(queue.id)
        return runBatch(Entries, ({ Id: _, ...message }) =>
          sender.send(queue, draftMessage(queue, message, getSenderFields(caller), true)),
        )
      })
    },
  } satisfies Partial<Actions>
}

function createAcknowledgeActions({ store, queues, acknowledger }: SqsServices) {
  return {
    DeleteMessage: ({ QueueUrl, ReceiptHandle }) =>
      store.commit(() => void acknowledger.remove(queues.requireByUrl(QueueUrl), ReceiptHandle), 'process'),
    DeleteMessageBatch: ({ QueueUrl, Entries }) => {
      checkBatch('DeleteMessageBatch', Entries)
      return store.commit(() => {
        const queue = queues.requireByUrl(QueueUrl)
        return runBatch(Entries, ({ ReceiptHandle }) => {
          acknowledger.remove(queue, ReceiptHandle)
          return {}
        })
      }, 'process')
    },
    ChangeMessageVisibility: ({ QueueUrl, ReceiptHandle, VisibilityTimeout }) =>
      store.commit(
        () =>
          void acknowledger.changeVisibility(queues.requireByUrl(QueueUrl), ReceiptHandle, VisibilityTimeout),
        'process',
      ),
    ChangeMessageVisibilityBatch: ({ QueueUrl, Entries }) => {
      checkBatch('ChangeMessageVisibilityBatch', Entries)
      return store.commit(() => {
        const queue = queues.requireByUrl(QueueUrl)
        return runBatch(Entries, ({ ReceiptHandle, VisibilityTimeout }) => {
          if (VisibilityTimeout === undefined) throw createMissingParameterError('VisibilityTimeout')
          acknowledger.changeVisibility(queue, ReceiptHandle, VisibilityTimeout)
          return {}
        })
      }, 'process')
    },
  } satisfies Partial<Actions>
}

function createReceiveActions({ store, queues, receiver, longPolls }: SqsServices) {
  return {
    ReceiveMessage: async (input, caller) => {
      const requestedQueue = requireNoKmsKey(queues.requireByUrl(input.QueueUrl))
      const { wanted, waitS, asked } = readReceive(requestedQueue, input)
      let receivedMessages: readonly ReceivedMessage[] = await store.commit(() => {
        if (caller.disconnectSignal.aborted) return []
        return receiver.receive(queues.requireByUrl(input.QueueUrl), wanted)
      }, 'process')
      if (receivedMessages.length === 0 && waitS > 0)
        receivedMessages = await longPolls.wait(requestedQueue, wanted, waitS, caller.disconnectSignal)
      if (receivedMessages.length === 0) return {}
      if (wanted.attemptId === undefined)
        caller.onUndelivered(() =>
          store.commit(
            () => receivedMessages.map((message) => receiver.returnMessage(requestedQueue, message)),
            'process',
          ),
        )
      return { Messages: receivedMessages.map((message) => viewMessage(requestedQueue, message, asked)) }
    },
  } satisfies Partial<Actions>
}

function readReceive(queue: Queue, input: ActionInput<'ReceiveMessage'>) {
  const { MaxNumberOfMessages: max = 1, ReceiveRequestAttemptId: attemptId } = input
  const { VisibilityTimeout: visibilityS = queue.settings.visibilityS } = input
  const { WaitTimeSeconds: waitS = queue.settings.waitS } = input
  const checkProvided = (parameter: string, value: number, limit: number) => {
    if (value < 0 || value > limit)
      throw createInvalidValueError(parameter, value, `Must be >= 0 and <= ${limit}, if provided.`)
  }
  if (max < 1 || max > 10)
    throw createInvalidValueError('MaxNumberOfMessages', max, 'Must be between 1 and 10, if provided.')
  checkProvided('VisibilityTimeout', visibilityS, maxVisibilityS)
  checkProvided('WaitTimeSeconds', waitS, 20)
  if (attemptId !== undefined) {
    if (!queue.settings.fifo)
      throw createInvalidValueError(
        'ReceiveRequestAttemptId',
        attemptId,
        'The request include parameter that is not valid for this queue type.',
      )
    checkToken('ReceiveRequestAttemptId', attemptId)
  }
  const requestedAttributes = {
    systemAttributes: [...(input.AttributeNames ?? []), ...(input.MessageSystemAttributeNames ?? [])],
    messageAttributes: input.MessageAttributeNames ?? [],
  }
  return { wanted: { max, visibilityS, attemptId }, waitS, asked: requestedAttributes }
}

/**
 * Throws for a queue with a KMS key: there is no KMS here, so the reply is AWS's error for a key that does not exist.
 */
function requireNoKmsKey(queue: Queue): Queue {
  if (queue.settings.kmsKeyId !== undefined)
    throw new SqsError('KmsNotFound', `NotFoundException: Key '${queue.settings.kmsKeyId}' does not exist`)
  return queue
}

/** Throws for a problem that fails the whole batch: its total size, or a FIFO message that lacks a required field. */
function checkWholeBatch(queue: Queue, entries: ActionInput<'SendMessageBatch'>['Entries']) {
  const bytes = entries.reduce((sum, entry) => sum + measureMessageBytes(entry), 0)
  if (bytes > messageBytesLimit)
    throw new SqsError(
      'BatchRequestTooLong',
      `Batch requests cannot be longer than ${messageBytesLimit} bytes. You have sent ${bytes} bytes.`,
    )
  if (!queue.settings.fifo) return
  for (const entry of entries) {
    if (entry.MessageGroupId === undefined)
      // For a single message, the error would be MissingParameter.
      throw new SqsError(
        'InvalidParameterValueException',
        createMissingParameterError('MessageGroupId').message,
      )
    readFifoFields(queue, entry)
  }
}
