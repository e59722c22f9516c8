import { type Element, isElement, noAttributes, plainText, type Tree, visit } from './tree.ts'

/** Names that pandoc itself gives to blocks of code. */
const own = /^cb\d+(?:-\d+)?$/
/** Looks as old pages say them; of a picture, they are its size. */
const looks =
  /^(?:width|height|v?align|bgcolor|border|cell(?:padding|spacing)|nowrap|char(?:off)?|size|color|face)$/

/** Identifier, classes, pairs of key and value: https://hackage.haskell.org/package/pandoc-types, `Attr`. */
type Attributes = [id: string, classes: unknown[], pairs: unknown[]]

const isAttributes = (node: unknown): node is Attributes =>
  Array.isArray(node) &&
  node.length === 3 &&
  typeof node[0] === 'string' &&
  node
    .slice(1)
    .every((part) => Array.isArray(part) && part.every((one) => typeof one !== 'object' || isPair(one)))

const isPair = (node: unknown) =>
  Array.isArray(node) && node.length === 2 && node.every((part) => typeof part === 'string')

/** Books run no scripts. */
const handlers = /^on[a-z]+$/i

/**
 * What a book may not have: two elements of one name, names with spaces, links to what is not in it, handlers, a date
 * that says nothing.
 */
export function makeSound(tree: Tree): void {
  if ('date' in tree.meta && plainText(tree.meta.date) === '') delete tree.meta.date
  const names = new Set<string>()
  eachAttributes(tree.blocks, (attributes, isPicture) => {
    const name = oneWord(attributes[0])
    attributes[0] = names.has(name) || own.test(name) ? '' : name
    names.add(attributes[0])
    const isGone = (key: string) => handlers.test(key) || (!isPicture && looks.test(key))
    attributes[2] = attributes[2].filter((pair) => !(Array.isArray(pair) && isGone(pair[0])))
  })
  names.delete('')
  visit(tree.blocks, (element) => {
    const address = addressOf(element)
    if (address === undefined || /^[a-z][a-z0-9+.-]*:/i.test(address)) return
    const name = oneWord(decoded(address.slice(1)))
    if (address.startsWith('#') && names.has(name)) {
      setAddress(element, `#${name}`)
      return
    }
    element.t = 'Span'
    element.c = [noAttributes, Array.isArray(element.c) ? element.c[1] : []]
  })
}

/** In order. Those of cells stand in arrays of arrays, without an element of their own. */
function eachAttributes(root: unknown, each: (attributes: Attributes, isPicture: boolean) => void): void {
  const open: { readonly node: unknown; readonly isPicture: boolean }[] = [{ node: root, isPicture: false }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, isPicture } = next
    if (typeof node !== 'object' || node === null) continue
    if (isAttributes(node)) {
      each(node, isPicture)
      continue
    }
    const inPicture = isElement(node) ? node.t === 'Image' : isPicture
    const children: unknown[] = Array.isArray(node) ? node : Object.values(node)
    for (const child of children.toReversed()) open.push({ node: child, isPicture: inPicture })
  }
}

/** The content of a `Link`: attributes, text, address with title. */
function addressOf(element: unknown): string | undefined {
  if (!isElement(element) || element.t !== 'Link' || !Array.isArray(element.c)) return undefined
  const [, , target]: unknown[] = element.c
  return Array.isArray(target) ? String(target[0]) : undefined
}

function setAddress({ c }: Element, address: string): void {
  if (Array.isArray(c) && Array.isArray(c[2])) c[2][0] = address
}

const oneWord = (name: string) => name.trim().replaceAll(/\s+/g, '-')

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
