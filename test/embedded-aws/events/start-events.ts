// Starts the server on a real port, with SDK clients and targets that record their messages.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import type { SqsMessageOptions } from '../../../lib/embedded-aws/events/delivery.ts'
import { type EventsServer, openEvents } from '../../../lib/embedded-aws/events/server.ts'
import type { AccountQuotas } from '../../../lib/embedded-aws/quotas.ts'

export const region = 'eu-central-1'
export const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
export const queueArn = (name: string) => `arn:aws:sqs:${region}:000000000000:${name}`
export const functionArn = (name: string) => `arn:aws:lambda:${region}:000000000000:function:${name}`
export const busArn = (name: string) => `arn:aws:events:${region}:000000000000:event-bus/${name}`

interface ReceivedCall {
  readonly arn: string
  readonly body: string
  readonly options: SqsMessageOptions
}

/** Targets that record messages; `refuse` makes an ARN fail with an error. */
class Inbox {
  readonly received: ReceivedCall[] = []
  readonly refuse = new Map<string, () => Error>()
  readonly attempts: string[] = []
  /** Targets by ARN that do not respond before the promise resolves. */
  readonly hold = new Map<string, Promise<void>>()
  private waiting: (() => void)[] = []

  async sqs(arn: string, body: string, options: SqsMessageOptions): Promise<void> {
    this.recordCall({ arn, body, options })
    await this.hold.get(arn)
  }

  async lambda(arn: string, payload: unknown): Promise<void> {
    this.recordCall({ arn, body: JSON.stringify(payload), options: {} })
  }

  /** Resolves with the messages to an ARN once the ARN has received `count` messages. */
  async messages(arn: string, count = 1): Promise<ReceivedCall[]> {
    for (;;) {
      const foundMessages = this.received.filter((message) => message.arn === arn)
      if (foundMessages.length >= count) return foundMessages
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    }
  }

  /** Resolves once `count` deliveries to a target were attempted, successful or not. */
  async waitForAttempts(arn: string, count: number): Promise<void> {
    while (this.attempts.filter((attempt) => attempt === arn).length < count)
      await new Promise<void>((resolve) => this.waiting.push(resolve))
  }

  private recordCall(message: ReceivedCall): void {
    this.attempts.push(message.arn)
    const failure = this.refuse.get(message.arn)
    if (!failure) this.received.push(message)
    // Resolve only after the sender has recorded the outcome. Otherwise, a test that moves the clock next could change
    // the recorded time.
    for (const resolve of this.waiting.splice(0)) setImmediate(resolve)
    if (failure) throw failure()
  }
}

interface Log {
  readonly message: string
  readonly fields: object | undefined
}

/** A clock that stands still until it is set, except that each reading advances it by `stepMs`. */
class FakeClock {
  private at: Date
  private readonly stepMs: number
  constructor(start: string, stepMs: number) {
    this.at = new Date(start)
    this.stepMs = stepMs
  }
  readonly now = () => {
    this.at = new Date(this.at.getTime() + this.stepMs)
    return this.at
  }
  set(time: string): void {
    this.at = new Date(time)
  }
}

export interface TestEvents {
  readonly events: EventBridgeClient
  readonly inbox: Inbox
  readonly logs: Log[]
  readonly endpoint: string
  /** Moves the clock and lets the server process what is due. */
  moveTo(time: string): void
  /** Closes the server and opens it again on the same file, optionally at another time. */
  restart(time?: string): Promise<void>
}

export async function startTestEvents(
  t: TestContext,
  startAt?: string,
  stepMs = 0,
  quotas?: AccountQuotas,
): Promise<TestEvents> {
  const folder = mkdtempSync(join(tmpdir(), 'events-'))
  const inbox = new Inbox()
  const logs: Log[] = []
  const clock = startAt === undefined ? undefined : new FakeClock(startAt, stepMs)
  const open = () =>
    openEvents({
      file: join(folder, 'events.db'),
      credentials: [credentials],
      region,
      targets: inbox,
      quotas,
      log: (message, fields) => logs.push({ message, fields }),
      ...(clock && { now: clock.now }),
    })
  let server: EventsServer = await open()
  const http = createServer((request, response) => server.handle(request, response)).listen(0, '127.0.0.1')
  await once(http, 'listening')
  // The address() of a listening TCP server is never a string.
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const client = { endpoint, region, credentials, maxAttempts: 1 }
  const events = new EventBridgeClient(client)
  t.after(async () => {
    events.destroy()
    http.close()
    http.closeAllConnections()
    await server.close()
    rmSync(folder, { recursive: true })
  })
  return {
    events,
    inbox,
    logs,
    endpoint,
    moveTo(time) {
      clock?.set(time)
      server.wake()
    },
    async restart(time) {
      await server.close()
      if (time !== undefined) clock?.set(time)
      server = await open()
    },
  }
}
