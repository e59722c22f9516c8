import { extractText, isElement, noAttributes, type PandocElement, type Tree, visitNodes } from './tree.ts'

/** Ids that pandoc generates for code blocks. */
const generatedIdPattern = /^cb\d+(?:-\d+)?$/
/** Matches presentational attributes of old HTML; on images, width and height are allowed. */
const presentationalAttributePattern =
  /^(?:width|height|v?align|bgcolor|border|cell(?:padding|spacing)|nowrap|char(?:off)?|size|color|face)$/

/**
 * Content of pandoc's `Attr`: identifier, classes, pairs of key and value
 * (https://hackage.haskell.org/package/pandoc-types).
 */
type Attributes = [id: string, classes: unknown[], pairs: unknown[]]

const isAttributes = (node: unknown): node is Attributes =>
  Array.isArray(node) &&
  node.length === 3 &&
  typeof node[0] === 'string' &&
  node
    .slice(1)
    .every(
      (part) =>
        Array.isArray(part) && part.every((element) => typeof element !== 'object' || isPair(element)),
    )

const isPair = (node: unknown) =>
  Array.isArray(node) && node.length === 2 && node.every((part) => typeof part === 'string')

/** Matches event handlers, which are useless because scripts in ebooks do not run. */
const eventHandlerPattern = /^on[a-z]+$/i

/**
 * Removes what is invalid in an EPUB: duplicate ids, ids with spaces, links to missing targets, event handlers and an
 * empty date.
 */
export function makeValidEpub(tree: Tree): void {
  if ('date' in tree.meta && extractText(tree.meta.date) === '') delete tree.meta.date
  const ids = new Set<string>()
  visitAttributes(tree.blocks, (attributes, isImage) => {
    const id = toId(attributes[0])
    attributes[0] = ids.has(id) || generatedIdPattern.test(id) ? '' : id
    ids.add(attributes[0])
    const isInvalid = (key: string) =>
      eventHandlerPattern.test(key) || (!isImage && presentationalAttributePattern.test(key))
    attributes[2] = attributes[2].filter((pair) => !(Array.isArray(pair) && isInvalid(pair[0])))
  })
  ids.delete('')
  visitNodes(tree.blocks, (element) => {
    const url = findUrl(element)
    if (url === undefined || /^[a-z][a-z0-9+.-]*:/i.test(url)) return
    const id = toId(tryDecodeUri(url.slice(1)))
    if (url.startsWith('#') && ids.has(id)) {
      setUrl(element, `#${id}`)
      return
    }
    element.t = 'Span'
    element.c = [noAttributes, Array.isArray(element.c) ? element.c[1] : []]
  })
}

/** Visits all attributes in document order; attributes of table cells are in nested arrays without an element. */
function visitAttributes(root: unknown, callback: (attributes: Attributes, isImage: boolean) => void): void {
  const stack: { readonly node: unknown; readonly isImage: boolean }[] = [{ node: root, isImage: false }]
  for (let nextElement = stack.pop(); nextElement; nextElement = stack.pop()) {
    const { node, isImage } = nextElement
    if (typeof node !== 'object' || node === null) continue
    if (isAttributes(node)) {
      callback(node, isImage)
      continue
    }
    const isInImage = isElement(node) ? node.t === 'Image' : isImage
    const children: unknown[] = Array.isArray(node) ? node : Object.values(node)
    for (const child of children.toReversed()) stack.push({ node: child, isImage: isInImage })
  }
}

/** Returns the URL of a `Link`, whose content consists of attributes, text, and URL with title. */
function findUrl(element: unknown): string | undefined {
  if (!isElement(element) || element.t !== 'Link' || !Array.isArray(element.c)) return undefined
  const [, , target]: unknown[] = element.c
  return Array.isArray(target) ? String(target[0]) : undefined
}

function setUrl({ c }: PandocElement, url: string): void {
  if (Array.isArray(c) && Array.isArray(c[2])) c[2][0] = url
}

const toId = (id: string) => id.trim().replaceAll(/\s+/g, '-')

function tryDecodeUri(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
