import { text } from 'node:stream/consumers'
import { type ServiceAccount, tokensOf } from './gcs-token.ts'
import type { OutgoingRequest, OutgoingResponse } from './guarded-http.ts'
import { refusedBy } from './map-store-errors.ts'
import type { Fields, Surroundings } from './transfer.ts'

/** Google's storage by its JSON API. Google's own client cannot be told whom to connect to. */

/** A bucket as a task names it; see lib/tasks/gcs.ts. */
interface Bucket {
  readonly bucket: string
  readonly credentials: ServiceAccount
}

/** Asks the storage. @throws RemoteError for any answer but success, as far as `isFine` says what that is. */
export type Ask = (
  place: string,
  url: string,
  asked: OutgoingRequest,
  isFine?: (status: number) => boolean,
) => Promise<OutgoingResponse>

export function bucketOf(fields: Fields, surroundings: Surroundings) {
  const { bucket, credentials } = fields as unknown as Bucket // parsed when the task was made
  const { outgoing, gcsEndpoint = 'https://storage.googleapis.com' } = surroundings
  const token = tokensOf(credentials, surroundings)
  const ask: Ask = async (place, url, asked, isFine = (status) => status < 300) => {
    const authorization = `Bearer ${await token(asked.signal)}`
    const headers = { ...asked.headers, authorization }
    const answer = await outgoing.request(url, { mostRedirects: 0, ...asked, headers })
    if (isFine(answer.status)) return answer
    throw refusedBy(place, { status: answer.status, code: reasonIn(await text(answer.body)) })
  }
  const objects = (kind: 'storage' | 'upload/storage') =>
    `${gcsEndpoint}/${kind}/v1/b/${encodeURIComponent(bucket)}/o`
  return { bucket, ask, objects }
}

export type GcsBucket = ReturnType<typeof bucketOf>

function reasonIn(body: string): string {
  return /"reason":\s*"(\w+)"/.exec(body)?.[1] ?? 'no reason'
}
