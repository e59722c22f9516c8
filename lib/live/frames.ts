import * as z from 'zod'
import { eventNames } from '../../events/index.ts'
import { idPattern } from '../ids.ts'
import { StatusView } from '../jobs/view.ts'
import { JobStatus } from '../model/job.ts'

/** Frames of a WebSocket in both directions, and the reasons for closing it. */

export const subprotocol = 'v1.jobs'

/** Interval at which a client sends pings, so that gateways do not close an idle connection. */
export const pingIntervalMs = 30_000
/** How long a client may take to authenticate, in milliseconds. */
export const authTimeoutMs = 10_000
/** Maximum number of invalid frames, after which the connection is closed. */
export const maxBadFrames = 10
/** Maximum number of subscriptions per connection. */
export const maxSubscriptions = 20
/** Maximum number of jobs per subscription. */
const maxJobs = 100

/** Reasons for which the service closes a connection. A frame of type `error` with the `closeCode` is sent first. */
export const closeReasons = {
  over: { code: 1000, description: 'The job is finished.' },
  away: {
    code: 1001,
    description: 'The service is restarting. Reconnect after a random delay, then resume.',
  },
  badFrames: { code: 1008, description: 'The client sent ten invalid frames.' },
  unauthenticated: { code: 4401, description: 'The token or ticket is not valid.' },
  revoked: { code: 4401, description: 'The key, token or session of this connection is no longer valid.' },
  forbidden: { code: 4403, description: 'The page belongs to another origin.' },
  authTimeout: { code: 4408, description: 'The client did not authenticate within 10 s.' },
  tooSlow: {
    code: 4409,
    description: 'The client reads too slowly. Reconnect, then resume.',
  },
  tooMany: { code: 4429, description: 'This identity or job has too many connections.' },
} as const satisfies Readonly<Record<string, { readonly code: number; readonly description: string }>>
export type CloseReason = keyof typeof closeReasons

const JobId = z.string().regex(idPattern('job'))
const SubscribedJobs = z.union([z.literal('*'), z.array(JobId).min(1).max(maxJobs)])

/** Valid event patterns of a subscription: `*`, `job.*`, `job.completed`. */
const eventPatterns = ['*', ...new Set(eventNames.map((name) => `${name.split('.')[0]}.*`)), ...eventNames]

const EventPattern = z.enum(eventPatterns)

export const Subscription = z.object({
  jobs: SubscribedJobs.default('*').describe('Ids of your jobs, or `*` for all'),
  events: z
    .array(EventPattern)
    .min(1)
    .max(20)
    .default(['*'])
    .describe('Event patterns, such as `job.completed`, `job.*` or `*`'),
})
export type Subscription = z.output<typeof Subscription>

export const clientFrames = {
  auth: z
    .strictObject({ type: z.literal('auth'), token: z.string().max(500) })
    .describe('Authenticates if the handshake could not: must be the first frame, within 10 s'),
  subscribe: z
    .strictObject({ type: z.literal('subscribe'), ...Subscription.shape })
    .describe(
      'Adds a subscription; the first one replaces the initial subscription to everything. A `snapshot` follows.',
    ),
  unsubscribe: z
    .strictObject({ type: z.literal('unsubscribe'), jobs: SubscribedJobs.optional() })
    .describe('Removes jobs from the subscriptions; without `jobs`, no more events are sent'),
  resume: z
    .strictObject({ type: z.literal('resume'), since: z.int().min(0) })
    .describe('Sends the events of your subscriptions after this `seq` and before this connection'),
  ping: z
    .strictObject({ type: z.literal('ping') })
    .describe('Asks for a `pong`, to find out whether the connection still works'),
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
      heartbeatMs: z.int().describe('Interval for sending `ping`'),
      serverTime: z.iso.datetime(),
      lastSequence: z.int().describe('`seq` of the last event before this connection'),
    })
    .describe('The first frame, sent after authentication'),
  event: z
    .looseObject({
      type: z.literal('event'),
      event: z.enum(eventNames),
      seq: z.int().describe('Increases by one with each event of an identity; used by `resume`'),
      timestamp: z.iso.datetime(),
      id: z.string().describe('Id of the event, unchanged if it is sent again'),
      sequence: z.int().describe('Number of the event within its job'),
    })
    .describe('An event with the same body as in webhooks'),
  snapshot: z
    .object({
      type: z.literal('snapshot'),
      lastSequence: z.int().describe('The jobs include at least the events up to this `seq`'),
      jobs: z.array(StatusView),
    })
    .describe(
      'Current state of jobs: those named by a subscription, or with `*` all unfinished ones. Many jobs are split into several frames.',
    ),
  error: z
    .object({
      type: z.literal('error'),
      code: z.enum(frameErrors),
      message: z.string(),
      closeCode: z.int().optional().describe('The connection is closed with this code'),
    })
    .describe('A frame or the connection was refused'),
  pong: z.object({ type: z.literal('pong') }).describe('Reply to `ping`'),
} as const

export const ServerFrame = z.discriminatedUnion('type', [
  serverFrames.hello,
  serverFrames.event,
  serverFrames.snapshot,
  serverFrames.error,
  serverFrames.pong,
])
export type ServerFrame = z.input<typeof ServerFrame>

/** The only kind of frame that the service sends to a socket for a single job, except for errors. */
export const JobFrame = z.object({
  jobId: z.string(),
  stage: z.string(),
  percent: z.int().min(0).max(100),
  status: JobStatus,
  etaMs: z.int().nullable(),
})
export type JobFrame = z.input<typeof JobFrame>
