import { AppError } from '../errors.ts'
import { type OutgoingResponse, redirectStatuses } from '../transfer/guarded-http.ts'
import { RemoteError } from '../transfer/remote-error.ts'

/** Content types that a browser shows instead of downloading. */
const displayableTypePattern =
  /^(?:text\/|image\/|application\/(?:xhtml\+xml|xml|json|[\w.-]+\+(?:xml|json))\b)/i

/**
 * Checks that the host of the website responded with a page that a browser displays.
 * @throws RemoteError for an error response; AppError UNSUPPORTED_FORMAT for a file download.
 */
export function requirePage({ status, headers, url, body }: OutgoingResponse): void {
  if (redirectStatuses.includes(status)) return
  const refusal = findRefusal({ status, headers, url })
  if (!refusal) return
  body.destroy()
  throw refusal
}

const getContentType = (headers: OutgoingResponse['headers']) => headers['content-type'] ?? 'text/html'

function isPage(headers: OutgoingResponse['headers']): boolean {
  const isDownload = /^\s*attachment/i.test(String(headers['content-disposition'] ?? ''))
  return displayableTypePattern.test(getContentType(headers)) && !isDownload
}

/** Returns false for PDFs, archives and other files that a browser without plugins does not show in a frame. */
export const isShownInFrame = (headers: OutgoingResponse['headers']): boolean =>
  isPage(headers) || /^(?:audio|video)\//i.test(getContentType(headers))

function findRefusal({ status, headers, url }: Pick<OutgoingResponse, 'status' | 'headers' | 'url'>) {
  const { host } = url
  const details = { status, host }
  if (status === 401 || status === 403)
    return new RemoteError('forbidden', `${host} denied access to this page (status ${status}).`, details)
  if (status === 404 || status === 410)
    return new RemoteError('not-found', `${host} has no such page (status ${status}).`, details)
  if (status >= 400) {
    const isTransient = status === 408 || status === 429 || status >= 500
    return new RemoteError('status', `${host} responded with status ${status}.`, { ...details, isTransient })
  }
  if (isPage(headers)) return undefined
  const type = getContentType(headers)
  const sentence = `${host} responded with a file (${type.slice(0, 100)}) instead of a web page. Import it with import/url and convert it.`
  return new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'url', mimeType: type.slice(0, 100) })
}
