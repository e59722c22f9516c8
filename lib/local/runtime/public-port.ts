import type { Server } from 'node:http'
import type { Config } from '../../config.ts'
import { closeServer, listen } from '../../embedded-aws/listen.ts'
import { createGateway, type GatewayParts, type GetSocketTarget } from './gateway.ts'

export interface PublicPort {
  /** URL for clients, without a trailing slash. */
  readonly url: string
  /** Closes the port. May be called more than once. */
  close(): Promise<unknown>
}

/** Opens the port before anything depends on its number; requests wait until the service is ready. */
export async function openPublicPort(
  { HOST, PORT, PUBLIC_URL }: Config,
  parts: Promise<GatewayParts>,
  target?: GetSocketTarget,
): Promise<PublicPort> {
  const servers: Server[] = []
  const bind = async (host: string, port: number) => {
    const server = createGateway(parts, { getSocketTarget: target })
    const boundPort = await listen(server, port, host)
    servers.push(server)
    return boundPort
  }
  const port = await bind(HOST === 'localhost' ? '127.0.0.1' : HOST, PORT)
  // Clients may resolve "localhost" to an IPv4 or IPv6 address; a machine without IPv6 has only an IPv4 address.
  if (HOST === 'localhost') await bind('::1', port).catch(() => undefined)
  let closePromise: Promise<unknown> | undefined
  return {
    url: PUBLIC_URL?.replace(/\/$/, '') ?? createLocalUrl(HOST, port),
    close: () => (closePromise ??= Promise.all(servers.map(closeServer))),
  }
}

function createLocalUrl(host: string, port: number): string {
  const isLocal = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)
  return `http://${isLocal ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}
