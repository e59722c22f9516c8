import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { clientIp } from './client-ip.ts'

/** What the address in front says of itself and of whom it was asked by; `lib/deployment/edge.ts` sends both. */
export const edgeHeaders = { secret: 'x-origin-secret', viewer: 'x-viewer-address' } as const

interface IncomingRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Of whoever spoke to the gateway. */
  readonly sourceIp: string
}

/**
 * The address of the client. Where the service has one in front, nobody comes by another way: it alone says truly whom
 * it was asked by.
 * @throws AppError for a request that went around it
 */
export function clientIpOf(
  request: IncomingRequest,
  config: Pick<Config, 'ORIGIN_SECRET' | 'TRUSTED_PROXIES' | 'PUBLIC_URL'>,
): string {
  const { ORIGIN_SECRET: secret, TRUSTED_PROXIES } = config
  if (secret === undefined) return clientIp(request, TRUSTED_PROXIES)
  if (!isEqualSecret(request.headers[edgeHeaders.secret] ?? '', secret)) {
    const sentence = `The service is not reached at this address; send requests to ${config.PUBLIC_URL}.`
    throw new AppError('INSUFFICIENT_PERMISSIONS', sentence, { expected: config.PUBLIC_URL })
  }
  return request.headers[edgeHeaders.viewer] ?? request.sourceIp
}

function isEqualSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
