import type { createAuthApi } from '../../functions/auth.ts'
import type { Email, Mailer } from '../../lib/mail/emails.ts'
import { defined } from '../../lib/validation/defined.ts'
import { checkReply, createEvent, type EmbeddedApp } from '../http/embedded-app.ts'

export interface BrowserReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: any reply
  readonly json: any
}

/** Creates a mailer that collects the emails instead of sending them. */
export function createMailbox(): Mailer & { readonly emails: Email[] } {
  const emails: Email[] = []
  return {
    destination: 'mailbox',
    emails,
    send: async (email) => {
      emails.push(email)
    },
  }
}

let addressCount = 0

/** Opens a browser on the page of the service, with its own cookies and IP address. */
export function openBrowser(app: EmbeddedApp, account: ReturnType<typeof createAuthApi>) {
  const jar = new Map<string, string>()
  addressCount += 1
  const address = `198.51.${Math.floor(addressCount / 250)}.${addressCount % 250}`
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, query }: { headers?: Record<string, string>; query?: Record<string, string> } = {},
  ): Promise<BrowserReply> => {
    const request = {
      body,
      address,
      ...defined({ query }),
      headers: { host: 'localhost:8080', origin: 'http://localhost:8080', ...headers },
      cookies: [...jar].map(([name, value]) => `${name}=${value}`),
    }
    const reply = path.startsWith('/v1/auth/')
      ? await sendToAuthApi(account, method, path, request)
      : await app.send(method, path, request)
    for (const line of reply.cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return reply
  }
  return { send, jar, address }
}

async function sendToAuthApi(
  account: ReturnType<typeof createAuthApi>,
  method: string,
  path: string,
  request: Parameters<typeof createEvent>[2],
): Promise<BrowserReply> {
  const event = await createEvent(method, path, request)
  const { statusCode = 0, headers = {}, cookies = [], body = '' } = await account(event, {} as never)
  const contentType = headers['content-type'] === undefined ? null : String(headers['content-type'])
  checkReply({
    method,
    path,
    status: statusCode,
    contentType,
    headers: new Headers(headers as Record<string, string>), // all are text
    text: body,
  })
  const isJson = contentType?.includes('json')
  return {
    status: statusCode,
    headers: headers as Record<string, string>,
    cookies,
    json: isJson && body ? JSON.parse(body) : undefined,
  }
}
