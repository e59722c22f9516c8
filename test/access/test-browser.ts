import type { createAuthApi } from '../../functions/auth.ts'
import type { Email, Mailer } from '../../lib/access/auth/emails.ts'
import { type EmbeddedApp, eventOf } from '../http/embedded-app.ts'

export interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: whatever is answered
  readonly json: any
}

/** A letter box that holds what is sent. */
export function letterBox(): Mailer & { readonly letters: Email[] } {
  const letters: Email[] = []
  return {
    destination: 'mailbox',
    letters,
    send: async (letter) => {
      letters.push(letter)
    },
  }
}

let addresses = 0

/** A browser with cookies of its own, at the page of the service, from an address of its own. */
export function visitorOf(app: EmbeddedApp, account: ReturnType<typeof createAuthApi>) {
  const jar = new Map<string, string>()
  addresses += 1
  const address = `198.51.${Math.floor(addresses / 250)}.${addresses % 250}`
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, query }: { headers?: Record<string, string>; query?: Record<string, string> } = {},
  ): Promise<Seen> => {
    const sent = {
      ...{ body, address, ...(query && { query }) },
      headers: { host: 'localhost:8080', origin: 'http://localhost:8080', ...headers },
      cookies: [...jar].map(([name, value]) => `${name}=${value}`),
    }
    const seen = path.startsWith('/v1/auth/')
      ? await asSeen(account, method, path, sent)
      : await app.send(method, path, sent)
    for (const line of seen.cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return seen
  }
  return { send, jar, address }
}

async function asSeen(
  account: ReturnType<typeof createAuthApi>,
  method: string,
  path: string,
  sent: Parameters<typeof eventOf>[2],
): Promise<Seen> {
  const event = await eventOf(method, path, sent)
  const { statusCode = 0, headers = {}, cookies = [], body = '' } = await account(event, {} as never)
  const isJson = String(headers['content-type']).includes('json')
  return {
    status: statusCode,
    headers: headers as Record<string, string>,
    cookies,
    json: isJson && body ? JSON.parse(body) : undefined,
  }
}
