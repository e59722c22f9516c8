import { text } from 'node:stream/consumers'
import { createTokenSource, type ServiceAccount } from './gcs-token.ts'
import type { GoogleRequest } from './google-upload.ts'
import { createStoreResponseError } from './map-store-errors.ts'
import type { TaskFields, TransferDeps } from './transfer.ts'

/**
 * Accesses Google Cloud Storage through its JSON API, because the connections of Google's own client library cannot be
 * limited to public IP addresses.
 */

/** A bucket in the fields of a task; see lib/tasks/gcs.ts. */
interface Bucket {
  readonly bucket: string
  readonly credentials: ServiceAccount
}

export function openGcsBucket(fields: TaskFields, deps: TransferDeps) {
  const { bucket, credentials } = fields as unknown as Bucket // parsed when the task was created
  const { guardedHttp, gcsEndpoint = 'https://storage.googleapis.com' } = deps
  const token = createTokenSource(credentials, deps)
  const request: GoogleRequest = async (location, url, options, isSuccess = (status) => status < 300) => {
    const authorization = `Bearer ${await token(options.signal)}`
    const headers = { ...options.headers, authorization }
    const response = await guardedHttp.request(url, { maxRedirects: 0, ...options, headers })
    if (isSuccess(response.status)) return response
    throw createStoreResponseError(location, {
      status: response.status,
      code: parseReason(await text(response.body)),
    })
  }
  const getObjectsUrl = (kind: 'storage' | 'upload/storage') =>
    `${gcsEndpoint}/${kind}/v1/b/${encodeURIComponent(bucket)}/o`
  return { bucket, request, getObjectsUrl }
}

export type GcsBucket = ReturnType<typeof openGcsBucket>

function parseReason(body: string): string {
  return /"reason":\s*"(\w+)"/.exec(body)?.[1] ?? 'no reason'
}
