import { bucket, table } from '../resources/storage.ts'
import { createBucketLogging, createLogsBucketProperties, logStatements } from './access-logs.ts'
import { fileStatements } from './cdn-files.ts'
import { createArnReference } from './references.ts'
import type { Stage } from './stage.ts'

/** Users' files must not be deleted when the stack is removed. */
const retainPolicies = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' } as const

function createTableResource({ keepData, customerKeyArn }: Stage) {
  const { TimeToLiveAttribute, ...properties } = table
  return {
    Type: 'AWS::DynamoDB::Table',
    ...retainPolicies,
    Properties: {
      ...properties,
      TimeToLiveSpecification: { AttributeName: TimeToLiveAttribute, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      // The table is encrypted with the customer's key, or with the AWS managed key of the account.
      SSESpecification: {
        SSEEnabled: true,
        ...(customerKeyArn && { SSEType: 'KMS', KMSMasterKeyId: customerKeyArn }),
      },
      DeletionProtectionEnabled: keepData,
    },
  }
}

const createPrivateBucket = (properties: object) => ({
  Type: 'AWS::S3::Bucket',
  ...retainPolicies,
  Properties: {
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    ...properties,
  },
})

/** A KMS key; IAM policies of the account decide who may use it. */
const createEncryptionKey = (description: string) => ({
  Type: 'AWS::KMS::Key',
  ...retainPolicies,
  Properties: {
    Description: description,
    EnableKeyRotation: true,
    KeyPolicy: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: { 'Fn::Sub': `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:root` } },
          Action: 'kms:*',
          Resource: '*',
        },
      ],
    },
  },
})

/** Creates the bucket of files. Its rules are in the form of the S3 API; CloudFormation has other property names. */
const createBucketResource = ({ customerKeyArn, accessLogs }: Stage) =>
  createPrivateBucket({
    ...createBucketLogging({ accessLogs }, 'files'),
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        customerKeyArn
          ? {
              BucketKeyEnabled: true,
              ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: customerKeyArn },
            }
          : { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
      ],
    },
    NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    CorsConfiguration: {
      CorsRules: bucket.cors.map((rule) => ({
        AllowedOrigins: rule.AllowedOrigins,
        AllowedMethods: rule.AllowedMethods,
        AllowedHeaders: rule.AllowedHeaders,
        ExposedHeaders: rule.ExposeHeaders,
        MaxAge: rule.MaxAgeSeconds,
      })),
    },
    LifecycleConfiguration: {
      Rules: bucket.lifecycle.map((rule) => ({
        Id: rule.ID,
        Status: 'Enabled',
        Prefix: rule.Prefix,
        ExpirationInDays: rule.ExpirationInDays,
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: rule.AbortIncompleteMultipartDays },
      })),
    },
  })

/**
 * Creates a policy that denies access without TLS. There is no public access at all, only what the given statements
 * allow to services.
 */
const createTlsOnlyPolicy = (id: string, statements: readonly object[] = []) => ({
  Type: 'AWS::S3::BucketPolicy',
  Properties: {
    Bucket: { Ref: id },
    PolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'RefusePlainHttp',
          Effect: 'Deny',
          Principal: '*',
          Action: 's3:*',
          Resource: [createArnReference(id), { 'Fn::Sub': `\${${id}.Arn}/*` }],
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
        ...statements,
      ],
    },
  },
})

/** Creates the resources that store data: table, bucket of files, event bus, bucket of secrets and its key. */
export const createStorageResources = (stage: Stage) => ({
  Table: createTableResource(stage),
  Bucket: createBucketResource(stage),
  BucketPolicy: createTlsOnlyPolicy('Bucket', stage.cdnPublicKeys && fileStatements),
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: `\${self:service}-\${sls:stage}` } },
  SecretsKey: createEncryptionKey('Encrypts the secrets of the service'),
  // Without the service secret, clients cannot access their jobs, and stored passwords cannot be decrypted.
  SecretsBucket: createPrivateBucket({
    ...createBucketLogging(stage, 'secrets'),
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        {
          BucketKeyEnabled: true,
          ServerSideEncryptionByDefault: {
            SSEAlgorithm: 'aws:kms',
            KMSMasterKeyID: createArnReference('SecretsKey'),
          },
        },
      ],
    },
    VersioningConfiguration: { Status: 'Enabled' },
  }),
  SecretsBucketPolicy: createTlsOnlyPolicy('SecretsBucket'),
  ...(stage.accessLogs && {
    LogsBucket: createPrivateBucket(createLogsBucketProperties(stage)),
    LogsBucketPolicy: createTlsOnlyPolicy('LogsBucket', logStatements),
  }),
})
