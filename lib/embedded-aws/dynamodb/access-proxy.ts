// The proxy checks signatures, permissions and quotas of callers with separate keys, and forwards allowed requests.
// The embedded DynamoDB behind it only checks the format of signatures and does not limit throughput.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Log } from '../../log.ts'
import type { Authorize } from '../authorize.ts'
import { closeServer, listen } from '../listen.ts'
import type { AccountQuotas } from '../quotas.ts'
import { ApiError, readLimitedBody, requireSigner, sendApiError } from '../signed-api.ts'
import type { AwsCredentials } from '../sigv4.ts'
import {
  addUnprocessed,
  createResourceArn,
  PartitionThroughput,
  type Reply,
  ThrottledError,
} from './partition-throughput.ts'
import { type Input, listRequiredPermissions } from './permissions.ts'

interface AccessProxyOptions {
  /** URL of the server that requests are forwarded to. */
  readonly url: string
  readonly region: string
  readonly credentials: readonly AwsCredentials[]
  readonly authorize: Authorize
  readonly quotas?: AccountQuotas | undefined
  readonly log: Log
}

/** AWS's limit for the size of a request. */
const maxRequestBytes = 16 * 1024 * 1024
const tooLargeError = new ApiError('ValidationException', 'The request is larger than 16 MiB.', 413)

export async function openAccessProxy(options: AccessProxyOptions) {
  const throughput = options.quotas && new PartitionThroughput(options.quotas, options.region)
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    serve(options, throughput, request, response).catch((error: unknown) => {
      if (error instanceof ApiError)
        return sendApiError(response, error.status, error.code, {
          __type: `com.amazon.coral.service#${error.code}`,
          message: error.message,
          ...(error instanceof ThrottledError && error.members),
        })
      options.log.warn({ error }, 'a request could not be forwarded to the embedded DynamoDB')
      return response.destroy()
    })
  })
  const port = await listen(server, 0)
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) }
}

type MeasuredInput = Input & { readonly ReturnConsumedCapacity?: string }

async function serve(
  { url, region, credentials, authorize }: AccessProxyOptions,
  throughput: PartitionThroughput | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readLimitedBody(request, maxRequestBytes, tooLargeError)
  const accessKeyId = requireSigner(request, body, { service: 'dynamodb', region, credentials })
  const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '')
  const input = JSON.parse(body.toString()) as MeasuredInput
  for (const { action, table, index, leadingKeys } of listRequiredPermissions(operation, input)) {
    const resource = createResourceArn(region, table, index)
    const conditionKeys = leadingKeys && { 'dynamodb:LeadingKeys': leadingKeys }
    if (authorize({ accessKeyId, action, resource, ...(conditionKeys && { conditionKeys }) })) continue
    throw new ApiError(
      'AccessDeniedException',
      `${accessKeyId} is not authorized to perform ${action} on ${resource}`,
    )
  }
  const target = new URL(request.url ?? '/', url)
  if (!throughput?.counts(operation)) return send(response, await forward(target, request, body))
  const admittedInput = throughput.admit(operation, input)
  const measuredBody = JSON.stringify({ ...admittedInput, ReturnConsumedCapacity: 'INDEXES' })
  const { bytes, ...head } = await forward(target, request, measuredBody)
  if (head.status !== 200) return send(response, { ...head, bytes })
  const reply = JSON.parse(bytes.toString()) as Reply
  throughput.count(operation, admittedInput, reply)
  send(response, {
    ...head,
    bytes: Buffer.from(JSON.stringify(toVisibleReply(operation, reply, input, admittedInput))),
  })
}

interface ForwardedReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Headers that describe the bytes of the database's reply, which the proxy may change. */
const bodyHeaders = new Set(['x-amz-crc32', 'transfer-encoding', 'content-length'])

function send(response: ServerResponse, { status, headers, bytes }: ForwardedReply): void {
  for (const [name, value = ''] of Object.entries(headers))
    if (!bodyHeaders.has(name)) response.setHeader(name, value)
  response.writeHead(status, { 'content-length': bytes.length })
  response.end(bytes)
}

async function forward(
  url: URL,
  { method = 'POST', headers }: IncomingMessage,
  body: string | Buffer,
): Promise<ForwardedReply> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  openRequest(url, { method, headers: { ...headers, ...length } }, resolve)
    .on('error', reject)
    .end(body)
  const reply = await promise
  return { status: reply.statusCode ?? 502, headers: reply.headers, bytes: await buffer(reply) }
}

/**
 * Returns the reply for the client: throttled entries of a batch are listed as unprocessed, and the consumed capacity
 * is omitted unless it was requested.
 */
function toVisibleReply(
  operation: string,
  { ConsumedCapacity, ...reply }: Reply,
  input: MeasuredInput,
  admittedInput: Input,
): Reply {
  const wantsCapacity = (input.ReturnConsumedCapacity ?? 'NONE') !== 'NONE'
  return {
    ...reply,
    ...(wantsCapacity && ConsumedCapacity && { ConsumedCapacity }),
    ...(admittedInput !== input && addUnprocessed(operation, reply, input, admittedInput)),
  }
}
