import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { runMupdf } from '../mupdf.ts'
import { runQpdf, toPdfError } from '../qpdf.ts'
import { type EditablePdf, finishPdf, type PdfTool } from './editable-pdf.ts'
import { PdfObjects, type PdfPage, type PdfValue } from './objects.ts'
import type { ToolOptions } from './options.ts'

/** Turns form fields and comments into page content; links are kept. */
export const flattenPdf: PdfTool<ToolOptions<'flatten-pdf'>> = async (job) => {
  const { pdf, tools } = job
  return finishPdf(job, await flattenAnnotations(pdf, tools), { pages: pdf.sizes.length })
}

/** Returns the path of a copy without form fields and comments. */
export async function flattenAnnotations({ path }: Pick<EditablePdf, 'path'>, tools: Tools): Promise<string> {
  const objects = await loadWithAppearances(path, tools)
  saveLinks(objects)
  acceptAppearances(objects)
  const pathWithoutLinks = join(tools.workDir, 'sheltered.pdf')
  await objects.save(pathWithoutLinks, tools)
  const flatPath = join(tools.workDir, 'flat.pdf')
  await runQpdf({ inputFile: pathWithoutLinks, flattenAnnotations: 'all', outputFile: flatPath }, tools)
  return restoreLinks(flatPath, tools)
}

/** Adds missing appearance streams: qpdf would drop fields and comments that have none, although readers draw them. */
async function loadWithAppearances(path: string, tools: Tools): Promise<PdfObjects> {
  const objects = await PdfObjects.load(path, tools)
  const form = objects.dict(objects.root['/AcroForm'])
  const isStale = objects.resolve(form?.['/NeedAppearances']) === true
  if (!isStale && !objects.pages().some((page) => lacksAppearance(objects, page))) return objects
  const pathWithAppearances = join(tools.workDir, 'drawn.pdf')
  try {
    await runMupdf('appearances', [path, pathWithAppearances], tools)
  } catch (error) {
    throw toPdfError(error)
  }
  return PdfObjects.load(pathWithAppearances, tools)
}

function lacksAppearance(objects: PdfObjects, { dict }: PdfPage): boolean {
  return objects.list(dict['/Annots']).some((value) => {
    const annotation = objects.dict(value)
    const kind = annotation?.['/Subtype']
    return annotation && kind !== '/Link' && kind !== '/Popup' && !('/AP' in annotation)
  })
}

/** Marks appearance streams as up to date, because qpdf ignores the fields otherwise. */
function acceptAppearances(objects: PdfObjects): void {
  const { root } = objects
  const form = objects.dict(root['/AcroForm'])
  if (!form) return
  root['/AcroForm'] = { ...form, '/NeedAppearances': false }
  objects.markRootChanged()
}

/** Private page entry that stores the links while qpdf removes all annotations. */
const savedLinksKey = '/MutaborLinks'

function saveLinks(objects: PdfObjects): void {
  const isLink = (value: PdfValue) => objects.dict(value)?.['/Subtype'] === '/Link'
  for (const { ref, dict } of objects.pages()) {
    const annotations = objects.list(dict['/Annots'])
    dict['/Annots'] = annotations.filter((annotation) => !isLink(annotation))
    dict[savedLinksKey] = annotations.filter(isLink)
    objects.markChanged(ref)
  }
}

async function restoreLinks(source: string, tools: Tools): Promise<string> {
  const objects = await PdfObjects.load(source, tools)
  // Removes fields that show nothing: qpdf leaves them in the document, where readers would let users fill them in.
  const isField = (value: PdfValue) => objects.dict(value)?.['/Subtype'] === '/Widget'
  delete objects.root['/AcroForm']
  objects.markRootChanged()
  for (const { ref, dict } of objects.pages()) {
    const annotations = objects.list(dict['/Annots']).filter((annotation) => !isField(annotation))
    dict['/Annots'] = [...annotations, ...objects.list(dict[savedLinksKey])]
    delete dict[savedLinksKey]
    objects.markChanged(ref)
  }
  const path = join(tools.workDir, 'linked.pdf')
  await objects.save(path, tools)
  return path
}
