// Types of a request, as operations see it, and of their reply.
import type { IncomingMessage } from 'node:http'
import type { Authorize } from '../authorize.ts'
import type { LogFunction } from '../log-line.ts'
import type { AwsCredentials } from '../sigv4.ts'
import type { S3Caller } from './authentication.ts'
import type { Blobs } from './blobs.ts'
import type { Database } from './database.ts'
import type { Notifier } from './notifications.ts'

/** Services available to every operation. */
export interface S3Services {
  readonly db: Database
  readonly blobs: Blobs
  readonly notifier: Notifier
  readonly region: string
  readonly credentials: readonly AwsCredentials[]
  readonly authorize: Authorize
  readonly log: LogFunction
}

export interface S3Call {
  readonly request: IncomingMessage
  readonly method: string
  /** Name of the bucket; empty for requests about the service itself. */
  readonly bucket: string
  /** Key of the object; empty for requests about the bucket itself. */
  readonly key: string
  readonly query: ReadonlyMap<string, string>
  /** Headers by lower-case name. The query of a presigned request may also contain x-amz-* headers. */
  readonly headers: Headers
  readonly auth: S3Caller | undefined
  readonly requestId: string
  /** Asks a client that waits with its body (`Expect: 100-continue`) to send it. */
  readonly proceed: () => void
  /** URL of the resource as the client wrote it, without query. */
  readonly location: string
}

export type Headers = ReadonlyMap<string, string>

export interface S3Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | number>>
  readonly xml?: string
  readonly body?: AsyncIterable<Buffer>
  /** Called once the reply is sent or has failed. */
  readonly done?: () => void
}

export type S3Operation = (services: S3Services, call: S3Call) => S3Reply | Promise<S3Reply>

/** Formats a time as 2009-10-12T17:50:30.000Z. */
export function formatIsoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** Returns the current time in whole seconds, as S3 stores it; with fractions, If-Modified-Since would never match. */
export function getNowRoundedToSeconds(): number {
  return Math.floor(Date.now() / 1000) * 1000
}
