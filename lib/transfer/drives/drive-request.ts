import { text } from 'node:stream/consumers'
import type { Outgoing } from '../guarded-http.ts'
import { RemoteError } from '../remote-error.ts'
import type { Ask, Drive } from './drive.ts'

/** Milliseconds: a gateway waits for 30 s, and a page asks for more than one answer of a drive. */
const withinMs = 12_000

/** Asks a drive with an access token of its owner. */
export function asking(outgoing: Outgoing, drive: Drive, api: string, token: string): Ask {
  const headers = { authorization: `Bearer ${token}` }
  const ask = async (path: string, { query = {}, post }: Parameters<Ask>[1] = {}): Promise<unknown> => {
    const url = new URL(`${api}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const answer = await outgoing.request(url, {
      ...(post !== undefined && { method: 'POST', body: JSON.stringify(post) }),
      headers: {
        ...headers,
        accept: 'application/json',
        ...(post !== undefined && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(withinMs),
      mostRedirects: 0,
    })
    const body = await text(answer.body)
    if (answer.status >= 200 && answer.status < 300) return parsed(drive, body)
    throw refusal(drive, answer.status, body)
  }
  return Object.assign(ask, { headers, api })
}

function refusal({ title, isNotFound }: Drive, status: number, body: string): RemoteError {
  if (status === 401)
    return new RemoteError('forbidden', `${title} no longer lets this service in.`, { status })
  if (status === 403) return new RemoteError('forbidden', `${title} does not allow this.`, { status })
  if (status === 404 || isNotFound?.(status, body))
    return new RemoteError('not-found', `${title} has no such file or folder.`, { status })
  const isPassing = status === 429 || status >= 500
  return new RemoteError('status', `${title} answered with status ${status}.`, { status, isPassing })
}

function parsed({ title }: Drive, body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new RemoteError('status', `${title} answered something that is no JSON.`, { cause })
  }
}
