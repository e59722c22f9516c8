import { createServer, request as pass } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A line to the service on which files take their time; what is sent by PUT is counted. */
export interface SlowLine {
  readonly url: string
  /** Bytes of each PUT that was answered. */
  readonly puts: readonly number[]
  close(): void
}

/** @param refused paths whose first request is refused, as for a key that is not known yet */
export async function slowLine(
  service: string,
  putMs: number,
  refused: readonly string[] = [],
): Promise<SlowLine> {
  const { hostname, port } = new URL(service)
  const puts: number[] = []
  const left = new Set(refused)
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url, headers } = incoming
    if (left.delete(url ?? '')) {
      const error = { code: 'INVALID_API_KEY', message: 'Not yet.', details: {} }
      incoming.resume()
      outgoing.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
      return
    }
    if (method === 'PUT') await sleep(putMs)
    // Under the same name: addresses that the service hands out lead here again.
    const next = pass({ hostname, port, method, path: url, headers }, (answer) => {
      if (method === 'PUT') puts.push(Number(headers['content-length'] ?? 0))
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    next.on('error', () => outgoing.destroy())
    outgoing.on('close', () => next.destroy())
    incoming.pipe(next)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    puts,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
