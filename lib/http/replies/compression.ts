import { gzipSync } from 'node:zlib'
import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { HttpEvent } from '../contract.ts'

/** Suffix of the ETags of compressed replies. RFC 9110, 8.8.1: different bytes must not share a strong validator. */
const gzipSuffix = '-gzip"'
/** Minimum size of a body in bytes; compressing smaller bodies is not worthwhile. */
const minCompressBytes = 64 * 1024

/** Whether the client accepts gzip; a coding with weight 0 is not acceptable (RFC 9110, 12.5.3). */
export const acceptsGzip = ({ headers }: Pick<HttpEvent, 'headers'>) =>
  (headers['accept-encoding'] ?? '').split(',').some((coding) => {
    const [name = '', ...weight] = coding.toLowerCase().split(';')
    return name.trim() === 'gzip' && !/^\s*q=0(?:\.0*)?\s*$/.test(weight.join(';'))
  })
export const toGzipEtag = (etag: string) => `${etag.slice(0, -1)}${gzipSuffix}`
/** Returns the ETag of the uncompressed reply. */
export const toPlainEtag = (etag: string) => etag.replace(gzipSuffix, '"')

/** Compresses large replies: long lists shrink to a twentieth of their size, and Lambda limits a reply to 6 MB. */
export function compression(): Pick<MiddlewareObj<HttpEvent, APIGatewayProxyStructuredResultV2>, 'after'> {
  return {
    after: ({ event, response }) => {
      if (!response) return
      const { body = '', headers = {}, isBase64Encoded } = response
      if (isBase64Encoded || body.length < minCompressBytes) return
      response.headers = { ...headers, vary: 'accept-encoding' }
      if (!acceptsGzip(event)) return
      response.body = gzipSync(body).toString('base64')
      response.isBase64Encoded = true
      response.headers['content-encoding'] = 'gzip'
      if (headers.etag) response.headers.etag = toGzipEtag(String(headers.etag))
    },
  }
}
