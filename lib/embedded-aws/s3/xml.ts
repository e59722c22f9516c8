// Writes and parses S3's XML.
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { S3Error } from './errors.ts'

type Content = string | number | boolean | undefined | Element | readonly Content[]
/** Contents by element name. An array repeats its element, and undefined omits it. */
export interface Element {
  readonly [name: string]: Content
}

const defaultNamespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

export function toXml(root: string, content: Element, namespace = defaultNamespace): string {
  const attribute = namespace === '' ? '' : ` xmlns="${namespace}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${render(content)}</${root}>`
}

function render(content: Element): string {
  return Object.entries(content)
    .map(([name, value]) => renderElement(name, value))
    .join('')
}

function renderElement(name: string, value: Content): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map((item: Content) => renderElement(name, item)).join('')
  // Array.isArray does not narrow readonly arrays.
  if (typeof value === 'object') return `<${name}>${render(value as Element)}</${name}>`
  return `<${name}>${escapeText(String(value))}</${name}>`
}

/**
 * Escapes text. Control characters become references, as in AWS's replies, because an XML 1.0 parser would refuse or
 * change them.
 */
function escapeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys may contain control characters
  return text.replace(/[&<>"\u0000-\u001f\u007f\ufffe\uffff]/g, (c) => {
    return escapesByCharacter[c] ?? `&#x${c.charCodeAt(0).toString(16)};`
  })
}
const escapesByCharacter: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** A parsed element: every child is a list, and leaves are strings. */
export interface Parsed {
  readonly [name: string]: readonly (Parsed | string)[]
}

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  isArray: () => true,
  htmlEntities: true,
})

/**
 * Parses a document with the given root. Document types are refused, because they can only add entities. @throws
 * S3Error MalformedXML
 */
export function fromXml(text: string, root: string): Parsed {
  if (text.includes('<!DOCTYPE') || XMLValidator.validate(text) !== true) throw new S3Error('MalformedXML')
  const document = parser.parse(text) as Parsed // all elements are arrays by the settings of the parser
  const [foundElement] = document[root] ?? []
  if (foundElement === undefined) throw new S3Error('MalformedXML')
  return typeof foundElement === 'string' ? {} : foundElement
}

export function getChildText(parent: Parsed, name: string): string | undefined {
  const [foundElement] = parent[name] ?? []
  return typeof foundElement === 'string' ? foundElement : undefined
}

export function getChildTexts(parent: Parsed, name: string): string[] {
  return (parent[name] ?? []).filter((element) => typeof element === 'string')
}

/** Returns the child elements; a leaf counts as empty. */
export function getChildren(parent: Parsed, name: string): Parsed[] {
  return (parent[name] ?? []).map((element) => (typeof element === 'string' ? {} : element))
}
