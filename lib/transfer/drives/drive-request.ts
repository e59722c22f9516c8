import { text } from 'node:stream/consumers'
import type { GuardedHttp } from '../guarded-http.ts'
import { RemoteError } from '../remote-error.ts'
import type { Drive, DriveRequest, DriveSend } from './drive.ts'

/**
 * Timeout of a request to a drive. API Gateway waits 30 s for the service, which may need several requests to a drive
 * to answer one request of a client.
 */
const timeoutMs = 12_000

/** Creates a function that sends requests to a drive with its owner's access token. */
export function createDriveRequest(
  http: GuardedHttp,
  drive: Drive,
  api: string,
  token: string,
): DriveRequest {
  const headers = { authorization: `Bearer ${token}` }
  const request = async (
    path: string,
    { query = {}, post }: Parameters<DriveRequest>[1] = {},
  ): Promise<unknown> => {
    const url = new URL(`${api}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const response = await http.request(url, {
      ...(post !== undefined && { method: 'POST', body: JSON.stringify(post) }),
      headers: {
        ...headers,
        accept: 'application/json',
        ...(post !== undefined && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(timeoutMs),
      maxRedirects: 0,
    })
    const body = await text(response.body)
    if (response.status >= 200 && response.status < 300) return parseBody(drive, body)
    throw createDriveError(drive, response.status, body)
  }
  return Object.assign(request, { headers, api })
}

/** Creates a function that sends content to a drive. */
export const createDriveSend =
  (http: GuardedHttp, drive: Drive, signal: AbortSignal): DriveSend =>
  async (url, options, isSuccess = (status) => status < 300) => {
    const response = await http.request(url, { signal, maxRedirects: 0, ...options })
    if (isSuccess(response.status)) return response
    throw createDriveError(drive, response.status, await text(response.body))
  }

function createDriveError({ title, isNotFound, isFull }: Drive, status: number, body: string): RemoteError {
  if (isFull(status, body))
    return new RemoteError('no-space', `${title} has no space left for the file.`, { status })
  if (status === 401)
    return new RemoteError(
      'forbidden',
      `Access to ${title} has expired or was revoked. Send the request again; if that fails, connect the drive again.`,
      { status },
    )
  if (status === 403) return new RemoteError('forbidden', `${title} denied access.`, { status })
  if (status === 404 || isNotFound?.(status, body))
    return new RemoteError('not-found', `The file or folder does not exist in ${title}.`, { status })
  const isTransient = status === 429 || status >= 500
  return new RemoteError('status', `${title} responded with status ${status}.`, { status, isTransient })
}

function parseBody({ title }: Drive, body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new RemoteError('status', `${title} sent a response that is not JSON.`, { cause })
  }
}
