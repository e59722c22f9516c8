// Refusals of a signature, in the words of S3.
import type { IncomingMessage } from 'node:http'
import { type Accepted, type Credentials, type Refusal, verifySigV4 } from '../sigv4.ts'
import { type S3Code, S3Error } from './errors.ts'

const CODES: Readonly<Record<Refusal, S3Code>> = {
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

export function authenticate(
  request: IncomingMessage,
  credentials: readonly Credentials[],
  region: string,
): Accepted {
  const { method = 'GET', url = '/', headers } = request
  const verdict = verifySigV4({ method, url, headers }, credentials, { service: 's3', region })
  if (verdict.ok) return verdict
  const { reason, message, presigned, details } = verdict
  const code = CODES[reason]
  const named =
    code === 'AuthorizationHeaderMalformed' && presigned ? 'AuthorizationQueryParametersError' : code
  throw new S3Error(named, message, details)
}
