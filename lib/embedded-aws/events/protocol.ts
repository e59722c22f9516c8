// The two wire protocols: AWS JSON 1.1 for EventBridge, REST JSON for the Scheduler.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, identifySigner, readLimitedBody } from '../signed-api.ts'
import type { AwsCredentials } from '../sigv4.ts'
import type { EventsAccount } from './account.ts'
import { jsonObject } from './json.ts'

type Operation = (account: EventsAccount, body: unknown) => object | Promise<object>
export type Operations = Readonly<Record<string, Operation>>

export interface EventsCall {
  readonly service: 'events' | 'scheduler'
  readonly operation: string
  /** Members from the path and the query, not from the body. */
  readonly members: Readonly<Record<string, unknown>>
}

/** More than the 1 MB of PutEvents, as JSON escapes every quote in an event. */
const maxBodyBytes = 4 * 1024 * 1024

const schedulerRoutes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  schedules: { POST: 'CreateSchedule', GET: 'GetSchedule', PUT: 'UpdateSchedule', DELETE: 'DeleteSchedule' },
  'schedule-groups': { POST: 'CreateScheduleGroup', GET: 'GetScheduleGroup', DELETE: 'DeleteScheduleGroup' },
  tags: { POST: 'TagResource', GET: 'ListTagsForResource', DELETE: 'UntagResource' },
}
const schedulerLists: Readonly<Record<string, string>> = {
  schedules: 'ListSchedules',
  'schedule-groups': 'ListScheduleGroups',
}
/** Query parameters whose name differs from their member's. */
const queryNames = new Map([
  ['clientToken', 'ClientToken'],
  ['groupName', 'GroupName'],
])

export function readEventsCall({ url = '/', method = '', headers }: IncomingMessage): EventsCall {
  const target = headers['x-amz-target']
  if (typeof target === 'string') {
    const [api, operation = ''] = target.split('.')
    return { service: 'events', operation: api === 'AWSEvents' ? operation : '', members: {} }
  }
  const [path = '', search = ''] = url.split('?', 2)
  const [, collection = '', ...rest] = path.split('/')
  const name = decodePath(rest.join('/'))
  const parameters = new URLSearchParams(search)
  const query = Object.fromEntries([...parameters].map(([key, value]) => [queryNames.get(key) ?? key, value]))
  if (name === '' && method === 'GET' && Object.hasOwn(schedulerLists, collection))
    return { service: 'scheduler', operation: schedulerLists[collection] ?? '', members: query }
  const methods = Object.hasOwn(schedulerRoutes, collection) ? schedulerRoutes[collection] : undefined
  const operation = (name !== '' && methods?.[method]) || ''
  if (collection !== 'tags') return { service: 'scheduler', operation, members: { ...query, Name: name } }
  const TagKeys = parameters.getAll('TagKeys')
  return { service: 'scheduler', operation, members: { ...query, ResourceArn: name, TagKeys } }
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function readRequest(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = new ApiError('RequestEntityTooLargeException', 'The request is larger than 4 MiB.', 413)
  return readLimitedBody(request, maxBodyBytes, tooLarge)
}

export function readJsonBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) return {}
  const value = jsonObject(bytes.toString())
  if (value) return value
  throw new ApiError('SerializationException', 'The body of the request is not a JSON object.')
}

/** Returns the access key that signed the request. */
export function authenticateCall(
  request: IncomingMessage,
  body: Buffer,
  options: { service: EventsCall['service']; credentials: readonly AwsCredentials[]; region: string },
): string {
  const signer = identifySigner(request, body, options)
  if ('accessKeyId' in signer) return signer.accessKeyId
  const [code, message] = signer.refusal
  // JSON services respond with 400 to a bad signature, REST services with 403.
  throw new ApiError(code, message, options.service === 'events' ? 400 : 403)
}

export function sendEventsResponse(
  response: ServerResponse,
  service: EventsCall['service'],
  result: object,
): void {
  send(response, service, 200, result)
}

export function sendEventsError(
  response: ServerResponse,
  service: EventsCall['service'],
  error: ApiError,
): void {
  response.setHeader('x-amzn-errortype', error.code)
  const body =
    service === 'events' ? { __type: error.code, message: error.message } : { Message: error.message }
  send(response, service, error.status, body)
}

function send(response: ServerResponse, service: EventsCall['service'], status: number, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-type': service === 'events' ? 'application/x-amz-json-1.1' : 'application/json',
    'content-length': bytes.length,
    'x-amzn-requestid': randomUUID(),
  })
  response.end(bytes)
}
