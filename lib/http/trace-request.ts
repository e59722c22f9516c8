import { annotateSpan, failSpan, renameSpan, runSpan } from '../trace.ts'
import type { AnyContract, HttpEvent } from './contract.ts'
import type { HttpResult } from './replies/render.ts'

/** Runs a request in a span. If the client sent a `traceparent` header, the span continues the client's trace. */
export function traceRequest(event: HttpEvent, respond: () => Promise<HttpResult>): Promise<HttpResult> {
  const { method } = event.requestContext.http
  const span = {
    name: method,
    kind: 'server',
    parent: event.headers['traceparent'],
    attributes: { 'http.request.method': method },
  } as const
  return runSpan(span, async () => {
    const result = await respond()
    const status = result.statusCode ?? 200
    annotateSpan({ 'http.response.status_code': status })
    if (status >= 500) failSpan(String(status))
    return result
  })
}

/** Names the span of a request after its route, because the path may contain names chosen by clients. */
export function nameRequest({ method, path }: Pick<AnyContract, 'method' | 'path'>): void {
  renameSpan(`${method} ${path}`)
  annotateSpan({ 'http.route': path })
}
