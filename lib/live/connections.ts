import * as z from 'zod'
import type { Item, Key, Table } from '../aws/table.ts'
import { idPattern } from '../ids.ts'
import { getWakeShard } from '../jobs/keys.ts'
import { defined } from '../validation/defined.ts'
import { getLivePartition } from './event-feed.ts'
import { Subscription } from './frames.ts'

/** Records of open sockets: who is connected, what they subscribe to, and which requests are pending. */

/** Lifetime of a record: API Gateway ends a connection after two hours, and a leftover record expires soon after. */
const lifetimeMs = 2 * 3600_000 + 600_000
/** Maximum number of sockets per owner, and per job. */
export const maxSockets = 100

/** The records on which the socket's access depends; undefined for anonymous owners. */
const StoredCredential = z.array(z.object({ pk: z.string(), sk: z.string() })).readonly()

/** The owner whose events a socket receives. */
export const ConnectingOwner = z.object({ owner: z.string(), credential: StoredCredential.optional() })
export type ConnectingOwner = z.infer<typeof ConnectingOwner>

/** The record of a socket that is found by its id. */
export const Socket = z.object({
  id: z.string(),
  /** The owner whose events the socket receives; undefined until the client has identified itself. */
  owner: z.string().optional(),
  credential: StoredCredential.optional(),
  jobId: z.string().optional(),
  /** IP address of the client, which the first frame needs: later events only have the address of the CDN. */
  ip: z.string().optional(),
  bad: z.int(),
  refused: z.enum(['unauthenticated', 'forbidden', 'tooMany']).optional(),
})
export type Socket = z.infer<typeof Socket>

/** The record of a socket in its owner's partition. */
const SocketListener = z.object({
  id: z.string(),
  credential: StoredCredential.optional(),
  /** Job of a single-job socket; other sockets receive events of all the owner's jobs. */
  jobId: z.string().optional(),
  /** Events after this number were sent live; undefined until the client's `greet` request was answered. */
  from: z.int().optional(),
  /** Subscriptions of the client. Until it has subscribed, it receives all events. */
  subscriptions: z.array(Subscription).optional(),
})
type SocketListener = z.infer<typeof SocketListener>

/** A pending request of a client, answered in order with the events. */
const SocketRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('greet') }),
  z.object({ type: z.literal('subscribe'), ...Subscription.shape }),
  z.object({
    type: z.literal('unsubscribe'),
    jobs: z.union([z.literal('*'), z.array(z.string().regex(idPattern('job')))]).optional(),
  }),
  z.object({ type: z.literal('resume'), since: z.int() }),
])
type SocketRequest = z.output<typeof SocketRequest>

export interface ListenerWithRequests {
  readonly listener: SocketListener
  readonly requests: readonly { readonly key: Key; readonly request: SocketRequest }[]
}

const getSocketKey = (id: string): Key => ({ pk: `SOCKET#${id}`, sk: 'SOCKET' })
const getListenerKey = (owner: string, id: string): Key => ({ pk: getLivePartition(owner), sk: `S#${id}` })
const getRequestKeyPrefix = (id: string) => `S#${id}#`
let requestCount = 0

export class SocketStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** Stores a new socket. @param wakeAt when to check whether the client has identified itself. */
  async add(socket: Socket, wakeAt?: Date): Promise<void> {
    await this.#table.put({
      ...getSocketKey(socket.id),
      ...socket,
      ...(wakeAt && { wakeAt: wakeAt.toISOString(), wakeShard: getWakeShard(socket.id) }),
      ttl: computeTtl(),
    })
    if (socket.owner !== undefined) await this.#addListener(socket.owner, socket)
  }

  async #addListener(
    owner: string,
    { id, jobId, credential }: Pick<Socket, 'id' | 'jobId' | 'credential'>,
  ): Promise<void> {
    await this.#table.put({ ...getListenerKey(owner, id), id, jobId, credential, ttl: computeTtl() })
  }

  async find(id: string): Promise<Socket | undefined> {
    const item = await this.#table.get(getSocketKey(id))
    return item && Socket.parse(item)
  }

  /** Stores the owner of a socket. Returns false if the socket already has one, or is gone. */
  async identify(socket: Socket, { owner, credential }: ConnectingOwner): Promise<boolean> {
    const { applied } = await this.#table.update(
      getSocketKey(socket.id),
      { set: { owner, ...defined({ credential }) }, remove: ['wakeAt', 'wakeShard'] },
      { condition: { exists: true, absent: ['owner'] } },
    )
    if (applied) await this.#addListener(owner, { ...socket, ...defined({ credential }) })
    return applied
  }

  async refuse(id: string, refusedWith: NonNullable<Socket['refused']>): Promise<void> {
    await this.#table.update(getSocketKey(id), { set: { refused: refusedWith } })
  }

  /** Counts an invalid frame and returns the number so far. */
  async countBadFrame(id: string): Promise<number> {
    const { item } = await this.#table.update(getSocketKey(id), { setPlus: { bad: ['bad', 1] } })
    return item ? Socket.parse(item).bad : 0
  }

  async addRequest(owner: string, id: string, request: SocketRequest): Promise<void> {
    requestCount += 1
    // The key sorts requests in the order in which this process received them.
    const sortKey = `${String(Date.now()).padStart(15, '0')}.${String(requestCount).padStart(9, '0')}`
    await this.#table.put({
      pk: getLivePartition(owner),
      sk: `${getRequestKeyPrefix(id)}${sortKey}`,
      ...request,
      ttl: computeTtl(),
    })
  }

  /** Returns an upper bound for the number of an owner's sockets, with a small read. */
  async count(owner: string): Promise<number> {
    const { items } = await this.#table.query({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: { ':pk': getLivePartition(owner), ':sk': 'S#' },
      ProjectionExpression: 'sk',
      Limit: maxSockets,
    })
    return items.length
  }

  /** Lists all sockets of an owner with their pending requests. */
  async list(owner: string): Promise<ListenerWithRequests[]> {
    const items = await this.#table.partition(getLivePartition(owner), 'S#')
    const foundListeners = new Map<
      string,
      { listener: SocketListener; requests: { key: Key; request: SocketRequest }[] }
    >()
    const now = Date.now() / 1000
    for (const item of items) {
      const sk = String(item['sk'])
      const [, id = '', order] = sk.split('#')
      if (order === undefined && Number(item['ttl']) > now)
        foundListeners.set(id, { listener: SocketListener.parse(item), requests: [] })
      else if (order !== undefined)
        foundListeners
          .get(id)
          ?.requests.push({ key: { pk: getLivePartition(owner), sk }, request: SocketRequest.parse(item) })
    }
    return [...foundListeners.values()]
  }

  /** Removes answered requests and stores the new state of the socket. */
  async completeRequests(owner: string, listener: SocketListener, doneKeys: readonly Key[]): Promise<void> {
    const { id, from, subscriptions } = listener
    await this.#table.update(getListenerKey(owner, id), { set: { from, subscriptions } })
    await this.#table.writeAll([], doneKeys)
  }

  /** Removes the records of a closed socket. */
  async remove(id: string, owner: string | undefined): Promise<void> {
    const requests =
      owner === undefined ? [] : await this.#table.partition(getLivePartition(owner), getRequestKeyPrefix(id))
    await this.#table.writeAll(
      [],
      [
        getSocketKey(id),
        ...(owner === undefined ? [] : [getListenerKey(owner, id)]),
        ...requests.map(({ pk, sk }: Item) => ({ pk: String(pk), sk: String(sk) })),
      ],
    )
  }
}

const computeTtl = () => Math.ceil((Date.now() + lifetimeMs) / 1000)
