// Checks the permission that an operation needs.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
import type { S3Call, S3Services } from './call.ts'
import { S3Error } from './errors.ts'

/**
 * Actions by route. Other operations need a permission named after their route, which no function of the service has.
 */
const actions: Readonly<Record<string, string>> = {
  'object GET': 'GetObject',
  'object HEAD': 'GetObject',
  'object PUT': 'PutObject',
  'object PUT copy': 'PutObject',
  'object POST': 'PutObject',
  'object DELETE': 'DeleteObject',
  'object POST uploads': 'PutObject',
  'object PUT uploadId': 'PutObject',
  'object PUT uploadId copy': 'PutObject',
  'object POST uploadId': 'PutObject',
  'object GET uploadId': 'ListMultipartUploadParts',
  'object DELETE uploadId': 'AbortMultipartUpload',
  'bucket GET': 'ListBucket',
  'bucket HEAD': 'ListBucket',
}

type Subject = Pick<S3Call, 'bucket' | 'key'>

export const createObjectArn = ({ bucket, key }: Subject) => `arn:aws:s3:::${bucket}/${key}`
const createBucketArn = ({ bucket }: Pick<S3Call, 'bucket'>) => `arn:aws:s3:::${bucket}`

function isAllowed(
  { authorize }: S3Services,
  accessKeyId: string,
  action: string,
  resource: string,
  conditionKeys?: Readonly<Record<string, readonly string[]>>,
): boolean {
  return authorize({ accessKeyId, action: `s3:${action}`, resource, ...(conditionKeys && { conditionKeys }) })
}

/** Throws if a request is not allowed. @throws S3Error AccessDenied */
export function requirePermission(...request: Parameters<typeof isAllowed>): void {
  if (!isAllowed(...request)) throw new S3Error('AccessDenied')
}

/** Checks a request that is signed as a whole, including the source of a copy. DeleteObjects checks each key itself. */
export function checkPermissions(services: S3Services, call: S3Call, route: string): void {
  const { key, query, auth } = call
  if (!auth || route === 'POST delete') return
  const kind = key === '' ? 'bucket' : 'object'
  const action = actions[`${kind} ${route}`] ?? route
  const prefix = query.get('prefix')
  const resource = kind === 'bucket' ? createBucketArn(call) : createObjectArn(call)
  const conditionKeys =
    action === 'ListBucket' && prefix !== undefined ? { 's3:prefix': [prefix] } : undefined
  requirePermission(services, auth.accessKeyId, action, resource, conditionKeys)
  const source = /^\/?([^/]+)\/([^?]+)/.exec(call.headers.get('x-amz-copy-source') ?? '')
  if (source) {
    const [, bucket = '', path = ''] = source
    const from = createObjectArn({ bucket, key: decodeURIComponent(path) })
    requirePermission(services, auth.accessKeyId, 'GetObject', from)
  }
}

/**
 * Replaces the error for a missing object, so that callers who may not list the bucket don't learn that it is missing.
 */
export function hideAbsence(services: S3Services, call: S3Call, error: unknown): unknown {
  const isAbsence = error instanceof S3Error && error.code === 'NoSuchKey' && call.auth !== undefined
  if (!isAbsence || isAllowed(services, call.auth?.accessKeyId ?? '', 'ListBucket', createBucketArn(call)))
    return error
  return new S3Error('AccessDenied')
}
