// The older Query protocol, with form fields as input and XML as output.
// Converts requests to the shapes of the JSON protocol, and results from these shapes.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-making-api-requests-xml.html
import { SqsError } from './errors.ts'
import type { Action } from './inputs.ts'

const namespace = 'http://queue.amazonaws.com/doc/2012-11-05/'
const maxFields = 5000
/**
 * Maximum number of parts in a field name; `SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.BinaryListValue.1`
 * has seven.
 */
const maxDepth = 7
/** The Query protocol has its own message for this error. */
const noQueueMessage = 'The specified queue does not exist for this wsdl version.'

/** Fields that are lists (`AttributeName.1`), and the member of the JSON protocol for each. */
const lists = {
  AttributeName: 'AttributeNames',
  MessageAttributeName: 'MessageAttributeNames',
  MessageSystemAttributeName: 'MessageSystemAttributeNames',
  TagKey: 'TagKeys',
  AWSAccountId: 'AWSAccountIds',
  ActionName: 'Actions',
  SendMessageBatchRequestEntry: 'Entries',
  DeleteMessageBatchRequestEntry: 'Entries',
  ChangeMessageVisibilityBatchRequestEntry: 'Entries',
  StringListValue: 'StringListValues',
  BinaryListValue: 'BinaryListValues',
} as const

/**
 * Fields that are maps (`Attribute.1.Name`, `Attribute.1.Value`), with their member in the JSON protocol and the name
 * of the key.
 */
const maps = {
  Attribute: ['Attributes', 'Name'],
  MessageAttribute: ['MessageAttributes', 'Name'],
  MessageSystemAttribute: ['MessageSystemAttributes', 'Name'],
  Tag: ['Tags', 'Key'],
} as const

const integers = new Set([
  'DelaySeconds',
  'MaxNumberOfMessages',
  'MaxNumberOfMessagesPerSecond',
  'MaxResults',
  'VisibilityTimeout',
  'WaitTimeSeconds',
])

const resultLists: Readonly<Record<string, string>> = {
  QueueUrls: 'QueueUrl',
  queueUrls: 'QueueUrl',
  Messages: 'Message',
  Failed: 'BatchResultErrorEntry',
  Results: 'ListMessageMoveTasksResultEntry',
}

type Node = Map<string, Node | string>

/** Reads the members of a request from its form fields. */
export function readForm(fields: URLSearchParams): Record<string, unknown> {
  if (fields.size > maxFields)
    throw new SqsError('SerializationException', 'The request has too many fields.')
  const root: Node = new Map()
  for (const [name, value] of fields)
    if (name !== 'Action' && name !== 'Version') setAtPath(root, name, value)
  return toMembers(root)
}

function setAtPath(root: Node, name: string, value: string) {
  const path = name.split('.', maxDepth + 1)
  if (path.length > maxDepth) throw createParameterError(path.slice(0, 2).join('.'))
  const lastSegment = path.pop() ?? ''
  let node = root
  for (const pathSegment of path) {
    const nextNode = node.get(pathSegment)
    if (typeof nextNode === 'string') throw createParameterError(name)
    const child: Node = nextNode ?? new Map()
    node.set(pathSegment, child)
    node = child
  }
  if (node.has(lastSegment)) throw createParameterError(name)
  node.set(lastSegment, value)
}

function toMembers(node: Node): Record<string, unknown> {
  const members: [string, unknown][] = []
  for (const [name, value] of node) {
    if (isKey(maps, name)) {
      const [member, keyName] = maps[name]
      members.push([member, toMap(name, value, keyName)])
    } else if (isKey(lists, name)) {
      const items = listItems(name, value)
      members.push([lists[name], items.map((item) => (typeof item === 'string' ? item : toMembers(item)))])
    } else if (typeof value !== 'string') throw createParameterError(name)
    else members.push([name, integers.has(name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value])
  }
  return Object.fromEntries(members)
}

function toMap(name: string, value: Node | string, keyName: string): Record<string, unknown> {
  const pairs = listItems(name, value).map((item): [string, unknown] => {
    const key = typeof item === 'string' ? undefined : item.get(keyName)
    if (typeof item === 'string' || typeof key !== 'string') throw createParameterError(name)
    const innerValue = item.get('Value') ?? ''
    return [key, typeof innerValue === 'string' ? innerValue : toMembers(innerValue)]
  })
  return Object.fromEntries(pairs)
}

/** Lists the items of a field. AWS's own examples omit the number if there is one item (`Attribute.Name=…`). */
function listItems(name: string, value: Node | string): (Node | string)[] {
  if (typeof value === 'string') return [value]
  const keys = [...value.keys()]
  if (!keys.some((key) => /^\d+$/.test(key))) return [value]
  if (!keys.every((key) => /^\d{1,6}$/.test(key))) throw createParameterError(name)
  return [...value].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item)
}

function createParameterError(name: string): SqsError {
  return new SqsError('SerializationException', `The field ${name} does not follow the syntax of this API.`)
}

const isKey = <T extends object>(table: T, name: string): name is keyof T & string =>
  Object.hasOwn(table, name)

export function writeResult(action: Action, output: object | undefined, requestId: string): string {
  const content = output ? members(action, output) : ''
  const emptyResult = output ? `<${action}Result/>` : ''
  const result = content === '' ? emptyResult : `<${action}Result>${content}</${action}Result>`
  const metadata = `<ResponseMetadata>${writeElement('RequestId', requestId)}</ResponseMetadata>`
  return writeDocument(`${action}Response`, result + metadata)
}

export function writeError(error: SqsError, requestId: string): string {
  if (error.name === 'UnknownOperationException') return '<UnknownOperationException/>'
  const message = error.name === 'QueueDoesNotExist' ? noQueueMessage : error.message
  const elements = [
    writeElement('Type', error.fault),
    writeElement('Code', error.code),
    writeElement('Message', message),
  ]
  return writeDocument(
    'ErrorResponse',
    `<Error>${elements.join('')}<Detail/></Error>${writeElement('RequestId', requestId)}`,
  )
}

const writeDocument = (root: string, content: string) =>
  `<?xml version="1.0"?><${root} xmlns="${namespace}">${content}</${root}>`

function members(action: Action, output: object): string {
  return Object.entries(output)
    .map(([name, value]) => {
      if (Array.isArray(value)) {
        const itemName = name === 'Successful' ? `${action}ResultEntry` : (resultLists[name] ?? name)
        return value.map((item) => writeElement(itemName, item, action)).join('')
      }
      const map = Object.entries(maps).find(([, [member]]) => member === name)
      if (!map || typeof value !== 'object') return writeElement(name, value, action)
      const [tag, [, keyName]] = map
      return Object.entries(value ?? {})
        .map(
          ([key, inner]) =>
            `<${tag}>${writeElement(keyName, key)}${writeElement('Value', inner, action)}</${tag}>`,
        )
        .join('')
    })
    .join('')
}

function writeElement(name: string, value: unknown, action: Action = 'SendMessage'): string {
  const content =
    typeof value === 'object' && value !== null ? members(action, value) : escapeXml(String(value))
  return `<${name}>${content}</${name}>`
}

/**
 * Escapes text for XML. A bare carriage return must be a reference, because the client's parser would turn it into a
 * line feed.
 */
function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#xD;')
}
