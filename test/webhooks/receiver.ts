import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface ReceivedRequest {
  readonly path: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  readonly json: any
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

export const respondWith =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): RequestHandler =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body)

/** Starts a webhook receiver on loopback that records requests and responds as configured per path. */
export async function openReceiver() {
  const receivedRequests: ReceivedRequest[] = []
  const handlersByPath = new Map<string, RequestHandler>()
  const server = createServer(async (request, response) => {
    const at = Date.now()
    const body = await buffer(request)
    const { url: path = '', headers } = request
    receivedRequests.push({ path, at, headers, body, json: JSON.parse(body.toString()) })
    const handler = handlersByPath.get(path) ?? respondWith(204)
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    at: (path: string) => receivedRequests.filter((receivedRequest) => receivedRequest.path === path),
    setHandler: (path: string, handler: RequestHandler) => void handlersByPath.set(path, handler),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
