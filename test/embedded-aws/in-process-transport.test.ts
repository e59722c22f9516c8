import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { HttpRequest } from '@smithy/types'
import {
  createInProcessConnection,
  type RequestHandler,
} from '../../lib/embedded-aws/in-process-transport.ts'
import { openS3Server, type S3Server } from '../../lib/embedded-aws/s3/server.ts'
import { openSqs, type SqsServer } from '../../lib/embedded-aws/sqs/server.ts'
import { after, before } from '../hooks.ts'

const region = 'eu-central-1'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
let dir: string
let s3Server: S3Server
let sqsServer: SqsServer
let s3: S3Client
let sqs: SQSClient
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mutabor-in-process-'))
  s3Server = await openS3Server({ dir: join(dir, 's3'), credentials: [credentials], region })
  sqsServer = await openSqs({ file: join(dir, 'sqs.sqlite'), credentials: [credentials], region })
  // Nothing listens on this port, so any real connection would fail.
  const client = { region, credentials, endpoint: 'http://localhost:1' }
  s3 = new S3Client({
    ...client,
    forcePathStyle: true,
    ...createInProcessConnection(s3Server.handle.bind(s3Server)),
  })
  sqs = new SQSClient({ ...client, ...createInProcessConnection(sqsServer.handle.bind(sqsServer)) })
  await s3.send(new CreateBucketCommand({ Bucket: 'files' }))
})
after(async () => {
  await s3Server.close()
  await sqsServer.close()
  await rm(dir, { recursive: true, force: true })
})

const call = (overrides: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'PUT',
  protocol: 'http:',
  hostname: 'localhost',
  path: '/',
  headers: {},
  ...overrides,
})

/** Serves requests with an async function whose result or error the test can await. */
const serve = (work: (...exchange: Parameters<RequestHandler>) => Promise<unknown>) => {
  const outcome = Promise.withResolvers<unknown>()
  const handle: RequestHandler = (request, response) =>
    void work(request, response).then(outcome.resolve, outcome.reject)
  // A test that does not await the outcome ignores errors.
  outcome.promise.catch(() => undefined)
  return { send: createInProcessConnection(handle).requestHandler.handle, outcome: outcome.promise }
}

const connectionReset = { code: 'ECONNRESET' }
const abortError = { name: 'AbortError' }

test('the in-process transport transfers request and response bodies completely and no faster than they are read', async () => {
  const piece = randomBytes(64 * 1024)
  const pieces = 1024
  let sentBytes = 0
  const source = Readable.from(
    (function* () {
      for (; sentBytes < pieces; sentBytes++) yield piece
    })(),
    { objectMode: false },
  )
  const { send, outcome } = serve((request, response) => pipeline(request, response))
  const { response } = await send(call({ body: source }))
  let receivedBytes = 0
  let bufferedBytes = 0
  for await (const chunk of response.body as Readable) {
    const bytes = chunk as Buffer
    for (let at = 0; at < bytes.length; ) {
      const from = (receivedBytes + at) % piece.length
      const length = Math.min(piece.length - from, bytes.length - at)
      assert.ok(bytes.subarray(at, at + length).equals(piece.subarray(from, from + length)))
      at += length
    }
    receivedBytes += bytes.length
    await turn()
    bufferedBytes = Math.max(bufferedBytes, sentBytes * piece.length - receivedBytes)
  }
  await outcome
  assert.equal(receivedBytes, pieces * piece.length)
  assert.ok(bufferedBytes < 2 * 1024 ** 2, `${bufferedBytes} bytes were under way`)
})

