import { createPublicKey } from 'node:crypto'
import { cdnParameters, getKeyFingerprint } from '../aws/cdn-links.ts'
import { allFilePrefixes } from '../resources/role-permissions.ts'
import { fileHeaders } from '../resources/storage.ts'
import { managedPolicies } from './managed-policies.ts'
import { createArnReference } from './references.ts'
import type { Stage } from './stage.ts'

/**
 * Returns a resource for each public key. The id of a resource depends on its key, because the key of an existing
 * resource cannot be changed.
 */
const createKeyResources = (publicKeys: readonly string[]) =>
  publicKeys.map((pem) => {
    const fingerprint = getKeyFingerprint(createPublicKey(pem))
    return { pem, fingerprint, id: `CdnKey${fingerprint}` }
  })

/** Returns the setting with the ids of the public keys, which functions need to sign links. */
export const createCdnKeysSetting = ({ cdnPublicKeys }: Pick<Stage, 'cdnPublicKeys'>) =>
  cdnPublicKeys && {
    CDN_KEYS: {
      'Fn::Sub': createKeyResources(cdnPublicKeys)
        .map(({ fingerprint, id }) => `${fingerprint}=\${${id}}`)
        .join(','),
    },
  }

const originId = 'files'

/** The file bucket as an origin. CloudFront signs the requests that it sends there. */
export const fileOrigin = {
  Id: originId,
  DomainName: createArnReference('Bucket', 'RegionalDomainName'),
  S3OriginConfig: { OriginAccessIdentity: '' },
  OriginAccessControlId: createArnReference('FileAccess', 'Id'),
}

/**
 * Only signed URLs give access to files. Nothing is cached, because few clients download the same file, and a deleted
 * file must not be available. CloudFront always passes ranges and conditions on to S3.
 */
export const fileBehaviors = allFilePrefixes.map((prefix) => ({
  PathPattern: `/${prefix}/*`,
  TargetOriginId: originId,
  ViewerProtocolPolicy: 'https-only',
  AllowedMethods: ['GET', 'HEAD', 'OPTIONS'],
  CachePolicyId: managedPolicies.cachingDisabled,
  OriginRequestPolicyId: { Ref: 'FileRequestPolicy' },
  ResponseHeadersPolicyId: { Ref: 'FileHeadersPolicy' },
  TrustedKeyGroups: [{ Ref: 'FileKeys' }],
  Compress: false,
}))

/**
 * Statements that let only this distribution read files. Without `s3:ListBucket`, S3 would report a deleted file as
 * forbidden.
 */
export const fileStatements = [
  {
    Action: 's3:GetObject',
    Resource: allFilePrefixes.map((prefix) => ({ 'Fn::Sub': `\${Bucket.Arn}/${prefix}/*` })),
  },
  { Action: 's3:ListBucket', Resource: createArnReference('Bucket') },
].map((statement) => ({
  Effect: 'Allow',
  Principal: { Service: 'cloudfront.amazonaws.com' },
  ...statement,
  Condition: {
    StringEquals: {
      'AWS:SourceArn': {
        'Fn::Sub': `arn:\${AWS::Partition}:cloudfront::\${AWS::AccountId}:distribution/\${Distribution}`,
      },
    },
  },
}))

const name = `\${self:service}-\${sls:stage}-files`

/**
 * Creates the resources with which CloudFront serves files: the keys of signed URLs, and the policies for requests to
 * S3 and for responses to clients.
 */
export const createCdnFileResources = ({ cdnPublicKeys }: Pick<Stage, 'cdnPublicKeys'>) => {
  if (!cdnPublicKeys) return {}
  const keys = createKeyResources(cdnPublicKeys)
  return {
    FileAccess: {
      Type: 'AWS::CloudFront::OriginAccessControl',
      Properties: {
        OriginAccessControlConfig: {
          Name: name,
          OriginAccessControlOriginType: 's3',
          SigningBehavior: 'always',
          SigningProtocol: 'sigv4',
        },
      },
    },
    ...Object.fromEntries(
      keys.map(({ id, pem, fingerprint }) => [
        id,
        {
          Type: 'AWS::CloudFront::PublicKey',
          Properties: {
            PublicKeyConfig: {
              Name: `${name}-${fingerprint}`,
              CallerReference: `${name}-${fingerprint}`,
              EncodedKey: `${pem.trim()}\n`,
            },
          },
        },
      ]),
    ),
    FileKeys: {
      Type: 'AWS::CloudFront::KeyGroup',
      Properties: { KeyGroupConfig: { Name: name, Items: keys.map(({ id }) => ({ Ref: id })) } },
    },
    FileRequestPolicy: {
      Type: 'AWS::CloudFront::OriginRequestPolicy',
      Properties: {
        OriginRequestPolicyConfig: {
          Name: name,
          CookiesConfig: { CookieBehavior: 'none' },
          // S3 applies the CORS rules of the bucket to requests with these headers.
          HeadersConfig: {
            HeaderBehavior: 'whitelist',
            Headers: ['Origin', 'Access-Control-Request-Headers', 'Access-Control-Request-Method'],
          },
          QueryStringsConfig: { QueryStringBehavior: 'whitelist', QueryStrings: [...cdnParameters] },
        },
      },
    },
    // Files share a domain with the page, so they get security headers.
    FileHeadersPolicy: {
      Type: 'AWS::CloudFront::ResponseHeadersPolicy',
      Properties: {
        ResponseHeadersPolicyConfig: {
          Name: name,
          SecurityHeadersConfig: {
            ContentSecurityPolicy: {
              ContentSecurityPolicy: fileHeaders['content-security-policy'],
              Override: true,
            },
            ContentTypeOptions: { Override: true },
          },
        },
      },
    },
  }
}
