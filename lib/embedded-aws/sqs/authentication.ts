// Verifies Signature Version 4 and reports refusals with the errors of SQS.
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isInProcess } from '../in-process-transport.ts'
import { type AwsCredentials, verifySigV4 } from '../sigv4.ts'
import type { SignatureRefusal } from '../sigv4-refusal.ts'
import { SqsError, type SqsErrorName } from './errors.ts'

/** Errors by refusal; any other refusal means that the signature is malformed. */
const refusals: Partial<Record<SignatureRefusal, SqsErrorName>> = {
  missing: 'MissingAuthenticationTokenException',
  'unknown-key': 'UnrecognizedClientException',
  'bad-token': 'UnrecognizedClientException',
  'bad-signature': 'InvalidSignatureException',
  'foreign-scope': 'InvalidSignatureException',
  expired: 'RequestExpiredException',
  skewed: 'InvalidSignatureException',
}

/** Messages of SQS that differ from those of the shared verifier, which are S3's. */
const messages: Partial<Record<SignatureRefusal, string>> = {
  missing: 'Request is missing Authentication Token',
  'unknown-key': 'The security token included in the request is invalid.',
  'bad-token': 'The security token included in the request is invalid.',
  'foreign-scope': 'Credential should be scoped to a valid region.',
  'bad-signature':
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
}

/** Returns the access key id that signed the request. */
export function authenticateSqs(
  request: IncomingMessage,
  body: Buffer,
  credentials: readonly AwsCredentials[],
  region: string,
): string {
  if (isInProcess(request)) return credentials[0]?.accessKeyId ?? ''
  const { method = 'POST', url = '/', headers } = request
  const verdict = verifySigV4({ method, url, headers, bodySha256: hash('sha256', body) }, credentials, {
    service: 'sqs',
    region,
  })
  if (verdict.ok) return verdict.accessKeyId
  const name = refusals[verdict.reason] ?? 'IncompleteSignatureException'
  throw new SqsError(name, messages[verdict.reason] ?? verdict.message)
}
