import { type AgentOptions, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect as connectTcp, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { AddressGuard } from './addresses.ts'

/**
 * HTTP and HTTPS agents for third-party clients based on `node:http`. The agents only connect to checked IP addresses.
 */
export interface GuardedAgents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

const settings: AgentOptions = { keepAlive: true, maxSockets: 50 }

type ConnectCallback = (error: Error | null, stream: Duplex) => void

export function createGuardedAgents(addressGuard: AddressGuard): GuardedAgents {
  /** Opens a connection to the checked IP address of the host in the options. */
  const connectGuarded = (
    rawOptions: unknown,
    openConnection: (to: ConnectionOptions) => Duplex,
    callback: ConnectCallback,
  ): undefined => {
    const options = rawOptions as ConnectionOptions // passed by node:http and node:https
    const host = options.host ?? 'localhost'
    addressGuard.resolve(host).then(
      ({ address, family }) => {
        const serverNameOption = !isIP(host) && { servername: options.servername || host }
        // The types of TLS connections lack `family`.
        callback(
          null,
          openConnection({ ...options, ...serverNameOption, host: address, family } as ConnectionOptions),
        )
      },
      (error: Error) => callback(error, undefined as unknown as Duplex), // ignored if there is an error
    )
  }
  class GuardedHttpAgent extends HttpAgent {
    override createConnection(options: unknown, callback: ConnectCallback) {
      // The options have a host, because `connectGuarded` sets it.
      return connectGuarded(options, (to) => connectTcp(to as Parameters<typeof connectTcp>[0]), callback)
    }
  }
  class GuardedHttpsAgent extends HttpsAgent {
    override createConnection(options: unknown, callback: ConnectCallback) {
      return connectGuarded(options, (to) => connectTls(to), callback)
    }
  }
  return { http: new GuardedHttpAgent(settings), https: new GuardedHttpsAgent(settings) }
}
