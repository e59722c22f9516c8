import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Log } from '../log.ts'
import type { May } from './authorize.ts'
import { isConnections, serveConnections } from './gateway/connections-api.ts'
import type { WebSocketApi } from './gateway/websocket-api.ts'
import type { Asynchronous } from './lambda/async-invocations.ts'
import { lambdaPath, serveLambda } from './lambda/invoke-endpoint.ts'
import type { Lambda } from './lambda/runtime.ts'
import { close, listen } from './listen.ts'
import { sendError } from './signed-api.ts'
import type { Credentials } from './sigv4.ts'

export interface ControlParts {
  readonly lambda: Lambda
  readonly asynchronous: Pick<Asynchronous, 'accept'>
  readonly webSocketApi?: WebSocketApi | undefined
}

export interface Control {
  readonly url: string
  close(): Promise<void>
}

/**
 * What functions call by the AWS SDK beside the embedded servers: Lambda and the connections of WebSockets. Its
 * address is in the environment of the functions, so it is there before them; requests wait for its parts.
 */
export async function openControl(
  parts: Promise<ControlParts> | ControlParts,
  {
    credentials,
    may,
    log,
  }: { readonly credentials: readonly Credentials[]; readonly may?: May | undefined; readonly log: Log },
): Promise<Control> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { lambda, asynchronous, webSocketApi } = await parts
    if (request.url?.startsWith(lambdaPath))
      return serveLambda({ lambda, asynchronous, credentials }, request, response)
    if (webSocketApi && isConnections(request))
      return serveConnections({ webSocketApi, region: lambda.region, credentials, may }, request, response)
    const message = 'This server knows Invoke and the @connections commands.'
    sendError(response, 404, 'UnknownOperationException', { message })
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.error({ error }, 'a request to Lambda failed')
      const message = 'The service failed to carry out the request. Try again.'
      if (response.headersSent) response.destroy()
      else sendError(response, 500, 'ServiceException', { Type: 'Service', message })
    })
  })
  return { url: `http://127.0.0.1:${await listen(server, 0)}`, close: () => close(server) }
}
