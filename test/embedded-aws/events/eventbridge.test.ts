import assert from 'node:assert/strict'
import test from 'node:test'
import {
  CreateEventBusCommand,
  EventBridgeClient,
  ListArchivesCommand,
  ListRulesCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import { anySource, createExpectedError, entry, q } from './requests.ts'
import { credentials, region, startTestEvents } from './start-events.ts'

test('EventBridge reports all violations of a request together, with the messages of AWS', async (t) => {
  const { events } = await startTestEvents(t)
  const long = `${'x'.repeat(64)}!`
  await assert.rejects(
    // Other clients may send members that are not in the type.
    events.send(new PutRuleCommand({ Name: long, State: 'MAYBE' as 'ENABLED' })),
    createExpectedError(
      'ValidationException',
      `3 validation errors detected: Value '${long}' at 'name' failed to satisfy constraint: Member must have length less than or equal to 64; Value '${long}' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\.\\-_A-Za-z0-9]+; Value 'MAYBE' at 'state' failed to satisfy constraint: Member must satisfy enum value set: [ENABLED, DISABLED, ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS]`,
    ),
  )
  await events.send(new PutRuleCommand({ Name: 'r', EventPattern: anySource }))
  await assert.rejects(
    events.send(new PutTargetsCommand({ Rule: 'r', Targets: [{ Id: '!@#', Arn: q }] })),
    createExpectedError(
      'ValidationException',
      "1 validation error detected: Value '!@#' at 'targets.1.member.id' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\.\\-_A-Za-z0-9]+",
    ),
  )
  await assert.rejects(
    events.send(new PutEventsCommand({ Entries: Array.from({ length: 11 }, () => entry) })),
    createExpectedError(
      'ValidationException',
      /at 'entries' failed to satisfy constraint: Member must have length less than or equal to 10$/,
    ),
  )
})

test('EventBridge refuses unsupported operations, unsupported parameters and unsigned requests', async (t) => {
  const { events, endpoint } = await startTestEvents(t)
  await assert.rejects(events.send(new ListArchivesCommand({})), { name: 'UnknownOperationException' })
  await assert.rejects(
    events.send(new CreateEventBusCommand({ Name: 'b', KmsKeyIdentifier: 'k' })),
    createExpectedError(
      'ValidationException',
      'KmsKeyIdentifier is not supported by this server. Leave it out.',
    ),
  )
  const unsignedResponse = await fetch(endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'AWSEvents.ListRules' },
    body: '{}',
  })
  assert.equal(unsignedResponse.status, 400)
  assert.deepEqual(await unsignedResponse.json(), {
    __type: 'MissingAuthenticationTokenException',
    message: 'Missing Authentication Token',
  })
})

test('EventBridge answers a request that is too large with an error instead of closing the connection', async (t) => {
  const { endpoint } = await startTestEvents(t)
  const half = new Uint8Array(3 << 20)
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'AWSEvents.PutEvents' },
    // A stream is sent without a Content-Length.
    body: ReadableStream.from([half, half]),
    duplex: 'half',
  } as RequestInit)
  assert.equal(response.status, 413)
  assert.equal(response.headers.get('x-amzn-errortype'), 'RequestEntityTooLargeException')
})

test('EventBridge rejects a request with a wrong secret, an unknown key or a wrong region', async (t) => {
  const { endpoint } = await startTestEvents(t)
  const wrongRequests: [object, string][] = [
    [{ credentials: { ...credentials, secretAccessKey: 'x' } }, 'InvalidSignatureException'],
    [{ credentials: { ...credentials, accessKeyId: 'AKIDOTHER' } }, 'UnrecognizedClientException'],
    [{ region: 'us-east-1' }, 'InvalidSignatureException'],
  ]
  for (const [changedRequest, name] of wrongRequests) {
    const client = new EventBridgeClient({ endpoint, region, credentials, maxAttempts: 1, ...changedRequest })
    await assert.rejects(client.send(new ListRulesCommand({})), { name })
    client.destroy()
  }
})
