import { createArnReference } from './references.ts'
import type { Stage } from './stage.ts'

type LogSettings = Pick<Stage, 'accessLogs'>

/** Returns the properties of a bucket that log its requests. */
export const createBucketLogging = ({ accessLogs }: LogSettings, id: string) =>
  accessLogs && {
    LoggingConfiguration: { DestinationBucketName: { Ref: 'LogsBucket' }, LogFilePrefix: `s3/${id}/` },
  }

/** Returns the properties of the distribution that log its requests, without cookies. */
export const createDistributionLogging = ({ accessLogs }: LogSettings) =>
  accessLogs && {
    Logging: {
      Bucket: createArnReference('LogsBucket', 'DomainName'),
      Prefix: 'cloudfront/',
      IncludeCookies: false,
    },
  }

/** The properties of the bucket of logs. CloudFront writes them with an ACL, which other buckets do not allow. */
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

/** Lets S3 store the logs of our buckets. */
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
