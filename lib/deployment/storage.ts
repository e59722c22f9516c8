import { bucket, table } from '../resources/storage.ts'
import { arnOf } from './references.ts'
import type { Stage } from './stage.ts'

/** Taking the stack down must not take the users' files along. */
const retain = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' } as const

function tableResource({ keepData, customerKeyArn }: Stage) {
  const { TimeToLiveAttribute, ...properties } = table
  return {
    Type: 'AWS::DynamoDB::Table',
    ...retain,
    Properties: {
      ...properties,
      TimeToLiveSpecification: { AttributeName: TimeToLiveAttribute, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      // Of our own key, or the one that AWS keeps for the account.
      SSESpecification: {
        SSEEnabled: true,
        ...(customerKeyArn && { SSEType: 'KMS', KMSMasterKeyId: customerKeyArn }),
      },
      DeletionProtectionEnabled: keepData,
    },
  }
}

const privateBucket = (properties: object) => ({
  Type: 'AWS::S3::Bucket',
  ...retain,
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

/** Whoever administers the account decides by roles who may use it; users of the service may do so by its functions. */
const encryptionKey = (description: string) => ({
  Type: 'AWS::KMS::Key',
  ...retain,
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

/** CloudFormation has names of its own for what the S3 API takes. */
const bucketResource = ({ customerKeyArn }: Stage) =>
  privateBucket({
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

/** Nobody reads or writes it but in the name of a role, and by TLS. */
const tlsOnlyPolicy = (id: string) => ({
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
          Resource: [arnOf(id), { 'Fn::Sub': `\${${id}.Arn}/*` }],
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
      ],
    },
  },
})

/** What keeps data: records, files, the bus and the key of identities. */
export const storageResources = (stage: Stage) => ({
  Table: tableResource(stage),
  Bucket: bucketResource(stage),
  BucketPolicy: tlsOnlyPolicy('Bucket'),
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: `\${self:service}-\${sls:stage}` } },
  SecretsKey: encryptionKey('Opens what the functions of the service keep secret'),
  // A new secret would make every client a stranger to their own jobs, and no stored password could be opened.
  SecretsBucket: privateBucket({
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        {
          BucketKeyEnabled: true,
          ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: arnOf('SecretsKey') },
        },
      ],
    },
    VersioningConfiguration: { Status: 'Enabled' },
  }),
  SecretsBucketPolicy: tlsOnlyPolicy('SecretsBucket'),
})
