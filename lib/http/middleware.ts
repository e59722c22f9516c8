import type { MiddlewareObj } from '@middy/core'
import type { Context } from 'aws-lambda'
import type { Log } from '../log.ts'
import type { AnyContract, HttpEvent } from './contract.ts'
import type { HttpResult } from './render.ts'

/** What the middlewares find out about a request before its handler runs. */
export interface RequestContext extends Context {
  requestId: string
  log: Log
  /** How much of the plan is left. */
  limitHeaders?: Record<string, string>
  /** Something was made for a new identity, which the reply hands out. */
  newOwner?: string
  errorFormat?: AnyContract['errorFormat']
}

export type Middleware = MiddlewareObj<HttpEvent, HttpResult, Error, RequestContext>

/** Middy calls `after` for replies and `onError` for errors; what stands on every answer belongs to both. */
export function onReply(
  complete: (event: HttpEvent, context: RequestContext, result: HttpResult) => void,
): Middleware {
  const run: Middleware['after'] = ({ event, context, response }) => {
    if (response) complete(event, context, response)
  }
  return { after: run, onError: run }
}
