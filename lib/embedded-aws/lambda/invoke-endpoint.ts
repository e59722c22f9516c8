// The Invoke operation of Lambda: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, readLimitedBody, requireSigner, sendApiError, sendJson } from '../signed-api.ts'
import type { AwsCredentials } from '../sigv4.ts'
import type { AsyncInvocations } from './async-invocations.ts'
import { createFunctionArn, type Lambda, type LocalFunction, lambdaLimits } from './runtime.ts'

interface LambdaEndpointOptions {
  readonly lambda: Lambda
  readonly asyncInvocations: Pick<AsyncInvocations, 'accept'>
  readonly credentials: readonly AwsCredentials[]
}

export const lambdaPath = '/2015-03-31/functions/'

const invocationTypes = ['RequestResponse', 'Event', 'DryRun'] as const
type InvocationType = (typeof invocationTypes)[number]

/** Size of the log tail in a response: the last 4 KB, by the API reference. */
const tailBytes = 4096

class TooManyRequests extends ApiError {
  readonly reason: string

  constructor(reason = 'ConcurrentInvocationLimitExceeded') {
    super('TooManyRequestsException', 'Rate Exceeded.', 429)
    this.reason = reason
  }
}

/** Serves one request under `lambdaPath`. */
export async function serveLambda(
  options: LambdaEndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = randomUUID()
  response.setHeader('x-amzn-requestid', requestId)
  try {
    await invoke(options, requestId, request, response)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message, status } = error
    const extraFields = error instanceof TooManyRequests ? { Reason: error.reason } : {}
    const messageField = code === 'ResourceNotFoundException' ? { Message: message } : { message }
    sendApiError(response, status, code, {
      ...extraFields,
      Type: status < 500 ? 'User' : 'Service',
      ...messageField,
    })
  }
}

async function invoke(
  { lambda, asyncInvocations, credentials }: LambdaEndpointOptions,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readLimitedBody(
    request,
    lambdaLimits.requestBytes,
    createTooLargeError(lambdaLimits.requestBytes),
  )
  requireSigner(request, body, { service: 'lambda', region: lambda.region, credentials })
  const { name, qualifier } = parseFunctionName(request, lambda.region)
  const type = readInvocationType(request)
  const target = lambda.find(name)
  if (!target || (qualifier !== undefined && qualifier !== '$LATEST')) {
    const arn = `${createFunctionArn(lambda.region, name)}${qualifier === undefined ? '' : `:${qualifier}`}`
    throw new ApiError('ResourceNotFoundException', `Function not found: ${arn}`, 404)
  }
  const event = parsePayload(body)
  if (type === 'DryRun') {
    response.writeHead(204).end()
  } else if (type === 'Event') {
    if (body.length > lambdaLimits.asynchronousBytes)
      throw createTooLargeError(lambdaLimits.asynchronousBytes)
    await asyncInvocations.accept(name, body.length > 0 ? body.toString() : '{}', requestId)
    response.writeHead(202, { 'content-length': 0 }).end()
  } else {
    if (lambda.isBusy(target)) throw new TooManyRequests()
    await respond({ lambda, target, event, requestId }, request, response)
  }
}

