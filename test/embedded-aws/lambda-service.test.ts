// Invokes the real functions of a running service like an AWS client.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { EventBridgeClient, ListRulesCommand, ListTargetsByRuleCommand } from '@aws-sdk/client-eventbridge'
import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs'
import { imageIds } from '../../lib/component-ids.ts'
import { functions } from '../../lib/resources/functions.ts'
import { getVisibilityTimeoutS } from '../../lib/resources/queue-functions.ts'
import { maxReceiveCount, queueIds } from '../../lib/resources/queues.ts'
import { after, before } from '../hooks.ts'
import { startService, type TestService } from '../support/service.ts'
import { callSigned, region, type SignedCall } from './lambda-runtime.ts'

interface Secrets {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

let service: TestService
let credentials: Secrets
let servers: Record<string, string>

const readLogLines = () =>
  readFileSync(join(service.dataDir, 'service.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

before(async () => {
  service = await startService()
  credentials = JSON.parse(readFileSync(join(service.dataDir, 'secrets.json'), 'utf8')) as Secrets
  // This line is logged just before the service reports that it is ready.
  servers = readLogLines().find(({ msg }) => msg === 'service started')?.['servers'] as Record<string, string>
})
after(() => service.stop())

const invoke = (name: string, call: Partial<SignedCall> = {}) =>
  callSigned(`${servers['AWS_ENDPOINT_URL_LAMBDA']}/2015-03-31/functions/${name}/invocations`, {
    service: 'lambda',
    credentials,
    ...call,
  })

test('the embedded Lambda service runs the sweep function when it is invoked by name', async () => {
  const response = await invoke('sweep')
  assert.equal(response.headers.get('x-amz-function-error'), null)
  assert.deepEqual(await response.json(), { looked: 0 })
})

test('the API function answers an HTTP API event with a buffered response, as on Lambda', async () => {
  const http = { method: 'GET', path: '/v1', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' }
  const event = {
    version: '2.0',
    rawPath: '/v1',
    rawQueryString: '',
    headers: {},
    isBase64Encoded: false,
    requestContext: { http },
  }
  const response = await invoke('api', { body: JSON.stringify(event) })
  const result = (await response.json()) as { statusCode: number; body: string }
  assert.equal(result.statusCode, 200)
  assert.equal(JSON.parse(result.body).success, true)
})

test('a conversion function that receives an invalid event fails without affecting the service', async () => {
  const response = await invoke('convert-image', { body: '{"Records":[{"body":"nonsense"}]}' })
  assert.equal(response.headers.get('x-amz-function-error'), 'Unhandled')
  assert.equal(((await response.json()) as { errorType: string }).errorType, 'SyntaxError')
  assert.equal((await fetch(`${service.url}/health`)).status, 200)
})

test('the embedded Lambda service has each declared function and returns 404 for an undeclared one', async () => {
  const names = [...Object.keys(functions), ...imageIds.map((image) => `convert-${image}`)]
  const headers = { 'x-amz-invocation-type': 'DryRun' }
  for (const name of names) assert.equal((await invoke(name, { headers })).status, 204, name)
  assert.equal((await invoke('other', { headers })).status, 404)
})

test('the EventBridge rules and SQS queues match their declarations', async () => {
  const client = { region, credentials }
  const events = new EventBridgeClient({ ...client, endpoint: servers['AWS_ENDPOINT_URL_EVENTBRIDGE'] ?? '' })
  const { Rules = [] } = await events.send(new ListRulesCommand({}))
  const declaredRules = Object.entries(functions).flatMap(([name, { trigger }]) =>
    'schedule' in trigger ? [[name, trigger.schedule]] : 'uploads' in trigger ? [[name, undefined]] : [],
  )
  assert.deepEqual(
    Rules.map(({ Name, ScheduleExpression }) => [Name, ScheduleExpression]).sort(),
    declaredRules.sort(),
  )
  for (const { Name: Rule } of Rules) {
    const { Targets = [] } = await events.send(new ListTargetsByRuleCommand({ Rule }))
    assert.match(Targets[0]?.Arn ?? '', new RegExp(`:function:${Rule}$`))
  }
  const sqs = new SQSClient({ ...client, endpoint: servers['AWS_ENDPOINT_URL_SQS'] ?? '' })
  for (const queue of queueIds) {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: `mutabor-${queue}` }))
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout', 'RedrivePolicy'] }),
    )
    assert.equal(Attributes?.VisibilityTimeout, String(getVisibilityTimeoutS(queue)))
    assert.equal(JSON.parse(Attributes?.RedrivePolicy ?? '{}').maxReceiveCount, maxReceiveCount)
  }
})

test('the idle gateway process takes less than 150 MB of memory', async () => {
  const readMemoryMb = () => {
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
  }
  // Memory used by the start is released after a while without requests.
  const deadline = Date.now() + 40_000
  while (readMemoryMb() >= 150 && Date.now() < deadline) await sleep(500)
  assert.ok(readMemoryMb() < 150, `it takes ${Math.round(readMemoryMb())} MB`)
})
