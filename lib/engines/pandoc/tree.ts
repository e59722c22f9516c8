import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename, extname, join, resolve, sep } from 'node:path'
import * as z from 'zod'

/** pandoc's document as JSON: https://hackage.haskell.org/package/pandoc-types */
export const Tree = z.looseObject({
  meta: z.record(z.string(), z.unknown()),
  blocks: z.array(z.unknown()),
})
export type Tree = z.infer<typeof Tree>

/** A block or an inline of pandoc. */
export interface Element {
  /** Its kind, as `Header`. */
  t: string
  /** Its content, of a shape that depends on the kind. */
  c?: unknown
}

/** The content of an `Image`: attributes, description, address with title. */
const Picture = z.tuple([z.unknown(), z.array(z.unknown()), z.tuple([z.string(), z.string()])])

/** A writer opens files that other names point to: style sheets, covers, fonts, references. */
const descriptive = [
  ...['title', 'subtitle', 'author', 'date', 'lang', 'dir', 'abstract', 'keywords'],
  ...['subject', 'description', 'publisher', 'rights', 'institute'],
]

/** pandoc's `Attr`: identifier, classes, pairs of key and value. */
export const noAttributes = ['', [], []]
const pictureTypes: Readonly<Record<string, string>> = {
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

/** Leaves of the document only what describes it. */
export function keepDescriptiveMeta(tree: Tree): void {
  for (const name of Object.keys(tree.meta)) if (!descriptive.includes(name)) delete tree.meta[name]
}

/** Whether HTML stands in the text as it was written; only writers of HTML and Markdown pass it on. */
export function hasRawHtml(tree: Tree): boolean {
  let found = false
  visit(tree, (element) => {
    if ((element.t === 'RawBlock' || element.t === 'RawInline') && Array.isArray(element.c))
      found ||= element.c[0] === 'html' && /<[a-z]/i.test(String(element.c[1]))
  })
  return found
}

/** `TableHead`, and the first of the `TableBody`s with its rows last. */
const Rows = z.array(z.unknown())
const TableParts = z.tuple([
  z.unknown(),
  z.unknown(),
  z.unknown(),
  z.tuple([z.unknown(), Rows]),
  z.tuple([z.tuple([z.unknown(), z.unknown(), z.unknown(), Rows])]).rest(z.unknown()),
  z.unknown(),
])

/** Makes the row that names the columns of a table one of the others. */
export function headersToRows(tree: Tree): void {
  visit(tree, (element) => {
    const table = element.t === 'Table' ? TableParts.safeParse(element.c).data : undefined
    if (!table || !Array.isArray(element.c)) return
    const [, , , [attributes, names], [[own, depth, heads, rows], ...bodies]] = table
    element.c[3] = [attributes, []]
    element.c[4] = [[own, depth, heads, [...names, ...rows]], ...bodies]
  })
}

/** What writers would copy as it stands, with what it points to. */
export function removeRaw(tree: Tree): void {
  visit(tree, (element) => {
    if (element.t === 'RawBlock') replace(element, 'Div', [noAttributes, []])
    if (element.t === 'RawInline') replace(element, 'Span', [noAttributes, []])
  })
}

/** Takes text out of boxes that have only a name or a style, which Markdown could only show as tags. */
export function removeBoxes(tree: Tree): void {
  const open: unknown[] = [tree.blocks]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node !== 'object' || node === null) continue
    if (Array.isArray(node)) while (node.some(isBox)) unbox(node)
    for (const child of Object.values(node)) open.push(child)
  }
}

/** One by one: as arguments of a call, the paragraphs of a long book would be too many. */
function unbox(nodes: unknown[]): void {
  const flat = nodes.flatMap((node): unknown => (isBox(node) ? node.c[1] : [node]))
  nodes.length = 0
  for (const node of flat) nodes.push(node)
}

const isBox = (node: unknown): node is Element & { c: unknown[] } =>
  isElement(node) && (node.t === 'Span' || node.t === 'Div') && Array.isArray(node.c)

export interface PictureSettings {
  /** As the target has it in `formats.ts`. */
  readonly pictures: 'packed' | 'inline' | 'described'
  /** Pictures elsewhere stay as links; not all writers leave those alone. */
  readonly keepsLinks: boolean
  /** Folder of the pictures that came with the document, below the work folder. */
  readonly mediaDir: string
  readonly workDir: string
}

