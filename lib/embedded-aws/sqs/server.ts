// The embedded SQS server: durable queues in one SQLite file, behind the protocol of Amazon SQS.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Authorize, allowAll } from '../authorize.ts'
import type { AwsCredentials } from '../sigv4.ts'
import { openAcknowledger } from './ack.ts'
import { createActions } from './actions.ts'
import { authenticateSqs } from './authentication.ts'
import type { SqsCaller, SqsServices } from './call.ts'
import { createSqsClock } from './clock.ts'
import { SqsError } from './errors.ts'
import { type Action, isAction, readInput } from './inputs.ts'
import { LongPolls } from './long-polls.ts'
import { MoveTasks } from './move-tasks.ts'
import { createQueueNotFoundError, QueueRegistry } from './queues.ts'
import { MessageReceiver } from './receiving.ts'
import { draftMessage, type GivenMessage, openSender } from './sending.ts'
import { openSqsStore } from './store.ts'
import {
  createUnknownActionError,
  detectProtocol,
  readSqsBody,
  readSqsCall,
  respond,
  respondError,
} from './wire.ts'

export interface SqsServerOptions {
  /** Path of the SQLite file; it is created if it does not exist. */
  readonly file: string
  readonly credentials: readonly AwsCredentials[]
  readonly region: string
  readonly accountId?: string
  readonly authorize?: Authorize
  readonly log?: { error(context: object, message: string): void }
  /** Maximum number of messages in flight per queue; by default AWS's 120,000. */
  readonly inFlightLimit?: number
  /** Replaces the system clock; returns milliseconds since 1970. */
  readonly now?: () => number
}

export interface SqsServer {
  /** Serves one request. Queue URLs contain the host and port that the client connected to. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Sends a message from within the process; resolves when it is on disk, rejects with an SqsError. */
  send(queueArnOrName: string, body: string, extras?: Omit<GivenMessage, 'MessageBody'>): Promise<void>
  /** Completes waiting receives without messages, and closes the file. */
  close(): Promise<void>
}

const sweepMs = 60_000
const defaultInFlightLimit = 120_000

export async function openSqs(options: SqsServerOptions): Promise<SqsServer> {
  const { region, credentials, accountId = '000000000000', authorize = allowAll, log } = options
  const services = openServices(options, accountId)
  const { store, queues, sender, receiver, longPolls, moveTasks } = services
  const actions = createActions(services)
  const sweep = () => {
    for (const queue of queues.all()) receiver.dropExpired(queue)
  }
  await store.commit(sweep)
  const sweeper = setInterval(() => {
    store.commit(sweep).catch((error) => log?.error({ err: error }, 'Sweeping expired messages failed'))
  }, sweepMs)
  sweeper.unref()

  async function handleRequest(request: IncomingMessage, response: ServerResponse, requestId: string) {
    const protocol = detectProtocol(request)
    const connection = watchConnection(request, response, (error) =>
      log?.error({ err: error, requestId }, 'An undelivered message stays hidden until its timeout ends'),
    )
    try {
      const body = await readSqsBody(request)
      const accessKeyId = authenticateSqs(request, body, credentials, region)
      const { action, members } = readSqsCall(request, body)
      if (!isAction(action)) throw createUnknownActionError(action, protocol)
      const { QueueUrl, QueueName } = members as { QueueUrl?: unknown; QueueName?: unknown } // not validated yet
      const name = QueueUrl ?? QueueName
      const resource = `arn:aws:sqs:${region}:${accountId}:${String(name ?? '').replace(/^.*\//, '')}`
      if (!authorize({ accessKeyId, action: `sqs:${toPermission(action)}`, resource }))
        throw createAccessDeniedError(action, resource)
      const caller = { host: readHost(request), accessKeyId, trace: readTrace(request), ...connection }
      const output = await run(action, members, caller)
      if (!connection.disconnectSignal.aborted) respond(response, protocol, action, output, requestId)
    } catch (error) {
      if (connection.disconnectSignal.aborted) return
      if (!(error instanceof SqsError)) log?.error({ err: error, requestId }, 'An SQS request failed')
      const knownError = error instanceof SqsError ? error : createInternalFailureError()
      respondError(response, protocol, knownError, requestId)
    }
  }

  function run<A extends Action>(action: A, members: unknown, caller: SqsCaller) {
    return actions[action](readInput(action, members), caller)
  }

  return {
    handle(request, response) {
      void handleRequest(request, response, randomUUID())
    },
    async send(queueArnOrName, body, extras) {
      const from = { sender: accountId, trace: undefined }
      await store.commit(() => {
        const queue = queues.findByArn(queueArnOrName) ?? queues.findByName(queueArnOrName)
        if (!queue) throw createQueueNotFoundError()
        sender.send(queue, draftMessage(queue, { ...extras, MessageBody: body }, from))
        store.markChanged(queue.id)
      })
    },
    async close() {
      clearInterval(sweeper)
      longPolls.close()
      moveTasks.close()
      await store.close()
    },
  }
}

function openServices(options: SqsServerOptions, accountId: string): SqsServices {
  const { file, region, inFlightLimit = defaultInFlightLimit, now = Date.now, log } = options
  const store = openSqsStore(file, (err) =>
    log?.error({ err }, 'The SQS server stopped because its disk failed'),
  )
  const newestMessage = store
    .prepare<{ at: number | null }>('SELECT max(enqueued_at) AS at FROM messages')
    .get()
  const clock = createSqsClock(newestMessage?.at ?? 0, now)
  const queues = new QueueRegistry(store, region, accountId, clock)
  const receiver = new MessageReceiver(store, queues, clock, inFlightLimit)
  return {
    store,
    queues,
    receiver,
    sender: openSender(store, clock),
    acknowledger: openAcknowledger(store, clock),
    longPolls: new LongPolls(store, queues, receiver, clock),
    moveTasks: new MoveTasks(store, queues, receiver, clock, (error) =>
      log?.error({ err: error }, 'Moving messages out of a dead-letter queue failed'),
    ),
  }
}

/**
 * Returns a signal for the client's disconnection, so that a receive takes no messages for a client that is gone. The
 * socket's end event comes before the response's close event, which waits for the other half of the connection.
 */
function watchConnection(
  request: IncomingMessage,
  response: ServerResponse,
  onError: (error: unknown) => void,
) {
  const controller = new AbortController()
  const undoFunctions: (() => Promise<unknown>)[] = []
  const onDisconnect = () => controller.abort()
  request.socket.once('end', onDisconnect)
  response.once('close', () => {
    request.socket.off('end', onDisconnect)
    if (response.writableFinished) return
    onDisconnect()
    for (const undo of undoFunctions) undo().catch(onError)
  })
  return {
    disconnectSignal: controller.signal,
    onUndelivered(undo: () => Promise<unknown>) {
      if (response.closed) undo().catch(onError)
      else undoFunctions.push(undo)
    },
  }
}

/**
 * Returns the permission that an action needs; a batch action needs the permission of the corresponding single action.
 */
const toPermission = (action: Action) => action.replace(/Batch$/, '')

const createAccessDeniedError = (action: string, resource: string) =>
  new SqsError('AccessDeniedException', `Access to ${action} on the resource ${resource} is denied.`)

function readHost(request: IncomingMessage): string {
  const { host = '' } = request.headers
  return /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/.test(host) ? host : 'localhost'
}

function readTrace(request: IncomingMessage): string | undefined {
  const trace = request.headers['x-amzn-trace-id']
  return typeof trace === 'string' ? trace : undefined
}

function createInternalFailureError(): SqsError {
  return new SqsError('InternalFailure', 'The service failed to carry out the request. Try again.')
}
