// The queues: stored in the database, cached in memory, found by URL, name or ARN.
import * as z from 'zod'
import type { SqsClock } from './clock.ts'
import { createInvalidValueError, SqsError } from './errors.ts'
import {
  allowsRedrive,
  changeAttributes,
  describeAttributes,
  type QueueAttributes,
  type QueueSettings,
  readSettings,
} from './queue-attributes.ts'
import type { SqsStore } from './store.ts'

export interface Queue {
  readonly id: number
  readonly name: string
  readonly arn: string
  /** Attributes that were set, without defaults. */
  readonly attributes: QueueAttributes
  readonly settings: QueueSettings
  readonly tags: Readonly<Record<string, string>>
  /** When the queue was created, in milliseconds since 1970. */
  readonly createdAt: number
  readonly modifiedAt: number
  readonly purgedAt: number
}

interface Row {
  id: number
  name: string
  attributes: string
  tags: string
  created_at: number
  modified_at: number
  purged_at: number
}

/** How long AWS reserves the name of a deleted queue, and the minimum time between two purges. */
const holdMs = 60_000
const Strings = z.record(z.string(), z.string())

const prepareStatements = (store: SqsStore) => ({
  select: store.prepare<Row>('SELECT * FROM queues ORDER BY name'),
  selectOne: store.prepare<Row>('SELECT * FROM queues WHERE id = ?'),
  insert: store.prepare(
    'INSERT INTO queues (name, attributes, tags, created_at, modified_at) VALUES (?, ?, ?, ?, ?)',
  ),
  update: store.prepare(
    'UPDATE queues SET attributes = ?, tags = ?, modified_at = ?, purged_at = ? WHERE id = ?',
  ),
  remove: store.prepare('DELETE FROM queues WHERE id = ?'),
  holdName: store.prepare('INSERT OR REPLACE INTO deleted_queues VALUES (?, ?)'),
  freeNames: store.prepare('DELETE FROM deleted_queues WHERE deleted_at <= ?'),
  held: store.prepare<{ name: string }>('SELECT name FROM deleted_queues WHERE name = ?'),
  // A purge also deletes deduplication ids, as in AWS.
  contents: ['messages', 'attempts', 'dedup'].map((table) =>
    store.prepare(`DELETE FROM ${table} WHERE queue_id = ?`),
  ),
})

/** Registry of all queues. Methods that write must run inside `store.commit`. */
export class QueueRegistry {
  readonly accountId: string
  readonly #region: string
  readonly #clock: SqsClock
  readonly #sql: ReturnType<typeof prepareStatements>
  readonly #queuesByName = new Map<string, Queue>()
  readonly #queuesById = new Map<number, Queue>()

  constructor(store: SqsStore, region: string, accountId: string, clock: SqsClock) {
    this.accountId = accountId
    this.#region = region
    this.#clock = clock
    this.#sql = prepareStatements(store)
    store.onRollback(() => this.#reload())
    this.#reload()
  }

  #reload(): void {
    this.#queuesByName.clear()
    this.#queuesById.clear()
    for (const row of this.#sql.select.all()) this.#remember(row)
  }

  #remember(row: Row): Queue {
    const attributes = Strings.parse(JSON.parse(row.attributes))
    const queue: Queue = {
      id: row.id,
      name: row.name,
      arn: this.#buildArn(row.name),
      attributes,
      settings: readSettings(attributes, row.name.endsWith('.fifo')),
      tags: Strings.parse(JSON.parse(row.tags)),
      createdAt: row.created_at,
      modifiedAt: row.modified_at,
      purgedAt: row.purged_at,
    }
    this.#queuesByName.set(queue.name, queue)
    this.#queuesById.set(queue.id, queue)
    return queue
  }

