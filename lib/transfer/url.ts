import { parse as parseDisposition } from 'content-disposition'
import { defined } from '../validation/defined.ts'
import { decodeResponseBody, hasContentCoding } from './content-decoding.ts'
import { type OutgoingResponse, parseHttpUrl } from './guarded-http.ts'
import { RemoteError } from './remote-error.ts'
import type { FindFiles, TransferDeps } from './transfer.ts'

/** Finds the file at a URL. */
export const findByUrl: FindFiles = async (fields, deps) => {
  // The fields were parsed when the task was created.
  const {
    url,
    filename,
    headers = {},
  } = fields as { url: string; filename?: string; headers?: RequestHeaders }
  const firstResponse = await fetchUrl(url, headers, deps)
  const isEncoded = hasContentCoding(firstResponse)
  const length = firstResponse.headers['content-length']
  requireFullContent(firstResponse)
  const validator = findValidator(firstResponse)
  let unreadResponse: OutgoingResponse | undefined = firstResponse
  return [
    {
      filename: filename ?? parseNameFromHeader(firstResponse) ?? getNameFromUrl(firstResponse.url),
      size: length === undefined || isEncoded ? undefined : Number(length),
      isResumable:
        !isEncoded && validator !== undefined && firstResponse.headers['accept-ranges'] === 'bytes',
      open: async (start, signal) => {
        const response =
          start === 0 && unreadResponse
            ? unreadResponse
            : await fetchUrl(
                url,
                { ...headers, ...createRangeHeaders(start, validator) },
                { ...deps, signal },
              )
        unreadResponse = undefined
        if (start > 0) requireContinuation(response, start, firstResponse)
        else requireFullContent(response)
        return decodeResponseBody(response)
      },
    },
  ]
}

type RequestHeaders = Readonly<Record<string, string>>

async function fetchUrl(url: string, headers: RequestHeaders, { guardedHttp, signal }: TransferDeps) {
  const response = await guardedHttp.request(parseHttpUrl(url), { headers, signal })
  if (response.status >= 200 && response.status < 300) return response
  response.body.destroy()
  throw createStatusError(response)
}

function createStatusError({ status, url }: OutgoingResponse): RemoteError {
  const { host } = url
  const details = { status, host }
  if (status === 401 || status === 403)
    return new RemoteError('forbidden', `${host} denied access to the file (status ${status}).`, details)
  if (status === 404 || status === 410)
    return new RemoteError('not-found', `The file does not exist on ${host} (status ${status}).`, details)
  const isTransient = status === 408 || status === 429 || status >= 500
  return new RemoteError('status', `${host} responded with status ${status}.`, { ...details, isTransient })
}

/** Returns the validator for range requests: a strong ETag, or the time of the last change. */
function findValidator({ headers }: OutgoingResponse): string | undefined {
  const { etag, 'last-modified': lastModified } = headers
  return typeof etag === 'string' && !etag.startsWith('W/') ? etag : lastModified
}

const createRangeHeaders = (start: number, validator: string | undefined): RequestHeaders =>
  start === 0 ? {} : { range: `bytes=${start}-`, ...defined({ 'if-range': validator }) }

/** Refuses a partial response to a request for the whole file; some servers and caches send such a response. */
function requireFullContent(response: OutgoingResponse): void {
  const { status, url, body } = response
  const { start, end, total } = parseContentRange(response)
  if (status !== 206 || (start === 0 && end + 1 === total)) return
  body.destroy()
  const sentence = `${url.host} returned only part of the file (status 206), although the whole file was requested.`
  throw new RemoteError('incomplete', sentence, { status })
}

/**
 * Checks that a response continues the same file. Some servers support ranges but not `If-Range`, so that only the ETag
 * shows that the rest belongs to another file.
 */
function requireContinuation(
  response: OutgoingResponse,
  expectedStart: number,
  firstResponse: OutgoingResponse,
): void {
  const { status, url, body } = response
  const { start, total } = parseContentRange(response)
  const length = firstResponse.headers['content-length']
  const isOfSameSize = Number.isNaN(total) || length === undefined || total === Number(length)
  if (status === 206 && start === expectedStart && isOfSameSize && isUnchanged(response, firstResponse))
    return
  body.destroy()
  throw new RemoteError('incomplete', `The file at ${url.host} changed while it was being fetched.`, {
    changed: true,
  })
}

/** Parses `Content-Range`; values are NaN if the header is missing. */
function parseContentRange({ headers }: OutgoingResponse) {
  const [, start, end, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
  return { start: Number(start), end: Number(end), total: Number(total) }
}

/**
 * Compares the ETag, or if there is none, the time of the last change; a response without that value counts as
 * unchanged.
 */
function isUnchanged(response: OutgoingResponse, firstResponse: OutgoingResponse): boolean {
  const name = firstResponse.headers.etag === undefined ? 'last-modified' : 'etag'
  const { [name]: currentValue = firstResponse.headers[name] } = response.headers
  return currentValue === firstResponse.headers[name] && !hasContentCoding(response)
}

function parseNameFromHeader({ headers }: OutgoingResponse): string | undefined {
  const header = headers['content-disposition']
  if (typeof header !== 'string') return undefined
  try {
    return parseDisposition(header).parameters['filename']
  } catch {
    return undefined
  }
}

function getNameFromUrl({ pathname, host }: URL): string {
  const lastSegment = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(lastSegment) || host
  } catch {
    return lastSegment
  }
}
