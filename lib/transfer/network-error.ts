import { errors } from 'undici'
import { RemoteError } from './remote-error.ts'

/** A host that gave no answer. */
export function networkError(host: string, cause: unknown): RemoteError {
  const hasTimedOut =
    cause instanceof errors.HeadersTimeoutError ||
    cause instanceof errors.ConnectTimeoutError ||
    (cause instanceof DOMException && cause.name === 'TimeoutError')
  const what = hasTimedOut ? 'did not answer in time' : `could not be reached${describeCause(cause)}`
  // A name or a certificate that is not there now will hardly be in half a minute.
  const isTransient = !/^ENOTFOUND$|CERT|SIGNATURE/.test(String((cause as { code?: string }).code))
  return new RemoteError('unreachable', `${host} ${what}.`, { cause, host, isTransient })
}

/** Why, in words for people, where it is known. */
function describeCause(cause: unknown): string {
  const { code = '' } = cause as { code?: string }
  const known: Readonly<Record<string, string>> = {
    ENOTFOUND: 'there is no such host',
    EAI_AGAIN: 'its name could not be looked up',
    ECONNREFUSED: 'it refused the connection',
    ECONNRESET: 'it broke the connection off',
    UND_ERR_SOCKET: 'it broke the connection off',
    UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too long',
    EHOSTUNREACH: 'there is no way to it',
    ENETUNREACH: 'there is no way to it',
    CERT_HAS_EXPIRED: 'its certificate has expired',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'nobody vouches for its certificate',
    SELF_SIGNED_CERT_IN_CHAIN: 'nobody vouches for its certificate',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'nobody vouches for its certificate',
    ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  }
  if (/^(?:EPROTO$|ERR_SSL_)/.test(code)) return ': it does not speak TLS, or not in a version of today'
  if (cause instanceof errors.HTTPParserError) return ': what it answered is no HTTP'
  return known[code] ? `: ${known[code]}` : ''
}
