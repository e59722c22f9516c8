// Evaluates conditional requests and ranges, as in RFC 9110 sections 13 and 14 with the exceptions that S3 documents.
import type { Headers } from './call.ts'
import { createNotImplementedError, S3Error } from './errors.ts'

interface Current {
  readonly etag: string
  readonly modified: number
}

function createPreconditionFailedError(condition: string): S3Error {
  return new S3Error('PreconditionFailed', undefined, { Condition: condition })
}

/**
 * Checks the conditions of Put, Copy and Complete. Called inside the transaction that writes, so that only one of
 * several concurrent writers succeeds.
 */
export function checkWrite(headers: Headers, current: Current | undefined): void {
  const ifNoneMatch = headers.get('if-none-match')
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') throw createNotImplementedError('If-None-Match')
  if (ifNoneMatch !== undefined && current) throw createPreconditionFailedError('If-None-Match')
  const ifMatch = headers.get('if-match')
  if (ifMatch === undefined) return
  if (!current) throw new S3Error('NoSuchKey')
  if (!matches(ifMatch, current.etag)) throw createPreconditionFailedError('If-Match')
}

/** Checks the conditions of Delete: the current object must have the ETag, or for `*` exist. */
export function checkDelete(ifMatch: string | undefined, current: Current | undefined): void {
  if (ifMatch === undefined) return
  if (!current) throw new S3Error('NoSuchKey')
  if (!matches(ifMatch, current.etag)) throw createPreconditionFailedError('If-Match')
}

/** Checks the conditions of Get and Head: throws 412, or returns whether the client's copy is current. */
export function checkRead(headers: Headers, current: Current): 'send' | 'not-modified' {
  const { unmatched, unmodified, fresh } = evaluate(headers, current, '')
  if (unmatched) throw createPreconditionFailedError('If-Match')
  if (unmodified) throw createPreconditionFailedError('If-Unmodified-Since')
  return fresh ? 'not-modified' : 'send'
}

/**
 * Checks the conditions on the source of a copy: 412 instead of 304, because a copy has no cached response to reuse.
 */
export function checkCopySource(headers: Headers, current: Current): void {
  const { unmatched, unmodified, fresh } = evaluate(headers, current, 'x-amz-copy-source-')
  if (unmatched || unmodified || fresh) throw createPreconditionFailedError('x-amz-copy-source-If-*')
}

function evaluate(headers: Headers, { etag, modified }: Current, prefix: string) {
  const ifMatch = headers.get(`${prefix}if-match`)
  const ifNoneMatch = headers.get(`${prefix}if-none-match`)
  const modifiedSince = readDate(headers.get(`${prefix}if-modified-since`))
  const unmodifiedSince = readDate(headers.get(`${prefix}if-unmodified-since`))
  return {
    unmatched: ifMatch !== undefined && !matches(ifMatch, etag),
    // A date only counts if there is no ETag (RFC 9110, 13.2.2, and the S3 reference).
    unmodified: ifMatch === undefined && unmodifiedSince !== undefined && modified > unmodifiedSince,
    fresh:
      ifNoneMatch === undefined
        ? modifiedSince !== undefined && modified <= modifiedSince
        : matches(ifNoneMatch, etag),
  }
}

function matches(list: string, etag: string): boolean {
  return list.split(',').some((entry) => {
    const bare = stripQuotes(entry.trim().replace(/^W\//, ''))
    return bare === '*' || bare === etag
  })
}

function stripQuotes(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1')
}

/** Reads a date; ignores an invalid one (RFC 9110, 13.1.3). */
function readDate(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** A range of bytes; both ends are inclusive. */
export interface ObjectRange {
  readonly first: number
  readonly last: number
}

/**
 * Returns the requested range. Returns undefined, which means the whole object, if the Range header is missing, is
 * malformed or has several ranges (as in S3), or if If-Range does not match. If-Range takes a single strong validator
 * (RFC 9110, 13.1.5).
 */
export function readRange(
  headers: Headers,
  { size, etag, modified }: Current & { readonly size: number },
): ObjectRange | undefined {
  const ifRange = headers.get('if-range')
  if (ifRange !== undefined && stripQuotes(ifRange) !== etag && readDate(ifRange) !== modified)
    return undefined
  const text = headers.get('range') ?? ''
  const [foundRange, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(text.trim()) ?? []
  if (foundRange === undefined || (from === '' && to === '')) return undefined
  const firstByte = from === '' ? Math.max(size - Number(to), 0) : Number(from)
  const lastByte = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined
  if (firstByte > lastByte)
    throw new S3Error(
      'InvalidRange',
      undefined,
      { RangeRequested: text, ActualObjectSize: `${size}` },
      { 'content-range': `bytes */${size}` },
    )
  return { first: firstByte, last: lastByte }
}
