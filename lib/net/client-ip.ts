import ipaddr from 'ipaddr.js'
import { isInNetwork } from './ip-networks.ts'

interface IncomingRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** IP address of the gateway's client, which may be a proxy. */
  readonly sourceIp: string
}

/**
 * Returns the IP address of the client. Each proxy appends the address of its own client to `X-Forwarded-For`, so the
 * list is read from its end for as long as the entries are trusted proxies; anyone could have written the entries
 * before them.
 */
export function getClientIp(
  { headers, sourceIp }: IncomingRequest,
  trustedNetworks: readonly string[] = [],
): string {
  if (trustedNetworks.length === 0) return sourceIp
  const isTrustedProxy = (address: string) => trustedNetworks.some((network) => isInNetwork(address, network))
  const forwardedFor = (headers['x-forwarded-for'] ?? '').split(',').map((address) => address.trim())
  // The gateway may already have appended the address.
  if (forwardedFor.at(-1) === sourceIp) forwardedFor.pop()
  let address = sourceIp
  while (isTrustedProxy(address)) {
    const nextAddress = forwardedFor.pop()
    if (nextAddress === undefined || !ipaddr.isValid(nextAddress)) break
    address = nextAddress
  }
  return address
}
