import type { MiddlewareObj } from '@middy/core'
import type { Context } from 'aws-lambda'
import type { Log } from '../log.ts'
import type { AnyContract, HttpEvent } from './contract.ts'
import type { HttpResult } from './replies/render.ts'

/** Facts about a request that middlewares collect before its handler runs. */
export interface RequestContext extends Context {
  requestId: string
  log: Log
  /** Headers that contain the remaining requests of the plan. */
  limitHeaders?: Record<string, string>
  /** A new identity that owns something now, so the reply sends its token. */
  newOwner?: string
  errorFormat?: AnyContract['errorFormat']
}

export type Middleware = MiddlewareObj<HttpEvent, HttpResult, Error, RequestContext>

/** Middy calls `after` for replies and `onError` for errors; this runs `complete` for both. */
export function onReply(
  complete: (event: HttpEvent, context: RequestContext, result: HttpResult) => void,
): Middleware {
  const run: Middleware['after'] = ({ event, context, response }) => {
    if (response) complete(event, context, response)
  }
  return { after: run, onError: run }
}
