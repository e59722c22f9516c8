import { parse as parseDisposition } from 'content-disposition'
import { decoded, isEncoded } from './decoding.ts'
import { httpUrl, type OutgoingResponse } from './outgoing.ts'
import { RemoteError } from './remote-error.ts'
import type { Find, Surroundings } from './transfer.ts'

/** A file behind a URL. */
export const findByUrl: Find = async (fields, surroundings) => {
  const { url, filename, headers = {} } = fields as { url: string; filename?: string; headers?: Headers }
  const first = await get(url, headers, surroundings)
  const encoded = isEncoded(first)
  const length = first.headers['content-length']
  const validator = validatorOf(first)
  let unread: OutgoingResponse | undefined = first
  return [
    {
      filename: filename ?? nameIn(first) ?? nameOf(first.url),
      size: length === undefined || encoded ? undefined : Number(length),
      isResumable: !encoded && validator !== undefined && first.headers['accept-ranges'] === 'bytes',
      open: async (start, signal) => {
        const answer =
          start === 0 && unread
            ? unread
            : await get(url, { ...headers, ...rangeFrom(start, validator) }, { ...surroundings, signal })
        unread = undefined
        if (start > 0) requireRest(answer, start)
        return decoded(answer)
      },
    },
  ]
}

type Headers = Readonly<Record<string, string>>

async function get(url: string, headers: Headers, { outgoing, signal }: Surroundings) {
  const answer = await outgoing.request(httpUrl(url), { headers, signal })
  if (answer.status >= 200 && answer.status < 300) return answer
  answer.body.destroy()
  throw refusal(answer)
}

function refusal({ status, url }: OutgoingResponse): RemoteError {
  const { host } = url
  const details = { status, host }
  if (status === 401 || status === 403)
    return new RemoteError('forbidden', `${host} does not give the file out (status ${status}).`, details)
  if (status === 404 || status === 410)
    return new RemoteError('not-found', `${host} has no such file (status ${status}).`, details)
  const isPassing = status === 408 || status === 429 || status >= 500
  return new RemoteError('status', `${host} answered with status ${status}.`, { ...details, isPassing })
}

/** What says that the file is still the same: a strong tag, or the moment of its last change. */
function validatorOf({ headers }: OutgoingResponse): string | undefined {
  const { etag, 'last-modified': modified } = headers
  return typeof etag === 'string' && !etag.startsWith('W/') ? etag : modified
}

const rangeFrom = (start: number, validator: string | undefined): Headers =>
  start === 0 ? {} : { range: `bytes=${start}-`, ...(validator && { 'if-range': validator }) }

function requireRest({ status, headers, url, body }: OutgoingResponse, start: number): void {
  if (status === 206 && headers['content-range']?.startsWith(`bytes ${start}-`)) return
  body.destroy()
  throw new RemoteError('incomplete', `The file at ${url.host} changed while it was fetched.`, {
    changed: true,
  })
}

function nameIn({ headers }: OutgoingResponse): string | undefined {
  const given = headers['content-disposition']
  if (typeof given !== 'string') return undefined
  try {
    return parseDisposition(given).parameters['filename']
  } catch {
    return undefined
  }
}

function nameOf({ pathname, host }: URL): string {
  const last = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last) || host
  } catch {
    return last
  }
}
