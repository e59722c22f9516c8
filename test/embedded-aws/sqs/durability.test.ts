import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ChangeMessageVisibilityCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { runSqsKillRounds } from './kill-rounds.ts'
import { startSqs } from './start-sqs.ts'

describe('SQS durability', () => {
  test('a restart keeps queues, tags, messages, delays and messages in flight', async (t) => {
    let now = Date.now()
    const first = await startSqs(t, { now: () => now })
    const url = await first.createQueue('kept', { VisibilityTimeout: '60' })
    for (const [MessageBody, DelaySeconds] of [
      ['held', 0],
      ['waiting', 0],
      ['delayed', 30],
    ] as const)
      await first.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody, DelaySeconds }))
    const [held] = await first.receive(url)
    await first.stop()

    const second = await startSqs(t, { file: first.file, now: () => now })
    const again = url.replace(first.endpoint, second.endpoint)
    const shown = await second.attributes(again)
    assert.deepEqual(
      [
        shown.VisibilityTimeout,
        shown.ApproximateNumberOfMessages,
        shown.ApproximateNumberOfMessagesNotVisible,
        shown.ApproximateNumberOfMessagesDelayed,
      ],
      ['60', '1', '1', '1'],
    )
    await second.client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: again,
        ReceiptHandle: held?.ReceiptHandle,
        VisibilityTimeout: 10,
      }),
    )
    now += 30_000
    const messages = await second.receive(again, { MaxNumberOfMessages: 10 })
    assert.deepEqual(messages.map((one) => one.Body).sort(), ['delayed', 'held', 'waiting'])
  })

  test('SQS loses no acknowledged request when it is killed under 8 writers', async (t) => {
    t.diagnostic(await runSqsKillRounds(t, 4))
  })
})
