// The tags of a bucket.
import { readXmlBody, requireChecksum } from './body.ts'
import type { Call, Reply, Services } from './call.ts'
import { S3Error } from './errors.ts'
import { readTags, renderTags } from './object-writes.ts'
import { deleteSetting, readSetting, writeSetting } from './bucket-settings.ts'

export function getBucketTags({ db }: Services, { bucket }: Call): Reply {
  const tags = readSetting(db, bucket, 'tagging')
  if (!tags) throw new S3Error('NoSuchTagSet', undefined, { BucketName: bucket })
  return { xml: renderTags(tags) }
}

export async function putBucketTags({ db }: Services, call: Call): Promise<Reply> {
  requireChecksum(call.headers)
  const tags = readTags(await readXmlBody(call, 'Tagging'), 'bucket')
  await writeSetting(db, call.bucket, 'tagging', tags)
  return { status: 204 }
}

export async function deleteBucketTags({ db }: Services, { bucket }: Call): Promise<Reply> {
  await deleteSetting(db, bucket, 'tagging')
  return { status: 204 }
}
