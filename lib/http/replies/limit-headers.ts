import { createAnonymousPrincipal } from '../../access/anonymous.ts'
import { authenticate } from '../../access/authenticate.ts'
import { createRateLimitHeaders } from '../../access/rate-limit-windows.ts'
import { getReadWindowUsages } from '../../access/rate-limiter.ts'
import { getClientIpBehindEdge } from '../../net/edge-origin.ts'
import type { Services } from '../../services/services.ts'
import type { HttpEvent } from '../contract.ts'

/**
 * Returns the rate-limit headers of a reply to a request that was not counted, such as a page or an error. Undefined if
 * the table does not respond, because a reply such as that of /health must not depend on the table.
 */
export async function readLimitHeaders(
  event: HttpEvent,
  services: Services,
): Promise<Record<string, string> | undefined> {
  const { http } = event.requestContext
  try {
    const sourceIp = getClientIpBehindEdge({ ...event, ...http }, services.config)
    const credentials = { ...event, method: http.method, sourceIp }
    const sender = await authenticate(credentials, services).catch(() =>
      createAnonymousPrincipal({ ...credentials, headers: {}, cookies: [] }, services),
    )
    return createRateLimitHeaders(await getReadWindowUsages(services, sender), Date.now())
  } catch {
    return undefined
  }
}
