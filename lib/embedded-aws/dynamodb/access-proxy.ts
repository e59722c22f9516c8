// The embedded DynamoDB checks only the format of a signature. When callers have separate keys, this proxy in front of
// it checks signatures and permissions, and forwards allowed requests.
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../../log.ts'
import type { Authorize } from '../authorize.ts'
import { closeServer, listen } from '../listen.ts'
import { ApiError, readLimitedBody, requireSigner, sendApiError } from '../signed-api.ts'
import type { AwsCredentials } from '../sigv4.ts'
import { listRequiredPermissions } from './permissions.ts'

interface AccessProxyOptions {
  /** URL of the server that requests are forwarded to. */
  readonly url: string
  readonly region: string
  readonly credentials: readonly AwsCredentials[]
  readonly authorize: Authorize
  readonly log: Log
}

/** AWS's limit for a request. */
const maxRequestBytes = 16 * 1024 * 1024
const tooLargeError = new ApiError('ValidationException', 'The request is larger than 16 MiB.', 413)

export async function openAccessProxy(options: AccessProxyOptions) {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    forward(options, request, response).catch((error: unknown) => {
      if (error instanceof ApiError)
        return sendApiError(response, error.status, error.code, {
          __type: `com.amazon.coral.service#${error.code}`,
          message: error.message,
        })
      options.log.warn({ error }, 'a request could not be forwarded to the embedded DynamoDB')
      return response.destroy()
    })
  })
  const port = await listen(server, 0)
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) }
}

async function forward(
  { url, region, credentials, authorize }: AccessProxyOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readLimitedBody(request, maxRequestBytes, tooLargeError)
  const accessKeyId = requireSigner(request, body, { service: 'dynamodb', region, credentials })
  const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '')
  for (const { action, table, index, leadingKeys } of listRequiredPermissions(
    operation,
    JSON.parse(body.toString()),
  )) {
    const tableArn = `arn:aws:dynamodb:${region}:000000000000:table/${table}`
    const resource = index === undefined ? tableArn : `${tableArn}/index/${index}`
    const conditionKeys = leadingKeys && { 'dynamodb:LeadingKeys': leadingKeys }
    if (authorize({ accessKeyId, action, resource, ...(conditionKeys && { conditionKeys }) })) continue
    throw new ApiError(
      'AccessDeniedException',
      `${accessKeyId} is not authorized to perform ${action} on ${resource}`,
    )
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  openRequest(
    new URL(request.url ?? '/', url),
    { method: request.method ?? 'POST', headers: request.headers },
    resolve,
  )
    .on('error', reject)
    .end(body)
  const upstream = await promise
  response.writeHead(upstream.statusCode ?? 502, upstream.headers)
  await pipeline(upstream, response)
}