test('the in-process transport stores and reads S3 objects as bytes, as a stream and with an empty body', async () => {
  const bytes = randomBytes(3 * 1024 ** 2)
  const target = { Bucket: 'files', Key: 'a b/ü+.bin' }
  await s3.send(new PutObjectCommand({ ...target, Body: bytes, ContentType: 'image/png' }))
  const head = await s3.send(new HeadObjectCommand(target))
  assert.deepEqual([head.ContentLength, head.ContentType], [bytes.length, 'image/png'])
  const { Body } = await s3.send(new GetObjectCommand(target))
  assert.ok(bytes.equals(await buffer(Body as Readable)))
  const streamedObject = { ...target, Key: 'streamed' }
  const parts = [bytes.subarray(0, 1000), bytes.subarray(1000)]
  await s3.send(
    new PutObjectCommand({
      ...streamedObject,
      Body: Readable.from(parts, { objectMode: false }),
      ContentLength: bytes.length,
    }),
  )
  const rangedObject = await s3.send(new GetObjectCommand({ ...streamedObject, Range: 'bytes=5-9' }))
  assert.ok(bytes.subarray(5, 10).equals(await buffer(rangedObject.Body as Readable)))
  await s3.send(new PutObjectCommand({ ...target, Key: 'empty', Body: '' }))
  const emptyObject = await s3.send(new GetObjectCommand({ ...target, Key: 'empty' }))
  assert.equal(await text(emptyObject.Body as Readable), '')
  await assert.rejects(s3.send(new GetObjectCommand({ ...target, Key: 'none' })), { name: 'NoSuchKey' })
})

test("aborting an in-process upload destroys its source and fails the server's read", async () => {
  const abort = new AbortController()
  const source = new Readable({ read: () => undefined })
  source.push('some')
  const { send, outcome } = serve(async (request) => {
    for await (const chunk of request) {
      assert.equal(String(chunk), 'some')
      abort.abort()
    }
  })
  await assert.rejects(send(call({ body: source }), { abortSignal: abort.signal }), abortError)
  await assert.rejects(outcome, connectionReset)
  assert.ok(source.destroyed)
})

test("aborting an in-process download fails the read of its body and aborts the server's response", async () => {
  const abort = new AbortController()
  const endlessStream = new Readable({ read: () => void endlessStream.push(Buffer.alloc(1024)) })
  let isFinished: boolean | undefined
  const { send, outcome } = serve((_request, response) => {
    response.once('close', () => {
      isFinished = response.writableFinished
    })
    return pipeline(endlessStream, response)
  })
  const { response } = await send(call({ method: 'GET' }), { abortSignal: abort.signal })
  const reading = buffer(response.body as Readable)
  abort.abort()
  await assert.rejects(reading, abortError)
  await assert.rejects(outcome, { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  assert.equal(isFinished, false)
  await assert.rejects(send(call(), { abortSignal: abort.signal }), abortError)
})

test("destroying an in-process response body aborts the server's response", async () => {
  const endlessStream = new Readable({ read: () => void endlessStream.push(Buffer.alloc(1024)) })
  const { send, outcome } = serve((_request, response) => pipeline(endlessStream, response))
  const { response } = await send(call({ method: 'GET' }))
  ;(response.body as Readable).destroy()
  await assert.rejects(outcome, { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  assert.ok(endlessStream.destroyed)
})

test('no message is lost when an SQS long poll is aborted in-process', async () => {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'polled' }))
  for (let ticksBeforeAbort = 0; ticksBeforeAbort < 8; ticksBeforeAbort++) {
    const abort = new AbortController()
    const receive = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: abort.signal,
    })
    for (let ticks = 0; ticks < 10; ticks++) await turn()
    // The message arrives, and at the same time or slightly later the caller aborts.
    const sending = sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'kept' }))
    for (let ticks = 0; ticks < ticksBeforeAbort; ticks++) await turn()
    abort.abort()
    const [receiveOutcome] = await Promise.allSettled([receive, sending])
    const deliveredMessages =
      receiveOutcome.status === 'fulfilled' ? (receiveOutcome.value.Messages ?? []) : []
    const { Messages: remainingMessages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }))
    assert.deepEqual(
      [...deliveredMessages, ...remainingMessages].map(({ Body }) => Body),
      ['kept'],
    )
    if (ticksBeforeAbort === 0) assert.equal(deliveredMessages.length, 0)
  }
})

test('an in-process response that the caller aborts before reading counts as undelivered', async () => {
  let isClosed: boolean | undefined
  const { send, outcome } = serve(async (_request, response) => {
    response.end('messages')
    await once(response, 'close')
    isClosed = response.writableFinished
  })
  const abort = new AbortController()
  await send(call({ method: 'POST' }), { abortSignal: abort.signal })
  abort.abort()
  await outcome
  assert.equal(isClosed, false)
})

