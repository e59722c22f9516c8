// The embedded EventBridge: one request handler, one file for its data.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Authorize, allowAll } from '../authorize.ts'
import type { LogFunction } from '../log-line.ts'
import type { AccountQuotas } from '../quotas.ts'
import { RateLimit } from '../rate-limit.ts'
import { ApiError } from '../signed-api.ts'
import type { AwsCredentials } from '../sigv4.ts'
import type { EventsAccount } from './account.ts'
import { busOperations, createDefaultBus } from './buses.ts'
import { Deliveries, type DeliveryTargets } from './delivery.ts'
import { eventTagOperations } from './event-tags.ts'
import {
  authenticateCall,
  getOperation,
  type Operations,
  readJsonBody,
  readRequest,
  sendEventsError,
  sendEventsResponse,
} from './protocol.ts'
import { eventOperations, findMatchingRules, readEvent, routeEvent } from './put-events.ts'
import { ruleOperations } from './rules.ts'
import { startScheduleRunner } from './schedule-runner.ts'
import { openEventsStore } from './store.ts'
import { targetOperations } from './targets.ts'

interface EventsOptions {
  /** Path of the SQLite file. */
  readonly file: string
  readonly credentials: readonly AwsCredentials[]
  readonly region: string
  readonly accountId?: string
  readonly authorize?: Authorize
  readonly targets: DeliveryTargets
  readonly quotas?: AccountQuotas | undefined
  /** Clock for schedules and retries; signatures are checked against the real clock. */
  readonly now?: () => Date
  readonly log?: LogFunction
}

export interface EventsServer {
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Puts an event of another service on the default bus, for example an S3 notification. */
  put(event: unknown): Promise<void>
  /** Returns whether a rule of the default bus matches an event; otherwise the event need not be put. */
  isWanted(event: unknown): boolean
  /** Processes everything that is due; call it after changing the clock `now`. */
  wake(): void
  close(): Promise<void>
}

const operations: Operations = {
  ...busOperations,
  ...ruleOperations,
  ...targetOperations,
  ...eventOperations,
  ...eventTagOperations,
}

const createUnknownOperationError = (operation: string) =>
  new ApiError(
    'UnknownOperationException',
    operation === '' ? 'The request names no operation.' : `${operation} is not supported by this server.`,
  )

/** Maximum number of buses that an event may pass through, which ends loops. */
const maxHops = 8

export async function openEvents(options: EventsOptions): Promise<EventsServer> {
  const {
    file,
    credentials,
    region,
    accountId = '000000000000',
    targets,
    authorize = allowAll,
    log = () => {},
  } = options
  const now = () => (options.now?.() ?? new Date()).getTime()
  const store = openEventsStore(file, log)
  const createBusArn = (name: string) => `arn:aws:events:${region}:${accountId}:event-bus/${name}`
  const { putEventsPerS } = options.quotas ?? {}
  const putEventsRate = putEventsPerS === undefined ? undefined : new RateLimit(putEventsPerS)
  const account: EventsAccount = { region, accountId, store, now, log, createBusArn, putEventsRate }
  await store.commit(() => createDefaultBus(account))

  async function ingest(bus: string, json: string, hops: number): Promise<void> {
    if (hops > maxHops)
      throw new ApiError('NotAuthorizedForSourceException', `The event has passed ${maxHops} event buses.`)
    const event = readEvent(json)
    if (event) await store.commit(() => routeEvent(account, bus, event, hops))
  }

  const deliveries = new Deliveries({ store, targets, ingest, now, log })
  const scheduleRunner = startScheduleRunner(account)
  const wake = () => {
    deliveries.wake()
    scheduleRunner.wake()
  }
  store.onCommit(wake)
  wake()

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const operation = getOperation(request)
    try {
      const body = await readRequest(request)
      const accessKeyId = authenticateCall(request, body, { credentials, region })
      const input = readJsonBody(body)
      requirePermissions(accessKeyId, `events:${operation}`, input)
      const knownOperation = Object.hasOwn(operations, operation) ? operations[operation] : undefined
      if (!knownOperation) throw createUnknownOperationError(operation)
      sendEventsResponse(response, await knownOperation(account, input))
    } catch (error) {
      if (error instanceof ApiError) return sendEventsError(response, error)
      log('A request to the event bus failed.', { operation, error })
      sendEventsError(response, new ApiError('InternalException', 'The request could not be processed.', 500))
    }
  }

  /**
   * Checks permissions. PutEvents needs permission for its buses; only the service itself uses other operations, on any
   * resource.
   */
  function requirePermissions(
    accessKeyId: string,
    action: string,
    input: Readonly<Record<string, unknown>>,
  ): void {
    // PutEvents itself rejects entries that are not objects.
    const entries = Array.isArray(input['Entries'])
      ? (input['Entries'] as ({ EventBusName?: unknown } | null)[])
      : [{}]
    const buses = new Set(entries.map((entry) => String(entry?.EventBusName ?? 'default')))
    for (const bus of buses) {
      const resource = bus.startsWith('arn:') ? bus : createBusArn(bus)
      if (authorize({ accessKeyId, action, resource })) continue
      throw new ApiError('AccessDeniedException', `Access to ${action} on ${resource} is denied.`)
    }
  }

  return {
    handle(request, response) {
      handleRequest(request, response).catch((error: unknown) => {
        log('A response of the event bus could not be sent.', { error })
        response.destroy()
      })
    },
    put: (event) => ingest('default', JSON.stringify(event), 0),
    isWanted: (event) => {
      const parsedEvent = readEvent(JSON.stringify(event))
      return parsedEvent !== undefined && !findMatchingRules(account, 'default', parsedEvent).next().done
    },
    wake,
    async close() {
      scheduleRunner.close()
      deliveries.close()
      await store.close()
    },
  }
}
