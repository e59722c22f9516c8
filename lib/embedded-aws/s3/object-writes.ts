// PutObject, CopyObject and the tags of an object.

import { commitOrRemove, type ReceivedBody, readXmlBody, receiveBody } from './body.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { formatIsoTime, getNowRoundedToSeconds } from './call.ts'
import {
  type Algorithm,
  algorithmNames,
  type Checksum,
  createChecksumHeaders,
  getChecksumElement,
  getChecksumHeader,
  requireAlgorithm,
} from './checksums.ts'
import { checkWrite } from './conditions.ts'
import { copyWhole, readCopySource } from './copy-source.ts'
import { createInvalidArgumentError, S3Error } from './errors.ts'
import type { S3EventName } from './event-messages.ts'
import { createExpirationHeader } from './lifecycle.ts'
import {
  checkTags,
  createEncryptionHeader,
  readDescription,
  readStoredHeaders,
  readTagHeader,
  refuseUnsupported,
  type TaggedKind,
} from './object-metadata.ts'
import { commitObject, findObject, requireObject, toEventSource, toWriteTarget } from './objects.ts'
import type { ObjectDescription, S3Object, S3Tag } from './stored-object.ts'
import { getChildren, getChildText, type Parsed, toXml } from './xml.ts'

export async function putObject(services: S3Services, call: S3Call): Promise<S3Reply> {
  const description = readDescription(call.headers)
  // The conditions are checked again in the commit; checking them here spares the client a useless upload.
  checkWrite(call.headers, findObject(services.db, call.bucket, call.key))
  const receivedBody = await receiveBody(services, call, chooseAlgorithm(call))
  const object = await commitSingleBlob(services, call, description, receivedBody, 'ObjectCreated:Put')
  return {
    headers: {
      etag: `"${object.etag}"`,
      ...createEncryptionHeader(object),
      ...createChecksumHeaders(object.checksum),
      ...createExpirationHeader(services.db, object),
    },
  }
}

/**
 * Chooses the checksum to store with an object: the client's, or CRC64NVME, which S3 adds if the client sends none.
 * Requests from this process get no checksum, because no network is involved.
 */
export function chooseAlgorithm({ headers, auth }: Pick<S3Call, 'headers' | 'auth'>): Algorithm | undefined {
  const namedTrailer = headers.get('x-amz-trailer')?.toLowerCase()
  const sentAlgorithm = algorithmNames.find(
    (algorithmName) =>
      headers.has(getChecksumHeader(algorithmName)) || getChecksumHeader(algorithmName) === namedTrailer,
  )
  return sentAlgorithm ?? (auth && !auth.signed ? undefined : 'CRC64NVME')
}

/** Commits one blob as the whole object. */
export function commitSingleBlob(
  services: S3Services,
  call: S3Call,
  description: ObjectDescription,
  { blob, size, md5, checksums }: ReceivedBody,
  event: S3EventName,
): Promise<S3Object> {
  const [[algorithm, value] = []] = checksums
  const checksum: Checksum | undefined =
    algorithm && value ? { algorithm, type: 'FULL_OBJECT', value } : undefined
  return commitOrRemove(services, blob, () =>
    commitObject(services, toWriteTarget(call), {
      draft: { ...description, size, etag: md5, modified: getNowRoundedToSeconds(), checksum, parts: 0 },
      segments: [{ number: 1, blob, size, checksum: value ?? '' }],
      event,
    }),
  )
}

export async function copyObject(services: S3Services, call: S3Call): Promise<S3Reply> {
  refuseUnsupported(call.headers)
  const source = readCopySource(services, call)
  const description = describeCopy(call, source)
  checkWrite(call.headers, findObject(services.db, call.bucket, call.key))
  const namedAlgorithm = call.headers.get('x-amz-checksum-algorithm')
  const algorithm =
    namedAlgorithm === undefined ? source.checksum?.algorithm : requireAlgorithm(namedAlgorithm)
  const receivedBody = await copyWhole(services, source, algorithm ?? 'CRC64NVME')
  const object = await commitSingleBlob(services, call, description, receivedBody, 'ObjectCreated:Copy')
  const { checksum } = object
  return {
    headers: { ...createEncryptionHeader(object), ...createExpirationHeader(services.db, object) },
    xml: toXml('CopyObjectResult', {
      LastModified: formatIsoTime(object.modified),
      ETag: `"${object.etag}"`,
      ...(checksum && {
        ChecksumType: checksum.type,
        [getChecksumElement(checksum.algorithm)]: checksum.value,
      }),
    }),
  }
}

const redirectHeader = 'x-amz-website-redirect-location'

function describeCopy(call: S3Call, source: S3Object): ObjectDescription {
  const metadata = readDirective(call, 'x-amz-metadata-directive')
  const tagging = readDirective(call, 'x-amz-tagging-directive')
  const keptHeaders = readStoredHeaders(call.headers)
  const { [redirectHeader]: redirect } = keptHeaders
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
  // AWS: "This value is unique to each object and is not copied when using the x-amz-metadata-directive."
  const { [redirectHeader]: _, ...copied } = source.headers
  return {
    headers:
      metadata === 'REPLACE'
        ? keptHeaders
        : {
            ...copied,
            ...createEncryptionHeader({ headers: keptHeaders }),
            ...(redirect !== undefined && { [redirectHeader]: redirect }),
          },
    tags: tagging === 'COPY' ? source.tags : readTagHeader(call.headers),
  }
}

function readDirective({ headers }: S3Call, name: string): 'COPY' | 'REPLACE' {
  const value = headers.get(name) ?? 'COPY'
  if (value !== 'COPY' && value !== 'REPLACE')
    throw createInvalidArgumentError(`Unknown ${name.slice(6)}.`, name, value)
  return value
}

export function getTags({ db }: S3Services, call: S3Call): S3Reply {
  return { xml: renderTags(requireObject(db, call).tags) }
}

export async function putTags(services: S3Services, call: S3Call): Promise<S3Reply> {
  requireObject(services.db, call)
  const tags = readObjectTags(await readXmlBody(call, 'Tagging'), 'object')
  await changeTags(services, call, tags)
  return { status: 200 }
}

export async function deleteTags(services: S3Services, call: S3Call): Promise<S3Reply> {
  await changeTags(services, call, [])
  return { status: 204 }
}

async function changeTags({ db, notifier }: S3Services, call: S3Call, tags: readonly S3Tag[]): Promise<void> {
  await db.write(() => {
    const object = requireObject(db, call)
    db.sql.run`UPDATE object SET tags = ${JSON.stringify(tags)} WHERE id = ${object.id}`
    notifier.announce(
      tags.length > 0 ? 'ObjectTagging:Put' : 'ObjectTagging:Delete',
      object,
      toEventSource(call),
    )
  })
  notifier.wake()
}

function renderTags(tags: readonly S3Tag[]): string {
  return toXml('Tagging', { TagSet: { Tag: tags.map(({ key, value }) => ({ Key: key, Value: value })) } })
}

export function readObjectTags(document: Parsed, of: TaggedKind): S3Tag[] {
  const [set] = getChildren(document, 'TagSet')
  if (!set) throw new S3Error('MalformedXML')
  const tags = getChildren(set, 'Tag').map((tag) => {
    const [key, value] = [getChildText(tag, 'Key'), getChildText(tag, 'Value')]
    if (key === undefined || value === undefined) throw new S3Error('MalformedXML')
    return { key, value }
  })
  return checkTags(tags, of)
}
