import * as z from 'zod'
import { JobParams, requireJobId, requireVisibleJob } from '../../lib/access/job-access.ts'
import { mayWait } from '../../lib/access/wait-limit.ts'
import { contract } from '../../lib/http/contract.ts'
import { createTicket as createConnectTicket, ticketLifetimeS } from '../../lib/live/connect-tokens.ts'
import { createEventStream, maxStreamMs } from '../../lib/live/event-stream.ts'
import { listAccess, readAccess } from '../../lib/model/principal.ts'

/** Tickets for WebSockets, and the event stream of a job. */

/** How long a reply that cannot be streamed collects events; functions of the HTTP API time out after 29 s. */
const bufferedReplyS = 25
/** Time reserved for creating and sending the reply. */
const replyMarginMs = 2000
/** How long a client must wait before reconnecting if too many clients are waiting already. */
const overloadRetryMs = 10_000

export const createTicket = contract({
  method: 'POST',
  path: '/v1/ws/tickets',
  // Requires permission to list jobs, because the socket sends the events of all jobs of the owner.
  access: listAccess,
  tag: 'Live',
  summary: 'Get a ticket for a WebSocket',
  description: `For clients that cannot send a cookie, header or subprotocol with the handshake: connect to \`/ws/user/jobs?ticket=…\`. A ticket opens one WebSocket within ${ticketLifetimeS} s.`,
  reply: {
    status: 201,
    schema: z.object({ ticket: z.string(), expiresAt: z.iso.datetime() }),
  },
  idempotent: true,
  handle: async ({ principal }, { table }) => ({ data: await createConnectTicket(table, principal) }),
})

const Stream = z
  .custom<AsyncIterable<string> | undefined>()
  .meta({ override: { type: 'string', description: 'Server-sent events' } })

export const jobEvents = contract({
  method: 'GET',
  path: '/v1/jobs/:jobId/events',
  access: readAccess,
  tag: 'Live',
  summary: 'Stream the events of a job',
  description:
    'Server-sent events for `EventSource`. The first event is `snapshot` with the status of the job as in `GET /v1/status/{jobId}`. Then the events of the job follow under their names, for example `job.progress`, with the same body as webhooks. The stream ends after the last event. With `Last-Event-ID`, which browsers send automatically, the stream resumes after that event, or starts with a new `snapshot` if that is no longer possible. Behind a gateway that does not support streaming, each reply contains the next events, and the client reconnects after the time in `retry`, as browsers do.',
  params: JobParams,
  reply: {
    status: 200,
    otherStatuses: {
      204: 'The job has finished and the client has received all of its events: do not reconnect',
    },
    schema: Stream,
    form: 'stream',
    contentType: 'text/event-stream; charset=utf-8',
  },
  errors: ['JOB_NOT_FOUND'],
  handle: async ({ params, principal, headers, canStream, remainingMs }, services) => {
    const jobId = requireJobId(params.jobId)
    const job = requireVisibleJob(await services.jobs.store.getJob(jobId), jobId, principal)
    const lastEventId = headers['last-event-id']
    const staysOpen = canStream || (await mayWait('stream', services))
    const bufferedMs = staysOpen ? Math.min(bufferedReplyS * 1000, remainingMs() - replyMarginMs) : 0
    const durationMs = canStream ? maxStreamMs : bufferedMs
    const data = await createEventStream(job, services, {
      lastEventId: lastEventId && /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : undefined,
      deadline: Date.now() + durationMs,
      isBuffered: !canStream,
      ...(!staysOpen && { retryMs: overloadRetryMs }),
      credential: principal.credential,
    })
    // Tells proxies not to buffer the stream.
    return data ? { data, headers: { 'x-accel-buffering': 'no' } } : { data, status: 204 }
  },
})
