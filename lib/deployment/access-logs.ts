import { createArnReference } from './references.ts'
import type { Stage } from './stage.ts'

type LogSettings = Pick<Stage, 'accessLogs'>

/** Returns the bucket properties that enable access logs. */
export const createBucketLogging = ({ accessLogs }: LogSettings, id: string) =>
  accessLogs && {
    LoggingConfiguration: { DestinationBucketName: { Ref: 'LogsBucket' }, LogFilePrefix: `s3/${id}/` },
  }

/** Returns the distribution properties that enable access logs, without cookies. */
export const createDistributionLogging = ({ accessLogs }: LogSettings) =>
  accessLogs && {
    Logging: {
      Bucket: createArnReference('LogsBucket', 'DomainName'),
      Prefix: 'cloudfront/',
      IncludeCookies: false,
    },
  }

/**
 * Returns the properties of the bucket for logs. CloudFront writes logs with an ACL, which other buckets do not allow.
 */
export const createLogsBucketProperties = ({ logDays }: Pick<Stage, 'logDays'>) => ({
  OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerPreferred' }] },
  BucketEncryption: {
    ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
  },
  LifecycleConfiguration: {
    Rules: [
      {
        Id: 'logs',
        Status: 'Enabled',
        ExpirationInDays: logDays,
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
      },
    ],
  },
})

/** Statements that let S3 store the access logs of the service's buckets. */
export const logStatements = [
  {
    Effect: 'Allow',
    Principal: { Service: 'logging.s3.amazonaws.com' },
    Action: 's3:PutObject',
    Resource: { 'Fn::Sub': `\${LogsBucket.Arn}/s3/*` },
    Condition: {
      ArnEquals: { 'AWS:SourceArn': [createArnReference('Bucket'), createArnReference('SecretsBucket')] },
      StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
    },
  },
]
