// Parses the raw request target: bucket, key, query and headers.
import type { IncomingMessage } from 'node:http'
import { readQuery } from '../sigv4-claim.ts'
import type { Headers } from './call.ts'
import { S3Error } from './errors.ts'
import { toHeaderValue } from './object-metadata.ts'

export interface ResourceAddress {
  readonly bucket: string
  readonly key: string
  readonly query: ReadonlyMap<string, string>
  readonly headers: Headers
  readonly location: string
}

const maxKeyBytes = 1024

/**
 * Parses the path, which is always in path style: /bucket/key, or the same under the base path. Keys are not
 * normalized, not even `..` and `//`.
 */
export function readResourceAddress(
  { url = '/', headers }: IncomingMessage,
  basePath: string,
): ResourceAddress {
  const [, raw = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? []
  const pairs = readQuery(search)
  if (!pairs) throw new S3Error('InvalidURI')
  const isUnderBasePath = basePath !== '' && (raw === basePath || raw.startsWith(`${basePath}/`))
  const path = isUnderBasePath ? raw.slice(basePath.length) : raw
  const [, bucket = '', key = ''] = /^\/?([^/]*)\/?(.*)$/s.exec(path) ?? []
  const address = { bucket: decode(bucket), key: decode(key) }
  if (Buffer.byteLength(address.key) > maxKeyBytes)
    throw new S3Error('KeyTooLongError', undefined, {
      Size: `${Buffer.byteLength(address.key)}`,
      MaxSizeAllowed: `${maxKeyBytes}`,
    })
  return {
    ...address,
    query: new Map(pairs),
    headers: joinHeaders(headers, pairs),
    location: `http://${headers.host ?? 'localhost'}${raw.replace(/\/$/, '')}`,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new S3Error('InvalidURI')
  }
}

/** Merges headers with the x-amz-* parameters of a presigned URL, which mean the same. */
function joinHeaders(
  headers: IncomingMessage['headers'],
  pairs: readonly (readonly [string, string])[],
): Headers {
  const joinedQuery = new Map<string, string>()
  for (const [name, value] of pairs) {
    const lowerCaseName = name.toLowerCase()
    if (lowerCaseName.startsWith('x-amz-')) joinedQuery.set(lowerCaseName, toHeaderValue(value))
  }
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) joinedQuery.set(name, Array.isArray(value) ? value.join(',') : value)
  return joinedQuery
}
