import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename, extname, join, resolve, sep } from 'node:path'
import * as z from 'zod'

/** pandoc's AST as JSON: https://hackage.haskell.org/package/pandoc-types */
export const Tree = z.looseObject({
  meta: z.record(z.string(), z.unknown()),
  blocks: z.array(z.unknown()),
})
export type Tree = z.infer<typeof Tree>

/** A block or inline element of pandoc's AST. */
export interface PandocElement {
  /** Type of the element, such as `Header`. */
  t: string
  /** Content, whose shape depends on the type. */
  c?: unknown
}

/** Content of an `Image`: attributes, description, URL with title. */
const ImageContent = z.tuple([z.unknown(), z.array(z.unknown()), z.tuple([z.string(), z.string()])])

/** Metadata that is kept. Other fields can make a writer open files: style sheets, covers, fonts, bibliographies. */
const descriptiveFields = [
  ...['title', 'subtitle', 'author', 'date', 'lang', 'dir', 'abstract', 'keywords'],
  ...['subject', 'description', 'publisher', 'rights', 'institute'],
]

/** Empty `Attr` of pandoc: identifier, classes, key-value pairs. */
export const noAttributes = ['', [], []]
const mimeTypeByExtension: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
}

/** Removes all metadata except descriptive fields that have a text. */
export function keepDescriptiveMeta(tree: Tree): void {
  for (const [name, value] of Object.entries(tree.meta))
    if (!descriptiveFields.includes(name) || extractText(value) === '') delete tree.meta[name]
}

/** Whether the document contains raw HTML, which only the HTML and Markdown writers keep. */
export function hasRawHtml(tree: Tree): boolean {
  let hasHtml = false
  visitNodes(tree, (element) => {
    if ((element.t === 'RawBlock' || element.t === 'RawInline') && Array.isArray(element.c))
      hasHtml ||= element.c[0] === 'html' && /<[a-z]/i.test(String(element.c[1]))
  })
  return hasHtml
}

/**
 * The rows of a table. The fourth part of a table is its `TableHead`. The `TableBody`s follow, and the last part of
 * each contains its rows.
 */
const Rows = z.array(z.unknown())
const TableParts = z.tuple([
  z.unknown(),
  z.unknown(),
  z.unknown(),
  z.tuple([z.unknown(), Rows]),
  z.tuple([z.tuple([z.unknown(), z.unknown(), z.unknown(), Rows])]).rest(z.unknown()),
  z.unknown(),
])

/** Moves header rows of tables to the body. */
export function convertHeadersToRows(tree: Tree): void {
  visitNodes(tree, (element) => {
    const table = element.t === 'Table' ? TableParts.safeParse(element.c).data : undefined
    if (!table || !Array.isArray(element.c)) return
    const [, , , [attributes, names], [[bodyAttributes, depth, heads, rows], ...bodies]] = table
    element.c[3] = [attributes, []]
    element.c[4] = [[bodyAttributes, depth, heads, [...names, ...rows]], ...bodies]
  })
}

/** Removes raw content, which writers would copy together with the files it references. */
export function removeRawContent(tree: Tree): void {
  visitNodes(tree, (element) => {
    if (element.t === 'RawBlock') replace(element, 'Div', [noAttributes, []])
    if (element.t === 'RawInline') replace(element, 'Span', [noAttributes, []])
  })
}

/** Unwraps `Div` and `Span` elements, which Markdown could only represent as HTML tags. */
export function unwrapContainers(tree: Tree): void {
  const stack: unknown[] = [tree.blocks]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    if (Array.isArray(node)) while (node.some(isContainer)) unwrapNodes(node)
    for (const child of Object.values(node)) stack.push(child)
  }
}

/**
 * Replaces the containers among the nodes with their content. Pushes one node at a time, because a long ebook has more
 * paragraphs than a call can have arguments.
 */
function unwrapNodes(nodes: unknown[]): void {
  const unwrappedNodes = nodes.flatMap((node): unknown => (isContainer(node) ? node.c[1] : [node]))
  nodes.length = 0
  for (const node of unwrappedNodes) nodes.push(node)
}

const isContainer = (node: unknown): node is PandocElement & { c: unknown[] } =>
  isElement(node) && (node.t === 'Span' || node.t === 'Div') && Array.isArray(node.c)

