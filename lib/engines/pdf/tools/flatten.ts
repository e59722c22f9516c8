import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { qpdf } from '../qpdf.ts'
import { type EditablePdf, finish, type Tool } from './editable-pdf.ts'
import { runScript } from './mutool.ts'
import { PdfObjects, type PdfPage, type PdfValue } from './objects.ts'
import type { ToolOptions } from './options.ts'

/** Form fields and comments become what they show; links stay. */
export const flatten: Tool<ToolOptions<'flatten-pdf'>> = async (job) => {
  const { pdf, tools } = job
  return finish(job, await flattened(pdf, tools), { pages: pdf.sizes.length })
}

/** The path of a copy without form fields and comments. */
export async function flattened({ path }: Pick<EditablePdf, 'path'>, tools: Tools): Promise<string> {
  const objects = await drawnObjects(path, tools)
  hideLinks(objects)
  const hidden = join(tools.workDir, 'sheltered.pdf')
  await objects.save(hidden, tools)
  const flat = join(tools.workDir, 'flat.pdf')
  await qpdf({ inputFile: hidden, flattenAnnotations: 'all', outputFile: flat }, tools)
  return showLinks(flat, tools)
}

/** Readers draw fields and comments that come without a picture of themselves; qpdf would drop them. */
async function drawnObjects(path: string, tools: Tools): Promise<PdfObjects> {
  const objects = await PdfObjects.load(path, tools)
  const form = objects.dict(objects.root['/AcroForm'])
  const isStale = objects.resolve(form?.['/NeedAppearances']) === true
  if (!isStale && !objects.pages().some((page) => hasUndrawn(objects, page))) return objects
  const drawn = join(tools.workDir, 'drawn.pdf')
  await runScript('appearances', [path, drawn], tools)
  return PdfObjects.load(drawn, tools)
}

function hasUndrawn(objects: PdfObjects, { dict }: PdfPage): boolean {
  return objects.list(dict['/Annots']).some((value) => {
    const annotation = objects.dict(value)
    const kind = annotation?.['/Subtype']
    return annotation && kind !== '/Link' && kind !== '/Popup' && !('/AP' in annotation)
  })
}

/** A private entry of a page, for the time that qpdf removes all annotations. */
const shelter = '/MutaborLinks'

function hideLinks(objects: PdfObjects): void {
  const isLink = (value: PdfValue) => objects.dict(value)?.['/Subtype'] === '/Link'
  for (const { ref, dict } of objects.pages()) {
    const annotations = objects.list(dict['/Annots'])
    dict['/Annots'] = annotations.filter((annotation) => !isLink(annotation))
    dict[shelter] = annotations.filter(isLink)
    objects.touch(ref)
  }
}

async function showLinks(source: string, tools: Tools): Promise<string> {
  const objects = await PdfObjects.load(source, tools)
  for (const { ref, dict } of objects.pages()) {
    dict['/Annots'] = [...objects.list(dict['/Annots']), ...objects.list(dict[shelter])]
    delete dict[shelter]
    objects.touch(ref)
  }
  const path = join(tools.workDir, 'linked.pdf')
  await objects.save(path, tools)
  return path
}
