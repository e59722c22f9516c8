import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A proxy to the service that delays PUT requests and records their sizes. */
export interface SlowProxy {
  readonly url: string
  /** Size of each completed PUT request, in bytes. */
  readonly putSizes: readonly number[]
  close(): void
}

/**
 * Starts a proxy.
 * @param refusedPaths paths whose first request fails with `INVALID_API_KEY`, as if the key were not known yet
 */
export async function startSlowProxy(
  service: string,
  putDelayMs: number,
  refusedPaths: readonly string[] = [],
): Promise<SlowProxy> {
  const { hostname, port } = new URL(service)
  const putSizes: number[] = []
  const pendingRefusals = new Set(refusedPaths)
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url, headers } = incoming
    if (pendingRefusals.delete(url ?? '')) {
      const error = { code: 'INVALID_API_KEY', message: 'The key is not known yet.', details: {} }
      incoming.resume()
      outgoing.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
      return
    }
    if (method === 'PUT') await sleep(putDelayMs)
    // The host header is unchanged, so that URLs from the service lead to the proxy as well.
    const forwardedRequest = sendRequest({ hostname, port, method, path: url, headers }, (response) => {
      if (method === 'PUT') putSizes.push(Number(headers['content-length'] ?? 0))
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwardedRequest.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwardedRequest.destroy())
    incoming.pipe(forwardedRequest)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server's address is an AddressInfo
    putSizes,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
