import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A line to the service on which files take their time; what is sent by PUT is counted. */
export interface SlowProxy {
  readonly url: string
  /** Bytes of each PUT that was answered. */
  readonly putSizes: readonly number[]
  close(): void
}

/** @param refusedPaths paths whose first request is refused, as for a key that is not known yet */
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
      const error = { code: 'INVALID_API_KEY', message: 'Not yet.', details: {} }
      incoming.resume()
      outgoing.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
      return
    }
    if (method === 'PUT') await sleep(putDelayMs)
    // Under the same name: addresses that the service hands out lead here again.
    const forwarded = sendRequest({ hostname, port, method, path: url, headers }, (response) => {
      if (method === 'PUT') putSizes.push(Number(headers['content-length'] ?? 0))
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    putSizes,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
