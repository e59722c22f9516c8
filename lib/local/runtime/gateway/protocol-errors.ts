import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { createGatewayError } from './send-response.ts'

/** Errors by the code of Node's parser; every other parse error is a bad request. */
const errorsByCode: Readonly<Record<string, readonly [status: number, sentence: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'The request line and the headers are too large. Send fewer cookies or a shorter URL.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'The request headers took longer than a minute to arrive. Send the request again.',
  ],
}
const notHttpError = [
  400,
  'This is not a valid HTTP request: its first line, a header or a chunk length in its body is malformed.',
] as const

/** Responds to malformed and incomplete requests in the format of all other errors. */
export class ProtocolErrors {
  readonly #responses = new WeakMap<Duplex, ServerResponse>()

  /** Remembers the response to a request, because the body of the request may turn out to be malformed later. */
  watch({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#responses.set(socket, response)
  }

  respond(error: NodeJS.ErrnoException, socket: Duplex): void {
    const response = this.#responses.get(socket)
    const isInProgress = response?.headersSent && !response.writableFinished
    // The client is gone, or would treat the error as the rest of the response.
    if (!socket.writable || error.code === 'ECONNRESET' || isInProgress) {
      socket.destroy()
      return
    }
    this.refuse(socket, ...(errorsByCode[error.code ?? ''] ?? notHttpError))
  }

  /** Writes the error to the raw connection and closes it. */
  refuse(socket: Duplex, status: number, sentence: string): void {
    const { headers, body } = createGatewayError(status, sentence)
    const lines = Object.entries({ ...headers, 'content-length': body.length, connection: 'close' })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.end(
      Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n`), body]),
    )
  }
}
