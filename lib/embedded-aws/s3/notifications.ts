// Event messages, which are stored in the transaction of the change that they report and delivered at least once.
import type { LogFunction } from '../log-line.ts'
import { readSetting } from './bucket-settings.ts'
import type { Database } from './database.ts'
import {
  createEventMessages,
  type EventSource,
  type NotifyTarget,
  type S3EventName,
} from './event-messages.ts'
import type { S3Object } from './stored-object.ts'

export type Notify = (target: NotifyTarget, event: unknown) => Promise<void>
/** Returns whether the target has any receiver for the event. */
export type IsWanted = (target: NotifyTarget, event: unknown) => boolean

interface NotifierOptions {
  readonly db: Database
  readonly region: string
  readonly notify: Notify | undefined
  readonly isWanted?: IsWanted | undefined
  readonly log: LogFunction
}

const batchRows = 100
const maxRetryMs = 60_000
const maxDeliveryMs = 24 * 3_600_000

export class Notifier {
  readonly #options: NotifierOptions
  #currentRun: Promise<void> | undefined
  #needsAnotherRun = false
  #retryMs = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: NotifierOptions) {
    this.#options = options
  }

  get connected(): boolean {
    return this.#options.notify !== undefined
  }

  /** Writes the messages of an event, within the transaction of the change. */
  announce(event: S3EventName, object: S3Object, source: EventSource): void {
    const { db, region, isWanted = () => true } = this.#options
    const settings = readSetting(db, object.bucket, 'notification')
    if (!settings) return
    const allMessages = createEventMessages(settings, event, object, source, region)
    for (const { target, body } of allMessages.filter(({ target, body }) => isWanted(target, body)))
      db.sql.run`INSERT INTO event (target, body, created)
        VALUES (${JSON.stringify(target)}, ${JSON.stringify(body)}, ${Date.now()})`
  }

  /** Sends the test message that a queue gets before S3 accepts it as a destination. */
  async test(
    { bucket, requestId }: { readonly bucket: string; readonly requestId: string },
    arn: string,
  ): Promise<void> {
    await this.#options.notify?.(
      { kind: 'sqs', arn },
      {
        Service: 'Amazon S3',
        Event: 's3:TestEvent',
        Time: new Date().toISOString(),
        Bucket: bucket,
        RequestId: requestId,
        HostId: requestId,
      },
    )
  }

  /** Starts delivering waiting messages; returns immediately. */
  wake(): void {
    this.#needsAnotherRun = true
    if (this.#currentRun || this.#isClosed || !this.connected) return
    this.#currentRun = this.#run().finally(() => {
      this.#currentRun = undefined
      // `wake` was called after the last query.
      if (this.#needsAnotherRun) this.wake()
    })
  }

  /** Resolves once no message is being delivered. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#currentRun
  }

  async #run(): Promise<void> {
    try {
      while (this.#needsAnotherRun && !this.#isClosed) {
        this.#needsAnotherRun = false
        if (await this.#deliverAll()) this.#retryMs = 0
        else this.#retryLater()
      }
    } catch (cause) {
      this.#options.log('Event messages could not be read', { cause })
      this.#retryLater()
    }
  }

  #retryLater(): void {
    if (this.#isClosed) return
    this.#retryMs = Math.min(Math.max(this.#retryMs * 2, 500), maxRetryMs)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), this.#retryMs).unref()
  }

  /** Delivers all messages in order, but none to a target that has failed. Returns true if no messages are left. */
  async #deliverAll(): Promise<boolean> {
    const { db } = this.#options
    const failingTargets = new Set<string>()
    for (let afterId = 0; ; ) {
      if (this.#isClosed) return false
      // Runs the query as a change, whose result arrives only when all that it read is on disk: no event may be sent
      // for an object that could still be lost.
      const rows = await db.write(
        () => db.sql.all`SELECT * FROM event WHERE id > ${afterId} ORDER BY id LIMIT ${batchRows}`,
      )
      const deliveredIds: number[] = []
      for (const { id, target, body, created } of rows) {
        const to = String(target)
        if (failingTargets.has(to)) continue
        if (await this.#deliver(to, String(body), Number(created))) deliveredIds.push(Number(id))
        else failingTargets.add(to)
      }
      if (deliveredIds.length > 0 && !this.#isClosed)
        await db.write(() => {
          for (const id of deliveredIds) db.sql.run`DELETE FROM event WHERE id = ${id}`
        }, 'process')
      if (rows.length < batchRows) return failingTargets.size === 0
      afterId = Number(rows.at(-1)?.id)
    }
  }

  async #deliver(target: string, body: string, createdAtMs: number): Promise<boolean> {
    const { notify, log } = this.#options
    try {
      await notify?.(JSON.parse(target) as NotifyTarget, JSON.parse(body)) // written when the object changed
      return true
    } catch (cause) {
      const isGivenUp = Date.now() - createdAtMs > maxDeliveryMs
      log(isGivenUp ? 'An event message was dropped after a day' : 'An event message was not accepted', {
        target,
        cause,
      })
      return isGivenUp
    }
  }
}
