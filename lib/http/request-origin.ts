import type { Config } from '../config.ts'
import type { Services } from '../services.ts'
import type { HttpEvent } from './contract.ts'

const hostPattern = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * Where a request reached the service, as `http://192.168.1.5:8080`: `Host` as the client wrote it, so it is good for
 * what only the same client gets back, and never for a letter or an event. Behind a proxy that ends TLS the page of the
 * service itself says so in `Origin`.
 */
export function originOf({ host, origin }: HttpEvent['headers']): string | undefined {
  if (host === undefined || !hostPattern.test(host)) return undefined
  const page = URL.parse(origin ?? '')
  const isSecure = page?.protocol === 'https:' && page.host === new URL(`https://${host}`).host
  return URL.parse(`${isSecure ? 'https' : 'http'}://${host}`)?.origin
}

/** Computers of one network call a service by few names. */
const maxOrigins = 16

/**
 * The services of a request, with addresses that work for whoever sent it. Where nobody said how the service is reached
 * from outside, `localhost` would be the client itself.
 */
export function servicesForOrigin(services: Services): (event: HttpEvent) => Services {
  const { config, at } = services
  const byOrigin = new Map<string, Services>()
  return (event) => {
    const origin = config.TRUST_HOST === '1' ? originOf(event.headers) : undefined
    if (origin === undefined || origin === config.PUBLIC_URL) return services
    const made = byOrigin.get(origin) ?? at(configForOrigin(config, origin))
    byOrigin.delete(origin)
    byOrigin.set(origin, made)
    const [oldest] = byOrigin.keys()
    if (byOrigin.size > maxOrigins && oldest !== undefined) byOrigin.delete(oldest)
    return made
  }
}

const configForOrigin = (config: Config, origin: string): Config => ({
  ...config,
  PUBLIC_URL: origin,
  // Another server is where it is, whoever asks.
  ...(config.S3_PUBLIC_ENDPOINT?.startsWith(`${config.PUBLIC_URL}/`) && {
    S3_PUBLIC_ENDPOINT: `${origin}${config.S3_PUBLIC_ENDPOINT.slice(config.PUBLIC_URL?.length)}`,
  }),
})
