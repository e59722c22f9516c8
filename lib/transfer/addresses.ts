import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { AppError } from '../errors.ts'

/**
 * Decides which IP addresses users may make this service connect to: those of the public internet, and of networks that
 * the operator allows.
 */

interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** Returns all IP addresses of a host name. */
export type ResolveHost = (host: string) => Promise<readonly Address[]>

const resolveByDns: ResolveHost = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }))

/** The part of IPv6 that is assigned to public networks so far (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** A public address in form, but in Azure it serves private data to each virtual machine. */
const azurePlatformAddress = '168.63.129.16'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Checks hosts before a connection is made. */
export class AddressGuard {
  readonly #allowed: readonly Network[]
  readonly #resolve: ResolveHost

  /** Creates a guard. @param allowedNetworks non-public networks in CIDR notation that may be reached. */
  constructor(allowedNetworks: readonly string[] = [], resolve: ResolveHost = resolveByDns) {
    this.#allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network))
    this.#resolve = resolve
  }

  /**
   * Returns the IP address to connect to. The caller must use it instead of the name, because another lookup may return
   * another address.
   * @param host a name or an IP address, with or without brackets.
   * @throws AppError URL_NOT_ALLOWED for a host that is not public; any other error if the host is not found.
   */
  async resolve(host: string): Promise<Address> {
    const name = host.replace(/^\[(.*)\]$/, '$1')
    const literalAddress = parseAddress(name)
    const foundAddresses = literalAddress ? [literalAddress] : await this.#resolve(name)
    // A name with a private address among public ones is an attack, or may soon resolve to the private one.
    if (foundAddresses.length === 0 || !foundAddresses.every(({ address }) => this.isAllowed(address)))
      throw createAddressNotAllowedError(name)
    // IPv4 is preferred, because many networks have no IPv6 route to the internet, including that of Lambda functions.
    return foundAddresses.find(({ family }) => family === 4) ?? (foundAddresses[0] as Address) // the list is not empty
  }

  /** Rejects a private host that needs no lookup: an IP address, or `localhost`. @throws AppError URL_NOT_ALLOWED */
  requireAllowedLiteral(host: string): void {
    const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
    const isLocal = name === 'localhost' || name.endsWith('.localhost')
    const literalAddress = isLocal ? '127.0.0.1' : parseAddress(name)?.address
    if (literalAddress !== undefined && !this.isAllowed(literalAddress))
      throw createAddressNotAllowedError(name)
  }

  isAllowed(address: string): boolean {
    if (!ipaddr.isValid(address)) return false
    const parsedAddress = ipaddr.parse(address)
    if (this.#allowed.some((network) => isIn(parsedAddress, network))) return true
    if (parsedAddress.kind() === 'ipv4')
      return parsedAddress.range() === 'unicast' && parsedAddress.toString() !== azurePlatformAddress
    // Some ranges of 2000::/3 embed or translate IPv4 addresses, so the range is checked too.
    return isIn(parsedAddress, globalUnicast) && parsedAddress.range() === 'unicast'
  }
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

/** Parses an IP address, including forms that only some programs accept: `127.1`, `0x7f000001`, `017700000001`. */
function parseAddress(name: string): Address | undefined {
  if (!ipaddr.isValid(name)) return undefined
  const parsedName = ipaddr.parse(name)
  return { address: parsedName.toString(), family: parsedName.kind() === 'ipv6' ? 6 : 4 }
}

export const createAddressNotAllowedError = (host: string) =>
  new AppError(
    'URL_NOT_ALLOWED',
    `${host.slice(0, 253)} does not have a public IP address. Use a host that can be reached from the internet.`,
    { host: host.slice(0, 253) },
  )
