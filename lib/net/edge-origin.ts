import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { getClientIp } from './client-ip.ts'

/** Headers from the CDN: the shared secret and the IP address of the viewer; `lib/deployment/edge.ts` sets both. */
export const edgeHeaders = { secret: 'x-origin-secret', viewer: 'x-viewer-address' } as const

interface IncomingRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** IP address of the gateway's client, which may be a proxy. */
  readonly sourceIp: string
}

/**
 * Returns the IP address of the client. If there is a CDN in front of the service, only its header is trusted.
 * @throws AppError for a request that bypassed the CDN.
 */
export function getClientIpBehindEdge(
  request: IncomingRequest,
  config: Pick<Config, 'ORIGIN_SECRET' | 'TRUSTED_PROXIES' | 'PUBLIC_URL'>,
): string {
  const { ORIGIN_SECRET: secret, TRUSTED_PROXIES } = config
  if (secret === undefined) return getClientIp(request, TRUSTED_PROXIES)
  if (!isEqualSecret(request.headers[edgeHeaders.secret] ?? '', secret)) {
    const sentence = `The service does not accept requests at this URL. Send them to ${config.PUBLIC_URL}.`
    throw new AppError('INSUFFICIENT_PERMISSIONS', sentence, { expected: config.PUBLIC_URL })
  }
  return request.headers[edgeHeaders.viewer] ?? request.sourceIp
}

function isEqualSecret(givenSecret: string, expectedSecret: string): boolean {
  const [a, b] = [Buffer.from(givenSecret), Buffer.from(expectedSecret)]
  return a.length === b.length && timingSafeEqual(a, b)
}