interface ImageSettings {
  /** How the target stores images, see `formats.ts`. */
  readonly images: 'packed' | 'inline' | 'described'
  /** Whether remote images stay links; false for writers that would change the links. */
  readonly keepsLinks: boolean
  /** Folder of the document's images, within the work folder. */
  readonly mediaDir: string
  readonly workDir: string
}

/**
 * Replaces each image reference with what the target supports, so that writers see no other file references.
 * @returns the number of images that were dropped.
 */
export async function resolveImages(tree: Tree, settings: ImageSettings): Promise<number> {
  const images: PandocElement[] = []
  visitNodes(tree, (element) => {
    if (element.t === 'Image') images.push(element)
  })
  let droppedCount = 0
  const imagesByUrl = new Map<string, Promise<string | undefined>>()
  for (const element of images) {
    const content = ImageContent.safeParse(element.c).data
    const url = content?.[2][0] ?? ''
    const documentFile = imagesByUrl.get(url) ?? findDocumentImage(url, imagesByUrl.size, settings)
    imagesByUrl.set(url, documentFile)
    const file = await documentFile
    const isLink = file === undefined && settings.images !== 'packed' && !isLocal(url)
    if (isLink && settings.keepsLinks) continue
    if (!content || file === undefined || settings.images === 'described') {
      droppedCount++
      replace(element, 'Span', [noAttributes, content?.[1] ?? []])
      continue
    }
    const target = settings.images === 'packed' ? file : await toDataUrl(join(settings.workDir, file))
    element.c = [settings.images === 'packed' ? content[0] : noAttributes, content[1], [target, '']]
  }
  return droppedCount
}

/** Returns the path, relative to the work folder, of an image that is part of the document; undefined for others. */
async function findDocumentImage(
  url: string,
  index: number,
  { mediaDir, workDir }: ImageSettings,
): Promise<string | undefined> {
  const dataUrlMatch = /^data:image\/([a-z]+)(?:\+xml)?;base64,/i.exec(url)
  if (dataUrlMatch?.[1]) {
    const name = `inline-${index}.${dataUrlMatch[1].toLowerCase()}`
    const bytes = Buffer.from(url.slice(dataUrlMatch[0].length), 'base64')
    await writeFile(join(workDir, name), dataUrlMatch[1] === 'svg' ? addSvgNamespace(bytes) : bytes)
    return name
  }
  const path = resolve(workDir, url)
  if (!path.startsWith(mediaDir + sep)) return undefined
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  )
  return isFile ? path.slice(workDir.length + 1) : undefined
}

/** Adds the SVG namespace, which is optional for inline SVG but required in a separate file. */
function addSvgNamespace(svg: Buffer): Buffer {
  const text = svg.toString()
  const [, tag = ''] = /^\s*<svg(\s[^>]*|)>/.exec(text) ?? []
  const lacksNamespace = /^\s*<svg[\s>]/.test(text) && !/\sxmlns\s*=/.test(tag)
  return lacksNamespace ? Buffer.from(text.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')) : svg
}

const isLocal = (url: string) => /^(?:file|data):/i.test(url)

async function toDataUrl(path: string): Promise<string> {
  const type = mimeTypeByExtension[extname(basename(path)).slice(1).toLowerCase()] ?? 'image/png'
  return `data:${type};base64,${(await readFile(path)).toString('base64')}`
}

/** Elements whose content is `[attributes, text]`. */
const verbatimElements = ['Code', 'CodeBlock', 'Math']
const paragraphElements = ['Para', 'Plain', 'Header', 'CodeBlock']

export function extractText(node: unknown): string {
  let text = ''
  visitNodes(node, ({ t, c }) => {
    if (paragraphElements.includes(t) && text !== '') text += ' '
    if (t === 'Space' || t === 'SoftBreak' || t === 'LineBreak') text += ' '
    else if (typeof c === 'string') text += c
    else if (verbatimElements.includes(t) && Array.isArray(c)) text += String(c[1])
  })
  return text.trim()
}

export function isElement(node: unknown): node is PandocElement {
  return typeof node === 'object' && node !== null && 't' in node && typeof node.t === 'string'
}

function replace(element: PandocElement, t: string, c: unknown): void {
  element.t = t
  element.c = c
}

/** Visits every element in document order, without recursion: documents can be nested deeper than the call stack. */
export function visitNodes(root: unknown, callback: (element: PandocElement) => void): void {
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    if (isElement(node)) callback(node)
    const children: unknown[] = Array.isArray(node) ? node : Object.values(node)
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index])
  }
}
