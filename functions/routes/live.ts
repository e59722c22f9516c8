import * as z from 'zod'
import { listAccess, readAccess } from '../../lib/access/principal.ts'
import { contract } from '../../lib/http/contract.ts'
import { JobParams, requireJobId, requireVisibleJob } from '../../lib/http/job-access.ts'
import { makeTicket, ticketS } from '../../lib/live/connect-tokens.ts'
import { eventStream, longestMs } from '../../lib/live/event-stream.ts'

/** Ways to hear of jobs without asking, beside the WebSockets themselves. */

/** Seconds that an answer takes which must be whole; a gateway waits for 30. */
const bufferedReplyS = 25
/** What is left of a function's time for the answer to be made and sent. */
const replyMarginMs = 2000

export const createTicket = contract({
  method: 'POST',
  path: '/v1/ws/tickets',
  // It tells of all that an owner has.
  access: listAccess,
  tag: 'Live',
  summary: 'Get a ticket for a WebSocket',
  description: `For clients that can send neither a cookie, a header nor a subprotocol with the handshake: \`/ws/user/jobs?ticket=…\`. It opens one WebSocket, within ${ticketS} s.`,
  reply: {
    status: 201,
    schema: z.object({ ticket: z.string(), expiresAt: z.iso.datetime() }),
  },
  idempotent: true,
  handle: async ({ principal }, { table }) => ({ data: await makeTicket(table, principal.ownerId) }),
})

const Stream = z
  .custom<AsyncIterable<string> | undefined>()
  .meta({ override: { type: 'string', description: 'Server-sent events' } })

export const jobEvents = contract({
  method: 'GET',
  path: '/v1/jobs/:jobId/events',
  access: readAccess,
  tag: 'Live',
  summary: 'Follow a job as server-sent events',
  description:
    'For `EventSource`. The first event is `snapshot`, with the job as `GET /v1/status/{jobId}` has it; then come the events of the job under their names, as `job.progress`, each with the body that webhooks get. After the last one the stream ends. With `Last-Event-ID`, which browsers send by themselves, it goes on after that event; where that is not possible any more, a `snapshot` comes again. Behind a gateway that takes answers whole each answer holds the next events, and the client, as browsers do, asks again after the time that `retry` says: a row of short streams in place of a long one.',
  params: JobParams,
  reply: {
    status: 200,
    otherStatuses: { 204: 'The job is over and the client has had all of its events: do not connect again' },
    schema: Stream,
    form: 'stream',
    contentType: 'text/event-stream; charset=utf-8',
  },
  errors: ['JOB_NOT_FOUND'],
  handle: async ({ params, principal, headers, canStream, remainingMs }, services) => {
    const jobId = requireJobId(params.jobId)
    const job = requireVisibleJob(await services.jobs.store.getJob(jobId), jobId, principal)
    const given = headers['last-event-id']
    const forMs = canStream ? longestMs : Math.min(bufferedReplyS * 1000, remainingMs() - replyMarginMs)
    const data = await eventStream(job, services, {
      lastEventId: given && /^\d{1,16}$/.test(given) ? Number(given) : undefined,
      deadline: Date.now() + forMs,
      isWhole: !canStream,
    })
    // Proxies that gather an answer before they pass it on leave this one alone.
    return data ? { data, headers: { 'x-accel-buffering': 'no' } } : { data, status: 204 }
  },
})
