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

const contentSha256Values = [
  'UNSIGNED-PAYLOAD',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD',
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER',
]

/** Rejects values other than the above and a SHA-256: they would look like a hash but never be checked. */
function checkContentSha256(contentSha256: string): void {
  if (/^[0-9a-f]{64}$/i.test(contentSha256) || contentSha256Values.includes(contentSha256)) return
  throw createInvalidArgumentError(
    `x-amz-content-sha256 must be ${contentSha256Values.join(', ')} or a valid sha256 value.`,
    'x-amz-content-sha256',
    contentSha256,
  )
}

/** The caller, and how the body is framed. */
export interface S3Caller {
  readonly accessKeyId: string
  /** Value of x-amz-content-sha256, or UNSIGNED-PAYLOAD. */
  readonly contentSha256: string
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
    const contentSha256 = String(headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD')
    return { accessKeyId: credentials[0]?.accessKeyId ?? '', contentSha256 }
  }
  const verdict = verifySigV4({ method, url, headers }, credentials, { service: 's3', region })
  if (verdict.ok) {
    const { accessKeyId, contentSha256 } = verdict
    checkContentSha256(contentSha256)
    return { accessKeyId, contentSha256, signed: verdict }
  }
  const { reason, message, isPresigned, details } = verdict
  const errorCode = codes[reason]
  const code =
    errorCode === 'AuthorizationHeaderMalformed' && isPresigned
      ? 'AuthorizationQueryParametersError'
      : errorCode
  throw new S3Error(code, message, details)
}
