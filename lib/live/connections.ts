import * as z from 'zod'
import type { Item, Key, Table } from '../aws/table.ts'
import { idPattern } from '../ids.ts'
import { wakeShardOf } from '../jobs/keys.ts'
import { livePartition } from './event-feed.ts'
import { Subscription } from './frames.ts'

/** Open sockets as records: who is at the other end, what they want to hear of, what they are still owed. */

/** API Gateway ends a connection after two hours; a record that nobody removed goes soon after. */
const lifetimeMs = 2 * 3600_000 + 600_000
/** Sockets of one owner, and of one job. */
export const maxSockets = 100

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
export const SocketListener = z.object({
  id: z.string(),
  /** It is the socket of this job; else of all that the owner has. */
  jobId: z.string().optional(),
  /** What came after this number was sent as it came; absent until the client was greeted. */
  from: z.int().optional(),
  /** Everything, until the client chooses. */
  subscriptions: z.array(Subscription).optional(),
})
export type SocketListener = z.infer<typeof SocketListener>

/** What a client has asked for, and gets in turn with the events. */
export const SocketRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('greet') }),
  z.object({ type: z.literal('subscribe'), ...Subscription.shape }),
  z.object({
    type: z.literal('unsubscribe'),
    jobs: z.union([z.literal('*'), z.array(z.string().regex(idPattern('job')))]).optional(),
  }),
  z.object({ type: z.literal('resume'), since: z.int() }),
])
export type SocketRequest = z.output<typeof SocketRequest>

export interface ListenerWithRequests {
  readonly listener: SocketListener
  readonly requests: readonly { readonly key: Key; readonly request: SocketRequest }[]
}

const socketKey = (id: string): Key => ({ pk: `SOCKET#${id}`, sk: 'SOCKET' })
const listenerKey = (owner: string, id: string): Key => ({ pk: livePartition(owner), sk: `S#${id}` })
const requestPrefix = (id: string) => `S#${id}#`
let requestCount = 0

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
    if (socket.owner !== undefined) await this.#addListener(socket.owner, socket)
  }

  async #addListener(owner: string, { id, jobId }: Pick<Socket, 'id' | 'jobId'>): Promise<void> {
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
    if (applied) await this.#addListener(owner, socket)
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

  async addRequest(owner: string, id: string, request: SocketRequest): Promise<void> {
    requestCount += 1
    // In the order in which this process was told of them.
    const order = `${String(Date.now()).padStart(15, '0')}.${String(requestCount).padStart(9, '0')}`
    await this.#table.put({
      ...{ pk: livePartition(owner), sk: `${requestPrefix(id)}${order}` },
      ...request,
      ttl: ttlOf(),
    })
  }

  /** No fewer than the sockets of an owner, with little to be read. */
  async count(owner: string): Promise<number> {
    const { items } = await this.#table.query({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: { ':pk': livePartition(owner), ':sk': 'S#' },
      ProjectionExpression: 'sk',
      Limit: maxSockets,
    })
    return items.length
  }

  /** Every socket of an owner, with what it wants. */
  async list(owner: string): Promise<ListenerWithRequests[]> {
    const items = await this.#table.partition(livePartition(owner), 'S#')
    const found = new Map<
      string,
      { listener: SocketListener; requests: { key: Key; request: SocketRequest }[] }
    >()
    const now = Date.now() / 1000
    for (const item of items) {
      const sk = String(item['sk'])
      const [, id = '', order] = sk.split('#')
      if (order === undefined && Number(item['ttl']) > now)
        found.set(id, { listener: SocketListener.parse(item), requests: [] })
      else if (order !== undefined)
        found
          .get(id)
          ?.requests.push({ key: { pk: livePartition(owner), sk }, request: SocketRequest.parse(item) })
    }
    return [...found.values()]
  }

  /** What was given is no longer wanted; the rest of the record is as it is now. */
  async completeRequests(owner: string, listener: SocketListener, done: readonly Key[]): Promise<void> {
    const { id, from, subscriptions } = listener
    await this.#table.update(listenerKey(owner, id), { set: { from, subscriptions } })
    await this.#table.writeAll([], done)
  }

  /** Nobody is there any more. */
  async remove(id: string, owner: string | undefined): Promise<void> {
    const requests =
      owner === undefined ? [] : await this.#table.partition(livePartition(owner), requestPrefix(id))
    await this.#table.writeAll(
      [],
      [
        socketKey(id),
        ...(owner === undefined ? [] : [listenerKey(owner, id)]),
        ...requests.map(({ pk, sk }: Item) => ({ pk: String(pk), sk: String(sk) })),
      ],
    )
  }
}

const ttlOf = () => Math.ceil((Date.now() + lifetimeMs) / 1000)
