import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  EventBridgeClient,
  ListRulesCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import { GetQueueAttributesCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import pino from 'pino'
import { processEnvironment } from '../../lib/config.ts'
import { openEmbedded } from '../../lib/embedded-aws/embedded.ts'
import { createFunctionArn } from '../../lib/embedded-aws/lambda/runtime.ts'
import { provision } from '../../lib/local/runtime/provision.ts'

const region = 'eu-central-1'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
const names = {
  region,
  tableName: 'table',
  bucketName: 'bucket',
  busName: 'bus',
  queuePrefix: 'mutabor-',
}

test('provisioning removes event rules that target only removed functions, and resets queue settings', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-provision-'))
  const invoke = () => Promise.resolve()
  const embedded = await openEmbedded({ dir, region, credentials, invoke, log: pino({ level: 'silent' }) })
  t.after(async () => {
    await embedded.close()
    await rm(dir, { recursive: true })
  })
  // This file runs in its own process, so no other test reads this environment.
  for (const [service, url] of Object.entries(embedded.urls))
    processEnvironment[`AWS_ENDPOINT_URL_${service}`] = url
  processEnvironment.AWS_ACCESS_KEY_ID = credentials.accessKeyId
  processEnvironment.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey
  const { queues } = await provision(names)

  const sqs = new SQSClient({ region })
  const visibilityQuery = { QueueUrl: queues.image.url, AttributeNames: ['VisibilityTimeout' as const] }
  const { Attributes: declaredAttributes } = await sqs.send(new GetQueueAttributesCommand(visibilityQuery))
  // A setting of an older version.
  const olderSettings = { VisibilityTimeout: '7' }
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl: queues.image.url, Attributes: olderSettings }))

  const client = new EventBridgeClient({ region })
  const putRule = async (Name: string, targetArns: string[], EventBusName: string) => {
    await client.send(new PutRuleCommand({ Name, EventBusName, EventPattern: '{"source":["x"]}' }))
    const Targets = targetArns.map((Arn, at) => ({ Id: `${at}`, Arn }))
    await client.send(new PutTargetsCommand({ Rule: Name, EventBusName, Targets }))
  }
  const removedArn = createFunctionArn(region, 'gone')
  await putRule('job-hint', [removedArn], 'bus')
  await putRule('old', [removedArn, createFunctionArn(region, 'gone-too')], 'default')
  await putRule('mixed', [removedArn, queues.image.arn], 'bus')
  await putRule('own', [queues.image.arn], 'default')
  await client.send(new PutRuleCommand({ Name: 'idle', EventPattern: '{"source":["x"]}' }))
  await provision(names)
  const { Attributes: now } = await sqs.send(new GetQueueAttributesCommand(visibilityQuery))
  assert.deepEqual(now, declaredAttributes)

  const rules = async (EventBusName: string) => {
    const { Rules = [] } = await client.send(new ListRulesCommand({ EventBusName }))
    return Rules.map(({ Name }) => Name)
  }
  assert.deepEqual(await rules('bus'), ['broadcast', 'count-usage', 'dispatch', 'mixed', 'record-metrics'])
  assert.deepEqual(await rules('default'), ['idle', 'own', 'receive-upload', 'sweep'])
})
