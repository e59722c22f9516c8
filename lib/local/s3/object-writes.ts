// PutObject, CopyObject and the tags of an object.

import { commitOrRemove, type Received, readXmlBody, receiveBody } from './body.ts'
import type { Call, Reply, Services } from './call.ts'
import { isoTime, nowInSeconds } from './call.ts'
import {
  type Algorithm,
  algorithmNames,
  type Checksum,
  checksumElement,
  checksumHeader,
  checksumHeaders,
  requireAlgorithm,
} from './checksums.ts'
import { checkWrite } from './conditions.ts'
import { copyBytes, readCopySource } from './copy-source.ts'
import { invalidArgument, S3Error } from './errors.ts'
import type { EventName } from './event-messages.ts'
import { expirationHeader } from './lifecycle.ts'
import {
  checkTags,
  encryptionHeader,
  readDescription,
  readKept,
  readTagHeader,
  refuseUnsupported,
  type Tagged,
} from './object-metadata.ts'
import { commitObject, findObject, placeOf, requireObject, sourceOf } from './objects.ts'
import type { Description, StoredObject, Tag } from './stored-object.ts'
import { children, childText, type Parsed, toXml } from './xml.ts'

export async function putObject(services: Services, call: Call): Promise<Reply> {
  const description = readDescription(call.headers)
  // Also checked in the commit; here it spares the client a useless upload.
  checkWrite(call.headers, findObject(services.db, call.bucket, call.key))
  const received = await receiveBody(services, call, chosenAlgorithm(call))
  const object = await commitWhole(services, call, description, received, 'ObjectCreated:Put')
  return {
    headers: {
      etag: `"${object.etag}"`,
      ...encryptionHeader(object),
      ...checksumHeaders(object.checksum),
      ...expirationHeader(services.db, object),
    },
  }
}

/**
 * The checksum an object keeps: the client's, or CRC64NVME, which S3 adds where the client sends none. Our own requests
 * go without one: nothing has come between them and us.
 */
export function chosenAlgorithm({ headers, auth }: Pick<Call, 'headers' | 'auth'>): Algorithm | undefined {
  const named = headers.get('x-amz-trailer')?.toLowerCase()
  const sent = algorithmNames.find((one) => headers.has(checksumHeader(one)) || checksumHeader(one) === named)
  return sent ?? (auth && !auth.signed ? undefined : 'CRC64NVME')
}

/** Commits one blob as the whole object. */
export function commitWhole(
  services: Services,
  call: Call,
  description: Description,
  { blob, size, md5, checksums }: Received,
  event: EventName,
): Promise<StoredObject> {
  const [[algorithm, value] = []] = checksums
  const checksum: Checksum | undefined =
    algorithm && value ? { algorithm, type: 'FULL_OBJECT', value } : undefined
  return commitOrRemove(services, blob, () =>
    commitObject(services, placeOf(call), {
      draft: { ...description, size, etag: md5, modified: nowInSeconds(), checksum, parts: 0 },
      segments: [{ number: 1, blob, size, checksum: value ?? '' }],
      event,
    }),
  )
}

export async function copyObject(services: Services, call: Call): Promise<Reply> {
  refuseUnsupported(call.headers)
  const source = readCopySource(services, call)
  const description = describeCopy(call, source)
  checkWrite(call.headers, findObject(services.db, call.bucket, call.key))
  const named = call.headers.get('x-amz-checksum-algorithm')
  const algorithm = named === undefined ? source.checksum?.algorithm : requireAlgorithm(named)
  const received = await copyBytes(
    services,
    source,
    { first: 0, last: source.size - 1 },
    algorithm ?? 'CRC64NVME',
  )
  const object = await commitWhole(services, call, description, received, 'ObjectCreated:Copy')
  const { checksum } = object
  return {
    headers: { ...encryptionHeader(object), ...expirationHeader(services.db, object) },
    xml: toXml('CopyObjectResult', {
      LastModified: isoTime(object.modified),
      ETag: `"${object.etag}"`,
      ...(checksum && { ChecksumType: checksum.type, [checksumElement(checksum.algorithm)]: checksum.value }),
    }),
  }
}

const redirectHeader = 'x-amz-website-redirect-location'

function describeCopy(call: Call, source: StoredObject): Description {
  const metadata = readDirective(call, 'x-amz-metadata-directive')
  const tagging = readDirective(call, 'x-amz-tagging-directive')
  const kept = readKept(call.headers)
  const { [redirectHeader]: redirect } = kept
  const changes =
    metadata === 'REPLACE' ||
    tagging === 'REPLACE' ||
    call.headers.has('x-amz-storage-class') ||
    call.headers.has('x-amz-server-side-encryption')
  if (source.bucket === call.bucket && source.key === call.key && !changes && redirect === undefined)
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    )
  // "This value is unique to each object and is not copied when using the x-amz-metadata-directive."
  const { [redirectHeader]: _, ...copied } = source.headers
  return {
    headers:
      metadata === 'REPLACE'
        ? kept
        : {
            ...copied,
            ...encryptionHeader({ headers: kept }),
            ...(redirect !== undefined && { [redirectHeader]: redirect }),
          },
    tags: tagging === 'COPY' ? source.tags : readTagHeader(call.headers),
  }
}

function readDirective({ headers }: Call, name: string): 'COPY' | 'REPLACE' {
  const value = headers.get(name) ?? 'COPY'
  if (value !== 'COPY' && value !== 'REPLACE') throw invalidArgument(`Unknown ${name.slice(6)}.`, name, value)
  return value
}

export function getTags({ db }: Services, call: Call): Reply {
  return { xml: renderTags(requireObject(db, call).tags) }
}

export async function putTags(services: Services, call: Call): Promise<Reply> {
  requireObject(services.db, call)
  const tags = readTags(await readXmlBody(call, 'Tagging'), 'object')
  await changeTags(services, call, tags)
  return { status: 200 }
}

export async function deleteTags(services: Services, call: Call): Promise<Reply> {
  await changeTags(services, call, [])
  return { status: 204 }
}

async function changeTags({ db, notifier }: Services, call: Call, tags: readonly Tag[]): Promise<void> {
  await db.write(() => {
    const object = requireObject(db, call)
    db.sql.run`UPDATE object SET tags = ${JSON.stringify(tags)} WHERE id = ${object.id}`
    notifier.announce(tags.length > 0 ? 'ObjectTagging:Put' : 'ObjectTagging:Delete', object, sourceOf(call))
  })
  notifier.wake()
}

export function renderTags(tags: readonly Tag[]): string {
  return toXml('Tagging', { TagSet: { Tag: tags.map(({ key, value }) => ({ Key: key, Value: value })) } })
}

export function readTags(document: Parsed, of: Tagged): Tag[] {
  const [set] = children(document, 'TagSet')
  if (!set) throw new S3Error('MalformedXML')
  const tags = children(set, 'Tag').map((tag) => {
    const [key, value] = [childText(tag, 'Key'), childText(tag, 'Value')]
    if (key === undefined || value === undefined) throw new S3Error('MalformedXML')
    return { key, value }
  })
  return checkTags(tags, of)
}
