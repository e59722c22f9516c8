// CloudFront as far as downloads need it, configured by the resources of a template: signed URLs, what it passes on to
// the bucket, origin access control and response headers. It has no cache, as the template requires.
import assert from 'node:assert/strict'
import { createHash, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { SignatureV4 } from '@smithy/signature-v4'
import { createCannedPolicy } from '../../lib/aws/cdn-links.ts'
import { Sha256 } from '../../lib/crypto/sha256.ts'
import type { createCdnFileResources } from '../../lib/deployment/cdn-files.ts'
import type { createEdgeResources } from '../../lib/deployment/edge.ts'
import { closeServer, listen } from '../../lib/embedded-aws/listen.ts'

type Reference = { readonly Ref: string }
interface FileProperties {
  readonly KeyGroupConfig: { readonly Items: readonly Reference[] }
  readonly PublicKeyConfig: { readonly EncodedKey: string }
  readonly OriginRequestPolicyConfig: {
    readonly QueryStringsConfig: { readonly QueryStrings: readonly string[] }
    readonly HeadersConfig: { readonly Headers: readonly string[] }
  }
  readonly ResponseHeadersPolicyConfig: {
    readonly SecurityHeadersConfig: {
      readonly ContentSecurityPolicy: { readonly ContentSecurityPolicy: string }
      readonly ContentTypeOptions?: object
    }
  }
}

interface CloudFrontOptions {
  readonly distribution: ReturnType<typeof createEdgeResources>['Distribution']
  readonly files: ReturnType<typeof createCdnFileResources>
  readonly s3Url: string
  readonly bucket: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** Names of the parameters of a signed URL with a canned policy. */
const signatureParameters = ['Expires', 'Signature', 'Key-Pair-Id']
/** Headers that CloudFront passes on whatever the policy says. */
const conditionHeaders = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since']

export async function startCloudFront(options: CloudFrontOptions) {
  const { distribution, files, s3Url, bucket, credentials } = options
  const { CacheBehaviors, Origins } = distribution.Properties.DistributionConfig
  const signer = new SignatureV4({
    service: 's3',
    region: 'eu-central-1',
    credentials,
    sha256: Sha256,
    uriEscapePath: false,
  })

  function isSigned(
    url: string,
    query: URLSearchParams,
    groups: readonly { readonly Ref: string }[],
  ): boolean {
    const [expires = '', signature = '', id = ''] = signatureParameters.map((name) => query.get(name) ?? '')
    const groupKeys = groups.flatMap(({ Ref }) => getResource(Ref).KeyGroupConfig.Items)
    if (!groupKeys.some(({ Ref }) => Ref === id) || !(Number(expires) > Date.now() / 1000)) return false
    const resource = url.replace(/&Expires=.*$/, '')
    const bytes = Buffer.from(
      signature.replaceAll('-', '+').replaceAll('_', '=').replaceAll('~', '/'),
      'base64',
    )
    const { EncodedKey } = getResource(id).PublicKeyConfig
    return verify('RSA-SHA1', Buffer.from(createCannedPolicy(resource, Number(expires))), EncodedKey, bytes)
  }

  // Each resource has one of the properties in `FileProperties`.
  const getResource = (id: string) =>
    (files as unknown as Readonly<Record<string, { readonly Properties: FileProperties }>>)[id]?.Properties ??
    assert.fail(id)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers, url: target = '' } = request
    const url = new URL(target, `http://${headers.host}`)
    const behavior = CacheBehaviors.find(({ PathPattern }) =>
      url.pathname.startsWith(PathPattern.replace('*', '')),
    )
    const refuse = (status: number) => void response.writeHead(status).end()
    if (!behavior || !('TrustedKeyGroups' in behavior)) return refuse(404)
    if (!behavior.AllowedMethods.includes(method)) return refuse(403)
    if (!isSigned(`http://${headers.host}${target}`, url.searchParams, behavior.TrustedKeyGroups))
      return refuse(403)
    const { QueryStringsConfig, HeadersConfig } = getResource(
      behavior.OriginRequestPolicyId.Ref,
    ).OriginRequestPolicyConfig
    const query = Object.fromEntries(
      [...url.searchParams].filter(([name]) => QueryStringsConfig.QueryStrings.includes(name)),
    )
    const forwardedHeaders = [...conditionHeaders, ...HeadersConfig.Headers.map((name) => name.toLowerCase())]
    const origin = Origins.find(({ Id }) => Id === behavior.TargetOriginId) ?? {}
    const { protocol, host, hostname, port } = new URL(s3Url)
    const originRequest = {
      method,
      protocol,
      hostname,
      port: Number(port),
      path: `/${bucket}${url.pathname}`,
      query,
      headers: {
        host,
        ...Object.fromEntries(
          forwardedHeaders.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])),
        ),
        'x-amz-content-sha256': createHash('sha256').digest('hex'),
      },
    }
    const signedRequest = 'OriginAccessControlId' in origin ? await signer.sign(originRequest) : originRequest
    const upstream = send(`${s3Url}${originRequest.path}?${new URLSearchParams(query)}`, {
      method,
      headers: signedRequest.headers,
    })
    upstream.on('response', (reply) => {
      const { SecurityHeadersConfig } = getResource(
        behavior.ResponseHeadersPolicyId.Ref,
      ).ResponseHeadersPolicyConfig
      response.writeHead(reply.statusCode ?? 502, {
        ...reply.headers,
        'content-security-policy': SecurityHeadersConfig.ContentSecurityPolicy.ContentSecurityPolicy,
        ...(SecurityHeadersConfig.ContentTypeOptions && { 'x-content-type-options': 'nosniff' }),
      })
      void pipeline(reply, response).catch(() => response.destroy())
    })
    upstream.end()
  }
  const server = createServer((request, response) => void serve(request, response))
  const port = await listen(server, 0)
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) }
}
