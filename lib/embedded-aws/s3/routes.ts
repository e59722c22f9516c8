// Finds the operation of a request by its method, the sub-resource in the query, and one header.
import { absentBucketConfigurations, absentObjectConfigurations } from './absent-configurations.ts'
import * as buckets from './buckets.ts'
import type { S3Call, S3Operation } from './call.ts'
import { deleteCors, getCors, putCors } from './cors.ts'
import { deleteObject, deleteObjects } from './deletes.ts'
import { S3Error } from './errors.ts'
import { deleteLifecycle, getLifecycle, putLifecycle } from './lifecycle-rules.ts'
import { listObjectsV1, listObjectsV2 } from './listing.ts'
import { abortMultipartUpload, createUpload, uploadPart, uploadPartCopy } from './multipart.ts'
import { completeUpload } from './multipart-complete.ts'
import { listParts, listUploads } from './multipart-lists.ts'
import { getNotification, putNotification } from './notification-settings.ts'
import { getObject, headObject } from './object-reads.ts'
import { copyObject, deleteTags, getTags, putObject, putTags } from './object-writes.ts'
import { requireObject } from './objects.ts'

const refuseAcl: S3Operation = () => {
  throw new S3Error('AccessControlListNotSupported')
}

const bucketOperations: Readonly<Record<string, S3Operation>> = {
  GET: (services, call) =>
    call.query.get('list-type') === '2' ? listObjectsV2(services, call) : listObjectsV1(services, call),
  HEAD: buckets.headBucket,
  PUT: buckets.createBucket,
  DELETE: buckets.deleteBucket,
  'GET acl': buckets.getAcl,
  'PUT acl': refuseAcl,
  'GET cors': getCors,
  'PUT cors': putCors,
  'DELETE cors': deleteCors,
  'POST delete': deleteObjects,
  'GET lifecycle': getLifecycle,
  'PUT lifecycle': putLifecycle,
  'DELETE lifecycle': deleteLifecycle,
  'GET location': buckets.getLocation,
  'GET notification': getNotification,
  'PUT notification': putNotification,
  'GET uploads': listUploads,
  ...absentBucketConfigurations,
}

const objectOperations: Readonly<Record<string, S3Operation>> = {
  GET: getObject,
  HEAD: headObject,
  PUT: putObject,
  DELETE: deleteObject,
  'PUT copy': copyObject,
  'GET acl': (services, call) => {
    requireObject(services.db, call)
    return buckets.getAcl()
  },
  'PUT acl': refuseAcl,
  'GET tagging': getTags,
  'PUT tagging': putTags,
  'DELETE tagging': deleteTags,
  'POST uploads': createUpload,
  'GET uploadId': listParts,
  'PUT uploadId': uploadPart,
  'PUT uploadId copy': uploadPartCopy,
  'POST uploadId': completeUpload,
  'DELETE uploadId': abortMultipartUpload,
  ...absentObjectConfigurations,
}

/**
 * Query parameters that select another operation. A request with an unsupported one must not be treated as a plain Get
 * or Put.
 */
const subresources = new Set([
  ...[...Object.keys(bucketOperations), ...Object.keys(objectOperations)]
    .map((route) => route.split(' ')[1])
    .filter((name) => name !== 'copy'),
  ...[
    'attributes',
    'versions',
    'metadataConfiguration',
    'metadataTable',
    'renameObject',
    'restore',
    'select',
    'session',
    'torrent',
    'abac',
  ],
])

/** Returns the operation and its name in the tables above. */
export function findS3Operation(call: S3Call): readonly [operation: S3Operation, route: string] {
  const { method, bucket, key, query, headers } = call
  if (bucket === '') {
    if (method === 'GET') return [buckets.listBuckets, 'ListAllMyBuckets']
    throw createMethodNotAllowedError(method, 'SERVICE')
  }
  const sub = [...query.keys()].find((name) => subresources.has(name))
  const copy = key !== '' && method === 'PUT' && headers.has('x-amz-copy-source') ? 'copy' : undefined
  const route = [method, sub, copy].filter((part) => part !== undefined).join(' ')
  const operation = (key === '' ? bucketOperations : objectOperations)[route]
  if (operation) return [operation, route]
  if (sub !== undefined)
    throw new S3Error('NotImplemented', `${method} ?${sub} is not implemented`, { Header: sub })
  throw createMethodNotAllowedError(method, key === '' ? 'BUCKET' : 'OBJECT')
}

function createMethodNotAllowedError(method: string, resource: string): S3Error {
  return new S3Error('MethodNotAllowed', undefined, { Method: method, ResourceType: resource })
}

/** Whether an operation needs an existing bucket; only two do not. */
export function needsBucket(operation: S3Operation): boolean {
  return operation !== buckets.createBucket && operation !== buckets.listBuckets
}