  #save(queue: Queue): Queue {
    const { attributes, tags, modifiedAt, purgedAt, id } = queue
    this.#sql.update.run(JSON.stringify(attributes), JSON.stringify(tags), modifiedAt, purgedAt, id)
    const row = this.#sql.selectOne.get(id)
    if (!row) throw createQueueNotFoundError()
    return this.#remember(row)
  }

  #buildArn(name: string): string {
    return `arn:aws:sqs:${this.#region}:${this.accountId}:${name}`
  }

  /** Returns all queues, sorted by name. */
  all(): Queue[] {
    return [...this.#queuesByName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  findByArn(arn: string): Queue | undefined {
    const [, , service, region, account, name = ''] = arn.split(':')
    const isLocalQueue = service === 'sqs' && region === this.#region && account === this.accountId
    return isLocalQueue ? this.#queuesByName.get(name) : undefined
  }

  /** Finds a queue by its URL. AWS also accepts the plain name, which users of its command line rely on. */
  requireByUrl(url: string): Queue {
    const path = URL.canParse(url) ? new URL(url).pathname : url
    const [, account = this.accountId, name] = /^(?:\/(\d{12})\/)?([\w.-]+)\/?$/.exec(path) ?? []
    if (name === undefined)
      throw new SqsError('InvalidAddress', `The address ${url} is not valid for this endpoint.`)
    const queue = account === this.accountId ? this.#queuesByName.get(name) : undefined
    if (!queue) throw createQueueNotFoundError()
    return queue
  }

  /** Checks a redrive policy: the dead-letter queue must exist, have the same type and allow this queue. */
  #checkRedrive(source: { readonly arn: string; readonly settings: QueueSettings }) {
    const { redrive, fifo } = source.settings
    if (!redrive) return
    const refuse = (reason: string) =>
      createInvalidValueError('RedrivePolicy', JSON.stringify(redrive), reason)
    const target = this.findByArn(redrive.deadLetterTargetArn)
    if (!target) throw refuse('Dead letter target does not exist.')
    if (target.settings.fifo !== fifo)
      throw refuse('Dead-letter queue must be same type of queue as the source.')
    if (!allowsRedrive(target.attributes.RedriveAllowPolicy, source.arn))
      throw refuse('The RedriveAllowPolicy of the dead-letter queue does not allow this source queue.')
  }

  create(name: string, givenAttributes: Readonly<Record<string, string>>, tags: Record<string, string>) {
    const fifo = checkName(name, givenAttributes)
    const attributes = changeAttributes({}, givenAttributes, fifo)
    const existingQueue = this.#queuesByName.get(name)
    if (existingQueue) return requireSameAttributes(existingQueue, givenAttributes)
    const now = this.#clock.now()
    this.#sql.freeNames.run(now - holdMs)
    if (this.#sql.held.get(name))
      throw new SqsError(
        'QueueDeletedRecently',
        'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
      )
    this.#checkRedrive({
      arn: this.#buildArn(name),
      settings: readSettings(attributes, fifo),
    })
    const { lastId } = this.#sql.insert.run(name, JSON.stringify(attributes), JSON.stringify(tags), now, now)
    const row = this.#sql.selectOne.get(lastId)
    if (!row) throw createQueueNotFoundError()
    return this.#remember(row)
  }

  setAttributes(queue: Queue, changes: Readonly<Record<string, string>>): Queue {
    const fifo = queue.settings.fifo
    if (fifo && changes.FifoQueue !== undefined && changes.FifoQueue !== 'true')
      throw new SqsError(
        'InvalidAttributeValue',
        'Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.',
      )
    const attributes = changeAttributes(queue.attributes, changes, fifo)
    const settings = readSettings(attributes, fifo)
    if (changes.RedrivePolicy !== undefined) this.#checkRedrive({ arn: queue.arn, settings })
    return this.#save({ ...queue, attributes, modifiedAt: this.#clock.now() })
  }

  purge(queue: Queue) {
    if (this.#clock.now() - queue.purgedAt < holdMs)
      throw new SqsError(
        'PurgeQueueInProgress',
        `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`,
      )
    for (const statement of this.#sql.contents) statement.run(queue.id)
    this.#save({ ...queue, purgedAt: this.#clock.now() })
  }

  destroy(queue: Queue) {
    for (const statement of this.#sql.contents) statement.run(queue.id)
    this.#sql.remove.run(queue.id)
    this.#sql.holdName.run(queue.name, this.#clock.now())
    this.#queuesByName.delete(queue.name)
    this.#queuesById.delete(queue.id)
  }

  setTags(queue: Queue, tags: Record<string, string>): Queue {
    return this.#save({ ...queue, tags })
  }

  findById(id: number): Queue | undefined {
    return this.#queuesById.get(id)
  }

  findByName(name: string): Queue | undefined {
    return this.#queuesByName.get(name)
  }

  /** Returns the queues that use this one as their dead-letter queue. */
  listSources(queue: Queue): Queue[] {
    return this.all().filter((sourceQueue) => sourceQueue.settings.redrive?.deadLetterTargetArn === queue.arn)
  }

  getUrl(queue: Queue, host: string): string {
    return `http://${host}/${this.accountId}/${queue.name}`
  }
}

export function createQueueNotFoundError(): SqsError {
  return new SqsError('QueueDoesNotExist', 'The specified queue does not exist.')
}

/** Validates a queue name. @returns true if it is the name of a FIFO queue */
function checkName(name: string, attributes: Readonly<Record<string, string>>): boolean {
  const wantsFifo = attributes.FifoQueue?.toLowerCase() === 'true'
  const createInvalidNameError = (message: string) => new SqsError('InvalidParameterValueException', message)
  if (wantsFifo && !/^[\w-]{1,75}\.fifo$/.test(name))
    throw createInvalidNameError(
      'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.',
    )
  if (!wantsFifo && !/^[\w-]{1,80}$/.test(name))
    throw createInvalidNameError(
      'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
    )
  return wantsFifo
}

/** Throws if CreateQueue requests an existing queue with other attribute values; with the same values, it succeeds. */
function requireSameAttributes(queue: Queue, givenAttributes: Readonly<Record<string, string>>): Queue {
  const { attributes, settings } = queue
  const attributesBefore = JSON.stringify(describeAttributes(attributes, settings.fifo))
  for (const [name, value] of Object.entries(givenAttributes)) {
    const attributesAfter = changeAttributes(attributes, { [name]: value }, settings.fifo)
    if (JSON.stringify(describeAttributes(attributesAfter, settings.fifo)) !== attributesBefore)
      throw new SqsError(
        'QueueNameExists',
        `A queue already exists with the same name and a different value for attribute ${name}`,
      )
  }
  return queue
}
