import { AppError } from '../errors.ts'
import { createAddressNotAllowedError } from './addresses.ts'
import { RemoteError } from './remote-error.ts'

/** The response of a store to a failed request. */
interface StoreResponse {
  readonly status: number
  /** Error code of the store; some stores send none for HEAD. */
  readonly code?: string | undefined
}

/**
 * Creates a function that runs requests to a store and maps the store's errors to those of this service.
 * @param findResponse returns the response of the store from an error of the store's client; undefined if the store did
 * not respond.
 */
export const createErrorMapper =
  (findResponse: (error: unknown) => StoreResponse | undefined) =>
  async <T>(location: string, action: () => Promise<T>): Promise<T> => {
    try {
      return await action()
    } catch (error) {
      throw mapStoreError(location, error, findResponse(error))
    }
  }

function mapStoreError(location: string, error: unknown, response: StoreResponse | undefined): unknown {
  if (error instanceof AppError || error instanceof RemoteError) return error
  const refusal = findAddressRefusal(error)
  if (refusal) return refusal
  if (!response)
    return new RemoteError('unreachable', `The storage of ${location} could not be reached.`, {
      cause: error,
    })
  return createStoreResponseError(location, response, error)
}

/** Returns the error for an unsuccessful response of a store. */
export function createStoreResponseError(
  location: string,
  { status, code }: StoreResponse,
  cause?: unknown,
): RemoteError {
  const details = { status, cause }
  const codeSuffix = code === undefined ? '' : ` (${code})`
  if (status === 401 || status === 403)
    return new RemoteError('forbidden', `The storage denied access to ${location}${codeSuffix}.`, details)
  if (status === 404)
    return new RemoteError('not-found', `${location} does not exist in the storage${codeSuffix}.`, details)
  if (status === 412)
    return new RemoteError('incomplete', `The file ${location} changed while it was being fetched.`, {
      ...details,
      changed: true,
    })
  return new RemoteError(
    'status',
    `The storage of ${location} responded with status ${status}${codeSuffix}.`,
    {
      ...details,
      isTransient: status >= 500 || status === 429 || status === 408,
    },
  )
}

/** Finds the error for an IP address that is not allowed. Third-party clients wrap errors, but keep the error code. */
function findAddressRefusal(error: unknown): AppError | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AppError) return at
    const { code, request } = at as { code?: unknown; request?: { url?: string } } // Azure adds the request
    if (code === 'URL_NOT_ALLOWED')
      return createAddressNotAllowedError(request?.url ? new URL(request.url).hostname : 'the storage')
  }
  return undefined
}
