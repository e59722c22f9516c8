import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { AppError } from '../errors.ts'

/** Where users may have this service connect to: the public internet, and networks that the operator names. */

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** The addresses of a name, all of them. */
export type ResolveHost = (host: string) => Promise<readonly Address[]>

const resolveByDns: ResolveHost = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }))

/** All of IPv6 that is given out to networks of the public so far (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** A public address by its number, at which each virtual machine of Azure finds what is for it alone. */
const azurePlatformAddress = '168.63.129.16'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Checks hosts before anybody connects to them. */
export class AddressGuard {
  readonly #allowed: readonly Network[]
  readonly #resolve: ResolveHost

  /** @param allowed networks in CIDR notation that may be reached though they are not public. */
  constructor(allowed: readonly string[] = [], resolve: ResolveHost = resolveByDns) {
    this.#allowed = allowed.map((network) => ipaddr.parseCIDR(network))
    this.#resolve = resolve
  }

  /**
   * The address to connect to. Whoever connects has to use it, and not the name: the next look-up may give another.
   * @param host a name or an address, in brackets or not.
   * @throws AppError URL_NOT_ALLOWED for a host that is not public; any other error when it is not found.
   */
  async resolve(host: string): Promise<Address> {
    const name = host.replace(/^\[(.*)\]$/, '$1')
    const literal = parseAddress(name)
    const found = literal ? [literal] : await this.#resolve(name)
    // A name with one private address among public ones is a trap, or soon leads to the private one.
    if (found.length === 0 || !found.every(({ address }) => this.isAllowed(address)))
      throw addressNotAllowedError(name)
    // Many networks have no way out by version 6, that of Lambda's functions among them.
    return found.find(({ family }) => family === 4) ?? (found[0] as Address) // it is not empty
  }

  isAllowed(address: string): boolean {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.parse(address)
    if (this.#allowed.some((network) => isIn(parsed, network))) return true
    if (parsed.kind() === 'ipv4')
      return parsed.range() === 'unicast' && parsed.toString() !== azurePlatformAddress
    // Among the ranges of 2000::/3 some embed or translate addresses of version 4.
    return isIn(parsed, globalUnicast) && parsed.range() === 'unicast'
  }
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

/** Also in forms that only some programs take for addresses: `127.1`, `0x7f000001`, `017700000001`. */
function parseAddress(name: string): Address | undefined {
  if (!ipaddr.isValid(name)) return undefined
  const parsed = ipaddr.parse(name)
  return { address: parsed.toString(), family: parsed.kind() === 'ipv6' ? 6 : 4 }
}

export const addressNotAllowedError = (host: string) =>
  new AppError(
    'URL_NOT_ALLOWED',
    `The address of ${host.slice(0, 253)} is not a public one. Name a host that can be reached from the internet.`,
    { host: host.slice(0, 253) },
  )
