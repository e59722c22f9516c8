import type { IncomingMessage } from 'node:http'

/** The authority without anybody's name before it: "userinfo and its "@" delimiter" is no part of http (RFC 9110, 4.2.4). */
const absolute = /^http:\/\/([\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(:\d{0,5})?(?=[/?]|$)(.*)$/i

/**
 * The path of a target, and the host where it names one. "A server MUST accept the absolute-form in requests"
 * (RFC 9112, 3.2.2); what is no http address stays as it is and is no path. An https one came without its TLS, and
 * "MUST be rejected" (RFC 9110, 7.4).
 */
export function parseTarget(url: string): { readonly path: string; readonly host?: string } {
  const [found, name = '', port = '', rest = ''] = absolute.exec(url) ?? []
  if (found === undefined) return { path: url }
  return { path: rest.startsWith('/') ? rest : `/${rest}`, host: `${name}${port}` }
}

/**
 * Makes of a request with an absolute target the same as one with a path. The server "MUST ignore the received Host
 * header field (if any) and instead use the host information of the request-target": so whoever reads a request, the
 * signatures of S3 too, finds one host only. It leads nowhere else than Host would: nothing is fetched from it.
 */
export function normalizeTarget(request: IncomingMessage): void {
  const { path, host } = parseTarget(request.url ?? '/')
  request.url = path
  if (host === undefined) return
  request.headers.host = host
  request.headersDistinct['host'] = [host]
}
