import type { Readable } from 'node:stream'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type * as z from 'zod'
import type { Access, Principal } from '../access/principal.ts'
import type { AppError, ErrorCode } from '../errors.ts'
import type { JobState } from '../jobs/job.ts'
import type { Log } from '../log.ts'
import type { Services } from '../services.ts'
import type { ReplyHeader } from './reply-headers.ts'

/**
 * What the gateway hands over: an API Gateway v2 event and, on one machine, the body as the stream that arrives
 * at the socket. On Lambda the stream is made from the event's body, so that handlers know one form only.
 */
export type HttpEvent = APIGatewayProxyEventV2 & {
  readonly bodyStream?: Readable
  /** The gateway passes on an answer as it is made; any other takes it whole, within its time. */
  readonly canStream?: boolean
}

/** A file that arrived in a form and is stored already; deleted again unless the handler adopts it. */
export interface ReceivedFile {
  readonly field: string
  readonly filename: string
  /** Where it is in the bucket. */
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
  /** Bytes `start` to `end` (exclusive). */
  read(start: number, end: number): Promise<Uint8Array>
  /** Takes the file over: it stays after the request. */
  adopt(): void
}

export interface HttpRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  /** All of the query, as it came. */
  readonly rawQuery: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly files: readonly ReceivedFile[]
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As `name=value`. */
  readonly cookies: readonly string[]
  readonly method: string
  readonly principal: Principal
  /** Address of the client, or of the last proxy that is not trusted (`TRUSTED_PROXIES`). */
  readonly sourceIp: string
  readonly requestId: string
  /** The id of the job that the request makes: the same when it is sent again under one `Idempotency-Key`. */
  readonly newJobId: () => string
  /** The job under that id, where an earlier try made it and ended before its answer was kept. */
  readonly findEarlierJob: () => Promise<JobState | undefined>
  /** A `stream` reaches the client as it is made; else when it has ended. */
  readonly canStream: boolean
  /** Until the function's time is over. */
  readonly remainingMs: () => number
  readonly log: Log
}

export interface HandlerReply<Data> {
  readonly data: Data
  /** Instead of the contract's status. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

interface ReplyContract<Data extends z.ZodType> {
  readonly status: number
  /** What else a success may answer with the same data, and what that means. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  readonly schema: Data
  /**
   * `envelope`: `{ success, data, meta }`. `mirrored`: the same and the fields of `data` repeated beside it, for
   * clients of the oldest replies. `raw`: the data itself is the body. `stream`: the data are the pieces of it, one after
   * the other. `empty`: no body.
   */
  readonly form?: 'envelope' | 'mirrored' | 'raw' | 'stream' | 'empty'
  readonly contentType?: string
  /** That handlers send beside what every reply has. */
  readonly headers?: readonly ReplyHeader[]
  /** A strong ETag over `data`, and 304 for a client that has it. */
  readonly etag?: boolean
  readonly cacheControl?: string
}

export interface ErrorFormat {
  readonly statusOf: (error: AppError) => number
  /** Becomes JSON. */
  readonly bodyOf: (error: AppError) => object
}

export type BodyKind = 'json' | 'form' | 'multipart'

export interface Contract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As `/v1/jobs/:jobId`. */
  readonly path: string
  readonly tag: string
  /** Who may send it; asked before anything of its body is read. */
  readonly access: Access
  readonly summary: string
  readonly description?: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: {
    readonly accepts: readonly BodyKind[]
    readonly schema: Body
    /** The same as the reference shows it, where the code that checks it says more than a schema can. */
    readonly reference?: z.ZodType
    /** JSON bodies that work as they stand, by what they show; each is sent by a test. */
    readonly examples?: Readonly<Record<string, unknown>>
    /** Names of the form fields that carry files, with what each is. */
    readonly files?: Readonly<Record<string, string>>
  }
  readonly reply: ReplyContract<Data>
  /**
   * The name under which a reply stays the same while the process lives, so that it is made once and kept compressed;
   * undefined for what is made each time. For replies with an ETag, `envelope` or `raw`.
   */
  readonly cacheKey?: (
    request: Pick<HttpRequest<z.output<Params>, z.output<Query>, unknown>, 'params' | 'query'>,
  ) => string | undefined
  /**
   * It makes something that belongs to whoever sent it, who is handed an identity if there was none; and under an
   * `Idempotency-Key` no more than once.
   */
  readonly idempotent?: boolean
  /** Whoever sends it is handed an identity if there was none, though it is no request that makes something. */
  readonly issuesIdentity?: true
  readonly errors?: readonly ErrorCode[]
  /** `oauth`: as RFC 6749 has errors (5.2). Or another interface's own, for clients that know no others. */
  readonly errorFormat?: 'oauth' | ErrorFormat
  readonly handle: (
    request: HttpRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    services: Services,
  ) => Promise<HandlerReply<z.input<Data>>> | HandlerReply<z.input<Data>>
}

/** Ties a handler's types to its schemas. */
export function contract<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Data extends z.ZodType = z.ZodUndefined,
>(definition: Contract<Params, Query, Body, Data>): Contract<Params, Query, Body, Data> {
  return definition
}

/** A contract whose schemas are not known at the place that holds it, as in the list of routes. */
// biome-ignore lint/suspicious/noExplicitAny: handlers are contravariant in their schemas; only `any` admits all
export type AnyContract = Contract<any, any, any, any>
