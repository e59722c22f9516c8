import type { Config } from '../config.ts'
import type { Services } from '../services/services.ts'
import type { HttpEvent } from './contract.ts'

const hostPattern = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * Returns the origin at which a request reached the service, such as `http://192.168.1.5:8080`. The client controls
 * `Host`, so use the origin only in replies to that client, never in emails or events. Behind a proxy that terminates
 * TLS, the `Origin` header of the service's own page shows that it is https.
 */
export function getOrigin({ host, origin }: HttpEvent['headers']): string | undefined {
  if (host === undefined || !hostPattern.test(host)) return undefined
  const page = URL.parse(origin ?? '')
  const isSecure = page?.protocol === 'https:' && page.host === new URL(`https://${host}`).host
  return URL.parse(`${isSecure ? 'https' : 'http'}://${host}`)?.origin
}

/** Maximum number of cached origins; the clients of a network use few names for the service. */
const maxOrigins = 16

/**
 * Returns a function that selects the services for a request, so that URLs in its reply work for its sender. Without a
 * configured public URL, `localhost` in a reply would be the client's own machine.
 */
export function createServicesForOrigin(services: Services): (event: HttpEvent) => Services {
  const { config, withConfig } = services
  const servicesByOrigin = new Map<string, Services>()
  return (event) => {
    const origin = config.TRUST_HOST === '1' ? getOrigin(event.headers) : undefined
    if (origin === undefined || origin === config.PUBLIC_URL) return services
    const originServices = servicesByOrigin.get(origin) ?? withConfig(createConfigForOrigin(config, origin))
    servicesByOrigin.delete(origin)
    servicesByOrigin.set(origin, originServices)
    const [oldest] = servicesByOrigin.keys()
    if (servicesByOrigin.size > maxOrigins && oldest !== undefined) servicesByOrigin.delete(oldest)
    return originServices
  }
}

const createConfigForOrigin = (config: Config, origin: string): Config => ({
  ...config,
  PUBLIC_URL: origin,
  // A storage server with another host name has the same URL for every client.
  ...(config.S3_PUBLIC_ENDPOINT?.startsWith(`${config.PUBLIC_URL}/`) && {
    S3_PUBLIC_ENDPOINT: `${origin}${config.S3_PUBLIC_ENDPOINT.slice(config.PUBLIC_URL?.length)}`,
  }),
})
