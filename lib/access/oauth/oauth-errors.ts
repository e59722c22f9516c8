import { AppError } from '../../errors.ts'

/** Error codes of RFC 6749, 5.2. */
type OAuthErrorCode = 'invalid_request' | 'invalid_client' | 'invalid_scope' | 'unsupported_grant_type'

export function createOAuthError(
  errorCode: OAuthErrorCode,
  sentence: string,
  details: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError(errorCode === 'invalid_client' ? 'INVALID_API_KEY' : 'INVALID_INPUT', sentence, {
    ...details,
    oauth: errorCode,
  })
}

/**
 * Returns the error body for OAuth clients. RFC 6749, 5.2 limits `error_description` to %x20-21 / %x23-5B / %x5D-7E.
 */
export function toOAuthErrorBody({ status, message, details }: AppError) {
  const knownCode = details?.['oauth'] ?? (status >= 500 ? 'server_error' : 'invalid_request')
  return {
    error: String(knownCode),
    error_description: message.replaceAll('"', "'").replace(/[^\x20-\x7e]|\\/g, '?'),
  }
}

/** Returns the status of an error: RFC 6749, 5.2 has status 400 for every invalid request. */
export const toOAuthStatus = ({ status }: AppError): number => (status === 415 ? 400 : status)
