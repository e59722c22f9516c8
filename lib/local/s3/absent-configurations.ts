// What is asked about features that no bucket here has: the error, or the empty document, of a bucket without them.
import type { Call, Operation, Reply, Services } from './call.ts'
import { type S3Code, S3Error } from './errors.ts'
import { requireObject } from './objects.ts'
import { type Element, toXml } from './xml.ts'

const tell =
  (root: string, content: Element = {}): Operation =>
  () => ({ xml: toXml(root, content) })

const lacks =
  (code: S3Code): Operation =>
  () => {
    throw new S3Error(code)
  }

/** Configurations of which a bucket may have many, each with an id; here it has none. */
const none =
  (root: string): Operation =>
  (_, { query }) => {
    if (query.has('id')) throw new S3Error('NoSuchConfiguration')
    return { xml: toXml(root, { IsTruncated: false }) }
  }

/** Deleting what is not there succeeds. */
const nothingToDelete: Operation = () => ({ status: 204 })

const lockOf: Operation = ({ db }: Services, call: Call): Reply => {
  requireObject(db, call)
  throw new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration')
}

/** By method and sub-resource, as in routes.ts. Writes that are not here are not implemented. */
export const absentOfBuckets: Readonly<Record<string, Operation>> = {
  'GET accelerate': tell('AccelerateConfiguration'),
  'GET analytics': none('ListBucketAnalyticsConfigurationResult'),
  'GET encryption': lacks('ServerSideEncryptionConfigurationNotFoundError'),
  'GET intelligent-tiering': none('ListBucketIntelligentTieringConfigurationsOutput'),
  'GET inventory': none('ListInventoryConfigurationsResult'),
  'GET logging': tell('BucketLoggingStatus'),
  'GET metrics': none('ListMetricsConfigurationsResult'),
  'GET object-lock': lacks('ObjectLockConfigurationNotFoundError'),
  'GET ownershipControls': tell('OwnershipControls', { Rule: { ObjectOwnership: 'BucketOwnerEnforced' } }),
  'GET policy': lacks('NoSuchBucketPolicy'),
  'GET policyStatus': lacks('NoSuchBucketPolicy'),
  'GET publicAccessBlock': tell('PublicAccessBlockConfiguration', {
    BlockPublicAcls: true,
    IgnorePublicAcls: true,
    BlockPublicPolicy: true,
    RestrictPublicBuckets: true,
  }),
  'GET replication': lacks('ReplicationConfigurationNotFoundError'),
  'GET requestPayment': tell('RequestPaymentConfiguration', { Payer: 'BucketOwner' }),
  'GET versioning': tell('VersioningConfiguration'),
  'GET website': lacks('NoSuchWebsiteConfiguration'),
  'DELETE encryption': nothingToDelete,
  'DELETE policy': nothingToDelete,
  'DELETE replication': nothingToDelete,
  'DELETE website': nothingToDelete,
}

export const absentOfObjects: Readonly<Record<string, Operation>> = {
  'GET legal-hold': lockOf,
  'GET retention': lockOf,
}
