import ipaddr from 'ipaddr.js'
import { isInNetwork } from './ip-networks.ts'

interface IncomingRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Of whoever spoke to the gateway. */
  readonly sourceIp: string
}

/**
 * The address of the client. Each proxy adds at the end of `X-Forwarded-For` whom it was asked by, so the list is
 * believed from its end and as far as the proxies are ours; what stands before anybody may have written.
 */
export function clientIp({ headers, sourceIp }: IncomingRequest, trusted: readonly string[] = []): string {
  if (trusted.length === 0) return sourceIp
  const isTrustedProxy = (address: string) => trusted.some((network) => isInNetwork(address, network))
  const forwardedFor = (headers['x-forwarded-for'] ?? '').split(',').map((one) => one.trim())
  // The gateway has added its own client already.
  if (forwardedFor.at(-1) === sourceIp) forwardedFor.pop()
  let address = sourceIp
  while (isTrustedProxy(address)) {
    const next = forwardedFor.pop()
    if (next === undefined || !ipaddr.isValid(next)) break
    address = next
  }
  return address
}
