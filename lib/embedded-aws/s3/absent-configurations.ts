// Replies to requests about unsupported features as S3 replies for a bucket that does not use them: with an error or an
// empty document.
import type { S3Call, S3Operation, S3Reply, S3Services } from './call.ts'
import { type S3Code, S3Error } from './errors.ts'
import { requireObject } from './objects.ts'
import { type Element, toXml } from './xml.ts'

const respondWith =
  (root: string, content: Element = {}): S3Operation =>
  () => ({ xml: toXml(root, content) })

const respondWithError =
  (code: S3Code): S3Operation =>
  () => {
    throw new S3Error(code)
  }

/** Replies with an empty list, for configurations that a bucket may have several of; here, it has none. */
const respondWithEmptyList =
  (root: string): S3Operation =>
  (_, { query }) => {
    if (query.has('id')) throw new S3Error('NoSuchConfiguration')
    return { xml: toXml(root, { IsTruncated: false }) }
  }

/** Deleting a configuration that does not exist succeeds. */
const deleteNothing: S3Operation = () => ({ status: 204 })

const getObjectLock: S3Operation = ({ db }: S3Services, call: S3Call): S3Reply => {
  requireObject(db, call)
  throw new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration')
}

/** Operations by method and sub-resource, as in routes.ts. Writes that are not listed are not implemented. */
export const absentBucketConfigurations: Readonly<Record<string, S3Operation>> = {
  'GET accelerate': respondWith('AccelerateConfiguration'),
  'GET analytics': respondWithEmptyList('ListBucketAnalyticsConfigurationResult'),
  'GET encryption': respondWithError('ServerSideEncryptionConfigurationNotFoundError'),
  'GET intelligent-tiering': respondWithEmptyList('ListBucketIntelligentTieringConfigurationsOutput'),
  'GET inventory': respondWithEmptyList('ListInventoryConfigurationsResult'),
  'GET logging': respondWith('BucketLoggingStatus'),
  'GET metrics': respondWithEmptyList('ListMetricsConfigurationsResult'),
  'GET object-lock': respondWithError('ObjectLockConfigurationNotFoundError'),
  'GET ownershipControls': respondWith('OwnershipControls', {
    Rule: { ObjectOwnership: 'BucketOwnerEnforced' },
  }),
  'GET policy': respondWithError('NoSuchBucketPolicy'),
  'GET policyStatus': respondWithError('NoSuchBucketPolicy'),
  'GET publicAccessBlock': respondWith('PublicAccessBlockConfiguration', {
    BlockPublicAcls: true,
    IgnorePublicAcls: true,
    BlockPublicPolicy: true,
    RestrictPublicBuckets: true,
  }),
  'GET replication': respondWithError('ReplicationConfigurationNotFoundError'),
  'GET requestPayment': respondWith('RequestPaymentConfiguration', { Payer: 'BucketOwner' }),
  'GET versioning': respondWith('VersioningConfiguration'),
  'GET website': respondWithError('NoSuchWebsiteConfiguration'),
  'DELETE encryption': deleteNothing,
  'DELETE policy': deleteNothing,
  'DELETE replication': deleteNothing,
  'DELETE website': deleteNothing,
}

export const absentObjectConfigurations: Readonly<Record<string, S3Operation>> = {
  'GET legal-hold': getObjectLock,
  'GET retention': getObjectLock,
}
