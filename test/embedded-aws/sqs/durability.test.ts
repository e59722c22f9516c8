import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ChangeMessageVisibilityCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { runSqsKillRounds } from './kill-rounds.ts'
import { startSqs } from './start-sqs.ts'

describe('SQS durability', () => {
  test('a restart of SQS keeps queue attributes, messages, delays and messages in flight', async (t) => {
    let now = Date.now()
    const firstServer = await startSqs(t, { now: () => now })
    const url = await firstServer.createQueue('kept', { VisibilityTimeout: '60' })
    for (const [MessageBody, DelaySeconds] of [
      ['held', 0],
      ['waiting', 0],
      ['delayed', 30],
    ] as const)
      await firstServer.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody, DelaySeconds }))
    const [receivedMessage] = await firstServer.receive(url)
    await firstServer.stop()

    const secondServer = await startSqs(t, { file: firstServer.file, now: () => now })
    const urlAfterRestart = url.replace(firstServer.endpoint, secondServer.endpoint)
    const shownAttributes = await secondServer.attributes(urlAfterRestart)
    assert.deepEqual(
      [
        shownAttributes.VisibilityTimeout,
        shownAttributes.ApproximateNumberOfMessages,
        shownAttributes.ApproximateNumberOfMessagesNotVisible,
        shownAttributes.ApproximateNumberOfMessagesDelayed,
      ],
      ['60', '1', '1', '1'],
    )
    await secondServer.client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: urlAfterRestart,
        ReceiptHandle: receivedMessage?.ReceiptHandle,
        VisibilityTimeout: 10,
      }),
    )
    now += 30_000
    const messages = await secondServer.receive(urlAfterRestart, { MaxNumberOfMessages: 10 })
    assert.deepEqual(messages.map((message) => message.Body).sort(), ['delayed', 'held', 'waiting'])
  })

  test('SQS loses no acknowledged request when it is killed while eight clients write', async (t) => {
    t.diagnostic(await runSqsKillRounds(t, 4))
  })
})