async function respond(
  call: { lambda: Lambda; target: LocalFunction; event: unknown; requestId: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { lambda, target, event, requestId } = call
  const outcome = await lambda.invoke(target.name, event, { requestId })
  if (!outcome.ok && outcome.isThrottled) throw new TooManyRequests(outcome.failure.reason)
  const result = outcome.ok ? serializeResult(outcome.value) : { failure: outcome.failure }
  if (request.headers['x-amz-log-type'] === 'Tail') {
    const log = formatLogTail(target, requestId, outcome.ms, 'failure' in result ? result.failure : undefined)
    response.setHeader('x-amz-log-result', Buffer.from(log).subarray(-tailBytes).toString('base64'))
  }
  response.setHeader('x-amz-executed-version', '$LATEST')
  if ('failure' in result) {
    response.setHeader('x-amz-function-error', 'Unhandled')
    sendJson(response, 200, JSON.stringify(result.failure))
  } else {
    sendJson(response, 200, result.json)
  }
}

function serializeResult(value: unknown) {
  try {
    const json = JSON.stringify(value) ?? 'null'
    if (Buffer.byteLength(json) <= lambdaLimits.responseBytes) return { json }
    const errorMessage = `Response payload size exceeded maximum allowed payload size (${lambdaLimits.responseBytes} bytes).`
    return { failure: { errorType: 'Function.ResponseSizeTooLarge', errorMessage } }
  } catch (error) {
    // The result has a circular reference or contains a bigint.
    const errorMessage = `Unable to stringify response body: ${error instanceof Error ? error.message : error}`
    return { failure: { errorType: 'Runtime.MarshalError', errorMessage } }
  }
}

/** Formats the lines that Lambda itself logs for an invocation; the function's own lines are in the service's log. */
function formatLogTail(
  target: LocalFunction,
  requestId: string,
  ms: number,
  failure: object | undefined,
): string {
  const lines = [
    `START RequestId: ${requestId} Version: $LATEST`,
    ...(failure ? [`${requestId}\tERROR\tInvoke Error\t${JSON.stringify(failure)}`] : []),
    `END RequestId: ${requestId}`,
    `REPORT RequestId: ${requestId}\tDuration: ${ms.toFixed(2)} ms\tBilled Duration: ${Math.ceil(ms)} ms\tMemory Size: ${target.memoryMb} MB`,
  ]
  return `${lines.join('\n')}\n`
}

const createTooLargeError = (maxBytes: number) =>
  new ApiError(
    'RequestTooLargeException',
    `Request must be smaller than ${maxBytes} bytes for the InvokeFunction operation`,
    413,
  )

/** Parses a function name: `name`, `account:function:name` or an ARN, each with an optional qualifier. */
function parseFunctionName({ method, url = '' }: IncomingMessage, region: string) {
  const [path = '', search = ''] = url.split('?', 2)
  const segment = /^([^/]+)\/invocations\/?$/.exec(path.slice(lambdaPath.length))?.[1]
  if (method !== 'POST' || segment === undefined)
    throw new ApiError('UnknownOperationException', 'Only Invoke is supported by this server.', 404)
  const text = decodePath(segment)
  const parts =
    /^(?:(?:arn:aws[\w-]*:lambda:([\w-]+):)?(\d{12}):function:)?([\w-]{1,64})(?::(\$LATEST|[\w-]+))?$/.exec(
      text,
    )
  const [, arnRegion = region, , name, suffix] = parts ?? []
  if (name === undefined || arnRegion !== region)
    throw new ApiError(
      'ValidationException',
      `1 validation error detected: Value '${text}' at 'functionName' failed to satisfy constraint: Member must be the name or an ARN of a function in ${region}`,
      400,
    )
  const parameter = new URLSearchParams(search).get('Qualifier') ?? undefined
  if (suffix !== undefined && parameter !== undefined && suffix !== parameter)
    throw new ApiError(
      'InvalidParameterValueException',
      'The derived qualifier from the function name does not match the specified qualifier.',
      400,
    )
  return { name, qualifier: suffix ?? parameter }
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function readInvocationType({ headers }: IncomingMessage): InvocationType {
  const invocationType = headers['x-amz-invocation-type'] ?? 'RequestResponse'
  const type = invocationTypes.find((one) => one === invocationType)
  if (type) return type
  throw new ApiError(
    'ValidationException',
    `1 validation error detected: Value '${invocationType}' at 'invocationType' failed to satisfy constraint: Member must satisfy enum value set: [${invocationTypes.join(', ')}]`,
    400,
  )
}

function parsePayload(body: Buffer): unknown {
  if (body.length === 0) return {}
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it is not JSON'
    throw new ApiError(
      'InvalidRequestContentException',
      `Could not parse request body into json: ${reason}`,
      400,
    )
  }
}
