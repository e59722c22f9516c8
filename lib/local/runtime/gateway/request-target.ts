import type { IncomingMessage } from 'node:http'

/**
 * Matches an absolute URL whose authority has no userinfo: "userinfo and its "@" delimiter" is not allowed in http URLs
 * (RFC 9110, 4.2.4).
 */
const absoluteUrlPattern = /^http:\/\/([\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(:\d{0,5})?(?=[/?]|$)(.*)$/i

/**
 * Returns the path of a request target, and its host if it is absolute. "A server MUST accept the absolute-form in
 * requests" (RFC 9112, 3.2.2). Anything but an http URL is returned unchanged and is then not a valid path. An https
 * URL arrived without TLS, and "MUST be rejected" (RFC 9110, 7.4).
 */
export function parseTarget(url: string): { readonly path: string; readonly host?: string } {
  const [foundTarget, name = '', port = '', pathAndQuery = ''] = absoluteUrlPattern.exec(url) ?? []
  if (foundTarget === undefined) return { path: url }
  return { path: pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`, host: `${name}${port}` }
}

/**
 * Replaces an absolute target with its path. The server "MUST ignore the received Host header field (if any) and
 * instead use the host information of the request-target", so all later readers, including S3's signature check, get
 * the same host. Nothing is fetched from that host.
 */
export function normalizeTarget(request: IncomingMessage): void {
  const { path, host } = parseTarget(request.url ?? '/')
  request.url = path
  if (host === undefined) return
  request.headers.host = host
  request.headersDistinct['host'] = [host]
}
