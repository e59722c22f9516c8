import * as z from 'zod'
import type { Item, Key, Table } from '../aws/table.ts'
import { idPattern } from '../ids.ts'
import { wakeShardOf } from '../jobs/keys.ts'
import { partitionOf } from './event-feed.ts'
import { Subscription } from './frames.ts'

/** Open sockets as records: who is at the other end, what they want to hear of, what they are still owed. */

/** API Gateway ends a connection after two hours; a record that nobody removed goes soon after. */
const lifetimeMs = 2 * 3600_000 + 600_000
/** Sockets of one owner, and of one job. */
export const mostSockets = 100

/** What is known of a socket by its id alone. */
export const Socket = z.object({
  id: z.string(),
  /** Whose events it gets; absent until the client has said who it is. */
  owner: z.string().optional(),
  jobId: z.string().optional(),
  bad: z.int(),
  refused: z.enum(['unauthenticated', 'forbidden', 'tooMany']).optional(),
})
export type Socket = z.infer<typeof Socket>

/** A socket among those of an owner. */
export const Listener = z.object({
  id: z.string(),
  /** It is the socket of this job; else of all that the owner has. */
  jobId: z.string().optional(),
  /** What came after this number was sent as it came; absent until the client was greeted. */
  from: z.int().optional(),
  /** Everything, until the client chooses. */
  subscriptions: z.array(Subscription).optional(),
})
export type Listener = z.infer<typeof Listener>

/** What a client has asked for, and gets in turn with the events. */
export const Want = z.discriminatedUnion('type', [
  z.object({ type: z.literal('greet') }),
  z.object({ type: z.literal('subscribe'), ...Subscription.shape }),
  z.object({
    type: z.literal('unsubscribe'),
    jobs: z.union([z.literal('*'), z.array(z.string().regex(idPattern('job')))]).optional(),
  }),
  z.object({ type: z.literal('resume'), since: z.int() }),
])
export type Want = z.output<typeof Want>

export interface Wanting {
  readonly listener: Listener
  readonly wants: readonly { readonly key: Key; readonly want: Want }[]
}

const socketKey = (id: string): Key => ({ pk: `SOCKET#${id}`, sk: 'SOCKET' })
const listenerKey = (owner: string, id: string): Key => ({ pk: partitionOf(owner), sk: `S#${id}` })
const wantPrefix = (id: string) => `S#${id}#`
let wanted = 0

export class Connections {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** @param wakeAt when somebody has to look whether the client has said who it is. */
  async add(socket: Socket, wakeAt?: Date): Promise<void> {
    await this.#table.put({
      ...socketKey(socket.id),
      ...socket,
      ...(wakeAt && { wakeAt: wakeAt.toISOString(), wakeShard: wakeShardOf(socket.id) }),
      ttl: ttlOf(),
    })
    if (socket.owner !== undefined) await this.#listen(socket.owner, socket)
  }

  async #listen(owner: string, { id, jobId }: Pick<Socket, 'id' | 'jobId'>): Promise<void> {
    await this.#table.put({ ...listenerKey(owner, id), ...{ id, jobId }, ttl: ttlOf() })
  }

  async find(id: string): Promise<Socket | undefined> {
    const item = await this.#table.get(socketKey(id))
    return item && Socket.parse(item)
  }

  /** False when somebody else has said so before, or the socket is gone. */
  async identify(socket: Socket, owner: string): Promise<boolean> {
    const { applied } = await this.#table.update(
      socketKey(socket.id),
      { set: { owner }, remove: ['wakeAt', 'wakeShard'] },
      { condition: { exists: true, absent: ['owner'] } },
    )
    if (applied) await this.#listen(owner, socket)
    return applied
  }

  async refuse(id: string, refused: NonNullable<Socket['refused']>): Promise<void> {
    await this.#table.update(socketKey(id), { set: { refused } })
  }

  /** Counts a frame that could not be understood. */
  async countBad(id: string): Promise<number> {
    const { item } = await this.#table.update(socketKey(id), { setPlus: { bad: ['bad', 1] } })
    return item ? Socket.parse(item).bad : 0
  }

  async want(owner: string, id: string, want: Want): Promise<void> {
    wanted += 1
    // In the order in which this process was told of them.
    const place = `${String(Date.now()).padStart(15, '0')}.${String(wanted).padStart(9, '0')}`
    await this.#table.put({
      ...{ pk: partitionOf(owner), sk: `${wantPrefix(id)}${place}` },
      ...want,
      ttl: ttlOf(),
    })
  }

  /** No fewer than the sockets of an owner, with little to be read. */
  async count(owner: string): Promise<number> {
    const { items } = await this.#table.query({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: { ':pk': partitionOf(owner), ':sk': 'S#' },
      ProjectionExpression: 'sk',
      Limit: mostSockets,
    })
    return items.length
  }

  /** Every socket of an owner, with what it wants. */
  async of(owner: string): Promise<Wanting[]> {
    const items = await this.#table.partition(partitionOf(owner), 'S#')
    const found = new Map<string, { listener: Listener; wants: { key: Key; want: Want }[] }>()
    const now = Date.now() / 1000
    for (const item of items) {
      const sk = String(item['sk'])
      const [, id = '', place] = sk.split('#')
      if (place === undefined && Number(item['ttl']) > now)
        found.set(id, { listener: Listener.parse(item), wants: [] })
      else if (place !== undefined)
        found.get(id)?.wants.push({ key: { pk: partitionOf(owner), sk }, want: Want.parse(item) })
    }
    return [...found.values()]
  }

  /** What was given is no longer wanted; the rest of the record is as it is now. */
  async settle(owner: string, listener: Listener, done: readonly Key[]): Promise<void> {
    const { id, from, subscriptions } = listener
    await this.#table.update(listenerKey(owner, id), { set: { from, subscriptions } })
    await this.#table.writeAll([], done)
  }

  /** Nobody is there any more. */
  async remove(id: string, owner: string | undefined): Promise<void> {
    const wants = owner === undefined ? [] : await this.#table.partition(partitionOf(owner), wantPrefix(id))
    await this.#table.writeAll(
      [],
      [
        socketKey(id),
        ...(owner === undefined ? [] : [listenerKey(owner, id)]),
        ...wants.map(({ pk, sk }: Item) => ({ pk: String(pk), sk: String(sk) })),
      ],
    )
  }
}

const ttlOf = () => Math.ceil((Date.now() + lifetimeMs) / 1000)
