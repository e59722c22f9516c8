import type { HttpHandlerOptions, HttpRequest, HttpResponse } from '@smithy/types'

/** Carries the signed requests of a client in place of the SDK's own handler, which opens connections. */
export type RequestHandler = {
  readonly metadata: { readonly handlerProtocol: string }
  readonly handle: (request: HttpRequest, options?: HttpHandlerOptions) => Promise<{ response: HttpResponse }>
}

/** For the services that have one; the clients of all others connect to their endpoints. */
export interface RequestHandlers {
  readonly s3?: RequestHandler | undefined
  readonly sqs?: RequestHandler | undefined
  readonly eventBridge?: RequestHandler | undefined
}
