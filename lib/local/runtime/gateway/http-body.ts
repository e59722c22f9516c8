import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { quotas } from '../../../embedded-aws/quotas.ts'
import type { HttpEventBody } from './http-event.ts'

const maxBodyBytes = quotas.gatewayBodyBytes.value

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Reads the body of a request and returns it as the fields of an HTTP event. Returns undefined if the body is too
 * large, without reading it to its end.
 */
export async function readEventBody(request: IncomingMessage): Promise<HttpEventBody | undefined> {
  if (!hasBody(request)) return { isBase64Encoded: false }
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return undefined
  const bytes = await readBytes(request)
  if (!bytes) return undefined
  if (bytes.length === 0) return { isBase64Encoded: false }
  const isText = textTypePattern.test(request.headers['content-type'] ?? '') && isUtf8(bytes)
  return isText
    ? { body: bytes.toString('utf8'), isBase64Encoded: false }
    : { body: bytes.toString('base64'), isBase64Encoded: true }
}

/** Types whose bodies reach a function as text; all others are sent in base64, including browser forms. */
const textTypePattern =
  /^\s*(?:text\/[\w.+-]+|application\/(?:json|xml|javascript|[\w.-]+\+(?:json|xml)))\s*(?:;|$)/i

/** Reads a body. Doesn't use async iteration, which would close the connection of a rejected request. */
function readBytes(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const collectChunk = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= maxBodyBytes) return
      request.off('data', collectChunk)
      resolve(undefined)
    }
    request.on('data', collectChunk)
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
  })
}
