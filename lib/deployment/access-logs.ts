import { arnOf } from './references.ts'
import type { Stage } from './stage.ts'

type LogSettings = Pick<Stage, 'accessLogs'>

/** Returns the properties of a bucket that log its requests. */
export const bucketLogging = ({ accessLogs }: LogSettings, id: string) =>
  accessLogs && {
    LoggingConfiguration: { DestinationBucketName: { Ref: 'LogsBucket' }, LogFilePrefix: `s3/${id}/` },
  }

/** Returns the properties of the distribution that log its requests, without cookies. */
export const distributionLogging = ({ accessLogs }: LogSettings) =>
  accessLogs && {
    Logging: { Bucket: arnOf('LogsBucket', 'DomainName'), Prefix: 'cloudfront/', IncludeCookies: false },
  }

/** The properties of the bucket of logs. CloudFront writes them with an ACL, which other buckets do not allow. */
export const logsBucketProperties = ({ logDays }: Pick<Stage, 'logDays'>) => ({
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
      ArnEquals: { 'AWS:SourceArn': [arnOf('Bucket'), arnOf('SecretsBucket')] },
      StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
    },
  },
]
