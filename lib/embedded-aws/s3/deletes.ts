// DeleteObject and DeleteObjects. Deleting an object that does not exist succeeds.
import { readXmlBody, requireChecksum } from './body.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { checkDelete } from './conditions.ts'
import { createNotImplementedError, S3Error } from './errors.ts'
import { checkVersion, findObject, removeObjectRows, toEventSource } from './objects.ts'
import { createObjectArn, requirePermission } from './permissions.ts'
import { getChildren, getChildText, type Parsed, toXml } from './xml.ts'

/** AWS supports these headers only for directory buckets. */
const directoryConditions = ['x-amz-if-match-last-modified-time', 'x-amz-if-match-size']

export async function deleteObject(services: S3Services, call: S3Call): Promise<S3Reply> {
  const versionId = checkVersion(call.query)
  const condition = directoryConditions.find((name) => call.headers.has(name))
  if (condition !== undefined) throw createNotImplementedError(condition)
  await deleteOne(services, call, { key: call.key, versionId, ifMatch: call.headers.get('if-match') })
  return { status: 204, headers: versionId === undefined ? {} : { 'x-amz-version-id': versionId } }
}

interface Target {
  readonly key: string
  readonly versionId: string | undefined
  readonly ifMatch: string | undefined
}

async function deleteOne({ db, blobs, notifier }: S3Services, call: S3Call, target: Target): Promise<void> {
  const { key, versionId, ifMatch } = target
  // AWS returns this error for a version id other than null in DeleteObjects; for DeleteObject, see checkVersion.
  if (versionId !== undefined && versionId !== 'null')
    throw new S3Error('NoSuchVersion', undefined, { Key: key, VersionId: versionId })
  const orphanedBlobs = await db.write(() => {
    const object = findObject(db, call.bucket, key)
    checkDelete(ifMatch, object)
    if (!object) return []
    notifier.announce('ObjectRemoved:Delete', object, toEventSource(call))
    return removeObjectRows(db, object)
  })
  void blobs.remove(orphanedBlobs)
  notifier.wake()
}

const maxKeys = 1000

export async function deleteObjects(services: S3Services, call: S3Call): Promise<S3Reply> {
  requireChecksum(call.headers)
  const document = await readXmlBody(call, 'Delete')
  const targets = getChildren(document, 'Object').map(readTarget)
  if (targets.length === 0 || targets.length > maxKeys) throw new S3Error('MalformedXML')
  const isQuiet = getChildText(document, 'Quiet') === 'true'
  const results = await Promise.all(targets.map((target) => attempt(services, call, target)))
  return {
    xml: toXml('DeleteResult', {
      Deleted: isQuiet ? [] : results.filter((result) => !('Code' in result)),
      Error: results.filter((result) => 'Code' in result),
    }),
  }
}

function readTarget(element: Parsed): Target {
  const key = getChildText(element, 'Key')
  if (key === undefined || key === '') throw new S3Error('MalformedXML')
  if ('LastModifiedTime' in element || 'Size' in element) throw createNotImplementedError('Delete')
  return { key, versionId: getChildText(element, 'VersionId'), ifMatch: getChildText(element, 'ETag') }
}

/** Deletes one object. A failure is reported in the reply and does not affect the other objects. */
async function attempt(services: S3Services, call: S3Call, target: Target) {
  const namedObject = { Key: target.key, VersionId: target.versionId }
  try {
    requirePermission(
      services,
      call.auth?.accessKeyId ?? '',
      'DeleteObject',
      createObjectArn({ ...call, key: target.key }),
    )
    await deleteOne(services, call, target)
    return namedObject
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    return { ...namedObject, Code: error.code, Message: error.message }
  }
}
