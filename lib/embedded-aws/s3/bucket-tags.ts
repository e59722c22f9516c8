// The tags of a bucket.
import { readXmlBody, requireChecksum } from './body.ts'
import { deleteSetting, readSetting, writeSetting } from './bucket-settings.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { S3Error } from './errors.ts'
import { readTags, renderTags } from './object-writes.ts'

export function getBucketTags({ db }: S3Services, { bucket }: S3Call): S3Reply {
  const tags = readSetting(db, bucket, 'tagging')
  if (!tags) throw new S3Error('NoSuchTagSet', undefined, { BucketName: bucket })
  return { xml: renderTags(tags) }
}

export async function putBucketTags({ db }: S3Services, call: S3Call): Promise<S3Reply> {
  requireChecksum(call.headers)
  const tags = readTags(await readXmlBody(call, 'Tagging'), 'bucket')
  await writeSetting(db, call.bucket, 'tagging', tags)
  return { status: 204 }
}

export async function deleteBucketTags({ db }: S3Services, { bucket }: S3Call): Promise<S3Reply> {
  await deleteSetting(db, bucket, 'tagging')
  return { status: 204 }
}
