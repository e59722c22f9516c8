// The embedded DynamoDB looks at the shape of a signature only. Where callers have keys of their own this stands before
// it: it checks signatures and rights, and passes on what may pass.
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../../log.ts'
import type { May } from '../authorize.ts'
import { close, listen } from '../listen.ts'
import { ApiError, checkSignature, readBody, sendError } from '../signed-api.ts'
import type { Credentials } from '../sigv4.ts'
import { neededRights } from './permissions.ts'

interface GuardOptions {
  /** Of the server behind. */
  readonly url: string
  readonly region: string
  readonly credentials: readonly Credentials[]
  readonly may: May
  readonly log: Log
}

/** AWS's limit of a request. */
const mostBytes = 16 * 1024 * 1024
const tooLarge = new ApiError('ValidationException', 'The request is larger than 16 MiB.', 413)

export async function openGuard(options: GuardOptions) {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    pass(options, request, response).catch((error: unknown) => {
      if (error instanceof ApiError)
        return sendError(response, error.status, error.code, {
          __type: `com.amazon.coral.service#${error.code}`,
          message: error.message,
        })
      options.log.warn({ error }, 'a request could not be passed on to the embedded DynamoDB')
      return response.destroy()
    })
  })
  const port = await listen(server, 0)
  return { url: `http://127.0.0.1:${port}`, close: () => close(server) }
}

async function pass(
  { url, region, credentials, may }: GuardOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request, mostBytes, tooLarge)
  const accessKeyId = checkSignature(request, body, { service: 'dynamodb', region, credentials })
  const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '')
  for (const { action, table, index, leadingKeys } of neededRights(operation, JSON.parse(body.toString()))) {
    const of = `arn:aws:dynamodb:${region}:000000000000:table/${table}`
    const resource = index === undefined ? of : `${of}/index/${index}`
    const facts = leadingKeys && { 'dynamodb:LeadingKeys': leadingKeys }
    if (may({ accessKeyId, action, resource, ...(facts && { facts }) })) continue
    throw new ApiError('AccessDeniedException', `${accessKeyId} may not ${action} on ${resource}`)
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  openRequest(
    new URL(request.url ?? '/', url),
    { method: request.method ?? 'POST', headers: request.headers },
    resolve,
  )
    .on('error', reject)
    .end(body)
  const answer = await promise
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  await pipeline(answer, response)
}
