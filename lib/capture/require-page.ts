import { AppError } from '../errors.ts'
import { type OutgoingResponse, redirects } from '../transfer/guarded-http.ts'
import { RemoteError } from '../transfer/remote-error.ts'

/** What a browser shows instead of saving it. */
const shown = /^(?:text\/|image\/|application\/(?:xhtml\+xml|xml|json|[\w.-]+\+(?:xml|json))\b)/i

/** @throws RemoteError for an answer that is an error; AppError UNSUPPORTED_FORMAT for one that is a file. */
export function requirePage({ status, headers, url, body }: OutgoingResponse): void {
  if (redirects.includes(status)) return
  const refusal = refusalOf({ status, headers, url })
  if (!refusal) return
  body.destroy()
  throw refusal
}

function refusalOf({ status, headers, url }: Pick<OutgoingResponse, 'status' | 'headers' | 'url'>) {
  const { host } = url
  const details = { status, host }
  if (status === 401 || status === 403)
    return new RemoteError('forbidden', `${host} does not show this page (status ${status}).`, details)
  if (status === 404 || status === 410)
    return new RemoteError('not-found', `${host} has no such page (status ${status}).`, details)
  if (status >= 400) {
    const isPassing = status === 408 || status === 429 || status >= 500
    return new RemoteError('status', `${host} answered with status ${status}.`, { ...details, isPassing })
  }
  const type = headers['content-type'] ?? 'text/html'
  const isSaved = /^\s*attachment/i.test(String(headers['content-disposition'] ?? ''))
  if (shown.test(type) && !isSaved) return undefined
  const sentence = `${host} answered with a file (${type.slice(0, 100)}), not with a page. Fetch it with import/url and convert it.`
  return new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'url', mimeType: type.slice(0, 100) })
}
