import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { gatewayError } from './send-response.ts'

/** By the codes of Node's parser; whatever else it does not understand is a bad request. */
const errorsByCode: Readonly<Record<string, readonly [status: number, sentence: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'The request line and the headers are larger than is taken. Send fewer cookies or a shorter address.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The headers of the request took longer than a minute. Send it again.'],
}
const notHttp = [
  400,
  'This is no HTTP request: its first line, a header or the length of a part of its body is malformed.',
] as const

/** Answers what never becomes a request, or breaks off as one, in the form of all other errors. */
export class ProtocolErrors {
  readonly #responses = new WeakMap<Duplex, ServerResponse>()

  /** A request whose body may turn out to be malformed while it is answered. */
  watch({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#responses.set(socket, response)
  }

  respond(error: NodeJS.ErrnoException, socket: Duplex): void {
    const response = this.#responses.get(socket)
    const isInProgress = response?.headersSent && !response.writableFinished
    // Nobody hears what is said, or would take it for the rest of an answer.
    if (!socket.writable || error.code === 'ECONNRESET' || isInProgress) {
      socket.destroy()
      return
    }
    this.refuse(socket, ...(errorsByCode[error.code ?? ''] ?? notHttp))
  }

  /** Says so on the bare connection, and closes it. */
  refuse(socket: Duplex, status: number, sentence: string): void {
    const { headers, body } = gatewayError(status, sentence)
    const lines = Object.entries({ ...headers, 'content-length': body.length, connection: 'close' })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.end(
      Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n`), body]),
    )
  }
}
