import type { IncomingHttpHeaders } from 'node:http'

/** Headers between the page and the hosts that it asks. */

type Headers = Readonly<Record<string, string>>

/** They say how something is sent over one connection; ours is another than the browser thinks. */
const ofConnection: readonly string[] = [
  'accept-encoding',
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const lowerCase = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** What the host gets to see of a request of the page, with what the user adds to it. */
export function requestHeaders(ofPage: Headers, userAgent: string, ofUser: Headers): Record<string, string> {
  const asked = Object.entries(lowerCase(ofPage)).filter(
    ([name]) => !name.startsWith(':') && !ofConnection.includes(name),
  )
  const { cookie, ...added } = lowerCase(ofUser)
  const all: Record<string, string> = {
    ...Object.fromEntries(asked),
    'user-agent': userAgent,
    'accept-encoding': 'gzip, br',
    ...added,
  }
  const cookies = [all['cookie'], cookie].filter(Boolean).join('; ')
  return cookies === '' ? all : { ...all, cookie: cookies }
}

/** What the browser gets to see of an answer whose body was unpacked by us. */
export function answerHeaders(headers: IncomingHttpHeaders): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, given]) =>
    given === undefined || ofConnection.includes(name)
      ? []
      : [given].flat().map((value) => ({ name, value })),
  )
}
