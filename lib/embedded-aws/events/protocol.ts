// The wire protocol of EventBridge: AWS JSON 1.1.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, identifySigner, readLimitedBody } from '../signed-api.ts'
import type { AwsCredentials } from '../sigv4.ts'
import type { EventsAccount } from './account.ts'
import { parseJsonObject } from './json.ts'

type Operation = (account: EventsAccount, body: unknown) => object | Promise<object>
export type Operations = Readonly<Record<string, Operation>>

/** Larger than the 1 MB of PutEvents, because JSON escapes every quote in an event. */
const maxBodyBytes = 4 * 1024 * 1024

/** Returns the name of the operation; empty for a request to another API. */
export function getOperation({ headers }: IncomingMessage): string {
  const target = headers['x-amz-target']
  const [api, operation = ''] = typeof target === 'string' ? target.split('.') : []
  return api === 'AWSEvents' ? operation : ''
}

export function readRequest(request: IncomingMessage): Promise<Buffer> {
  const tooLargeError = new ApiError(
    'RequestEntityTooLargeException',
    'The request is larger than 4 MiB.',
    413,
  )
  return readLimitedBody(request, maxBodyBytes, tooLargeError)
}

export function readJsonBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) return {}
  const value = parseJsonObject(bytes.toString())
  if (value) return value
  throw new ApiError('SerializationException', 'The body of the request is not a JSON object.')
}

/** Checks the signature of a request and returns its access key. */
export function authenticateCall(
  request: IncomingMessage,
  body: Buffer,
  options: { credentials: readonly AwsCredentials[]; region: string },
): string {
  const signer = identifySigner(request, body, { ...options, service: 'events' })
  if ('accessKeyId' in signer) return signer.accessKeyId
  const [code, message] = signer.refusal
  throw new ApiError(code, message, 400)
}

export function sendEventsError(response: ServerResponse, error: ApiError): void {
  response.setHeader('x-amzn-errortype', error.code)
  sendEventsResponse(response, { __type: error.code, message: error.message }, error.status)
}

export function sendEventsResponse(response: ServerResponse, body: object, status = 200): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'content-length': bytes.length,
    'x-amzn-requestid': randomUUID(),
  })
  response.end(bytes)
}
