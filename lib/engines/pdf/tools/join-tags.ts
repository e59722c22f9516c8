import { isPdfRef, type PdfDict, type PdfObjects, type PdfPage, type PdfValue } from './objects.ts'

/**
 * Joins the structure trees of several documents (ISO 32000-2, 14.7), so that screen readers find the headings, lists
 * and tables of each.
 */

/** Private page entry with the structure tree of a file: qpdf only copies what a page refers to. */
const tagsKey = '/MutaborTags'

/**
 * Lets the last page refer to the structure tree, so that qpdf copies the tree with that page, after all pages that the
 * tree refers to.
 * @returns whether the document has a structure tree.
 */
export function attachTags(objects: PdfObjects): boolean {
  const { '/StructTreeRoot': tree, '/Lang': language = null } = objects.root
  const lastPage = objects.pages().at(-1)
  if (!tree || !objects.dict(tree) || !lastPage) return false
  lastPage.dict[tagsKey] = { '/Tree': tree, '/Lang': objects.resolve(language) }
  objects.markChanged(lastPage.ref)
  return true
}

type TreeEntry = readonly [key: PdfValue, value: PdfValue]

interface JoinedTree {
  readonly ref: string
  readonly kids: PdfValue[]
  /** Entries with the key of a page or object with tags, and the elements to which its content belongs. */
  readonly parents: TreeEntry[]
  readonly ids: TreeEntry[]
  readonly namespaces: PdfValue[]
  readonly roles: PdfDict
  readonly classes: PdfDict
  nextKey: number
}

/**
 * Writes one structure tree for all pages. Each page of a document without tags becomes a paragraph: readers ignore
 * untagged content in a document that has tags.
 * @param pageCounts pages of each document, in order; the first one has its tree in the catalog.
 * @returns false when no document has tags.
 */
export function joinTags(objects: PdfObjects, pageCounts: readonly number[]): boolean {
  const { root } = objects
  const pages = objects.pages()
  let start = 0
  const documents = pageCounts.map((count, index) => {
    const documentPages = pages.slice(start, start + count)
    start += count
    const lastPage = documentPages.at(-1)
    const tags = index === 0 ? { '/Tree': root['/StructTreeRoot'] ?? null } : lastPage?.dict[tagsKey]
    if (lastPage && tagsKey in lastPage.dict) {
      delete lastPage.dict[tagsKey]
      objects.markChanged(lastPage.ref)
    }
    const { '/Tree': tree, '/Lang': language = null } = objects.dict(tags) ?? {}
    return { pages: documentPages, tree: objects.dict(tree), language: objects.resolve(language) }
  })
  if (documents.every(({ tree }) => !tree)) return false
  const joinedTree: JoinedTree = {
    ref: objects.add(null),
    kids: [],
    parents: [],
    ids: [],
    namespaces: [],
    roles: {},
    classes: {},
    nextKey: 0,
  }
  for (const { pages, tree, language } of documents) {
    if (tree) addTree(objects, { pages, tree, language }, joinedTree)
    else tagWholePages(objects, pages, joinedTree)
  }
  writeTree(objects, joinedTree)
  return true
}

function addTree(
  objects: PdfObjects,
  { pages, tree, language }: { pages: readonly PdfPage[]; tree: PdfDict; language: PdfValue },
  joinedTree: JoinedTree,
): void {
  const kids = objects.resolve(tree['/K'])
  for (const kid of Array.isArray(kids) ? kids : [tree['/K'] ?? null]) {
    const element = objects.dict(kid)
    if (!element) continue
    element['/P'] = joinedTree.ref
    if (language !== null && language !== objects.resolve(objects.root['/Lang']))
      element['/Lang'] ??= language
    if (isPdfRef(kid)) objects.markChanged(kid)
    joinedTree.kids.push(isPdfRef(kid) ? kid : objects.add(element))
  }
  const parents = readTree(objects, tree['/ParentTree'], '/Nums').filter(isNumbered)
  relinkObjects(objects, pages, new Map(parents))
  const largestKey = changeKeys(objects, pages, (key) => key + joinedTree.nextKey)
  for (const [key, value] of parents) joinedTree.parents.push([key + joinedTree.nextKey, value])
  joinedTree.nextKey += parents.reduce((largest, [key]) => Math.max(largest, key), largestKey) + 1
  // Adds ids one by one: some programs give each element an id, and the number of arguments of a call is limited.
  for (const entry of readTree(objects, tree['/IDTree'], '/Names')) joinedTree.ids.push(entry)
  for (const namespace of objects.list(tree['/Namespaces'])) joinedTree.namespaces.push(namespace)
  Object.assign(joinedTree.roles, { ...objects.dict(tree['/RoleMap']), ...joinedTree.roles })
  Object.assign(joinedTree.classes, { ...objects.dict(tree['/ClassMap']), ...joinedTree.classes })
}

const isNumbered = (entry: TreeEntry): entry is [number, PdfValue] => typeof entry[0] === 'number'

const maxDepth = 64

/** Returns the entries of a number tree or name tree (ISO 32000-2, 7.9.6 and 7.9.7). */
function readTree(objects: PdfObjects, tree: PdfValue | undefined, kind: '/Nums' | '/Names'): TreeEntry[] {
  const entries: TreeEntry[] = []
  const seenNodes = new Set<PdfDict>()
  const walk = (node: PdfValue | undefined, depth: number) => {
    const dict = objects.dict(node)
    if (!dict || seenNodes.has(dict) || depth > maxDepth) return
    seenNodes.add(dict)
    const list = objects.list(dict[kind])
    for (let at = 0; at + 1 < list.length; at += 2)
      entries.push([objects.resolve(list[at]), list[at + 1] ?? null])
    for (const kid of objects.list(dict['/Kids'])) walk(kid, depth + 1)
  }
  walk(tree, 0)
  return entries
}

