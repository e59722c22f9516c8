// The @connections commands, with which functions reach clients of the WebSocket API.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sockets } from '../../lib/aws/sockets.ts'
import { processEnvironment } from '../../lib/config.ts'
import {
  type LambdaAndSocketsApi,
  openLambdaAndSocketsApi,
} from '../../lib/local/runtime/lambda-and-sockets-api.ts'
import { defined } from '../../lib/validation/defined.ts'
import { callSigned, credentials, log } from '../embedded-aws/lambda-runtime.ts'
import { after, before } from '../hooks.ts'
import {
  apis,
  closeApis,
  lambda,
  nextMessage,
  openSocket,
  startApi,
  waitForCloseCode,
} from './websocket-api.ts'

let url: string
let api: LambdaAndSocketsApi

before(async () => {
  url = await startApi({})
  const [webSocketApi] = apis
  const asyncInvocations = { accept: async () => {} }
  api = await openLambdaAndSocketsApi(
    { lambda, asyncInvocations, webSocketApi },
    { credentials: [credentials], log },
  )
})
after(() => Promise.all([closeApis(), api.close()]))

const connections = (id: string, method: string, body?: string | Buffer) =>
  callSigned(`${api.url}/stage/@connections/${encodeURIComponent(id)}`, {
    service: 'execute-api',
    method,
    ...defined({ body }),
  })

test('functions can send to a WebSocket connection, query it and close it', async () => {
  const { socket, id } = await openSocket(url)
  const receivedMessage = nextMessage(socket)
  assert.equal((await connections(id, 'POST', 'hello é')).status, 200)
  assert.equal(await receivedMessage, 'hello é')
  const connection = (await (await connections(id, 'GET')).json()) as Record<string, string>
  assert.deepEqual(Object.keys(connection), ['connectedAt', 'identity', 'lastActiveAt'])
  assert.ok(Date.parse(connection['lastActiveAt'] ?? '') >= Date.parse(connection['connectedAt'] ?? ''))
  const closedCode = waitForCloseCode(socket)
  assert.equal((await connections(id, 'DELETE')).status, 204)
  assert.equal(await closedCode, 1000)
  for (const method of ['POST', 'GET', 'DELETE']) {
    const response = await connections(id, method)
    assert.equal(response.status, 410)
    assert.equal(response.headers.get('x-amzn-errortype'), 'GoneException')
  }
})

const commands: [
  caseName: string,
  id: string,
  method: string,
  body: Buffer | undefined,
  status: number,
  code: string,
][] = [
  ['a malformed connection id', 'a b', 'POST', undefined, 400, 'BadRequestException'],
  ['an unknown connection id', `${'A'.repeat(15)}=`, 'POST', undefined, 410, 'GoneException'],
  [
    'a body over 128 KB',
    `${'A'.repeat(15)}=`,
    'POST',
    Buffer.alloc(128 * 1024 + 1),
    413,
    'PayloadTooLargeException',
  ],
  ['the PUT method', `${'A'.repeat(15)}=`, 'PUT', undefined, 403, 'ForbiddenException'],
]
for (const [caseName, id, method, body, status, code] of commands) {
  test(`an @connections command with ${caseName} fails with ${status} ${code}`, async () => {
    const response = await connections(id, method, body)
    assert.deepEqual([response.status, response.headers.get('x-amzn-errortype')], [status, code])
  })
}

test('@connections accepts only signed commands', async () => {
  const address = `${api.url}/@connections/${'A'.repeat(15)}=`
  const unsignedReply = await fetch(address)
  assert.deepEqual(
    [unsignedReply.status, unsignedReply.headers.get('x-amzn-errortype')],
    [403, 'MissingAuthenticationTokenException'],
  )
  const secretAccessKey = 'wrong'.repeat(8)
  const forgedReply = await callSigned(address, { service: 'execute-api', method: 'GET', secretAccessKey })
  assert.deepEqual(
    [forgedReply.status, forgedReply.headers.get('x-amzn-errortype')],
    [403, 'InvalidSignatureException'],
  )
})

test('the Sockets class sends to WebSocket connections, queries them and closes them through the AWS SDK', async () => {
  processEnvironment['AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI'] = `${api.url}/stage`
  processEnvironment['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId
  processEnvironment['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey
  const sockets = new Sockets({ AWS_REGION: lambda.region })
  const { socket, id } = await openSocket(url)
  const receivedMessage = nextMessage(socket)
  assert.equal(await sockets.isOpen(id), true)
  assert.equal(await sockets.post(id, '{"type":"pong"}'), 'sent')
  assert.equal(await receivedMessage, '{"type":"pong"}')
  const closedCode = waitForCloseCode(socket)
  await sockets.close(id, 4409, 'API Gateway has no codes of ours')
  assert.equal(await closedCode, 1000)
  assert.equal(await sockets.isOpen(id), false)
  assert.equal(await sockets.post(id, 'x'), 'gone')
  await sockets.close(id, 1000, '')
})

test('sending to a WebSocket client that does not read is refused once its buffers are full', async () => {
  const { socket, id } = await openSocket(url)
  socket.pause()
  const fragment = 'x'.repeat(128 * 1024)
  const outcomes = []
  // Until the buffers of both sides are full, messages are sent before earlier ones have been written.
  for (let at = 0; at < 200; at++) outcomes.push(apis[0]?.send(id, Buffer.from(fragment)))
  assert.equal(await outcomes.at(-1), 'slow')
  const refusedReply = await connections(id, 'POST', 'x')
  assert.deepEqual(
    [refusedReply.status, refusedReply.headers.get('x-amzn-errortype')],
    [429, 'LimitExceededException'],
  )
  socket.terminate()
})
