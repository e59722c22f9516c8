// Parameters of listings and parts: counts, part numbers and the encoding of names.
import { uriEncode } from '../sigv4.ts'
import type { S3Call } from './call.ts'
import { createInvalidArgumentError } from './errors.ts'

/** Reads max-keys and similar parameters: a count above `maxCount` is reduced to it. */
export function readCount(
  name: string,
  text: string | undefined,
  defaultCount: number,
  maxCount = 1000,
): number {
  if (text === undefined || text === '') return defaultCount
  const count = Number(text)
  if (!/^-?\d+$/.test(text))
    throw createInvalidArgumentError(`Provided ${name} not an integer or within integer range`, name, text)
  if (count < 0 || count > 2 ** 31 - 1)
    throw createInvalidArgumentError(
      `Argument ${name} must be an integer between 0 and 2147483647`,
      name,
      text,
    )
  return Math.min(count, maxCount)
}

export function readPartNumber({ query }: Pick<S3Call, 'query'>): number {
  const text = query.get('partNumber') ?? ''
  const number = parsePartNumber(text)
  if (number === undefined)
    throw createInvalidArgumentError(
      'Part number must be an integer between 1 and 10000, inclusive',
      'partNumber',
      text,
    )
  return number
}

/**
 * Parses a part number. Only plain digits are accepted: AWS does not document how it reads `01` or `+1`, so clients
 * must not rely on them.
 */
export function parsePartNumber(text: string): number | undefined {
  return /^([1-9]\d{0,3}|10000)$/.test(text) ? Number(text) : undefined
}

/**
 * Returns the function that encodes names: with percent-encoding (except slashes) on request, because XML 1.0 lacks
 * some characters.
 */
export function readEncoding(query: ReadonlyMap<string, string>): (name: string) => string {
  const type = query.get('encoding-type')
  if (type === undefined || type === '') return (name) => name
  if (type !== 'url')
    throw createInvalidArgumentError('Invalid Encoding Method specified in Request', 'encoding-type', type)
  return (name) => name.split('/').map(uriEncode).join('/')
}
