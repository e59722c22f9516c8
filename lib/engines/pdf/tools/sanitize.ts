import { join } from 'node:path'
import { finish, type Tool } from './editable-pdf.ts'
import { isDict, isRef, type PdfDict, PdfObjects, type PdfValue } from './objects.ts'
import type { ToolOptions } from './options.ts'

/** Actions that run code, open programs or files, or send what was filled in (ISO 32000-2, 12.6.4). */
const activeActions: readonly string[] = [
  '/JavaScript',
  '/Launch',
  '/SubmitForm',
  '/ImportData',
  '/GoToE',
  '/GoToR',
  '/Rendition',
  '/RichMediaExecute',
  '/Movie',
  '/Sound',
  '/GoTo3DView',
  '/ResetForm',
]

/** Annotations that carry files or players. */
const activeAnnotations: readonly string[] = [
  '/FileAttachment',
  '/RichMedia',
  '/Screen',
  '/Movie',
  '/Sound',
  '/3D',
]

const activeKeys: Readonly<Record<string, string>> = {
  '/JS': 'scripts',
  '/JavaScript': 'scripts',
  '/AA': 'actions',
  '/EmbeddedFiles': 'attachments',
  '/EF': 'attachments',
  '/AF': 'attachments',
  '/Collection': 'attachments',
  '/XFA': 'xfa',
}

type Removed = Record<string, number>

/** Takes out what does something by itself or carries something along; what is seen on the pages stays. */
export const sanitize: Tool<ToolOptions<'sanitize-pdf'>> = async (job) => {
  const { pdf, options, tools } = job
  const objects = await PdfObjects.load(pdf.path, tools)
  const actions = options.removeLinks ? ['/URI'] : []
  const keys = options.removeMetadata ? ['/Metadata', '/PieceInfo'] : []
  const removed = removeHiding(objects, { actions, keys })
  if (options.removeMetadata) {
    const { '/Info': info } = objects.trailer
    if (isRef(info)) objects.set(info, {})
  }
  const path = join(tools.workDir, 'sanitized.pdf')
  await objects.save(path, tools)
  return finish(job, path, { pages: pdf.sizes.length, removed })
}

export interface Hiding {
  /** Besides those that are always removed. */
  readonly actions?: readonly string[]
  readonly keys?: readonly string[]
}

/** @returns how much of what was removed. */
export function removeHiding(objects: PdfObjects, { actions = [], keys = [] }: Hiding): Removed {
  const removed: Removed = {}
  const count = (kind: string) => {
    removed[kind] = (removed[kind] ?? 0) + 1
  }
  const isActive = (dict: PdfDict) => {
    const kind = objects.resolve(dict['/S'])
    return typeof kind === 'string' && (activeActions.includes(kind) || actions.includes(kind))
  }
  const isCarrier = (dict: PdfDict) => {
    const kind = objects.resolve(dict['/Subtype'])
    return typeof kind === 'string' && activeAnnotations.includes(kind) && '/Rect' in dict
  }
  const gone = (value: PdfValue): boolean => {
    if (!isDict(value)) return false
    if (isActive(value)) count(value['/S'] === '/URI' ? 'links' : 'actions')
    else if (isCarrier(value)) count('annotations')
    else return false
    return true
  }
  let changed = false
  const clean = (value: PdfValue): PdfValue => {
    if (gone(value)) {
      changed = true
      return null
    }
    if (Array.isArray(value)) return value.map(clean)
    if (!isDict(value)) return value
    for (const key of Object.keys(value)) {
      const kind = keys.includes(key) ? 'metadata' : activeKeys[key]
      if (kind !== undefined) {
        count(kind)
        delete value[key]
        changed = true
      } else value[key] = clean(value[key] ?? null)
    }
    return value
  }
  for (const ref of objects.refs) {
    changed = false
    const before = objects.resolve(ref)
    const after = clean(before)
    if (!changed) continue
    if (isDict(after)) objects.touch(ref)
    else objects.set(ref, after)
  }
  openingAction(objects, count)
  dropEmptyAnnotations(objects)
  return removed
}

/** A place to open at does no harm; an action that was removed leaves nothing. */
function openingAction(objects: PdfObjects, count: (kind: string) => void): void {
  const { root } = objects
  if (!('/OpenAction' in root) || Array.isArray(objects.resolve(root['/OpenAction']))) return
  if (objects.dict(root['/OpenAction'])?.['/S'] === '/GoTo') return
  if (objects.dict(root['/OpenAction'])) count('actions')
  delete root['/OpenAction']
  objects.touchRoot()
}

/** Readers dislike lists with gaps. */
function dropEmptyAnnotations(objects: PdfObjects): void {
  for (const { ref, dict } of objects.pages()) {
    const annotations = objects.list(dict['/Annots'])
    const left = annotations.filter((annotation) => objects.resolve(annotation) !== null)
    if (left.length === annotations.length) continue
    dict['/Annots'] = left
    objects.touch(ref)
  }
}
