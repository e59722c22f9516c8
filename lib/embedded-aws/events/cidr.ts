import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { createInvalidPatternError as bad } from './errors.ts'

/** Returns a function that tests whether an address is in a range such as `10.0.0.0/24` or `2001:db8::/32`. */
export function createCidrMatcher(cidr: string): (address: string) => boolean {
  const cidrParts = cidr.split('/')
  const [base = '', bits = ''] = cidrParts
  if (cidrParts.length !== 2) throw bad("Malformed CIDR, one '/' required")
  if (!/^\d+$/.test(bits)) throw bad('Malformed CIDR, mask bits must be an integer')
  const family = isIPv4(base) ? 'ipv4' : isIPv6(base) && !base.includes('%') ? 'ipv6' : undefined
  if (!family) throw bad(`Nonstandard IP address: ${base}`)
  // The full mask is refused as well, because a single address is written without a mask.
  const [name, below] = family === 'ipv4' ? ['IPv4', 32] : ['IPv6', 128]
  if (Number(bits) >= below) throw bad(`${name} mask bits must be < ${below}`)
  const range = new BlockList()
  range.addSubnet(base, Number(bits), family)
  // A BlockList treats ::ffff:10.0.0.1 as an IPv4 address, but EventBridge only compares addresses of one family.
  return (address) => (isIPv4(address) ? 'ipv4' : 'ipv6') === family && range.check(address, family)
}
