import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { Table } from '../../lib/aws/table.ts'
import { isUnavailable, limitCallTime } from '../../lib/aws/timeouts.ts'
import { processEnvironment, readConfig } from '../../lib/config.ts'
import { closeServer, listen } from '../../lib/embedded-aws/listen.ts'

test('a request to a hanging database is retried after three seconds on a new connection', async (t) => {
  const heldResponses: ServerResponse[] = []
  const server = createServer((_, response) => {
    if (heldResponses.push(response) === 1) return
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"Item":{"pk":{"S":"a"}}}')
  })
  const endpoint = `http://127.0.0.1:${await listen(server, 0)}`
  t.after(() => closeServer(server))
  const variables = {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  }
  const variablesBefore = Object.keys(variables).map((name) => [name, processEnvironment[name]] as const)
  Object.assign(processEnvironment, variables)
  t.after(() => {
    for (const [name, value] of variablesBefore)
      if (value === undefined) delete processEnvironment[name]
      else processEnvironment[name] = value
  })
  const table = new Table(readConfig({}))
  const startedAtMs = performance.now()
  assert.deepEqual(await table.get({ pk: 'a', sk: 'b' }), { pk: 'a' })
  const tookMs = performance.now() - startedAtMs
  assert.ok(tookMs > 2500 && tookMs < 9000, `took ${tookMs} ms`)
  assert.equal(heldResponses.length, 2)
  assert.ok(heldResponses[0]?.destroyed, 'the first connection was closed')
})

test('a request to a database that does not respond fails within its time limit, and later requests fail faster', async (t) => {
  const waitingResponses: ServerResponse[] = []
  let isSilent = true
  const result = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"TableNames":[]}')
  const server = createServer(
    (_, response) => void (isSilent ? waitingResponses.push(response) : result(response)),
  )
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${await listen(server, 0)}`,
    region: 'local',
    credentials: { accessKeyId: 'LOCAL', secretAccessKey: 'local' },
  })
  limitCallTime(client, { callMs: 900, attemptMs: 400 })
  t.after(() => closeServer(server))
  const sendRequest = async () => {
    const startedAtMs = performance.now()
    const error = await client.send(new ListTablesCommand({})).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    return { error, ms: performance.now() - startedAtMs }
  }
  const firstReply = await sendRequest()
  assert.ok(isUnavailable(firstReply.error), String(firstReply.error))
  assert.ok(firstReply.ms > 800 && firstReply.ms < 2000, `took ${firstReply.ms} ms`)
  const secondReply = await sendRequest()
  assert.ok(
    isUnavailable(secondReply.error) && secondReply.ms < firstReply.ms - 200,
    `took ${secondReply.ms} ms`,
  )
  isSilent = false
  assert.equal((await sendRequest()).error, undefined)
})

test('errors of an unavailable database are distinguished from rejected requests', () => {
  const createServiceError = (name: string, status: number) =>
    Object.assign(new Error(name), { name, $metadata: { httpStatusCode: status } })
  for (const error of [
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    createServiceError('InternalServerError', 500),
    createServiceError('ThrottlingException', 400),
  ])
    assert.equal(isUnavailable(error), true, error.message)
  for (const error of [
    createServiceError('ValidationException', 400),
    new TypeError('a bug'),
    'text',
    undefined,
  ])
    assert.equal(isUnavailable(error), false, String(error))
})
