import * as z from 'zod'
import { eventNames } from '../../events/index.ts'
import { idPattern } from '../ids.ts'
import { JobStatus } from '../jobs/job.ts'
import { StatusView } from '../jobs/view.ts'

/** What goes over a WebSocket, both ways, and why one is closed. */

export const subprotocol = 'v1.jobs'

/** Milliseconds after which a client says something, so that gateways take the connection for used. */
export const pingIntervalMs = 30_000
/** Milliseconds in which a client says who it is. */
export const authTimeoutMs = 10_000
/** Frames that cannot be understood; with the last of them the connection is closed. */
export const maxBadFrames = 10
/** Subscriptions of one connection, and jobs that each may name. */
export const maxSubscriptions = 20
const maxJobs = 100

/** Why the service closes a connection. A frame of type `error` with `closeCode` goes before it. */
export const closeReasons = {
  over: { code: 1000, description: 'The job is over.' },
  away: { code: 1001, description: 'The service restarts. Connect again after a random pause, then resume.' },
  badFrames: { code: 1008, description: 'Ten frames could not be understood.' },
  unauthenticated: { code: 4401, description: 'The token or ticket is not valid.' },
  forbidden: { code: 4403, description: 'The page belongs to another origin.' },
  authTimeout: { code: 4408, description: 'The client did not say within 10 s who it is.' },
  tooSlow: {
    code: 4409,
    description: 'The client does not read what it is sent. Connect again, then resume.',
  },
  tooMany: { code: 4429, description: 'There are too many connections of this identity, or to this job.' },
} as const satisfies Readonly<Record<string, { readonly code: number; readonly description: string }>>
export type CloseReason = keyof typeof closeReasons

const JobId = z.string().regex(idPattern('job'))
const Jobs = z.union([z.literal('*'), z.array(JobId).min(1).max(maxJobs)])

/** Names of events as a subscription may have them: `*`, `job.*`, `job.completed`. */
const patterns = ['*', ...new Set(eventNames.map((name) => `${name.split('.')[0]}.*`)), ...eventNames]

const Pattern = z.enum(patterns)

export const Subscription = z.object({
  jobs: Jobs.default('*').describe('Ids of jobs of yours, or `*` for all of them'),
  events: z.array(Pattern).min(1).max(20).default(['*']).describe('As `job.completed`, `job.*`, `*`'),
})
export type Subscription = z.output<typeof Subscription>

export const clientFrames = {
  auth: z
    .strictObject({ type: z.literal('auth'), token: z.string().max(500) })
    .describe('Says who you are, where the handshake could not: the first frame, within 10 s'),
  subscribe: z
    .strictObject({ type: z.literal('subscribe'), ...Subscription.shape })
    .describe(
      'Adds a subscription; the first takes the place of the one to everything that each connection begins with. A `snapshot` follows.',
    ),
  unsubscribe: z
    .strictObject({ type: z.literal('unsubscribe'), jobs: Jobs.optional() })
    .describe('Takes jobs out of the subscriptions; without `jobs` nothing is sent any more'),
  resume: z
    .strictObject({ type: z.literal('resume'), since: z.int().min(0) })
    .describe('Sends the events of your subscriptions after this `seq` that came before this connection'),
  ping: z.strictObject({ type: z.literal('ping') }),
} as const

export const ClientFrame = z.discriminatedUnion('type', [
  clientFrames.auth,
  clientFrames.subscribe,
  clientFrames.unsubscribe,
  clientFrames.resume,
  clientFrames.ping,
])
export type ClientFrame = z.output<typeof ClientFrame>

export const frameErrors = [
  'INVALID_REQUEST',
  'AUTHENTICATION_REQUIRED',
  'INSUFFICIENT_PERMISSIONS',
  'TIMEOUT',
  'RATE_LIMITED',
  'SEQUENCE_GONE',
  'INTERNAL_ERROR',
] as const

export const serverFrames = {
  hello: z
    .object({
      type: z.literal('hello'),
      connectionId: z.string(),
      heartbeatMs: z.int().describe('Send a `ping` as often'),
      serverTime: z.iso.datetime(),
      lastSequence: z.int().describe('`seq` of the last event before this connection'),
    })
    .describe('The first frame, as soon as it is known who is there'),
  event: z
    .looseObject({
      type: z.literal('event'),
      event: z.enum(eventNames),
      seq: z.int().describe('Grows by one with each event of an identity; `resume` takes it'),
      timestamp: z.iso.datetime(),
      id: z.string().describe('The same when the event is told again'),
      sequence: z.int().describe('Number of the event within its job'),
    })
    .describe('An event with the body that webhooks get'),
  snapshot: z
    .object({
      type: z.literal('snapshot'),
      lastSequence: z.int().describe('The jobs are at least as far as they were at this `seq`'),
      jobs: z.array(StatusView),
    })
    .describe(
      'How jobs are now: those that a subscription names, or with `*` all that are not over. Of many jobs it comes in several frames.',
    ),
  error: z.object({
    type: z.literal('error'),
    code: z.enum(frameErrors),
    message: z.string(),
    closeCode: z.int().optional().describe('The connection is closed with this code'),
  }),
  pong: z.object({ type: z.literal('pong') }),
} as const

export const ServerFrame = z.discriminatedUnion('type', [
  serverFrames.hello,
  serverFrames.event,
  serverFrames.snapshot,
  serverFrames.error,
  serverFrames.pong,
])
export type ServerFrame = z.input<typeof ServerFrame>

/** All that the socket of one job sends, but for errors. */
export const JobFrame = z.object({
  jobId: z.string(),
  stage: z.string(),
  percent: z.int().min(0).max(100),
  status: JobStatus,
  etaMs: z.int().nullable(),
})
export type JobFrame = z.input<typeof JobFrame>
