// Metadata that a client sends with an object, in headers or form fields, and how it is returned.

import { readQuery } from '../sigv4-claim.ts'
import type { Headers } from './call.ts'
import { createInvalidArgumentError, createNotImplementedError, S3Error } from './errors.ts'
import type { ObjectDescription, S3Object, S3Tag } from './stored-object.ts'

/** Headers of a download that the signer of its URL may override. */
const downloadHeaders = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]
/**
 * AWS encrypts every object with AES256 and returns this header. This server returns it only if the client requested
 * it.
 */
const encryption = { name: 'x-amz-server-side-encryption', value: 'AES256' }
const storedHeaderNames = [...downloadHeaders, 'x-amz-website-redirect-location', encryption.name]
const maxMetadataBytes = 2048

/**
 * Headers of unsupported features. They are refused, because ignoring them would be a false promise of encryption or
 * locks.
 */
const refusedHeaders = [
  /^x-amz-server-side-encryption/,
  /^x-amz-object-lock-/,
  /^x-amz-grant-/,
  /^x-amz-copy-source-server-side-encryption/,
  /^x-amz-write-offset-bytes$/,
]

export function refuseUnsupported(headers: Headers): void {
  const refusedHeader = [...headers].find(
    ([name, value]) =>
      !(name === encryption.name && value === encryption.value) &&
      refusedHeaders.some((pattern) => pattern.test(name)),
  )?.[0]
  if (refusedHeader?.startsWith('x-amz-grant-')) throw new S3Error('AccessControlListNotSupported')
  if (refusedHeader !== undefined) throw createNotImplementedError(refusedHeader)
  const acl = headers.get('x-amz-acl')
  if (acl !== undefined && acl !== 'private' && acl !== 'bucket-owner-full-control')
    throw new S3Error('AccessControlListNotSupported')
  const storageClass = headers.get('x-amz-storage-class')
  if (storageClass !== undefined && storageClass !== 'STANDARD')
    throw new S3Error('InvalidStorageClass', undefined, { StorageClassRequested: storageClass })
}

export function readDescription(headers: Headers): ObjectDescription {
  refuseUnsupported(headers)
  return { headers: readStoredHeaders(headers), tags: readTagHeader(headers) }
}

/** Returns the encryption header that a reply to a write repeats. */
export function createEncryptionHeader({
  headers,
}: Pick<ObjectDescription, 'headers'>): Record<string, string> {
  const requestedEncryption = headers[encryption.name]
  return requestedEncryption === undefined ? {} : { [encryption.name]: requestedEncryption }
}

export function readStoredHeaders(headers: Headers): Record<string, string> {
  const storedHeaders: Record<string, string> = { 'content-type': 'binary/octet-stream' }
  let metadataBytes = 0
  for (const [name, value] of headers) {
    const metadata = name.startsWith('x-amz-meta-')
    if (!metadata && (!storedHeaderNames.includes(name) || value === '')) continue
    if (!isValidHeader(name, value))
      throw createInvalidArgumentError('A header name or value contains invalid characters', name, value)
    if (metadata) metadataBytes += name.length - 'x-amz-meta-'.length + value.length
    storedHeaders[name] = value
  }
  if (metadataBytes > maxMetadataBytes)
    throw new S3Error('MetadataTooLarge', undefined, {
      Size: `${metadataBytes}`,
      MaxSizeAllowed: `${maxMetadataBytes}`,
    })
  // aws-chunked describes the framing of the request, not the object.
  const encodings = (storedHeaders['content-encoding'] ?? '').split(',').map((one) => one.trim())
  const encoding = encodings.filter((one) => one !== '' && one !== 'aws-chunked').join(',')
  delete storedHeaders['content-encoding']
  if (encoding !== '') storedHeaders['content-encoding'] = encoding
  return storedHeaders
}

/**
 * Whether a value is valid in a header: form fields and query parameters may contain other characters, such as line
 * breaks.
 */
function isValidHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && headerValuePattern.test(value)
}
const headerValuePattern = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** Returns the UTF-8 bytes of a text as one character each, as Node reads and writes headers. */
export function toHeaderValue(text: string): string {
  return Buffer.from(text).toString('latin1')
}

export function readTagHeader(headers: Headers): S3Tag[] {
  const text = headers.get('x-amz-tagging')
  if (text === undefined) return []
  const pairs = readQuery(text)
  if (!pairs)
    throw createInvalidArgumentError(
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
      'x-amz-tagging',
      text,
    )
  return checkTags(
    pairs.map(([key, value]) => ({ key, value })),
    'object',
  )
}

const tagPattern = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

const tagRules = {
  object: {
    maxTags: 10,
    tooMany: 'Object tags cannot be greater than 10',
    reserved: 'Your TagKey cannot be prefixed with aws:',
  },
  bucket: {
    maxTags: 50,
    tooMany: 'Bucket tag count cannot exceed 50',
    reserved: 'System tags cannot be added/updated by requester',
  },
} as const

export type TaggedKind = keyof typeof tagRules

export function checkTags(tags: readonly S3Tag[], of: TaggedKind): S3Tag[] {
  const { maxTags, tooMany, reserved } = tagRules[of]
  const keys = new Set(tags.map((tag) => tag.key))
  if (keys.size < tags.length)
    throw new S3Error('InvalidTag', 'Cannot provide multiple Tags with the same key')
  for (const { key, value } of tags) {
    if (key === '' || [...key].length > 128 || !tagPattern.test(key))
      throw new S3Error('InvalidTag', 'The TagKey you have provided is invalid', { TagKey: key })
    if (key.startsWith('aws:')) throw new S3Error('InvalidTag', reserved, { TagKey: key })
    if ([...value].length > 256 || !tagPattern.test(value))
      throw new S3Error('InvalidTag', 'The TagValue you have provided is invalid', {
        TagKey: key,
        TagValue: value,
      })
  }
  if (tags.length > maxTags) throw new S3Error('BadRequest', tooMany)
  return [...tags]
}

/** Returns the headers of every reply about an object. */
export function createObjectHeaders(object: S3Object): Record<string, string | number> {
  return {
    ...Object.fromEntries(
      Object.entries(object.headers).map(([name, value]) => [name, encodeWord(name, value)]),
    ),
    etag: `"${object.etag}"`,
    'last-modified': new Date(object.modified).toUTCString(),
    'accept-ranges': 'bytes',
    ...(object.tags.length > 0 && { 'x-amz-tagging-count': object.tags.length }),
  }
}

/** Encodes non-ASCII metadata as an RFC 2047 word, with each byte as a character, as in S3's documentation. */
function encodeWord(name: string, value: string): string {
  if (!name.startsWith('x-amz-meta-') || !/[\u0080-\u00ff]/.test(value)) return value
  return `=?UTF-8?B?${Buffer.from(value).toString('base64')}?=`
}

/** Applies response-content-disposition and similar parameters, with which the signer of a URL overrides headers. */
export function overrideHeaders(query: ReadonlyMap<string, string>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of downloadHeaders) {
    const value = query.get(`response-${name}`)
    if (value === undefined) continue
    if (!headerValuePattern.test(value))
      throw createInvalidArgumentError(
        'Header value cannot be represented using ISO-8859-1.',
        `response-${name}`,
        value,
      )
    headers[name] = value
  }
  // Extension of this server: the signer may know the digest. S3 ignores parameters that start with x-.
  const digest = query.get('x-repr-digest')
  if (digest !== undefined && headerValuePattern.test(digest)) headers['repr-digest'] = digest
  return headers
}
