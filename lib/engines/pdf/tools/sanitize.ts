import { join } from 'node:path'
import { finishPdf, type PdfTool } from './editable-pdf.ts'
import { isPdfDict, isPdfRef, type PdfDict, PdfObjects, type PdfValue } from './objects.ts'
import type { ToolOptions } from './options.ts'

/** Actions that run code, open programs or files, or submit form data (ISO 32000-2, 12.6.4). */
const activeActionTypes: readonly string[] = [
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

/** Annotations that contain files or media players. */
const activeAnnotationTypes: readonly string[] = [
  '/FileAttachment',
  '/RichMedia',
  '/Screen',
  '/Movie',
  '/Sound',
  '/3D',
]

const kindByActiveKey: Readonly<Record<string, string>> = {
  '/JS': 'scripts',
  '/JavaScript': 'scripts',
  '/AA': 'actions',
  '/EmbeddedFiles': 'attachments',
  '/EF': 'attachments',
  '/AF': 'attachments',
  '/Collection': 'attachments',
  '/XFA': 'xfa',
}

type RemovedCounts = Record<string, number>

/** Removes active and hidden content; what the pages show is kept. */
export const sanitizePdf: PdfTool<ToolOptions<'sanitize-pdf'>> = async (job) => {
  const { pdf, options, tools } = job
  const objects = await PdfObjects.load(pdf.path, tools)
  const actions = options.removeLinks ? ['/URI'] : []
  const keys = options.removeMetadata ? ['/Metadata', '/PieceInfo'] : []
  const removedCounts = removeHiddenContent(objects, { actions, keys })
  if (options.removeMetadata) {
    const { '/Info': info } = objects.trailer
    if (isPdfRef(info)) objects.set(info, {})
  }
  const path = join(tools.workDir, 'sanitized.pdf')
  await objects.save(path, tools)
  return finishPdf(job, path, { pages: pdf.sizes.length, removed: removedCounts })
}

interface ExtraRemovals {
  /** Kinds of active content that are removed in addition to those that are always removed. */
  readonly actions?: readonly string[]
  readonly keys?: readonly string[]
}

/** Removes active and hidden content. @returns the number of removed items of each kind. */
export function removeHiddenContent(
  objects: PdfObjects,
  { actions = [], keys = [] }: ExtraRemovals,
): RemovedCounts {
  const removedCounts: RemovedCounts = {}
  const count = (kind: string) => {
    removedCounts[kind] = (removedCounts[kind] ?? 0) + 1
  }
  const isActiveAction = (dict: PdfDict) => {
    const kind = objects.resolve(dict['/S'])
    return typeof kind === 'string' && (activeActionTypes.includes(kind) || actions.includes(kind))
  }
  const isActiveAnnotation = (dict: PdfDict) => {
    const kind = objects.resolve(dict['/Subtype'])
    return typeof kind === 'string' && activeAnnotationTypes.includes(kind) && '/Rect' in dict
  }
  const countIfActive = (value: PdfValue): boolean => {
    if (!isPdfDict(value)) return false
    if (isActiveAction(value)) count(value['/S'] === '/URI' ? 'links' : 'actions')
    else if (isActiveAnnotation(value)) count('annotations')
    else return false
    return true
  }
  let hasChanged = false
  const cleanValue = (value: PdfValue): PdfValue => {
    if (countIfActive(value)) {
      hasChanged = true
      return null
    }
    if (Array.isArray(value)) return value.map(cleanValue)
    if (!isPdfDict(value)) return value
    for (const key of Object.keys(value)) {
      const kind = keys.includes(key) ? 'metadata' : kindByActiveKey[key]
      if (kind !== undefined) {
        count(kind)
        delete value[key]
        hasChanged = true
      } else value[key] = cleanValue(value[key] ?? null)
    }
    return value
  }
  for (const ref of objects.refs) {
    hasChanged = false
    const valueBefore = objects.resolve(ref)
    const valueAfter = cleanValue(valueBefore)
    if (!hasChanged) continue
    if (isPdfDict(valueAfter)) objects.markChanged(ref)
    else objects.set(ref, valueAfter)
  }
  removeOpenAction(objects, count)
  dropEmptyAnnotations(objects)
  return removedCounts
}

/** Keeps an open action that is only a destination; removes all others. */
function removeOpenAction(objects: PdfObjects, count: (kind: string) => void): void {
  const { root } = objects
  if (!('/OpenAction' in root) || Array.isArray(objects.resolve(root['/OpenAction']))) return
  if (objects.dict(root['/OpenAction'])?.['/S'] === '/GoTo') return
  if (objects.dict(root['/OpenAction'])) count('actions')
  delete root['/OpenAction']
  objects.markRootChanged()
}

/** Removes the gaps that removed annotations leave in lists of annotations. Some readers reject such gaps. */
function dropEmptyAnnotations(objects: PdfObjects): void {
  for (const { ref, dict } of objects.pages()) {
    const annotations = objects.list(dict['/Annots'])
    const remainingAnnotations = annotations.filter((annotation) => objects.resolve(annotation) !== null)
    if (remainingAnnotations.length === annotations.length) continue
    dict['/Annots'] = remainingAnnotations
    objects.markChanged(ref)
  }
}
