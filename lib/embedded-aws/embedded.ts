import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { type Authorize, allowAll } from './authorize.ts'
import { openAccessProxy } from './dynamodb/access-proxy.ts'
import { openDynamoDb } from './dynamodb/server.ts'
import { openEvents } from './events/server.ts'
import type { RequestHandler } from './in-process-transport.ts'
import { closeServer, listen } from './listen.ts'
import type { AccountQuotas } from './quotas.ts'
import { openS3Server, type S3Server } from './s3/server.ts'
import type { AwsCredentials } from './sigv4.ts'
import { openSqs } from './sqs/server.ts'

export const embeddedServices = ['S3', 'SQS', 'DYNAMODB', 'EVENTBRIDGE'] as const
export type EmbeddedService = (typeof embeddedServices)[number]

interface EmbeddedOptions {
  readonly dir: string
  readonly region: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Further access keys and their permissions. The access key in `credentials` may always do everything. */
  readonly callers?: Callers | undefined
  /** Quotas of an account to enforce; none by default. */
  readonly quotas?: AccountQuotas | undefined
  /** Port of the first of `embeddedServices`; the other servers use the next ports. By default, all use free ports. */
  readonly portBase?: number
  readonly host?: string
  /** Path under which the public port also serves S3. */
  readonly s3BasePath?: string
  /** Group whose processes may read the files of objects. */
  readonly readerGroup?: number | undefined
  /** Runs a function that is the target of a rule. */
  readonly invoke: (functionArn: string, payload: unknown) => Promise<void>
  readonly log: Log
}

export interface Callers {
  readonly credentials: readonly AwsCredentials[]
  readonly authorize: Authorize
}

export interface Embedded {
  readonly urls: Readonly<Record<EmbeddedService, string>>
  /** Handlers for requests within the process; DynamoDB is a separate program. */
  readonly handle: Readonly<Record<'S3' | 'SQS' | 'EVENTBRIDGE', RequestHandler>>
  readonly exchange: S3Server['exchange']
  close(): Promise<void>
}

/** Starts the embedded AWS servers on loopback ports, with their data in one folder. Either all of them run or none. */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dir, region, host = '127.0.0.1', portBase } = options
  const { callers, quotas } = options
  const credentials = [options.credentials, ...(callers?.credentials ?? [])]
  const ownerKeyId = options.credentials.accessKeyId
  const authorize: Authorize = callers
    ? (request) => request.accessKeyId === ownerKeyId || callers.authorize(request)
    : allowAll
  const log = (message: string, fields?: object) => options.log.info({ ...fields }, message)
  const port = (service: EmbeddedService) => (portBase ? portBase + embeddedServices.indexOf(service) : 0)
  await using openedResources = new AsyncDisposableStack()
  const dynamoDb = await openDynamoDb({
    file: join(dir, 'dynamodb.sqlite'),
    port: port('DYNAMODB'),
    log: options.log,
  })
  openedResources.defer(dynamoDb.close)
  const accessProxy =
    (callers ?? quotas) &&
    (await openAccessProxy({ url: dynamoDb.url, region, credentials, authorize, quotas, log: options.log }))
  if (accessProxy) openedResources.defer(accessProxy.close)
  const sqs = await openSqs({
    file: join(dir, 'sqs.sqlite'),
    credentials,
    region,
    authorize,
    log: options.log,
  })
  openedResources.defer(() => sqs.close())
  const events = await openEvents({
    file: join(dir, 'events.sqlite'),
    credentials,
    region,
    authorize,
    quotas,
    targets: {
      sqs: (arn, body, { messageGroupId, attributes = {} }) =>
        sqs.send(arn, body, {
          ...(messageGroupId && { MessageGroupId: messageGroupId }),
          MessageAttributes: Object.fromEntries(
            Object.entries(attributes).map(([name, StringValue]) => [
              name,
              { DataType: 'String', StringValue },
            ]),
          ),
        }),
      lambda: options.invoke,
    },
    log,
  })
  openedResources.defer(() => events.close())
  const s3 = await openS3Server({
    dir: join(dir, 's3'),
    credentials,
    region,
    authorize,
    ...(options.s3BasePath && { basePath: options.s3BasePath }),
    ...(options.readerGroup !== undefined && { readerGroup: options.readerGroup }),
    notify: ({ kind, arn = '' }, event) =>
      kind === 'sqs' ? sqs.send(arn, JSON.stringify(event)) : events.put(event),
    // Most objects match no rule of the event bus, so no notifications are created for them.
    isWanted: ({ kind }, event) => kind === 'sqs' || events.isWanted(event),
    log,
  })
  openedResources.defer(() => s3.close())
  const serve = async (service: EmbeddedService, handle: RequestHandler) => {
    // Uploads may take any amount of time, and a long poll is silent for 20 s.
    const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, handle)
    if (service === 'S3') server.on('checkContinue', handle)
    const boundPort = await listen(server, port(service), host, '--port-base')
    openedResources.defer(() => closeServer(server))
    return `http://${host}:${boundPort}`
  }
  const handle = {
    S3: s3.handle.bind(s3),
    SQS: sqs.handle.bind(sqs),
    EVENTBRIDGE: events.handle.bind(events),
  }
  const urls = {
    S3: await serve('S3', handle.S3),
    SQS: await serve('SQS', handle.SQS),
    DYNAMODB: accessProxy?.url ?? dynamoDb.url,
    EVENTBRIDGE: await serve('EVENTBRIDGE', handle.EVENTBRIDGE),
  }
  const runningServers = openedResources.move()
  return { urls, handle, exchange: s3.exchange, close: () => runningServers.disposeAsync() }
}
