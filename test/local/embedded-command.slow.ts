// Debian's awscli, configured with the variables that `npm run embedded` prints. Run by `npm run test:aws`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startEmbedded } from '../embedded-aws/embedded-process.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

test('awscli works with S3, SQS, DynamoDB and EventBridge, using the printed variables', async (t) => {
  const HOME = scratchFolder('mutabor-embedded')
  const { firstLine } = await startEmbedded(t, '--data', HOME)
  const aws = async (service: string, command: string) => {
    // This version of awscli does not read endpoint variables.
    const script = `eval "$EXPORTS" && /usr/bin/aws --endpoint-url "$AWS_ENDPOINT_URL_${service}" ${command}`
    const env = { EXPORTS: firstLine, HOME, PATH: '/usr/bin:/bin', AWS_PAGER: '', LANG: 'C.UTF-8' }
    return (await promisify(execFile)('/bin/sh', ['-c', script], { env })).stdout
  }
  await aws('S3', 's3 mb s3://box')
  await aws('S3', 's3 cp /etc/hostname s3://box/name')
  assert.match(await aws('S3', 's3 ls s3://box'), / name\n$/)
  const { QueueUrl } = JSON.parse(await aws('SQS', 'sqs create-queue --queue-name line'))
  await aws('SQS', `sqs send-message --queue-url ${QueueUrl} --message-body hello`)
  const { Messages } = JSON.parse(await aws('SQS', `sqs receive-message --queue-url ${QueueUrl}`))
  assert.equal(Messages[0].Body, 'hello')
  const key =
    '--attribute-definitions AttributeName=pk,AttributeType=S --key-schema AttributeName=pk,KeyType=HASH'
  await aws('DYNAMODB', `dynamodb create-table --table-name table ${key} --billing-mode PAY_PER_REQUEST`)
  await aws('DYNAMODB', `dynamodb put-item --table-name table --item '{"pk":{"S":"a"},"n":{"N":"7"}}'`)
  const item = JSON.parse(
    await aws('DYNAMODB', `dynamodb get-item --table-name table --key '{"pk":{"S":"a"}}'`),
  )
  assert.equal(item.Item.n.N, '7')
  const put = JSON.parse(
    await aws('EVENTBRIDGE', `events put-events --entries '[{"Source":"a","DetailType":"b","Detail":"{}"}]'`),
  )
  assert.equal(put.FailedEntryCount, 0)
})
