import { gzipSync } from 'node:zlib'
import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { HttpEvent } from './contract.ts'

/** Ends the ETag of a compressed answer. RFC 9110, 8.8.1: other bytes may not share a strong validator. */
const mark = '-gzip"'
/** Bytes from which it pays to compress. */
const compressFrom = 64 * 1024

/** RFC 9110, 12.5.3: what has a weight of 0 is not taken. */
export const takesGzip = ({ headers }: HttpEvent) =>
  (headers['accept-encoding'] ?? '').split(',').some((coding) => {
    const [name = '', ...weight] = coding.toLowerCase().split(';')
    return name.trim() === 'gzip' && !/^\s*q=0(?:\.0*)?\s*$/.test(weight.join(';'))
  })
export const compressedTag = (etag: string) => `${etag.slice(0, -1)}${mark}`
/** The ETag of the same answer as it is uncompressed. */
export const plainTag = (etag: string) => etag.replace(mark, '"')

/** Long lists shrink to a twentieth; a function's answer ends at 6 MB. */
export function compression(): Pick<MiddlewareObj<HttpEvent, APIGatewayProxyStructuredResultV2>, 'after'> {
  return {
    after: ({ event, response }) => {
      if (!response) return
      const { body = '', headers = {}, isBase64Encoded } = response
      if (isBase64Encoded || body.length < compressFrom) return
      response.headers = { ...headers, vary: 'accept-encoding' }
      if (!takesGzip(event)) return
      response.body = gzipSync(body).toString('base64')
      response.isBase64Encoded = true
      response.headers['content-encoding'] = 'gzip'
      if (headers.etag) response.headers.etag = compressedTag(String(headers.etag))
    },
  }
}