test('aborting after an in-process response was read completely changes nothing', async () => {
  const abort = new AbortController()
  const { send, outcome } = serve(async (request, response) => {
    assert.equal(await text(request), 'question')
    response.writeHead(201, { 'Content-Type': 'text/plain' })
    response.end('answer')
    await once(response, 'close')
    return response.writableFinished
  })
  const { response } = await send(call({ body: 'question' }), { abortSignal: abort.signal })
  assert.deepEqual([response.statusCode, response.headers], [201, { 'content-type': 'text/plain' }])
  assert.equal(await text(response.body as Readable), 'answer')
  abort.abort()
  assert.equal(await outcome, true)
})

test('the AWS SDK retries a request if an in-process server disconnects before it responds', async () => {
  let calls = 0
  const client = new SQSClient({
    region,
    credentials,
    endpoint: 'http://localhost:1',
    ...createInProcessConnection((request, response) => {
      calls++
      if (calls === 1) response.destroy()
      else sqsServer.handle(request, response)
    }),
  })
  await client.send(new ListQueuesCommand({}))
  assert.equal(calls, 2)
})

test('an in-process server that destroys the request without responding counts as disconnected', async () => {
  const { send } = serve(async (request) => request.destroy())
  await assert.rejects(send(call({ body: 'question' })), connectionReset)
})

test('reading an in-process response fails if the server disconnects in the middle of the body', async () => {
  const { send } = serve(async (_request, response) => {
    response.write('half')
    await turn()
    response.destroy()
  })
  const { response } = await send(call({ method: 'GET' }))
  await assert.rejects(text(response.body as Readable), connectionReset)
})

test("if the source of an in-process request body fails, the call and the server's read of the body fail as well", async () => {
  const source = new Readable({ read: () => undefined })
  source.push('some')
  const { send, outcome } = serve(async (request) => {
    for await (const _chunk of request) source.destroy(new Error('the disk is gone'))
  })
  await assert.rejects(send(call({ body: source })), { message: 'the disk is gone' })
  await assert.rejects(outcome, { message: 'the disk is gone' })
})

test('an in-process server that rejects a request before reading its body leaves the body unread', async () => {
  let read = 0
  const source = () =>
    new Readable({
      read() {
        read++
        this.push(read > 3 ? null : 'some')
      },
    })
  const waitingServer = serve(async (request, response) => {
    for (let ticks = 0; ticks < 5; ticks++) await turn()
    assert.equal(read, 0)
    response.writeContinue()
    assert.equal(await text(request), 'somesomesome')
    response.end()
  })
  const headers = { Expect: '100-continue' }
  await waitingServer.send(call({ headers, body: source() }))
  await waitingServer.outcome
  read = 0
  const refusedServer = serve(async (request, response) => {
    response.writeHead(403)
    response.end('no')
    request.on('error', () => undefined).resume()
    await once(request, 'close')
  })
  const body = source()
  const { response } = await refusedServer.send(call({ headers, body }))
  assert.equal(await text(response.body as Readable), 'no')
  await refusedServer.outcome
  assert.equal(read, 0)
  assert.ok(body.destroyed)
})

test('an in-process response without a body completes without being read', async () => {
  for (const [method, status] of [
    ['HEAD', 200],
    ['DELETE', 204],
    ['GET', 304],
  ] as const) {
    const { send, outcome } = serve(async (_request, response) => {
      response.writeHead(status, { 'content-length': 4 })
      response.end('body')
      await once(response, 'close')
      return response.writableFinished
    })
    const { response } = await send(call({ method }))
    assert.equal(await outcome, true)
    assert.equal(await text(response.body as Readable), '')
  }
})

test('an in-process request has the same headers and URL as a request over a connection', async () => {
  const { send, outcome } = serve(async (request, response) => {
    response.end()
    return { url: request.url, headers: request.headers }
  })
  const query = { list: ['a', 'b c'], flag: null, 'x/y': '%' }
  await send(call({ path: '/a%20b', query, headers: { 'X-Amz-Date': 'now' } }))
  assert.deepEqual(await outcome, {
    url: '/a%20b?list=a&list=b%20c&flag&x%2Fy=%25',
    headers: { 'x-amz-date': 'now', 'content-length': '0' },
  })
  const folded = call({ headers: { 'x-amz-meta': 'a\r\nhost: b' } })
  await assert.rejects(send(folded), { code: 'ERR_INVALID_CHAR' })
})
