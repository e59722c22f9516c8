// The queues: stored in the database, cached in memory, found by URL, name or ARN.
import * as z from 'zod'
import type { SqsClock } from './clock.ts'
import { invalidValue, SqsError } from './errors.ts'
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
  /** Only attributes that were set, without defaults. */
  readonly attributes: QueueAttributes
  readonly settings: QueueSettings
  readonly tags: Readonly<Record<string, string>>
  /** Times are epoch milliseconds. */
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

/** After this, AWS allows a new queue with the name of a deleted one, and the next purge. */
const holdMs = 60_000
const Strings = z.record(z.string(), z.string())

export type QueueRegistry = ReturnType<typeof openQueueRegistry>

/** Functions that write must run inside `store.commit`. */
export function openQueueRegistry(store: SqsStore, region: string, accountId: string, clock: SqsClock) {
  const select = store.prepare<Row>('SELECT * FROM queues ORDER BY name')
  const selectOne = store.prepare<Row>('SELECT * FROM queues WHERE id = ?')
  const insert = store.prepare(
    'INSERT INTO queues (name, attributes, tags, created_at, modified_at) VALUES (?, ?, ?, ?, ?)',
  )
  const update = store.prepare(
    'UPDATE queues SET attributes = ?, tags = ?, modified_at = ?, purged_at = ? WHERE id = ?',
  )
  const remove = store.prepare('DELETE FROM queues WHERE id = ?')
  const holdName = store.prepare('INSERT OR REPLACE INTO deleted_queues VALUES (?, ?)')
  const freeNames = store.prepare('DELETE FROM deleted_queues WHERE deleted_at <= ?')
  const held = store.prepare<{ name: string }>('SELECT name FROM deleted_queues WHERE name = ?')
  // A purge also deletes deduplication ids, as at AWS.
  const contents = ['messages', 'attempts', 'dedup'].map((table) =>
    store.prepare(`DELETE FROM ${table} WHERE queue_id = ?`),
  )

  const byName = new Map<string, Queue>()
  const byId = new Map<number, Queue>()
  function reload() {
    byName.clear()
    byId.clear()
    for (const row of select.all()) remember(row)
  }
  store.onRollback(reload)
  reload()

  function remember(row: Row): Queue {
    const attributes = Strings.parse(JSON.parse(row.attributes))
    const queue: Queue = {
      id: row.id,
      name: row.name,
      arn: `arn:aws:sqs:${region}:${accountId}:${row.name}`,
      attributes,
      settings: readSettings(attributes, row.name.endsWith('.fifo')),
      tags: Strings.parse(JSON.parse(row.tags)),
      createdAt: row.created_at,
      modifiedAt: row.modified_at,
      purgedAt: row.purged_at,
    }
    byName.set(queue.name, queue)
    byId.set(queue.id, queue)
    return queue
  }

  function save(queue: Queue): Queue {
    const { attributes, tags, modifiedAt, purgedAt, id } = queue
    update.run(JSON.stringify(attributes), JSON.stringify(tags), modifiedAt, purgedAt, id)
    const row = selectOne.get(id)
    if (!row) throw queueNotFound()
    return remember(row)
  }

  const all = () => [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))

  const findByArn = (arn: string) => {
    const [, , service, inRegion, account, name = ''] = arn.split(':')
    return service === 'sqs' && inRegion === region && account === accountId ? byName.get(name) : undefined
  }

  /** AWS also accepts the plain name, which users of its command line rely on. */
  function byUrl(url: string): Queue {
    const path = URL.canParse(url) ? new URL(url).pathname : url
    const [, account = accountId, name] = /^(?:\/(\d{12})\/)?([\w.-]+)\/?$/.exec(path) ?? []
    if (name === undefined)
      throw new SqsError('InvalidAddress', `The address ${url} is not valid for this endpoint.`)
    const queue = account === accountId ? byName.get(name) : undefined
    if (!queue) throw queueNotFound()
    return queue
  }

  /** The dead-letter queue must exist, have the same type and allow this queue. */
  function checkRedrive(source: { readonly arn: string; readonly settings: QueueSettings }) {
    const { redrive, fifo } = source.settings
    if (!redrive) return
    const refuse = (reason: string) => invalidValue('RedrivePolicy', JSON.stringify(redrive), reason)
    const target = findByArn(redrive.deadLetterTargetArn)
    if (!target) throw refuse('Dead letter target does not exist.')
    if (target.settings.fifo !== fifo)
      throw refuse('Dead-letter queue must be same type of queue as the source.')
    if (!allowsRedrive(target.attributes.RedriveAllowPolicy, source.arn))
      throw refuse('The RedriveAllowPolicy of the dead-letter queue does not allow this source queue.')
  }

  function create(name: string, given: Readonly<Record<string, string>>, tags: Record<string, string>) {
    const fifo = checkName(name, given)
    const attributes = changeAttributes({}, given, fifo)
    const existing = byName.get(name)
    if (existing) return sameQueue(existing, given)
    const now = clock.now()
    freeNames.run(now - holdMs)
    if (held.get(name))
      throw new SqsError(
        'QueueDeletedRecently',
        'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
      )
    checkRedrive({
      arn: `arn:aws:sqs:${region}:${accountId}:${name}`,
      settings: readSettings(attributes, fifo),
    })
    const { lastId } = insert.run(name, JSON.stringify(attributes), JSON.stringify(tags), now, now)
    const row = selectOne.get(lastId)
    if (!row) throw queueNotFound()
    return remember(row)
  }

  function setAttributes(queue: Queue, changes: Readonly<Record<string, string>>): Queue {
    const fifo = queue.settings.fifo
    if (fifo && changes.FifoQueue !== undefined && changes.FifoQueue !== 'true')
      throw new SqsError(
        'InvalidAttributeValue',
        'Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.',
      )
    const attributes = changeAttributes(queue.attributes, changes, fifo)
    const settings = readSettings(attributes, fifo)
    if (changes.RedrivePolicy !== undefined) checkRedrive({ arn: queue.arn, settings })
    return save({ ...queue, attributes, modifiedAt: clock.now() })
  }

  function purge(queue: Queue) {
    if (clock.now() - queue.purgedAt < holdMs)
      throw new SqsError(
        'PurgeQueueInProgress',
        `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`,
      )
    for (const statement of contents) statement.run(queue.id)
    save({ ...queue, purgedAt: clock.now() })
  }

  function destroy(queue: Queue) {
    for (const statement of contents) statement.run(queue.id)
    remove.run(queue.id)
    holdName.run(queue.name, clock.now())
    byName.delete(queue.name)
    byId.delete(queue.id)
  }

  return {
    create,
    setAttributes,
    setTags: (queue: Queue, tags: Record<string, string>) => save({ ...queue, tags }),
    purge,
    destroy,
    byUrl,
    byArn: findByArn,
    byId: (id: number) => byId.get(id),
    byName: (name: string) => byName.get(name),
    /** Ordered by name. */
    all,
    /** Sources that name this queue as their dead-letter queue. */
    sourcesOf: (queue: Queue) =>
      all().filter((one) => one.settings.redrive?.deadLetterTargetArn === queue.arn),
    urlOf: (queue: Queue, host: string) => `http://${host}/${accountId}/${queue.name}`,
    accountId,
  }
}

