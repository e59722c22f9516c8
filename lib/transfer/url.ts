import { parse as parseDisposition } from 'content-disposition'
import { decoded, isEncoded } from './content-decoding.ts'
import { httpUrl, type OutgoingResponse } from './guarded-http.ts'
import { RemoteError } from './remote-error.ts'
import type { Find, Surroundings } from './transfer.ts'

/** A file behind a URL. */
export const findByUrl: Find = async (fields, surroundings) => {
  const { url, filename, headers = {} } = fields as { url: string; filename?: string; headers?: Headers }
  const first = await get(url, headers, surroundings)
  const encoded = isEncoded(first)
  const length = first.headers['content-length']
  requireWhole(first)
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
        if (start > 0) requireRest(answer, start, first)
        else requireWhole(answer)
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
  return new RemoteError('status', `${host} responded with status ${status}.`, { ...details, isPassing })
}

/** What says that the file is still the same: a strong tag, or the moment of its last change. */
function validatorOf({ headers }: OutgoingResponse): string | undefined {
  const { etag, 'last-modified': modified } = headers
  return typeof etag === 'string' && !etag.startsWith('W/') ? etag : modified
}

const rangeFrom = (start: number, validator: string | undefined): Headers =>
  start === 0 ? {} : { range: `bytes=${start}-`, ...(validator && { 'if-range': validator }) }

/** Some servers answer with a part, or a cache does with what it has of it, though the whole was asked for. */
function requireWhole(answer: OutgoingResponse): void {
  const { status, url, body } = answer
  const { start, end, total } = rangeOf(answer)
  if (status !== 206 || (start === 0 && end + 1 === total)) return
  body.destroy()
  const sentence = `${url.host} gives out only a part of the file (status 206), though the whole was asked for.`
  throw new RemoteError('incomplete', sentence, { status })
}

/** Some servers know ranges and no conditions: then only the tag tells that the rest is of another file. */
function requireRest(answer: OutgoingResponse, from: number, first: OutgoingResponse): void {
  const { status, url, body } = answer
  const { start, total } = rangeOf(answer)
  const length = first.headers['content-length']
  const isOfSameSize = Number.isNaN(total) || length === undefined || total === Number(length)
  if (status === 206 && start === from && isOfSameSize && isSame(answer, first)) return
  body.destroy()
  throw new RemoteError('incomplete', `The file at ${url.host} changed while it was fetched.`, {
    changed: true,
  })
}

/** NaN where it does not say. */
function rangeOf({ headers }: OutgoingResponse) {
  const [, start, end, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
  return { start: Number(start), end: Number(end), total: Number(total) }
}

/** By the tag where there is one, else by the moment of the last change; who leaves it out this time says that it is. */
function isSame(answer: OutgoingResponse, first: OutgoingResponse): boolean {
  const name = first.headers.etag === undefined ? 'last-modified' : 'etag'
  const { [name]: now = first.headers[name] } = answer.headers
  return now === first.headers[name] && !isEncoded(answer)
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
