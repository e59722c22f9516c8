// Turns files on this machine into objects and objects into files, without a network connection.
import { randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import type { FileExchange } from '../../io/local-connections.ts'
import { commitOrRemove } from './body.ts'
import { getNowRoundedToSeconds, type S3Services } from './call.ts'
import { checkRead } from './conditions.ts'
import { S3Error } from './errors.ts'
import { commitObject, listSegments, requireObject } from './objects.ts'

export interface ExchangeOptions {
  readonly bucket: string
  /** Folder whose files can become objects. */
  readonly folder: string
  /** User whose files can become objects; if omitted, the files of all users can. */
  readonly owner?: number | undefined
}

export function openExchange(services: S3Services, { bucket, folder, owner }: ExchangeOptions): FileExchange {
  const { db, blobs, credentials } = services
  let folderRequest: Promise<string> | undefined
  const findSegments = (key: string, etag: string | undefined) => {
    const object = requireObject(db, { bucket, key, query: new Map() })
    checkRead(new Map(etag === undefined ? [] : [['if-match', etag]]), object)
    return listSegments(db, object)
  }
  return {
    async put(key, path, contentType) {
      folderRequest ??= realpath(folder)
      if (!(await realpath(path)).startsWith((await folderRequest) + sep)) throw new S3Error('AccessDenied')
      const { blob, size } = await blobs.adopt(path, owner)
      const source = {
        ip: '127.0.0.1',
        principal: credentials[0]?.accessKeyId ?? '',
        requestId: randomBytes(8).toString('hex').toUpperCase(),
      }
      // The ETag looks like that of a multipart upload, because it is not the MD5 of the bytes.
      const etag = `${blob}-1`
      await commitOrRemove(services, blob, () =>
        commitObject(
          services,
          { bucket, key, headers: new Map(), source },
          {
            draft: {
              size,
              etag,
              modified: getNowRoundedToSeconds(),
              tags: [],
              checksum: undefined,
              parts: 1,
              headers: { 'content-type': contentType },
            },
            segments: [{ number: 1, blob, size, checksum: '' }],
            event: 'ObjectCreated:CompleteMultipartUpload',
          },
        ),
      )
    },
    async locate(key, etag) {
      return blobs.locate(findSegments(key, etag))
    },
    async get(key, path, etag) {
      const segments = findSegments(key, etag)
      // The bytes are held before the first await, so that a delete waits for this reader.
      const release = blobs.hold(segments)
      try {
        await blobs.copyTo(segments, path)
      } finally {
        release()
      }
    },
  }
}
