import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from './http-result.ts'

/** How long the rest of a refused upload is read, so that the client gets to see the answer. */
const drainMs = 10_000

/** An answer of the gateway itself, as API Gateway words it. */
export const gatewayAnswer = (status: number, message: string): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message })),
})

export function send(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, cookies, body } = answer
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) {
    // Only the answer to a HEAD has a length that is not that of its body.
    if (name !== 'content-length' || request.method === 'HEAD') response.setHeader(name, value)
  }
  if (cookies && cookies.length > 0) response.setHeader('set-cookie', [...cookies])
  if (request.complete) response.end(body)
  else answerEarly(body, request, response)
}

/**
 * The request was answered before all of it was there. The answer goes out at once, but the connection stays open
 * while the client still writes: closed earlier, its writes would fail before it reads what we said.
 */
function answerEarly(body: Buffer, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('connection', 'close')
  if (!response.hasHeader('content-length')) response.setHeader('content-length', body.length)
  response.flushHeaders()
  if (body.length > 0) response.write(body)
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, drainMs)
  request.once('close', end)
  request.unpipe()
  request.resume()
}
