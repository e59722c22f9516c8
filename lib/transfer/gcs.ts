import { json } from 'node:stream/consumers'
import { defined } from '../validation/defined.ts'
import { type GcsBucket, openGcsBucket } from './gcs-bucket.ts'
import { uploadToSession } from './google-upload.ts'
import { getBaseName, listPrefix } from './list-prefix.ts'
import type { FindFiles, OpenStore, RemoteFile, TransferDeps } from './transfer.ts'

/** The requested fields of an object; 64-bit numbers are strings in Google's JSON. */
interface ObjectResource {
  readonly name: string
  readonly size: string
  readonly generation: string
  readonly contentEncoding?: string
}

const resourceFields = 'name,size,generation,contentEncoding'

export const findInGcs: FindFiles = async (fields, deps) => {
  const gcs = openGcsBucket(fields, deps)
  // The fields were parsed when the task was created.
  const { key, key_prefix: prefix = '' } = fields as { key?: string; key_prefix?: string }
  const location = `bucket ${gcs.bucket}`
  const objects =
    key === undefined
      ? await listPrefix(listObjects(gcs, prefix, deps), { field: 'key_prefix', prefix, location })
      : [await readObject(gcs, key, deps)]
  return objects.map((object) => toRemoteFile(gcs, object))
}

async function* listObjects(
  { request, bucket, getObjectsUrl }: GcsBucket,
  prefix: string,
  { signal }: TransferDeps,
) {
  const query = new URLSearchParams({ prefix, fields: `items(${resourceFields}),nextPageToken` })
  do {
    const { body } = await request(bucket, `${getObjectsUrl('storage')}?${query}`, { signal })
    // Google documents this format.
    const { items = [], nextPageToken = '' } = (await json(body)) as {
      items?: ObjectResource[]
      nextPageToken?: string
    }
    yield* items
    query.set('pageToken', nextPageToken)
  } while (query.get('pageToken'))
}

async function readObject(
  { request, bucket, getObjectsUrl }: GcsBucket,
  key: string,
  { signal }: TransferDeps,
) {
  const url = `${getObjectsUrl('storage')}/${encodeURIComponent(key)}?fields=${resourceFields}`
  const { body } = await request(`${bucket}/${key}`, url, { signal })
  return (await json(body)) as ObjectResource // as documented by Google
}

function toRemoteFile(
  { request, bucket, getObjectsUrl }: GcsBucket,
  { name, size, generation, contentEncoding }: ObjectResource,
): RemoteFile {
  // Objects stored with gzip are decompressed in transit, so their length is unknown and they cannot be read by range.
  const isUncompressed = contentEncoding !== 'gzip'
  const url = `${getObjectsUrl('storage')}/${encodeURIComponent(name)}?alt=media&ifGenerationMatch=${generation}`
  return {
    filename: getBaseName(name),
    size: isUncompressed ? Number(size) : undefined,
    isResumable: isUncompressed,
    open: async (start, signal) => {
      const headers: Record<string, string> = start > 0 ? { range: `bytes=${start}-` } : {}
      const expectedStatus = start > 0 ? 206 : 200
      const response = await request(
        `${bucket}/${name}`,
        url,
        { headers, signal },
        (status) => status === expectedStatus,
      )
      return response.body
    },
  }
}

export const openGcs: OpenStore = async (fields, deps) => {
  const { request, bucket, getObjectsUrl } = openGcsBucket(fields, deps)
  // The fields were parsed when the task was created.
  const { acl, cache_control, content_disposition, metadata } = fields as {
    acl?: string
    cache_control?: string
    content_disposition?: string
    metadata?: Record<string, string>
  }
  return {
    async put(file, onSent) {
      const { path, size, mimeType } = file
      const location = `${bucket}/${path}`
      const query = new URLSearchParams({
        uploadType: 'resumable',
        name: path,
        fields: 'size',
        ...(acl && { predefinedAcl: acl }),
      })
      const { headers, body } = await request(location, `${getObjectsUrl('upload/storage')}?${query}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-upload-content-type': mimeType,
          'x-upload-content-length': String(size),
        },
        body: JSON.stringify({
          contentType: mimeType,
          ...(cache_control && { cacheControl: cache_control }),
          ...(content_disposition && { contentDisposition: content_disposition }),
          ...defined({ metadata }),
        }),
        signal: deps.signal,
      })
      body.destroy()
      await uploadToSession(String(headers.location), file, {
        request,
        location,
        onSent,
        signal: deps.signal,
      })
      return `gs://${location}`
    },
    close: async () => {},
  }
}
