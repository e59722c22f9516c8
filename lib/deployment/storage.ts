import { bucket, table } from '../resources.ts'
import { arnOf } from './references.ts'

/** Taking the stack down must not take the users' files along. */
const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' } as const

function tableResource() {
  const { TimeToLiveAttribute, ...properties } = table
  return {
    Type: 'AWS::DynamoDB::Table',
    ...kept,
    Properties: {
      ...properties,
      TimeToLiveSpecification: { AttributeName: TimeToLiveAttribute, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
    },
  }
}

/** CloudFormation has names of its own for what the S3 API takes. */
function bucketResource() {
  return {
    Type: 'AWS::S3::Bucket',
    ...kept,
    Properties: {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
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
    },
  }
}

const bucketPolicy = {
  Type: 'AWS::S3::BucketPolicy',
  Properties: {
    Bucket: { Ref: 'Bucket' },
    PolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'RefusePlainHttp',
          Effect: 'Deny',
          Principal: '*',
          Action: 's3:*',
          Resource: [arnOf('Bucket'), { 'Fn::Sub': `\${Bucket.Arn}/*` }],
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
      ],
    },
  },
}

/** What keeps data: records, files, the bus and the key of identities. */
export const storageResources = () => ({
  Table: tableResource(),
  Bucket: bucketResource(),
  BucketPolicy: bucketPolicy,
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: `\${self:service}-\${sls:stage}` } },
  ServiceSecret: {
    Type: 'AWS::SecretsManager::Secret',
    // A new key would make every client a stranger to their own jobs, and no stored password could be opened.
    ...kept,
    Properties: {
      Description: 'Key that signs identities and seals passwords',
      GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
    },
  },
})
