import ipaddr from 'ipaddr.js'

/** Returns the network of an IP address, which is less personal: /24 for IPv4, /64 for IPv6. */
export function getSubnet(address: string): string | null {
  if (!ipaddr.isValid(address)) return null
  const parsedAddress = ipaddr.process(address)
  const prefixBits = parsedAddress.kind() === 'ipv4' ? 24 : 64
  const addressClass = parsedAddress.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return `${addressClass.networkAddressFromCIDR(`${parsedAddress.toString()}/${prefixBits}`).toString()}/${prefixBits}`
}

/**
 * Returns the address by which anonymous requests are counted: the IPv4 address, or the IPv6 /64 network, which is one
 * household.
 */
export function toRateLimitAddress(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsedAddress = ipaddr.process(address)
  if (parsedAddress.kind() === 'ipv4') return parsedAddress.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsedAddress.toString()}/64`).toString()}/64`
}

/** Whether an IP address is in a network. @param network an IP address or a network such as `192.0.2.0/24`. */
export function isInNetwork(address: string, network: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsedAddress = ipaddr.process(address)
  const [base, prefixBits] = network.includes('/')
    ? ipaddr.parseCIDR(network)
    : [ipaddr.process(network), undefined]
  if (parsedAddress.kind() !== base.kind()) return false
  return parsedAddress.match(base, prefixBits ?? (base.kind() === 'ipv4' ? 32 : 128))
}
