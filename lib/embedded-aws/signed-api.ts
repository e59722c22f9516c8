// Shared by the embedded JSON and REST APIs: reading signed requests, and sending JSON and AWS errors.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isInProcess } from './in-process-transport.ts'
import { type AwsCredentials, verifySigV4 } from './sigv4.ts'
import type { SignatureRefusal } from './sigv4-refusal.ts'

/** An error that AWS documents; its code and message are sent to the client. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, message: string, status = 400) {
    super(message)
    this.name = code
    this.code = code
    this.status = status
  }
}

/** Reads a request body. @throws `tooLarge` if it is longer than `maxBytes`; the rest is read and discarded */
export async function readLimitedBody(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: Error,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  // The body is read to its end, because a client that is still writing would not see the response.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxBytes) chunks.push(chunk)
    else chunks.length = 0
    if (size > maxBytes * 4) break
  }
  if (size > maxBytes) throw tooLarge
  return Buffer.concat(chunks)
}

/** AWS's errors for signature problems; any other problem is reported as IncompleteSignatureException. */
const errorsByRefusal: Readonly<Partial<Record<SignatureRefusal, readonly [code: string, message: string]>>> =
  {
    missing: ['MissingAuthenticationTokenException', 'Missing Authentication Token'],
    'unknown-key': ['UnrecognizedClientException', 'The security token included in the request is invalid.'],
    'bad-token': ['UnrecognizedClientException', 'The security token included in the request is invalid.'],
    'bad-signature': [
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    ],
    'foreign-scope': [
      'InvalidSignatureException',
      'Credential should be scoped to a valid region and to this service.',
    ],
    expired: ['InvalidSignatureException', 'Signature expired.'],
    skewed: [
      'InvalidSignatureException',
      'Signature expired: it is more than 15 minutes away from the time of this server.',
    ],
  }

interface SignedService {
  readonly service: string
  readonly region: string
  readonly credentials: readonly AwsCredentials[]
}

/** Returns the access key that signed a request, or the error of AWS's JSON services for its signature. */
export function identifySigner(
  request: IncomingMessage,
  body: Buffer,
  options: SignedService,
): { readonly accessKeyId: string } | { readonly refusal: readonly [code: string, message: string] } {
  if (isInProcess(request)) return { accessKeyId: options.credentials[0]?.accessKeyId ?? '' }
  const { method = '', url = '/', headers } = request
  const bodySha256 = createHash('sha256').update(body).digest('hex')
  const verdict = verifySigV4({ method, url, headers, bodySha256 }, options.credentials, options)
  if (verdict.ok) return verdict
  return { refusal: errorsByRefusal[verdict.reason] ?? ['IncompleteSignatureException', verdict.message] }
}

/** Returns the access key that signed the request. @throws ApiError 403 */
export function requireSigner(request: IncomingMessage, body: Buffer, options: SignedService): string {
  const signer = identifySigner(request, body, options)
  if ('refusal' in signer) throw new ApiError(...signer.refusal, 403)
  return signer.accessKeyId
}

export function sendJson(response: ServerResponse, status: number, json: string): void {
  const bytes = Buffer.from(json)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

export function sendApiError(response: ServerResponse, status: number, code: string, body: object): void {
  response.setHeader('x-amzn-errortype', code)
  // Without this header, the unread rest of a rejected body would be taken for the next request.
  if (!response.req.complete) response.setHeader('connection', 'close')
  sendJson(response, status, JSON.stringify(body))
}
