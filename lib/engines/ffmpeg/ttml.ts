import { XMLParser } from 'fast-xml-parser'
import * as z from 'zod'
import type { Cue } from './subtitle-cues.ts'
import { createTtmlClock, type TtmlClock } from './ttml-clock.ts'

/** Reads TTML 2 (also as DFXP, IMSC and EBU-TT), which ffmpeg only writes. */

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  // Also decodes numeric character references, such as &#39;.
  htmlEntities: true,
})

type Attributes = Readonly<Record<string, string>>
interface Element {
  readonly name: string
  readonly attributes: Attributes
  readonly children: readonly (Element | string)[]
}

/** Nodes of the parser: an object with the children under the name of the element, and the attributes under `:@`. */
const ParsedNode = z.looseObject({
  '#text': z.string().optional(),
  ':@': z.record(z.string(), z.string()).optional(),
})

function toNodes(parsed: unknown): (Element | string)[] {
  return z
    .array(ParsedNode)
    .parse(parsed)
    .flatMap((node): (Element | string)[] => {
      const { '#text': text, ':@': attributes = {}, ...elements } = node
      if (text !== undefined) return [text]
      return Object.entries(elements).flatMap(([name, children]) =>
        name.startsWith('?') ? [] : [{ name, attributes, children: toNodes(children) }],
      )
    })
}

interface Context {
  readonly startMs: number
  readonly endMs: number
  /** SubRip tags that emphasize the text. */
  readonly tags: readonly string[]
  /** Color of the text, unless it is white, the usual color of subtitles. */
  readonly color: string | undefined
  readonly preservesSpace: boolean
}

/** Text that is shown during one period. */
interface TextRun {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
}

interface TtmlDocument {
  readonly clock: TtmlClock
  /** Attributes of each style by its id. */
  readonly styles: ReadonlyMap<string, Attributes>
}

const endTagPattern = /<\/(?:[^\s<>/:]{1,40}:)?tt\s{0,9}>/

/**
 * Returns the cues in order of time; a cue without an end ends at its start.
 * @throws Error if the text is not XML or is cut off.
 */
export function parseTtml(xml: string): Cue[] {
  // The parser accepts missing end tags, as in a file that is cut off.
  if (!endTagPattern.test(xml)) throw new Error('The end tag of the root element is missing.')
  const [root] = toNodes(parser.parse(xml)).filter((node) => isElement(node, 'tt'))
  if (root === undefined || typeof root === 'string') return []
  const styles = new Map(
    listDescendants(root, 'style').map(({ attributes }): [string, Attributes] => [
      attributes['id'] ?? '',
      attributes,
    ]),
  )
  const document = { clock: createTtmlClock(root.attributes), styles }
  const preservesSpace = root.attributes['space'] === 'preserve'
  const rootContext: Context = {
    startMs: 0,
    endMs: Number.POSITIVE_INFINITY,
    tags: [],
    color: undefined,
    preservesSpace,
  }
  return listDescendants(root, 'body')
    .flatMap((body) => collectCues(body, rootContext, document))
    .sort((a, b) => a.startMs - b.startMs)
}

const isElement = (node: Element | string, name: string) => typeof node !== 'string' && node.name === name

function listDescendants(element: Element, name: string): Element[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return []
    return child.name === name ? [child] : listDescendants(child, name)
  })
}

function collectCues(element: Element, parent: Context, document: TtmlDocument): Cue[] {
  const context = createContext(element, parent, document)
  if (element.name !== 'p')
    return element.children.flatMap((child) =>
      typeof child === 'string' ? [] : collectCues(child, context, document),
    )
  const runs = element.children.flatMap((child) => collectRuns(child, context, document))
  const runsByTime = Map.groupBy(runs, ({ startMs, endMs }) => `${startMs} ${endMs}`)
  return [...runsByTime.values()].flatMap((group) => {
    const [{ startMs, endMs } = context] = group
    const lines = group
      .map(({ text }) => text)
      .join('')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.replaceAll(/<\/?[biu]>|<\/?font[^>]*>/g, '').trim() !== '')
    return lines.length > 0 ? [{ startMs, endMs: Number.isFinite(endMs) ? endMs : startMs, lines }] : []
  })
}

function collectRuns(node: Element | string, context: Context, document: TtmlDocument): TextRun[] {
  const { startMs, endMs, tags, color, preservesSpace } = context
  if (typeof node !== 'string') {
    if (node.name === 'br') return [{ startMs, endMs, text: '\n' }]
    const isText = node.name === 'span' || node.name === 'p'
    const innerContext = createContext(node, context, document)
    return isText ? node.children.flatMap((child) => collectRuns(child, innerContext, document)) : []
  }
  const text = preservesSpace ? node : node.replaceAll(/\s+/g, ' ')
  if (text.trim() === '') return text === '' ? [] : [{ startMs, endMs, text }]
  const colorTags = color === undefined ? ['', ''] : [`<font color="${color}">`, '</font>']
  const openingTags = [colorTags[0], ...tags.map((tag) => `<${tag}>`)].join('')
  const closingTags = [...tags.map((tag) => `</${tag}>`).reverse(), colorTags[1]]
  return [
    {
      startMs,
      endMs,
      text: text.replaceAll(/[^\n]+/g, (line) => `${openingTags}${line}${closingTags.join('')}`),
    },
  ]
}

function createContext({ attributes }: Element, parent: Context, { clock, styles }: TtmlDocument): Context {
  const { begin, end, dur, space } = attributes
  const startMs = parent.startMs + (clock(begin) ?? 0)
  const ends = [
    parent.endMs,
    parent.startMs + (clock(end) ?? Number.POSITIVE_INFINITY),
    startMs + (clock(dur) ?? Number.POSITIVE_INFINITY),
  ]
  const tags = new Set(parent.tags)
  for (const { tag, attribute, value, plain } of emphasis) {
    const style = resolveStyle(attributes, attribute, styles)
    if (style === value) tags.add(tag)
    else if (style === plain) tags.delete(tag)
  }
  return {
    startMs,
    endMs: Math.min(...ends),
    tags: [...tags],
    color: readColor(resolveStyle(attributes, 'color', styles), parent.color),
    preservesSpace: space === undefined ? parent.preservesSpace : space === 'preserve',
  }
}

const emphasis = [
  { tag: 'i', attribute: 'fontStyle', value: 'italic', plain: 'normal' },
  { tag: 'b', attribute: 'fontWeight', value: 'bold', plain: 'normal' },
  { tag: 'u', attribute: 'textDecoration', value: 'underline', plain: 'none' },
] as const

/** Returns a color that SubRip supports: a name or six hexadecimal digits, which may be followed by the opacity. */
function readColor(value: string | undefined, inherited: string | undefined): string | undefined {
  const [, color] = /^(#[\da-f]{6}|[a-z]{3,20})(?:[\da-f]{2})?$/i.exec(value?.trim() ?? '') ?? []
  if (color === undefined) return inherited
  return /^(?:white|#ffffff)$/i.test(color) ? undefined : color
}

/** Returns the attribute of the element, or of the last style that it refers to. */
function resolveStyle(
  attributes: Attributes,
  name: string,
  styles: TtmlDocument['styles'],
): string | undefined {
  const referencedValues = (attributes['style'] ?? '').split(/\s+/).map((id) => styles.get(id)?.[name])
  return attributes[name] ?? referencedValues.findLast((value) => value !== undefined)
}