/** Returns the lists of annotations without duplicates, because pages can share a list. */
const findAnnotationLists = (objects: PdfObjects, pages: readonly PdfPage[]) =>
  new Map(pages.map((page) => [objects.list(page.dict['/Annots']), page]))

/** Returns the annotations that belong to structure elements, by the keys of the annotations. */
function findTaggedAnnotations(objects: PdfObjects, pages: readonly PdfPage[]) {
  const annotations = new Map<PdfValue | undefined, PdfValue>()
  for (const list of findAnnotationLists(objects, pages).keys())
    for (const annotation of list) {
      const key = objects.dict(annotation)?.['/StructParent']
      if (typeof key === 'number') annotations.set(key, annotation)
    }
  return annotations
}

/**
 * Updates references to annotations: qpdf copies each annotation a second time with its page, and the tree still refers
 * to the first copy.
 */
function relinkObjects(
  objects: PdfObjects,
  pages: readonly PdfPage[],
  parents: ReadonlyMap<number, PdfValue>,
): void {
  const annotations = findTaggedAnnotations(objects, pages)
  // Many objects can belong to the same element.
  const elements = new Map([...parents].map(([, element]) => [objects.dict(element), element]))
  for (const [elementDict, element] of elements) {
    const list = elementDict?.['/K'] ?? null
    const kids = objects.resolve(list)
    for (const kid of Array.isArray(kids) ? kids : [list]) {
      const reference = objects.dict(kid)
      if (reference?.['/Type'] !== '/OBJR') continue
      const annotation = annotations.get(objects.dict(reference['/Obj'])?.['/StructParent'])
      if (annotation === undefined) continue
      reference['/Obj'] = annotation
      const holder = [kid, list, element].find(isPdfRef)
      if (holder) objects.markChanged(holder)
    }
  }
}

/**
 * Changes the keys of pages, annotations and form XObjects, or removes them if `change` returns undefined.
 * @returns the largest key before the change, or -1 if there is none.
 */
function changeKeys(
  objects: PdfObjects,
  pages: readonly PdfPage[],
  change: (key: number) => number | undefined,
): number {
  const seenDicts = new Set<PdfDict>()
  let largestKey = -1
  const changeIn = (
    value: PdfValue | undefined,
    fallbackHolders: readonly (PdfValue | undefined)[],
    depth = 0,
  ) => {
    const dict = objects.dict(value)
    if (!dict || seenDicts.has(dict) || depth > maxDepth) return
    seenDicts.add(dict)
    for (const name of ['/StructParent', '/StructParents']) {
      const key = dict[name]
      if (typeof key !== 'number') continue
      largestKey = Math.max(largestKey, key)
      const newKey = change(key)
      if (newKey === undefined) delete dict[name]
      else dict[name] = newKey
      const holder = [value, ...fallbackHolders].find(isPdfRef)
      if (holder) objects.markChanged(holder)
    }
    const xObjects = objects.dict(objects.dict(dict['/Resources'])?.['/XObject']) ?? {}
    for (const xObject of Object.values(xObjects)) changeIn(xObject, [], depth + 1)
  }
  for (const { ref } of pages) changeIn(ref, [])
  for (const [annotations, { ref, dict }] of findAnnotationLists(objects, pages))
    for (const annotation of annotations) changeIn(annotation, [dict['/Annots'], ref])
  return largestKey
}

function tagWholePages(objects: PdfObjects, pages: readonly PdfPage[], joinedTree: JoinedTree): void {
  // Another program may have removed the structure tree but left its keys.
  changeKeys(objects, pages, () => undefined)
  const begin = objects.addStream('/P <</MCID 0>> BDC\n')
  const end = objects.addStream('\nEMC\n')
  for (const { ref, dict } of pages) {
    dict['/Contents'] = [begin, ...objects.listContentStreams({ dict }), end]
    dict['/StructParents'] = joinedTree.nextKey
    objects.markChanged(ref)
    const element = objects.add({
      '/Type': '/StructElem',
      '/S': '/P',
      '/P': joinedTree.ref,
      '/Pg': ref,
      '/K': 0,
    })
    joinedTree.kids.push(element)
    joinedTree.parents.push([joinedTree.nextKey, [element]])
    joinedTree.nextKey++
  }
}

function writeTree(objects: PdfObjects, joinedTree: JoinedTree): void {
  const { ref, kids, parents, ids, namespaces, roles, classes, nextKey } = joinedTree
  const flatten = (entries: readonly TreeEntry[]) => entries.flat()
  const byKey = parents.toSorted(([a], [b]) => Number(a) - Number(b))
  const uniqueIds = [...new Map(ids.toReversed()).entries()].sort(([a], [b]) =>
    String(a) < String(b) ? -1 : 1,
  )
  objects.set(ref, {
    '/Type': '/StructTreeRoot',
    '/K': kids,
    '/ParentTree': objects.add({ '/Nums': flatten(byKey) }),
    '/ParentTreeNextKey': nextKey,
    '/RoleMap': roles,
    '/ClassMap': classes,
    ...(uniqueIds.length > 0 && { '/IDTree': objects.add({ '/Names': flatten(uniqueIds) }) }),
    ...(namespaces.length > 0 && { '/Namespaces': namespaces }),
  })
  objects.root['/StructTreeRoot'] = ref
  objects.root['/MarkInfo'] = { '/Marked': true }
  objects.markRootChanged()
}
