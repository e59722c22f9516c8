import { gzipSync } from 'node:zlib'
import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { HttpEvent } from './contract.ts'

/** Ends the ETag of a compressed answer. RFC 9110, 8.8.1: other bytes may not share a strong validator. */
const gzipSuffix = '-gzip"'
/** Bytes from which it pays to compress. */
const minCompressBytes = 64 * 1024

/** RFC 9110, 12.5.3: what has a weight of 0 is not taken. */
export const acceptsGzip = ({ headers }: HttpEvent) =>
  (headers['accept-encoding'] ?? '').split(',').some((coding) => {
    const [name = '', ...weight] = coding.toLowerCase().split(';')
    return name.trim() === 'gzip' && !/^\s*q=0(?:\.0*)?\s*$/.test(weight.join(';'))
  })
export const gzipEtag = (etag: string) => `${etag.slice(0, -1)}${gzipSuffix}`
/** The ETag of the same answer as it is uncompressed. */
export const uncompressedEtag = (etag: string) => etag.replace(gzipSuffix, '"')

/** Long lists shrink to a twentieth; a function's answer ends at 6 MB. */
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
      if (headers.etag) response.headers.etag = gzipEtag(String(headers.etag))
    },
  }
}
