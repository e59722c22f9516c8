import type { Readable } from 'node:stream'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type * as z from 'zod'
import type { AppError, ErrorCode } from '../errors.ts'
import type { Log } from '../log.ts'
import type { JobState } from '../model/job.ts'
import type { Access, Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import type { ReceivedFile } from '../uploads/received-file.ts'
import type { ReplyHeader } from './replies/reply-headers.ts'

/**
 * The event from the gateway: an API Gateway v2 event. If the service runs on a single machine, the event also has the
 * body as the stream from the socket. On Lambda, the stream is created from the event's body, so that handlers only
 * deal with streams.
 */
export type HttpEvent = APIGatewayProxyEventV2 & {
  readonly bodyStream?: Readable
  /**
   * Whether the gateway can stream a reply to the client; other gateways need the whole reply within their time limit.
   */
  readonly canStream?: boolean
}

export interface HttpRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  /** All query parameters as they were sent. */
  readonly rawQuery: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly files: readonly ReceivedFile[]
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Cookies in the form `name=value`. */
  readonly cookies: readonly string[]
  readonly method: string
  readonly principal: Principal
  /** IP address of the client, or of the nearest untrusted proxy (`TRUSTED_PROXIES`). */
  readonly sourceIp: string
  readonly requestId: string
  /**
   * Returns the id for the job that the request creates; a repetition with the same `Idempotency-Key` gets the same id.
   */
  readonly newJobId: () => string
  /** Returns the job that an earlier attempt created before its process died without saving the reply. */
  readonly findEarlierJob: () => Promise<JobState | undefined>
  /** Whether a `stream` reply reaches the client chunk by chunk; otherwise it is sent when it has ended. */
  readonly canStream: boolean
  /** Returns how many milliseconds are left until the function times out. */
  readonly remainingMs: () => number
  readonly log: Log
}

export interface HandlerReply<Data> {
  readonly data: Data
  /** Status of the reply, if it differs from the contract's. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

interface ReplyContract<Data extends z.ZodType> {
  readonly status: 200 | 201 | 202 | 204 | 302
  /** Additional success statuses that have the same data, with their descriptions. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  readonly schema: Data
  /**
   * `envelope`: `{ success, data, meta }`. `mirrored`: the envelope with the fields of `data` repeated at the top
   * level, for clients written before the envelope existed. `raw`: the data is the body. `stream`: the data is an
   * iterable of body chunks. `empty`: no body.
   */
  readonly form?: 'envelope' | 'mirrored' | 'raw' | 'stream' | 'empty'
  readonly contentType?: string
  /** Headers that the handler sets, in addition to those of every reply. */
  readonly headers?: readonly ReplyHeader[]
  /** Adds a strong ETag for `data`, and replies 304 to clients that have it. */
  readonly etag?: boolean
  readonly cacheControl?: string
}

interface ErrorFormat {
  readonly getStatus: (error: AppError) => number
  /** Returns the JSON body of the reply. */
  readonly createBody: (error: AppError) => object
}

export type BodyKind = 'json' | 'form' | 'multipart'

interface Contract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path of the endpoint, for example `/v1/jobs/:jobId`. */
  readonly path: string
  readonly tag: string
  /** Who may send the request; checked before any of the body is read. */
  readonly access: Access
  readonly summary: string
  readonly description?: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: {
    readonly accepts: readonly BodyKind[]
    readonly schema: Body
    /** Creates the schema for the API reference, if the handler checks more than `schema` can express. */
    readonly reference?: () => z.ZodType
    /** Complete JSON bodies by title; a test sends each of them. */
    readonly examples?: Readonly<Record<string, unknown>>
    /** Form fields that contain files: name and description. */
    readonly files?: Readonly<Record<string, string>>
  }
  readonly reply: ReplyContract<Data>
  /**
   * Returns the cache key of a reply that stays the same for the lifetime of the process: it is created once and cached
   * compressed. Undefined for replies that are created each time. Only for `envelope` and `raw` replies with an ETag.
   */
  readonly cacheKey?: (
    request: Pick<HttpRequest<z.output<Params>, z.output<Query>, unknown>, 'params' | 'query'>,
  ) => string | undefined
  /**
   * Set if the request creates something that the sender owns. A sender without an identity gets one, and with an
   * `Idempotency-Key` the request takes effect once.
   */
  readonly idempotent?: boolean
  /** Set if the request creates a job, which counts toward the plan's limits per day and month. */
  readonly createsWork?: true
  /** Set if the request issues an identity to a sender without one, although it creates nothing. */
  readonly issuesIdentity?: true
  readonly errors?: readonly ErrorCode[]
  /**
   * Format of errors: `oauth` is that of RFC 6749, 5.2; the others are formats of other APIs, for clients written for
   * them.
   */
  readonly errorFormat?: 'oauth' | ErrorFormat
  readonly handle: (
    request: HttpRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    services: Services,
  ) => Promise<HandlerReply<z.input<Data>>> | HandlerReply<z.input<Data>>
}

/** Infers a handler's types from its schemas. */
export function contract<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Data extends z.ZodType = z.ZodUndefined,
>(definition: Contract<Params, Query, Body, Data>): Contract<Params, Query, Body, Data> {
  return definition
}

/** A contract with unknown schemas, for example in the list of routes. */
// biome-ignore lint/suspicious/noExplicitAny: handlers are contravariant in their schemas; only `any` admits all
export type AnyContract = Contract<any, any, any, any>
