import ipaddr from 'ipaddr.js'
import { isIn } from './ip-networks.ts'

interface Reached {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Of whoever spoke to the gateway. */
  readonly sourceIp: string
}

/**
 * The address of the client. Each proxy adds at the end of `X-Forwarded-For` whom it was asked by, so the list is
 * believed from its end and as far as the proxies are ours; what stands before anybody may have written.
 */
export function clientAddress({ headers, sourceIp }: Reached, trusted: readonly string[] = []): string {
  if (trusted.length === 0) return sourceIp
  const isOurs = (address: string) => trusted.some((network) => isIn(address, network))
  const before = (headers['x-forwarded-for'] ?? '').split(',').map((one) => one.trim())
  // The gateway has added its own client already.
  if (before.at(-1) === sourceIp) before.pop()
  let address = sourceIp
  while (isOurs(address)) {
    const next = before.pop()
    if (next === undefined || !ipaddr.isValid(next)) break
    address = next
  }
  return address
}
