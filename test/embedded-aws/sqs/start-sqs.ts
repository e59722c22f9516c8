// Starts a real server on a real port with an SDK client.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  CreateQueueCommand,
  type CreateQueueCommandInput,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { deriveSigningKey, sign } from '../../../lib/embedded-aws/sigv4.ts'
import { openSqs, type SqsServer, type SqsServerOptions } from '../../../lib/embedded-aws/sqs/server.ts'

export const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' }
export const region = 'us-east-1'

export interface TestServer {
  readonly endpoint: string
  readonly client: SQSClient
  readonly sqs: SqsServer
  /** The HTTP server, on whose events a test may wait. */
  readonly http: Server
  readonly file: string
  createQueue(name: string, attributes?: CreateQueueCommandInput['Attributes']): Promise<string>
  /** Sends one ReceiveMessage request, and returns the messages with all their attributes. */
  receive(url: string, options?: Partial<ReceiveMessageCommandInput>): Promise<Message[]>
  attributes(url: string): Promise<Record<string, string>>
  stop(): Promise<void>
}

/** Starts a server that stops with the test. Set `file` to reuse the queues of an earlier server. */
export async function startSqs(
  test: TestContext,
  options: Partial<SqsServerOptions> = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sqs-test-'))
  const file = options.file ?? join(folder, 'sqs.db')
  const sqs = await openSqs({ credentials: [credentials], region, ...options, file })
  const server = createServer((request, response) => sqs.handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server's address is an AddressInfo.
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`
  const client = createSqsClient(endpoint)
  let isStopped = false
  async function stop() {
    if (isStopped) return
    isStopped = true
    client.destroy()
    await sqs.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  test.after(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  return { endpoint, client, sqs, http: server, file, stop, ...createShorthands(client) }
}

export function createSqsClient(endpoint: string, secretAccessKey = credentials.secretAccessKey): SQSClient {
  return new SQSClient({
    endpoint,
    region,
    credentials: { ...credentials, secretAccessKey },
    maxAttempts: 1,
  })
}

function createShorthands(client: SQSClient) {
  return {
    async createQueue(name: string, attributes?: CreateQueueCommandInput['Attributes']) {
      const { QueueUrl = '' } = await client.send(
        new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
      )
      return QueueUrl
    },
    async receive(url: string, options: Partial<ReceiveMessageCommandInput> = {}) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
          ...options,
        }),
      )
      return Messages
    },
    async attributes(url: string) {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
      )
      return Attributes as Record<string, string>
    },
  }
}

export const getReceiptHandle = (message: Message | undefined) =>
  message?.ReceiptHandle ?? assert.fail('No message came.')

/** Returns a validator for `assert.rejects` that expects an error code of the Query protocol and an HTTP status. */
export function matchesError(code: string, status: number, message?: RegExp) {
  return (error: unknown) => {
    const {
      Code,
      $metadata,
      message: text,
    } = error as {
      Code?: string
      $metadata?: { httpStatusCode?: number }
      message: string
    }
    if (Code !== code || $metadata?.httpStatusCode !== status) throw error
    return message === undefined || message.test(text)
  }
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const byName = (a: string, b: string) => ((a.split('=')[0] ?? '') < (b.split('=')[0] ?? '') ? -1 : 1)

/** Sends a request that the SDK would not send; signed unless `sign` is false. */
export async function sendRaw(
  endpoint: string,
  options: {
    method?: string
    path?: string
    headers?: Record<string, string>
    body?: string
    sign?: boolean
  },
): Promise<RawAnswer> {
  const { method = 'POST', path = '/', body = '' } = options
  const url = new URL(path, endpoint)
  const amzDate = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '')
  const headers = { ...options.headers, host: url.host, 'x-amz-date': amzDate }
  const scope = `${amzDate.slice(0, 8)}/${region}/sqs/aws4_request`
  const digest = (text: string) => createHash('sha256').update(text).digest('hex')
  const query = url.search.slice(1).split('&').filter(Boolean).sort(byName).join('&')
  const signedText = `host:${url.host}\nx-amz-date:${amzDate}\n\nhost;x-amz-date\n${digest(body)}`
  const canonicalRequest = `${method}\n${url.pathname}\n${query}\n${signedText}`
  const stringToSign = `AWS4-HMAC-SHA256\n${amzDate}\n${scope}\n${digest(canonicalRequest)}`
  const key = deriveSigningKey(credentials.secretAccessKey, amzDate.slice(0, 8), region, 'sqs')
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=host;x-amz-date, Signature=${sign(key, stringToSign)}`
  return await new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      { method, headers: { ...headers, ...(options.sign !== false && { authorization }) } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}
