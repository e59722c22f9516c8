// Creates, lists and deletes buckets, and returns their properties.
import { accountId, accountOwner } from './account.ts'
import { readTextBody } from './body.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { formatIsoTime, getNowRoundedToSeconds } from './call.ts'
import { createNotImplementedError, S3Error } from './errors.ts'
import { removeUpload } from './multipart.ts'
import { refuseUnsupported } from './object-metadata.ts'
import { readCount } from './paging.ts'
import { createNoSuchBucketError } from './require-bucket.ts'
import { fromXml, getChildText, toXml } from './xml.ts'

export function listBuckets({ db, region }: S3Services, { query }: S3Call): S3Reply {
  const maxBuckets = readCount('max-buckets', query.get('max-buckets'), 10_000, 10_000)
  const prefix = query.get('prefix') ?? ''
  const afterName = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString()
  const wantedRegion = query.get('bucket-region') ?? region
  const rows = db.sql.all`SELECT name, created FROM bucket WHERE name > ${afterName} ORDER BY name`
  const foundRows = rows.filter(({ name }) => wantedRegion === region && String(name).startsWith(prefix))
  const page = foundRows.slice(0, maxBuckets)
  const lastBucket = page.at(-1)
  return {
    xml: toXml('ListAllMyBucketsResult', {
      Owner: accountOwner,
      Buckets: {
        Bucket: page.map(({ name, created }) => ({
          Name: String(name),
          CreationDate: formatIsoTime(Number(created)),
          BucketRegion: region,
        })),
      },
      Prefix: query.get('prefix'),
      ContinuationToken:
        lastBucket && foundRows.length > page.length
          ? Buffer.from(String(lastBucket.name)).toString('base64')
          : undefined,
    }),
  }
}

export async function createBucket({ db, region }: S3Services, call: S3Call): Promise<S3Reply> {
  const { bucket, headers } = call
  if (!isBucketName(bucket)) throw new S3Error('InvalidBucketName', undefined, { BucketName: bucket })
  const lock = headers.get('x-amz-bucket-object-lock-enabled')
  if (lock?.toLowerCase() === 'true') throw createNotImplementedError('x-amz-bucket-object-lock-enabled')
  const ownership = headers.get('x-amz-object-ownership')
  if (ownership !== undefined && ownership !== 'BucketOwnerEnforced')
    throw createNotImplementedError('x-amz-object-ownership')
  refuseUnsupported(headers)
  checkLocation(await readTextBody(call), region)
  const { changes } = await db.write(
    () =>
      db.sql
        .run`INSERT OR IGNORE INTO bucket (name, created) VALUES (${bucket}, ${getNowRoundedToSeconds()})`,
  )
  // us-east-1 responds with 200 when the owner creates a bucket again, all other regions with 409.
  if (Number(changes) === 0 && region !== 'us-east-1')
    throw new S3Error('BucketAlreadyOwnedByYou', undefined, { BucketName: bucket })
  return { headers: { location: `/${bucket}` } }
}

/**
 * Whether a name is valid for a general purpose bucket: host name labels of a-z, 0-9 and -, 3 to 63 characters in
 * total, with AWS's exceptions.
 */
function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
    !/\.[.-]|-\./.test(name) &&
    !/^\d+\.\d+\.\d+\.\d+$/.test(name) &&
    !/^(xn--|sthree-|amzn-s3-demo-)/.test(name) &&
    !/(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/.test(name)
  )
}

function checkLocation(body: string, region: string): void {
  const namedBucket =
    body.trim() === ''
      ? undefined
      : getChildText(fromXml(body, 'CreateBucketConfiguration'), 'LocationConstraint')
  const location = namedBucket || 'unspecified'
  // A missing location means us-east-1.
  if (location === (region === 'us-east-1' ? 'unspecified' : region)) return
  if (region === 'us-east-1' && !/^[a-z]{2}(-[a-z]+)+-\d$|^EU$/.test(location))
    throw new S3Error('InvalidLocationConstraint', undefined, { LocationConstraint: location })
  if (location === 'us-east-1')
    throw new S3Error('InvalidLocationConstraint', undefined, { LocationConstraint: location })
  throw new S3Error(
    'IllegalLocationConstraintException',
    `The ${location} location constraint is incompatible for the region specific endpoint this request was sent to.`,
  )
}

export async function deleteBucket({ db, blobs }: S3Services, { bucket }: S3Call): Promise<S3Reply> {
  const orphanedBlobs = await db.write(() => {
    if (db.sql.get`SELECT 1 FROM object WHERE bucket = ${bucket} LIMIT 1`)
      throw new S3Error('BucketNotEmpty', undefined, { BucketName: bucket })
    const { changes } = db.sql.run`DELETE FROM bucket WHERE name = ${bucket}`
    if (Number(changes) === 0) throw createNoSuchBucketError(bucket)
    db.sql.run`DELETE FROM setting WHERE bucket = ${bucket}`
    const uploads = db.sql.all`SELECT id FROM upload WHERE bucket = ${bucket}`
    return uploads.flatMap(({ id }) => removeUpload(db, { id: String(id) }))
  })
  void blobs.remove(orphanedBlobs)
  return { status: 204 }
}

export function headBucket({ region }: S3Services): S3Reply {
  return { headers: { 'x-amz-bucket-region': region, 'x-amz-access-point-alias': 'false' } }
}

export function getLocation({ region }: S3Services): S3Reply {
  // An empty element means us-east-1.
  const location = region === 'us-east-1' ? '' : region
  const xml = toXml('LocationConstraint', {}).replace(
    '></LocationConstraint>',
    `>${location}</LocationConstraint>`,
  )
  return { xml }
}

/** Returns the ACL of a bucket or object: full control for the owner, no access for others. */
export function getAcl(): S3Reply {
  const grantee = { ID: accountOwner.ID, DisplayName: accountOwner.DisplayName }
  const xml = toXml('AccessControlPolicy', {
    Owner: accountOwner,
    AccessControlList: { Grant: { Grantee: grantee, Permission: 'FULL_CONTROL' } },
  })
  const typedGrantee =
    '<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser">'
  return { xml: xml.replace('<Grantee>', typedGrantee) }
}

/** Checks the owner that the client expects; there is only one account. */
export function checkExpectedOwner({ headers }: S3Call): void {
  const expected = [
    headers.get('x-amz-expected-bucket-owner'),
    headers.get('x-amz-source-expected-bucket-owner'),
  ]
  if (expected.some((owner) => owner !== undefined && owner !== accountId)) throw new S3Error('AccessDenied')
}
