// Which right an operation takes (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html).
import type { Call, Services } from './call.ts'
import { S3Error } from './errors.ts'

/** By route; what is not named has its right by the name of the route, which no function of the service has. */
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

type Subject = Pick<Call, 'bucket' | 'key'>

export const objectArn = ({ bucket, key }: Subject) => `arn:aws:s3:::${bucket}/${key}`
export const bucketArn = ({ bucket }: Pick<Call, 'bucket'>) => `arn:aws:s3:::${bucket}`

export function mayDo(
  { may }: Services,
  accessKeyId: string,
  action: string,
  resource: string,
  facts?: Readonly<Record<string, readonly string[]>>,
): boolean {
  return may({ accessKeyId, action: `s3:${action}`, resource, ...(facts && { facts }) })
}

/** @throws S3Error AccessDenied */
export function requireRight(...asked: Parameters<typeof mayDo>): void {
  if (!mayDo(...asked)) throw new S3Error('AccessDenied')
}

/** Of a request that is signed as a whole. Each key of many that are deleted, and the source of a copy, is asked for apart. */
export function checkRights(services: Services, call: Call, route: string): void {
  const { key, query, auth } = call
  if (!auth || route === 'POST delete') return
  const kind = key === '' ? 'bucket' : 'object'
  const action = actions[`${kind} ${route}`] ?? route
  const prefix = query.get('prefix')
  const resource = kind === 'bucket' ? bucketArn(call) : objectArn(call)
  const facts = action === 'ListBucket' && prefix !== undefined ? { 's3:prefix': [prefix] } : undefined
  requireRight(services, auth.accessKeyId, action, resource, facts)
  const source = /^\/?([^/]+)\/([^?]+)/.exec(call.headers.get('x-amz-copy-source') ?? '')
  if (source) {
    const [, bucket = '', path = ''] = source
    const from = objectArn({ bucket, key: decodeURIComponent(path) })
    requireRight(services, auth.accessKeyId, 'GetObject', from)
  }
}

/** Who may not list the bucket does not learn that there is no such object. */
export function hidingAbsence(services: Services, call: Call, error: unknown): unknown {
  const isAbsence = error instanceof S3Error && error.code === 'NoSuchKey' && call.auth !== undefined
  if (!isAbsence || mayDo(services, call.auth?.accessKeyId ?? '', 'ListBucket', bucketArn(call))) return error
  return new S3Error('AccessDenied')
}
