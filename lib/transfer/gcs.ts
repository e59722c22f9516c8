import { json } from 'node:stream/consumers'
import { bucketOf, type GcsBucket } from './gcs-bucket.ts'
import { sendToSession } from './gcs-upload.ts'
import { filesBelow, lastPart } from './list-prefix.ts'
import type { Find, OpenStore, RemoteFile, Surroundings } from './transfer.ts'

/** Of an object's resource, what is asked for; numbers of 64 bits are texts in it. */
interface Listed {
  readonly name: string
  readonly size: string
  readonly generation: string
  readonly contentEncoding?: string
}

const listed = 'name,size,generation,contentEncoding'

export const findInGcs: Find = async (fields, surroundings) => {
  const box = bucketOf(fields, surroundings)
  const { key, key_prefix: prefix = '' } = fields as { key?: string; key_prefix?: string }
  const place = `bucket ${box.bucket}`
  const objects =
    key === undefined
      ? await filesBelow(objectsBelow(box, prefix, surroundings), { field: 'key_prefix', prefix, place })
      : [await objectOf(box, key, surroundings)]
  return objects.map((object) => fileOf(box, object))
}

async function* objectsBelow({ ask, bucket, objects }: GcsBucket, prefix: string, { signal }: Surroundings) {
  const asked = new URLSearchParams({ prefix, fields: `items(${listed}),nextPageToken` })
  do {
    const { body } = await ask(bucket, `${objects('storage')}?${asked}`, { signal })
    const { items = [], nextPageToken = '' } = (await json(body)) as {
      items?: Listed[]
      nextPageToken?: string
    }
    yield* items
    asked.set('pageToken', nextPageToken)
  } while (asked.get('pageToken'))
}

async function objectOf({ ask, bucket, objects }: GcsBucket, key: string, { signal }: Surroundings) {
  const url = `${objects('storage')}/${encodeURIComponent(key)}?fields=${listed}`
  const { body } = await ask(`${bucket}/${key}`, url, { signal })
  return (await json(body)) as Listed
}

function fileOf(
  { ask, bucket, objects }: GcsBucket,
  { name, size, generation, contentEncoding }: Listed,
): RemoteFile {
  // What lies there compressed is unpacked on its way, and then neither its length nor its parts are known.
  const isPlain = contentEncoding !== 'gzip'
  const url = `${objects('storage')}/${encodeURIComponent(name)}?alt=media&ifGenerationMatch=${generation}`
  return {
    filename: lastPart(name),
    size: isPlain ? Number(size) : undefined,
    isResumable: isPlain,
    open: async (start, signal) => {
      const headers: Record<string, string> = start > 0 ? { range: `bytes=${start}-` } : {}
      const right = start > 0 ? 206 : 200
      const answer = await ask(`${bucket}/${name}`, url, { headers, signal }, (status) => status === right)
      return answer.body
    },
  }
}

export const openGcs: OpenStore = async (fields, surroundings) => {
  const { ask, bucket, objects } = bucketOf(fields, surroundings)
  const { acl, cache_control, content_disposition, metadata } = fields as {
    acl?: string
    cache_control?: string
    content_disposition?: string
    metadata?: Record<string, string>
  }
  return {
    async put(file, sent) {
      const { path, size, mimeType } = file
      const place = `${bucket}/${path}`
      const query = new URLSearchParams({
        ...{ uploadType: 'resumable', name: path, fields: 'size' },
        ...(acl && { predefinedAcl: acl }),
      })
      const { headers, body } = await ask(place, `${objects('upload/storage')}?${query}`, {
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
          ...(metadata && { metadata }),
        }),
        signal: surroundings.signal,
      })
      body.destroy()
      await sendToSession(String(headers.location), file, { ask, place, sent, signal: surroundings.signal })
      return `gs://${place}`
    },
    close: async () => {},
  }
}
