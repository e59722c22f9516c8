import { errors } from 'undici'
import { RemoteError } from './remote-error.ts'

/** Returns the error for a host that did not respond. */
export function createNetworkError(host: string, cause: unknown): RemoteError {
  const hasTimedOut =
    cause instanceof errors.HeadersTimeoutError ||
    cause instanceof errors.ConnectTimeoutError ||
    (cause instanceof DOMException && cause.name === 'TimeoutError')
  const problem = hasTimedOut ? 'did not respond in time' : `could not be reached${describeCause(cause)}`
  // A missing DNS record or an invalid certificate is hardly ever fixed within half a minute.
  const isTransient = !/^ENOTFOUND$|CERT|SIGNATURE/.test(getCode(cause))
  return new RemoteError('unreachable', `${host} ${problem}.`, { cause, host, isTransient })
}

const getCode = (cause: unknown) => (cause instanceof Error && 'code' in cause ? String(cause.code) : '')

/** Describes the cause, if it is known. */
function describeCause(cause: unknown): string {
  const code = getCode(cause)
  const reasonsByCode: Readonly<Record<string, string>> = {
    ENOTFOUND: 'the host name does not exist',
    EAI_AGAIN: 'its DNS name could not be resolved',
    ECONNREFUSED: 'it refused the connection',
    ECONNRESET: 'it closed the connection',
    UND_ERR_SOCKET: 'it closed the connection',
    UND_ERR_HEADERS_OVERFLOW: 'the headers of its response are too long',
    EHOSTUNREACH: 'there is no route to it',
    ENETUNREACH: 'there is no route to it',
    CERT_HAS_EXPIRED: 'its certificate has expired',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
    SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
    ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  }
  if (/^(?:EPROTO$|ERR_SSL_)/.test(code)) return ': it does not support TLS, or only outdated versions'
  if (cause instanceof errors.HTTPParserError) return ': its response is not valid HTTP'
  return reasonsByCode[code] ? `: ${reasonsByCode[code]}` : ''
}
