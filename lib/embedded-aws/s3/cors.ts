// CORS rules of a bucket: the configuration document, preflight requests, and the headers of actual requests.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html
import type { IncomingMessage } from 'node:http'
import { readXmlBody, requireChecksum } from './body.ts'
import { type CorsRule, deleteSetting, readSetting, writeSetting } from './bucket-settings.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import type { Database } from './database.ts'
import { S3Error } from './errors.ts'
import { getChildren, getChildText, getChildTexts, type Parsed, toXml } from './xml.ts'

const knownMethods = ['GET', 'PUT', 'HEAD', 'POST', 'DELETE']

export function getCors({ db }: S3Services, { bucket }: S3Call): S3Reply {
  const rules = readSetting(db, bucket, 'cors')
  if (!rules) throw new S3Error('NoSuchCORSConfiguration', undefined, { BucketName: bucket })
  return {
    xml: toXml('CORSConfiguration', {
      CORSRule: rules.map((rule) => ({
        ID: rule.id,
        AllowedOrigin: rule.origins,
        AllowedMethod: rule.methods,
        AllowedHeader: rule.headers,
        ExposeHeader: rule.exposed,
        MaxAgeSeconds: rule.maxAgeS,
      })),
    }),
  }
}

export async function putCors({ db }: S3Services, call: S3Call): Promise<S3Reply> {
  requireChecksum(call.headers)
  const rules = getChildren(await readXmlBody(call, 'CORSConfiguration'), 'CORSRule').map(readRule)
  if (rules.length === 0 || rules.length > 100) throw new S3Error('MalformedXML')
  await writeSetting(db, call.bucket, 'cors', rules)
  return { status: 200 }
}

export async function deleteCors({ db }: S3Services, { bucket }: S3Call): Promise<S3Reply> {
  await deleteSetting(db, bucket, 'cors')
  return { status: 204 }
}

function readRule(element: Parsed): CorsRule {
  const [origins, methods] = [
    getChildTexts(element, 'AllowedOrigin'),
    getChildTexts(element, 'AllowedMethod'),
  ]
  if (origins.length === 0 || methods.length === 0) throw new S3Error('MalformedXML')
  const unsupportedMethod = methods.find((method) => !knownMethods.includes(method))
  if (unsupportedMethod !== undefined)
    throw new S3Error(
      'InvalidRequest',
      `Found unsupported HTTP method in CORS config. Unsupported method is ${unsupportedMethod}`,
    )
  const headers = getChildTexts(element, 'AllowedHeader')
  for (const [name, values] of [
    ['AllowedOrigin', origins],
    ['AllowedHeader', headers],
  ] as const) {
    const doubleWildcard = values.find((value) => value.split('*').length > 2)
    if (doubleWildcard !== undefined)
      throw new S3Error('InvalidRequest', `${name} "${doubleWildcard}" can not have more than one wildcard.`)
  }
  const exposed = getChildTexts(element, 'ExposeHeader')
  const invalidHeader = exposed.find((name) => !/^[\w!#$%&'+.^`|~-]+$/.test(name))
  if (invalidHeader !== undefined)
    throw new S3Error(
      'InvalidRequest',
      `ExposeHeader "${invalidHeader}" is no header name; wildcards are not supported for ExposeHeader.`,
    )
  const [id, maxAge] = [getChildText(element, 'ID'), getChildText(element, 'MaxAgeSeconds')]
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) throw new S3Error('MalformedXML')
  return {
    ...(id !== undefined && { id }),
    origins,
    methods,
    headers,
    exposed,
    ...(maxAge !== undefined && { maxAgeS: Number(maxAge) }),
  }
}

/** Responds to an OPTIONS request, which needs no signature because browsers send none. */
export function respondToPreflight(db: Database, bucket: string, { headers }: IncomingMessage): S3Reply {
  const { origin, 'access-control-request-method': method } = headers
  if (origin === undefined)
    throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.')
  if (method === undefined || !knownMethods.includes(method))
    throw new S3Error('BadRequest', `Invalid Access-Control-Request-Method: ${method ?? 'null'}`)
  const rules = bucket === '' ? undefined : readSetting(db, bucket, 'cors')
  if (!rules)
    throw new S3Error('AccessForbidden', 'CORSResponse: CORS is not enabled for this bucket.', {
      Method: method,
      ResourceType: 'BUCKET',
    })
  const wantedHeaders = (headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  const rule = rules.find(
    (one) =>
      allows(one, origin, method) &&
      wantedHeaders.every((name) => one.headers.some((pattern) => matches(pattern.toLowerCase(), name))),
  )
  if (!rule)
    throw new S3Error(
      'AccessForbidden',
      "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
      { Method: method, ResourceType: 'OBJECT' },
    )
  return {
    headers: {
      ...createAllowHeaders(rule, origin),
      ...(wantedHeaders.length > 0 && { 'access-control-allow-headers': wantedHeaders.join(', ') }),
    },
  }
}

/** Returns headers that let a script in a browser read the reply, including errors; none if no rule allows it. */
export function createCorsHeaders(
  db: Database,
  bucket: string,
  { method = '', headers }: IncomingMessage,
): Record<string, string> {
  if (headers.origin === undefined || bucket === '') return {}
  const { origin } = headers
  const rule = readSetting(db, bucket, 'cors')?.find((one) => allows(one, origin, method))
  return rule ? createAllowHeaders(rule, origin) : {}
}

function allows(rule: CorsRule, origin: string, method: string): boolean {
  return rule.methods.includes(method) && rule.origins.some((pattern) => matches(pattern, origin))
}

function matches(pattern: string, text: string): boolean {
  const [head = '', tail] = pattern.split('*')
  if (tail === undefined) return pattern === text
  return text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail)
}

function createAllowHeaders(rule: CorsRule, origin: string): Record<string, string> {
  const allowsAnyOrigin = rule.origins.includes('*')
  return {
    'access-control-allow-origin': allowsAnyOrigin ? '*' : origin,
    'access-control-allow-methods': rule.methods.join(', '),
    ...(rule.exposed.length > 0 && { 'access-control-expose-headers': rule.exposed.join(', ') }),
    ...(rule.maxAgeS !== undefined && { 'access-control-max-age': `${rule.maxAgeS}` }),
    ...(!allowsAnyOrigin && { 'access-control-allow-credentials': 'true' }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  }
}
