// Reads requests and writes responses in both protocols of SQS.
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { SqsError } from './errors.ts'
import type { Action } from './inputs.ts'
import { readForm, writeError, writeResult } from './query-protocol.ts'

type Protocol = 'json' | 'query'

interface SqsCall {
  readonly action: string
  /** The input in the JSON protocol's shape, not validated yet. */
  readonly members: unknown
}

/** Size of a full batch of 1 MiB in which each byte is a JSON escape of six bytes, plus overhead. */
const maxRequestBytes = 8 * 1024 * 1024
const maxDiscardMs = 2000
const targetPrefix = 'AmazonSQS.'
const batchSuffixPattern = /Batch$/
/** Actions that are not valid at the URL of a queue. */
const accountActions = new Set(['CreateQueue', 'ListQueues'])

export function detectProtocol(request: IncomingMessage): Protocol {
  const json = request.headers['content-type']?.startsWith('application/x-amz-json')
  return json || request.headers['x-amz-target'] !== undefined ? 'json' : 'query'
}

export async function readSqsBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Without this option, leaving the loop would destroy the connection that the response needs.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    // An IncomingMessage without an encoding yields buffers.
    const buffer = chunk as Buffer
    bytes += buffer.length
    if (bytes > maxRequestBytes) break
    chunks.push(buffer)
  }
  if (bytes > maxRequestBytes) {
    await discard(request)
    throw new SqsError(
      'RequestEntityTooLargeException',
      `The request is larger than ${maxRequestBytes} bytes.`,
    )
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/** Reads and discards the rest of a request, because a client reads the response only after it has sent its request. */
async function discard(request: IncomingMessage) {
  const end = new Promise((resolve) => request.once('close', resolve))
  request.resume()
  await Promise.race([end, pause(maxDiscardMs, undefined, { ref: false })])
}

export function readSqsCall(request: IncomingMessage, body: Buffer): SqsCall {
  if (!isUtf8(body)) throw new SqsError('SerializationException', 'The request is not valid UTF-8.')
  return detectProtocol(request) === 'json' ? readJsonCall(request, body) : readQueryCall(request, body)
}

function readJsonCall(request: IncomingMessage, body: Buffer): SqsCall {
  const target = request.headers['x-amz-target']
  if (typeof target !== 'string' || !target.startsWith(targetPrefix))
    throw new SqsError(
      'UnknownOperationException',
      'The header X-Amz-Target must name an action of AmazonSQS.',
    )
  return { action: target.slice(targetPrefix.length), members: parseJson(body.toString()) }
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text)
    // A null member counts as missing.
    return text.includes('null') ? JSON.parse(text, (_, item: unknown) => item ?? undefined) : value
  } catch {
    throw new SqsError('SerializationException', 'The request body is not valid JSON.')
  }
}

function readQueryCall(request: IncomingMessage, body: Buffer): SqsCall {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const fields = new URLSearchParams(body.toString())
  for (const [name, value] of searchParams) if (!name.startsWith('X-Amz-')) fields.append(name, value)
  const action = fields.get('Action')
  if (action === null) throw new SqsError('UnknownOperationException', 'The request names no action.')
  if (pathname !== '/' && accountActions.has(action)) throw createUnknownActionError(action, 'query')
  const members = readForm(fields)
  if (batchSuffixPattern.test(action)) members.Entries ??= []
  if (pathname !== '/') members.QueueUrl ??= pathname
  return { action, members }
}

export function createUnknownActionError(action: string, protocol: Protocol): SqsError {
  const name = protocol === 'json' ? 'UnknownOperationException' : 'InvalidAction'
  return new SqsError(name, `The action ${action.slice(0, 128)} is not valid for this endpoint.`)
}

export function respond(
  response: ServerResponse,
  protocol: Protocol,
  action: Action,
  output: object | undefined,
  requestId: string,
) {
  if (protocol === 'query')
    return send(response, 200, 'text/xml', writeResult(action, output, requestId), requestId)
  send(response, 200, 'application/x-amz-json-1.0', output ? JSON.stringify(output) : '', requestId)
}

export function respondError(
  response: ServerResponse,
  protocol: Protocol,
  error: SqsError,
  requestId: string,
) {
  // More parts of the body may still arrive, so the connection cannot be reused.
  if (error.status === 413) response.setHeader('connection', 'close')
  if (protocol === 'query')
    return send(response, error.status, 'text/xml', writeError(error, requestId), requestId)
  response.setHeader('x-amzn-query-error', `${error.code};${error.fault}`)
  const body = JSON.stringify({ __type: error.type, message: error.message })
  send(response, error.status, 'application/x-amz-json-1.0', body, requestId)
}

function send(response: ServerResponse, status: number, type: string, body: string, requestId: string) {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': requestId,
  })
  response.end(body)
}
