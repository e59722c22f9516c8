import type { IncomingHttpHeaders } from 'node:http'

/** Translates headers between the browser and the hosts that a page requests files from. */

type Headers = Readonly<Record<string, string>>

/**
 * Headers that apply to one connection only. They are not forwarded, because the browser's connection to the service
 * and the service's connection to the host are separate.
 */
const connectionHeaders: readonly string[] = [
  'accept-encoding',
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const toLowerCaseNames = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Returns the headers to send to the host: the headers of the page's request, and the headers that the user added. */
export function mergePageHeaders(
  pageHeaders: Headers,
  userAgent: string,
  userHeaders: Headers,
): Record<string, string> {
  const forwardedHeaders = Object.entries(toLowerCaseNames(pageHeaders)).filter(
    ([name]) => !name.startsWith(':') && !connectionHeaders.includes(name),
  )
  const { cookie, ...addedHeaders } = toLowerCaseNames(userHeaders)
  const allHeaders: Record<string, string> = {
    ...Object.fromEntries(forwardedHeaders),
    'user-agent': userAgent,
    'accept-encoding': 'gzip, br',
    ...addedHeaders,
  }
  const cookies = [allHeaders['cookie'], cookie].filter(Boolean).join('; ')
  return cookies === '' ? allHeaders : { ...allHeaders, cookie: cookies }
}

/** Returns the response headers for the browser. The service has already decompressed the body. */
export function toResponseHeaders(headers: IncomingHttpHeaders): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || connectionHeaders.includes(name)
      ? []
      : [value].flat().map((value) => ({ name, value })),
  )
}
