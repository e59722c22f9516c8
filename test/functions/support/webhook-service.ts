// A service whose clock is advanced and whose queue messages are passed on by hand.
import assert from 'node:assert/strict'
import type { Server } from 'node:net'
import type { BusEvent } from '../../../events/index.ts'
import type { Queues } from '../../../lib/aws/queues.ts'
import { deriveId, newId } from '../../../lib/ids.ts'
import { createWakeHandlers } from '../../../lib/services/wakeups.ts'
import { GuardedHttp } from '../../../lib/transfer/guarded-http.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { Deliverer } from '../../../lib/webhooks/deliverer.ts'
import type { DeliveryMessage } from '../../../lib/webhooks/delivery.ts'
import { Dispatcher } from '../../../lib/webhooks/dispatcher.ts'
import { after, before } from '../../hooks.ts'
import { type EmbeddedApp, openApp } from '../../http/embedded-app.ts'
import { openReceiver } from '../../webhooks/receiver.ts'

export let app: EmbeddedApp

export let receiver: Awaited<ReturnType<typeof openReceiver>>

export const allowedNetworks = ['127.0.0.0/8']

const outgoing = new GuardedHttp({ allowedNetworks })

export const serversToClose: Server[] = []

export const queue: { message: DeliveryMessage; delayS: number }[] = []

const queues = {
  sendOne: async (_queue: string, message: DeliveryMessage, { delayS = 0 }) =>
    void queue.push({ message, delayS }),
  sendEach: async (_queue: string, messages: readonly { message: DeliveryMessage }[]) =>
    void queue.push(...messages.map(({ message }) => ({ message, delayS: 0 }))),
} as unknown as Queues

before(async () => {
  receiver = await openReceiver()
  const openedApp = await openApp()
  const config = { ...openedApp.services.config, OUTGOING_ALLOW: allowedNetworks }
  app = openedApp.with({ config, queues, guardedHttp: () => Promise.resolve(outgoing) })
})

after(async () => {
  for (const server of serversToClose) server.close()
  receiver.close()
  await outgoing.close()
  await app.close()
})

export let clock = Date.now()

export const now = () => new Date(clock)

export const advanceClock = (seconds: number) => {
  clock += seconds * 1000
}

export const createDeliverer = (attemptMs?: number) =>
  new Deliverer(app.services, { now, random: () => 0.5, ...(attemptMs && { attemptTimeoutMs: attemptMs }) })

/** Delivers all messages in the queue; delayed ones are dropped if a later message repeats them. */
export async function deliverAll(by = createDeliverer()): Promise<void> {
  while (queue.length > 0) {
    const { message, delayS } = queue.shift() as (typeof queue)[number] // it is not empty
    if (delayS === 0 || !message.only) await by.deliver(message, () => 900_000)
  }
}

/** Returns a function that sends requests with a new identity. */
export function newClient() {
  const owner = { token: undefined as string | undefined }
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    query?: Readonly<Record<string, string>>,
  ) => {
    const headers = owner.token === undefined ? {} : { 'x-owner-token': owner.token }
    const reply = await app.send(method, path, { body, headers, ...defined({ query }) })
    owner.token = reply.headers['x-owner-token'] ?? owner.token
    return { status: reply.status, data: reply.json?.data, error: reply.json?.error }
  }
  return Object.assign(send, { id: () => owner.token?.split('.')[0] ?? '' })
}

type Send = ReturnType<typeof newClient>

export async function createWebhook(send: Send, path: string, changes: object = {}) {
  const body = { url: receiver.url(path), events: ['*'], ...changes }
  const { status, data, error } = await send('POST', '/v1/webhooks', body)
  assert.equal(status, 201, JSON.stringify(error))
  return data
}

export function buildEvent(send: Send, stream: string, sequence: number, event = 'job.completed'): BusEvent {
  const timestamp = new Date(clock + sequence).toISOString()
  return {
    event,
    timestamp,
    id: deriveId('evt', new Date(timestamp), newId('evt')),
    sequence,
    apiVersion: 'v1',
    owner: send.id(),
    stream,
    job: { id: stream, status: 'completed', tasks: {}, files: [] },
  } as unknown as BusEvent
}

export const dispatch = (event: BusEvent) => new Dispatcher(app.services).dispatch(event, now())

/** Creates the only event of a new job, and dispatches it. */
export async function createEvent(send: Send): Promise<BusEvent> {
  const event = buildEvent(send, newId('job'), 1)
  await dispatch(event)
  return event
}

export const listDeliveries = async (send: Send, id: string) =>
  (await send('GET', `/v1/webhooks/${id}/deliveries`)).data.deliveries

export async function getOnlyDelivery(send: Send, id: string) {
  const allDeliveries = await listDeliveries(send, id)
  assert.equal(allDeliveries.length, 1)
  return (await send('GET', `/v1/webhooks/${id}/deliveries/${allDeliveries[0].id}`)).data
}

/** Handles the due deliveries of one stream to this webhook, as the sweep of the service does. */
export const sweep = (webhookId: string, stream: string) =>
  createWakeHandlers(app.services)['LANE']?.(`${webhookId}#${stream}`, now())
