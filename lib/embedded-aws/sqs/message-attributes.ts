// Message attributes: validation, size, MD5, and selecting those that a receiver requested.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
import { hash } from 'node:crypto'
import { SqsError } from './errors.ts'

interface AttributeValue {
  readonly DataType: string
  readonly StringValue?: string | undefined
  /** Bytes in base64, as in requests. */
  readonly BinaryValue?: string | undefined
}

export type MessageAttributes = Readonly<Record<string, AttributeValue>>

/** Attributes of a request that have not been validated yet; see `readMessageAttributes`. */
export type GivenAttributes = Readonly<
  Record<
    string,
    {
      readonly DataType?: string | undefined
      readonly StringValue?: string | undefined
      readonly BinaryValue?: string | undefined
      readonly StringListValues?: readonly string[] | undefined
      readonly BinaryListValues?: readonly string[] | undefined
    }
  >
>

const maxAttributes = 10
const numberPattern = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/

const allowedCharacters = '#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF'

export function hasForbiddenCharacters(text: string): boolean {
  return /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text)
}

export function createForbiddenCharactersError(): SqsError {
  return new SqsError(
    'InvalidMessageContents',
    `Invalid characters found. Valid unicode characters are ${allowedCharacters}.`,
  )
}

export function readMessageAttributes(givenAttributes: GivenAttributes): MessageAttributes {
  const entries = Object.entries(givenAttributes)
  if (entries.length > maxAttributes)
    throw createInvalidAttributeError(
      `Number of message attributes [${entries.length}] exceeds the allowed maximum [${maxAttributes}].`,
    )
  return Object.fromEntries(entries.map(([name, value]) => [name, readValue(name, value)]))
}

function readValue(name: string, value: GivenAttributes[string]): AttributeValue {
  checkName(name)
  const type = value.DataType
  if (!type)
    throw createInvalidAttributeError(
      `The message attribute '${name}' must contain non-empty message attribute type.`,
    )
  const [, kind] = /^(String|Number|Binary)(?:\.[\w.-]*)?$/.exec(type) ?? []
  if (kind === undefined || type.length > 256)
    throw createInvalidAttributeError(
      `The message attribute '${name}' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.`,
    )
  if (value.StringListValues?.length || value.BinaryListValues?.length)
    throw new SqsError(
      'UnsupportedOperation',
      'Message attribute list values in SendMessage operation are not supported.',
    )
  const givenValue = kind === 'Binary' ? value.BinaryValue : value.StringValue
  if (!givenValue)
    throw createInvalidAttributeError(
      `Message (user) attribute '${name}' must contain a non-empty value of type '${type}'.`,
    )
  if (kind === 'Binary') return { DataType: type, BinaryValue: readBase64(name, givenValue) }
  if (hasForbiddenCharacters(givenValue))
    throw createInvalidAttributeError(
      `Invalid characters were found in the value of message attribute '${name}', the set of allowed characters is ${allowedCharacters}.`,
    )
  if (kind === 'Number' && !numberPattern.test(givenValue))
    throw createInvalidAttributeError(`Can't cast the value of message attribute '${name}' to a number.`)
  return { DataType: type, StringValue: givenValue }
}

function checkName(name: string) {
  if (!/^[\w.-]{1,256}$/.test(name))
    throw createInvalidAttributeError(
      `The message attribute name '${name}' is invalid. It can contain A-Z, a-z, 0-9, underscore (_), hyphen (-), and period (.) characters, 1 to 256 of them.`,
    )
  if (/^\.|\.$|\.\./.test(name))
    throw createInvalidAttributeError(
      `The message attribute name '${name}' is invalid. It must not start or end with a period, nor have periods in succession.`,
    )
  if (/^(aws|amazon)\./i.test(name))
    throw createInvalidAttributeError(
      `The message attribute name '${name}' is invalid. It must not start with the reserved prefixes AWS. or Amazon.`,
    )
}

function readBase64(name: string, text: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length === 0 || !/^[\w+/-]+={0,2}$/.test(text))
    throw createInvalidAttributeError(`The value of message attribute '${name}' is not valid base64.`)
  return bytes.toString('base64')
}

/**
 * Returns the digest that clients verify. For each attribute, sorted by name, it covers the name, the type and the
 * value, each after its length. The byte before the value says how it was sent (1 string, 2 binary).
 */
export function computeAttributesMd5(attributes: MessageAttributes): string | undefined {
  const parts: Buffer[] = []
  const push = (bytes: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    parts.push(length, bytes)
  }
  for (const name of Object.keys(attributes).sort()) {
    const value = attributes[name]
    if (!value) continue
    push(Buffer.from(name))
    push(Buffer.from(value.DataType))
    parts.push(Buffer.from([value.BinaryValue === undefined ? 1 : 2]))
    push(encodeValue(value))
  }
  return parts.length > 0 ? hash('md5', Buffer.concat(parts)) : undefined
}

function encodeValue(value: AttributeValue): Buffer {
  return value.BinaryValue === undefined
    ? Buffer.from(value.StringValue ?? '')
    : Buffer.from(value.BinaryValue, 'base64')
}

/** Selects the requested attributes: `All`, `*` and `.*` mean all, and `pre.*` means names that start with `pre`. */
export function pickAttributes(
  attributes: MessageAttributes,
  wantedNames: readonly string[],
): MessageAttributes | undefined {
  if (wantedNames.length === 0) return undefined
  const areAllWanted = wantedNames.some((name) => name === 'All' || name === '*' || name === '.*')
  const prefixes = wantedNames.filter((name) => name.endsWith('.*')).map((name) => name.slice(0, -2))
  const pickedAttributes = Object.entries(attributes).filter(
    ([name]) =>
      areAllWanted || wantedNames.includes(name) || prefixes.some((prefix) => name.startsWith(prefix)),
  )
  return pickedAttributes.length > 0 ? Object.fromEntries(pickedAttributes) : undefined
}

function createInvalidAttributeError(message: string): SqsError {
  return new SqsError('InvalidParameterValueException', message)
}
