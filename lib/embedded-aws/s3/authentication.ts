// Verifies signatures and reports refusals with the errors of S3.
import type { IncomingMessage } from 'node:http'
import { isInProcess } from '../in-process-transport.ts'
import { type AcceptedSignature, type AwsCredentials, verifySigV4 } from '../sigv4.ts'
import type { SignatureRefusal } from '../sigv4-refusal.ts'
import { createInvalidArgumentError, type S3Code, S3Error } from './errors.ts'

const codes: Readonly<Record<SignatureRefusal, S3Code>> = {
  missing: 'AccessDenied',
  malformed: 'AuthorizationHeaderMalformed',
  'foreign-scope': 'AuthorizationHeaderMalformed',
  'no-payload-hash': 'InvalidRequest',
  'old-signature': 'InvalidRequest',
  unsupported: 'InvalidArgument',
  'two-mechanisms': 'InvalidArgument',
  'unknown-key': 'InvalidAccessKeyId',
  'bad-token': 'InvalidToken',
  'bad-signature': 'SignatureDoesNotMatch',
  'unsigned-headers': 'AccessDenied',
  expired: 'AccessDenied',
  skewed: 'RequestTimeTooSkewed',
}

const payloads = [
  'UNSIGNED-PAYLOAD',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD',
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER',
]

/** Rejects values other than the above and a SHA-256: they would look like a hash but never be checked. */
function checkPayload(payload: string): void {
  if (/^[0-9a-f]{64}$/i.test(payload) || payloads.includes(payload)) return
  throw createInvalidArgumentError(
    `x-amz-content-sha256 must be ${payloads.join(', ')} or a valid sha256 value.`,
    'x-amz-content-sha256',
    payload,
  )
}

/** The caller, and how the body is framed. */
export interface S3Caller {
  readonly accessKeyId: string
  /** Value of x-amz-content-sha256, or UNSIGNED-PAYLOAD. */
  readonly payload: string
  /** Omitted for requests from this process. */
  readonly signed?: AcceptedSignature
}

export function authenticateS3(
  request: IncomingMessage,
  credentials: readonly AwsCredentials[],
  region: string,
): S3Caller {
  const { method = 'GET', url = '/', headers } = request
  if (isInProcess(request)) {
    const payload = String(headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD')
    return { accessKeyId: credentials[0]?.accessKeyId ?? '', payload }
  }
  const verdict = verifySigV4({ method, url, headers }, credentials, { service: 's3', region })
  if (verdict.ok) {
    const { accessKeyId, payload } = verdict
    checkPayload(payload)
    return { accessKeyId, payload, signed: verdict }
  }
  const { reason, message, isPresigned, details } = verdict
  const errorCode = codes[reason]
  const code =
    errorCode === 'AuthorizationHeaderMalformed' && isPresigned
      ? 'AuthorizationQueryParametersError'
      : errorCode
  throw new S3Error(code, message, details)
}
