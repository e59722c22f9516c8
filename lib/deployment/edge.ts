import { edgeHeaders } from '../http/edge-origin.ts'
import { webSocketApi } from '../resources/web-sockets.ts'
import { arnOf } from './references.ts'
import type { Stage } from './stage.ts'

/** Policies that AWS keeps, by their ids: https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-cache-policies.html */
const managedPolicies = {
  cachingDisabled: '4135ea2d-6844-44f8-82df-ad777ae401ad',
  cachingOptimized: '658327ea-f89d-4fab-a63d-7e88639e58f6',
  allViewerExceptHostHeader: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
} as const

/**
 * Runs at the edge with each request. WebSockets of API Gateway have no paths, so what the path of a socket says becomes
 * a query, as `lib/live/paths.ts` does it on one machine; and the client's address is told, whatever he says it is.
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

/** Where clients find the service. */
export const publicUrl = ({ domain }: Pick<Stage, 'domain'>) =>
  domain ? `https://${domain.name}` : { 'Fn::Sub': `https://\${Distribution.DomainName}` }

const origin = (id: string, api: string, path?: unknown) => ({
  Id: id,
  DomainName: { 'Fn::Sub': `\${${api}}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}` },
  ...(path !== undefined && { OriginPath: path }),
  CustomOriginConfig: {
    OriginProtocolPolicy: 'https-only',
    OriginSSLProtocols: ['TLSv1.2'],
    // A request may wait as long as its function does.
    OriginReadTimeout: 30,
  },
  OriginCustomHeaders: [{ HeaderName: edgeHeaders.secret, HeaderValue: { 'Fn::Sub': originSecret } }],
})

const behavior = (target: string, cache: string) => ({
  TargetOriginId: target,
  ViewerProtocolPolicy: 'https-only',
  AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
  CachePolicyId: cache,
  OriginRequestPolicyId: managedPolicies.allViewerExceptHostHeader,
  // Functions compress by themselves.
  Compress: false,
  FunctionAssociations: [{ EventType: 'viewer-request', FunctionARN: arnOf('EdgeFunction', 'FunctionARN') }],
})

const socketPatterns = [...webSocketApi.paths, `${webSocketApi.jobPath}*`]

/** One address for all of the service, and the only way to it. */
export const edgeResources = ({ domain }: Pick<Stage, 'domain'>) => ({
  OriginSecret: {
    Type: 'AWS::SecretsManager::Secret',
    Properties: {
      Description: 'Tells the gateways that a request came by the address in front',
      GenerateSecretString: { PasswordLength: 48, ExcludePunctuation: true },
    },
  },
  EdgeFunction: {
    Type: 'AWS::CloudFront::Function',
    Properties: {
      Name: `\${self:service}-\${sls:stage}`,
      AutoPublish: true,
      FunctionCode: edgeCode,
      FunctionConfig: { Comment: 'Paths of sockets, address of the client', Runtime: 'cloudfront-js-2.0' },
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
        Origins: [origin('http', 'HttpApi'), origin('sockets', 'WebsocketsApi', `/\${sls:stage}`)],
        DefaultCacheBehavior: behavior('http', managedPolicies.cachingDisabled),
        CacheBehaviors: [
          ...socketPatterns.map((PathPattern) => ({
            PathPattern,
            ...behavior('sockets', managedPolicies.cachingDisabled),
          })),
          // Names of files of the page say what is in them.
          { PathPattern: '/web/*', ...behavior('http', managedPolicies.cachingOptimized) },
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