export function queueNotFound(): SqsError {
  return new SqsError('QueueDoesNotExist', 'The specified queue does not exist.')
}

/** Validates a queue name. @returns true if it is the name of a FIFO queue */
function checkName(name: string, attributes: Readonly<Record<string, string>>): boolean {
  const wantsFifo = attributes.FifoQueue?.toLowerCase() === 'true'
  const invalid = (message: string) => new SqsError('InvalidParameterValueException', message)
  if (wantsFifo && !/^[\w-]{1,75}\.fifo$/.test(name))
    throw invalid(
      'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.',
    )
  if (!wantsFifo && !/^[\w-]{1,80}$/.test(name))
    throw invalid('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length')
  return wantsFifo
}

/** CreateQueue for an existing queue succeeds when every attribute in the request has the same value. */
function sameQueue(queue: Queue, given: Readonly<Record<string, string>>): Queue {
  const { attributes, settings } = queue
  const before = JSON.stringify(describeAttributes(attributes, settings.fifo))
  for (const [name, value] of Object.entries(given)) {
    const after = changeAttributes(attributes, { [name]: value }, settings.fifo)
    if (JSON.stringify(describeAttributes(after, settings.fifo)) !== before)
      throw new SqsError(
        'QueueNameExists',
        `A queue already exists with the same name and a different value for attribute ${name}`,
      )
  }
  return queue
}
