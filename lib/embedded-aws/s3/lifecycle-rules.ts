// Reads and writes the lifecycle configuration of a bucket; lifecycle.ts applies its rules.
import { randomUUID } from 'node:crypto'
import { readXmlBody, requireChecksum } from './body.ts'
import { deleteSetting, type LifecycleRule, readSetting, writeSetting } from './bucket-settings.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { formatIsoTime } from './call.ts'
import { S3Error } from './errors.ts'
import { type Element, getChildren, getChildText, type Parsed, toXml } from './xml.ts'

const maxRules = 1000

export function getLifecycle({ db }: S3Services, { bucket }: S3Call): S3Reply {
  const rules = readSetting(db, bucket, 'lifecycle')
  if (!rules) throw new S3Error('NoSuchLifecycleConfiguration', undefined, { BucketName: bucket })
  return { xml: toXml('LifecycleConfiguration', { Rule: rules.map(describe) }) }
}

export async function putLifecycle({ db }: S3Services, call: S3Call): Promise<S3Reply> {
  requireChecksum(call.headers)
  const elements = getChildren(await readXmlBody(call, 'LifecycleConfiguration'), 'Rule')
  if (elements.length === 0 || elements.length > maxRules) throw new S3Error('MalformedXML')
  const rules = elements.map(readRule)
  if (new Set(rules.map(({ id }) => id)).size < rules.length)
    throw new S3Error('InvalidArgument', 'Rule ID must be unique. Found same ID for more than one rule')
  await writeSetting(db, call.bucket, 'lifecycle', rules)
  return { status: 200 }
}

export async function deleteLifecycle({ db }: S3Services, { bucket }: S3Call): Promise<S3Reply> {
  await deleteSetting(db, bucket, 'lifecycle')
  return { status: 204 }
}

function describe(rule: LifecycleRule): Element {
  const filter: Element = {
    Prefix: rule.prefix,
    Tag: rule.tags.map(({ key, value }) => ({ Key: key, Value: value })),
    ObjectSizeGreaterThan: rule.above,
    ObjectSizeLessThan: rule.below,
  }
  return {
    ID: rule.id,
    ...(rule.form === 'prefix'
      ? { Prefix: rule.prefix }
      : { Filter: rule.form === 'and' ? { And: filter } : filter }),
    Status: rule.enabled ? 'Enabled' : 'Disabled',
    Expiration:
      rule.expireDays === undefined && rule.expireAt === undefined
        ? undefined
        : {
            Days: rule.expireDays,
            Date: rule.expireAt === undefined ? undefined : formatIsoTime(rule.expireAt),
          },
    AbortIncompleteMultipartUpload:
      rule.abortDays === undefined ? undefined : { DaysAfterInitiation: rule.abortDays },
  }
}

const unsupportedActions = ['Transition', 'NoncurrentVersionExpiration', 'NoncurrentVersionTransition']

function readRule(element: Parsed): LifecycleRule {
  const unsupportedAction = unsupportedActions.find((name) => name in element)
  if (unsupportedAction !== undefined)
    throw new S3Error('NotImplemented', `Lifecycle action ${unsupportedAction} is not implemented`)
  const status = getChildText(element, 'Status')
  if (status !== 'Enabled' && status !== 'Disabled') throw new S3Error('MalformedXML')
  const id = getChildText(element, 'ID') ?? ''
  // A lone surrogate, which a character reference can contain, has no UTF-8 form and is invalid in a header.
  if (!id.isWellFormed()) throw new S3Error('MalformedXML')
  if (id.length > 255)
    throw new S3Error('InvalidArgument', 'ID length should not exceed allowed limit of 255')
  const rule = {
    id: id === '' ? randomUUID() : id,
    enabled: status === 'Enabled',
    ...readFilter(element),
    ...readExpiration(element),
    ...readAbort(element),
  }
  if (rule.expireDays === undefined && rule.expireAt === undefined && rule.abortDays === undefined)
    throw new S3Error('InvalidRequest', 'At least one action needs to be specified in a rule.')
  if (
    rule.abortDays !== undefined &&
    (rule.tags.length > 0 || rule.above !== undefined || rule.below !== undefined)
  )
    throw new S3Error(
      'InvalidRequest',
      'AbortIncompleteMultipartUpload cannot be specified with Tags or object sizes.',
    )
  return rule
}

function readFilter(element: Parsed): Pick<LifecycleRule, 'form' | 'prefix' | 'tags' | 'above' | 'below'> {
  const [filter] = getChildren(element, 'Filter')
  const ownPrefix = getChildText(element, 'Prefix')
  if (!filter) {
    if (ownPrefix === undefined) throw new S3Error('MalformedXML')
    return { form: 'prefix', prefix: ownPrefix, tags: [] }
  }
  if (ownPrefix !== undefined) throw new S3Error('MalformedXML')
  const [and] = getChildren(filter, 'And')
  const from = and ?? filter
  const tags = getChildren(from, 'Tag').map((tag) => ({
    key: getChildText(tag, 'Key') ?? '',
    value: getChildText(tag, 'Value') ?? '',
  }))
  if (tags.some(({ key }) => key === '')) throw new S3Error('MalformedXML')
  const prefix = getChildText(from, 'Prefix')
  const [above, below] = [readBytes(from, 'ObjectSizeGreaterThan'), readBytes(from, 'ObjectSizeLessThan')]
  const predicates = [prefix, above, below, ...tags].filter((value) => value !== undefined).length
  if (and ? predicates < 2 : predicates > 1) throw new S3Error('MalformedXML')
  return {
    form: and ? 'and' : 'filter',
    tags,
    ...(prefix !== undefined && { prefix }),
    ...(above !== undefined && { above }),
    ...(below !== undefined && { below }),
  }
}

function readBytes(parent: Parsed, name: string): number | undefined {
  const text = getChildText(parent, name)
  if (text !== undefined && !/^\d{1,15}$/.test(text)) throw new S3Error('MalformedXML')
  return text === undefined ? undefined : Number(text)
}

function readExpiration(element: Parsed): Pick<LifecycleRule, 'expireDays' | 'expireAt'> {
  const [expiration] = getChildren(element, 'Expiration')
  if (!expiration) return {}
  if ('ExpiredObjectDeleteMarker' in expiration)
    throw new S3Error('NotImplemented', 'Lifecycle action ExpiredObjectDeleteMarker is not implemented')
  const date = getChildText(expiration, 'Date')
  const expireDays = readDays(expiration, 'Days')
  if ((date === undefined) === (expireDays === undefined)) throw new S3Error('MalformedXML')
  if (date === undefined) return { ...(expireDays !== undefined && { expireDays }) }
  const expireAt = Date.parse(date)
  if (Number.isNaN(expireAt)) throw new S3Error('MalformedXML')
  if (expireAt % 86_400_000 !== 0) throw new S3Error('InvalidArgument', "'Date' must be at midnight GMT")
  return { expireAt }
}

function readAbort(element: Parsed): Pick<LifecycleRule, 'abortDays'> {
  const [abort] = getChildren(element, 'AbortIncompleteMultipartUpload')
  if (!abort) return {}
  const abortDays = readDays(abort, 'DaysAfterInitiation')
  if (abortDays === undefined) throw new S3Error('MalformedXML')
  return { abortDays }
}

function readDays(parent: Parsed, name: string): number | undefined {
  const text = getChildText(parent, name)
  if (text === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(text)) throw new S3Error('MalformedXML')
  if (Number(text) < 1)
    throw new S3Error('InvalidArgument', `'${name}' for Expiration action must be a positive integer`)
  return Number(text)
}