/**
 * Gives each picture to the writer in the way that its format takes it, and nothing else that could name a file.
 * @returns how many were left out.
 */
export async function settlePictures(tree: Tree, settings: PictureSettings): Promise<number> {
  const found: Element[] = []
  visit(tree, (element) => {
    if (element.t === 'Image') found.push(element)
  })
  let dropped = 0
  const known = new Map<string, Promise<string | undefined>>()
  for (const element of found) {
    const picture = Picture.safeParse(element.c).data
    const address = picture?.[2][0] ?? ''
    const carried = known.get(address) ?? carriedPicture(address, known.size, settings)
    known.set(address, carried)
    const file = await carried
    const isLink = file === undefined && settings.pictures !== 'packed' && !isLocal(address)
    if (isLink && settings.keepsLinks) continue
    if (!picture || file === undefined || settings.pictures === 'described') {
      dropped++
      replace(element, 'Span', [noAttributes, picture?.[1] ?? []])
      continue
    }
    const target = settings.pictures === 'packed' ? file : await dataAddress(join(settings.workDir, file))
    element.c = [settings.pictures === 'packed' ? picture[0] : noAttributes, picture[1], [target, '']]
  }
  return dropped
}

/** A picture that the document came with, as a path relative to the work folder. */
async function carriedPicture(
  address: string,
  index: number,
  { mediaDir, workDir }: PictureSettings,
): Promise<string | undefined> {
  const data = /^data:image\/([a-z]+)(?:\+xml)?;base64,/i.exec(address)
  if (data?.[1]) {
    const name = `inline-${index}.${data[1].toLowerCase()}`
    const bytes = Buffer.from(address.slice(data[0].length), 'base64')
    await writeFile(join(workDir, name), data[1] === 'svg' ? standingAlone(bytes) : bytes)
    return name
  }
  const path = resolve(workDir, address)
  if (!path.startsWith(mediaDir + sep)) return undefined
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  )
  return isFile ? path.slice(workDir.length + 1) : undefined
}

/** A drawing within a page needs no namespace; as a file of its own nobody draws it without. */
function standingAlone(svg: Buffer): Buffer {
  const text = svg.toString()
  const [, tag = ''] = /^\s*<svg(\s[^>]*|)>/.exec(text) ?? []
  const isBare = /^\s*<svg[\s>]/.test(text) && !/\sxmlns\s*=/.test(tag)
  return isBare ? Buffer.from(text.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')) : svg
}

const isLocal = (address: string) => /^(?:file|data):/i.test(address)

async function dataAddress(path: string): Promise<string> {
  const type = pictureTypes[extname(basename(path)).slice(1).toLowerCase()] ?? 'image/png'
  return `data:${type};base64,${(await readFile(path)).toString('base64')}`
}

/** Kinds of which the second part is their text: `[attributes, text]`. */
const verbatim = ['Code', 'CodeBlock', 'Math']
const paragraphs = ['Para', 'Plain', 'Header', 'CodeBlock']

export function plainText(node: unknown): string {
  let text = ''
  visit(node, ({ t, c }) => {
    if (paragraphs.includes(t) && text !== '') text += ' '
    if (t === 'Space' || t === 'SoftBreak' || t === 'LineBreak') text += ' '
    else if (typeof c === 'string') text += c
    else if (verbatim.includes(t) && Array.isArray(c)) text += String(c[1])
  })
  return text.trim()
}

export function isElement(node: unknown): node is Element {
  return typeof node === 'object' && node !== null && 't' in node && typeof node.t === 'string'
}

function replace(element: Element, t: string, c: unknown): void {
  element.t = t
  element.c = c
}

/** Every element, in order. Documents may nest deeper than the stack of calls holds. */
export function visit(root: unknown, each: (element: Element) => void): void {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node !== 'object' || node === null) continue
    if (isElement(node)) each(node)
    const children: unknown[] = Array.isArray(node) ? node : Object.values(node)
    for (let index = children.length - 1; index >= 0; index--) open.push(children[index])
  }
}
