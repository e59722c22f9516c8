import { AppError } from '../errors.ts'
import { addressNotAllowedError } from './addresses.ts'
import { RemoteError } from './remote-error.ts'

/** What a store answered. */
export interface StoreResponse {
  readonly status: number
  /** In the words of the store; of a HEAD some say nothing. */
  readonly code?: string | undefined
}

/**
 * Runs what speaks to a store, and tells in words of ours what it throws.
 * @param findResponse finds the answer in an error of the store's client; undefined where there was none.
 */
export const createErrorMapper =
  (findResponse: (error: unknown) => StoreResponse | undefined) =>
  async <T>(place: string, action: () => Promise<T>): Promise<T> => {
    try {
      return await action()
    } catch (error) {
      throw mapStoreError(place, error, findResponse(error))
    }
  }

function mapStoreError(place: string, error: unknown, response: StoreResponse | undefined): unknown {
  if (error instanceof AppError || error instanceof RemoteError) return error
  const refusal = findAddressRefusal(error)
  if (refusal) return refusal
  if (!response)
    return new RemoteError('unreachable', `The storage of ${place} could not be reached.`, { cause: error })
  return storeResponseError(place, response, error)
}

/** What an answer means that is none of success. */
export function storeResponseError(
  place: string,
  { status, code }: StoreResponse,
  cause?: unknown,
): RemoteError {
  const details = { status, cause }
  const why = code === undefined ? '' : ` (${code})`
  if (status === 401 || status === 403)
    return new RemoteError('forbidden', `The storage refuses access to ${place}${why}.`, details)
  if (status === 404) return new RemoteError('not-found', `The storage has no ${place}${why}.`, details)
  if (status === 412)
    return new RemoteError('incomplete', `The file ${place} changed while it was fetched.`, {
      ...details,
      changed: true,
    })
  return new RemoteError('status', `The storage of ${place} answered with status ${status}${why}.`, {
    ...details,
    isTransient: status >= 500 || status === 429 || status === 408,
  })
}

/** The refusal of an address. Clients of other makers put errors into errors of their own, but keep the code. */
function findAddressRefusal(error: unknown): AppError | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AppError) return at
    const { code, request } = at as { code?: unknown; request?: { url?: string } }
    if (code === 'URL_NOT_ALLOWED')
      return addressNotAllowedError(request?.url ? new URL(request.url).hostname : 'the storage')
  }
  return undefined
}
