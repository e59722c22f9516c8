import { edgeHeaders } from '../net/edge-origin.ts'
import { webSocketApi } from '../resources/web-sockets.ts'
import { defined } from '../validation/defined.ts'
import { createDistributionLogging } from './access-logs.ts'
import { fileBehaviors, fileOrigin } from './cdn-files.ts'
import { managedPolicies } from './managed-policies.ts'
import { createArnReference } from './references.ts'
import type { Stage } from './stage.ts'

/**
 * Code that runs at the edge for each request. WebSocket APIs of API Gateway have no paths, so this code turns the path
 * into a query, as `lib/live/paths.ts` does on one machine. It also sets the header with the client's IP address,
 * overwriting any value that the client sent.
 */
export const edgeCode = `function handler(event) {
  var request = event.request
  request.headers['${edgeHeaders.viewer}'] = { value: event.viewer.ip }
  var path = request.uri.replace(/\\/$/, '')
  if (${JSON.stringify(webSocketApi.paths)}.indexOf(path) >= 0) request.uri = '/'
  else if (path.indexOf('${webSocketApi.jobPath}') === 0) {
    request.querystring.jobId = { value: path.slice(${webSocketApi.jobPath.length}) }
    request.uri = '/'
  }
  return request
}
`

const originSecret = `{{resolve:secretsmanager:\${OriginSecret}}}`

/** Returns the URL at which clients reach the service. */
export const getPublicUrl = ({ domain }: Pick<Stage, 'domain'>) =>
  domain ? `https://${domain.name}` : { 'Fn::Sub': `https://\${Distribution.DomainName}` }

const createOrigin = (id: string, api: string, path?: unknown) => ({
  Id: id,
  DomainName: { 'Fn::Sub': `\${${api}}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}` },
  ...defined({ OriginPath: path }),
  CustomOriginConfig: {
    OriginProtocolPolicy: 'https-only',
    OriginSSLProtocols: ['TLSv1.2'],
    // The timeout is the same as that of a function.
    OriginReadTimeout: 30,
  },
  OriginCustomHeaders: [{ HeaderName: edgeHeaders.secret, HeaderValue: { 'Fn::Sub': originSecret } }],
})

const createBehavior = (originId: string, cachePolicyId: string) => ({
  TargetOriginId: originId,
  ViewerProtocolPolicy: 'https-only',
  AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
  CachePolicyId: cachePolicyId,
  OriginRequestPolicyId: managedPolicies.allViewerExceptHostHeader,
  // Functions compress their responses themselves.
  Compress: false,
  FunctionAssociations: [
    { EventType: 'viewer-request', FunctionARN: createArnReference('EdgeFunction', 'FunctionARN') },
  ],
})

const socketPatterns = [...webSocketApi.paths, `${webSocketApi.jobPath}*`]

/** Creates the CloudFront distribution: one domain for the whole service, and the only access to it. */
export const createEdgeResources = ({ domain, cdnPublicKeys, accessLogs, firewallArn }: Stage) => ({
  OriginSecret: {
    Type: 'AWS::SecretsManager::Secret',
    Properties: {
      Description: 'Proves to the gateways that a request came through CloudFront',
      GenerateSecretString: { PasswordLength: 48, ExcludePunctuation: true },
    },
  },
  EdgeFunction: {
    Type: 'AWS::CloudFront::Function',
    Properties: {
      Name: `\${self:service}-\${sls:stage}`,
      AutoPublish: true,
      FunctionCode: edgeCode,
      FunctionConfig: { Comment: 'WebSocket paths, client IP address', Runtime: 'cloudfront-js-2.0' },
    },
  },
  Distribution: {
    Type: 'AWS::CloudFront::Distribution',
    Properties: {
      DistributionConfig: {
        Enabled: true,
        Comment: `\${self:service}-\${sls:stage}`,
        HttpVersion: 'http2and3',
        IPV6Enabled: true,
        PriceClass: 'PriceClass_100',
        ...createDistributionLogging({ accessLogs }),
        ...defined({ WebACLId: firewallArn }),
        Origins: [
          createOrigin('http', 'HttpApi'),
          createOrigin('sockets', 'WebsocketsApi', `/\${sls:stage}`),
          ...(cdnPublicKeys ? [fileOrigin] : []),
        ],
        DefaultCacheBehavior: createBehavior('http', managedPolicies.cachingDisabled),
        CacheBehaviors: [
          ...(cdnPublicKeys ? fileBehaviors : []),
          ...socketPatterns.map((PathPattern) => ({
            PathPattern,
            ...createBehavior('sockets', managedPolicies.cachingDisabled),
          })),
          // These files can be cached, because their names contain a hash of their content.
          { PathPattern: '/web/*', ...createBehavior('http', managedPolicies.cachingOptimized) },
        ],
        ...(domain && {
          Aliases: [domain.name],
          ViewerCertificate: {
            AcmCertificateArn: domain.certificateArn,
            MinimumProtocolVersion: 'TLSv1.2_2021',
            SslSupportMethod: 'sni-only',
          },
        }),
      },
    },
  },
})
