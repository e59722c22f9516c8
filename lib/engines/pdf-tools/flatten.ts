import { join } from 'node:path'
import type { Tools } from '../engine.ts'
import { qpdf } from '../qpdf.ts'
import { type EditablePdf, finish, type Tool } from './document.ts'
import { runScript } from './mutool.ts'
import { PdfObjects, type PdfValue } from './objects.ts'
import type { ToolOptions } from './options.ts'

/** Form fields and comments become what they show; links stay. */
export const flatten: Tool<ToolOptions<'flatten-pdf'>> = async (job) => {
  const { pdf, tools } = job
  return finish(job, await flattened(pdf, tools), { pages: pdf.sizes.length })
}

export async function flattened({ path, hasForm }: EditablePdf, tools: Tools): Promise<string> {
  const drawn = hasForm ? join(tools.workDir, 'drawn.pdf') : path
  // qpdf would drop a field that has a value but no picture of it.
  if (hasForm) await runScript('appearances', [path, drawn], tools)
  const hidden = await hideLinks(drawn, tools)
  const flat = join(tools.workDir, 'flat.pdf')
  await qpdf({ inputFile: hidden, flattenAnnotations: 'all', outputFile: flat }, tools)
  return showLinks(flat, tools)
}

/** A private entry of a page, for the time that qpdf removes all annotations. */
const shelter = '/MutaborLinks'

async function hideLinks(source: string, tools: Tools): Promise<string> {
  const objects = await PdfObjects.load(source, tools)
  const isLink = (value: PdfValue) => objects.dict(value)?.['/Subtype'] === '/Link'
  for (const { ref, dict } of objects.pages()) {
    const annotations = objects.list(dict['/Annots'])
    dict['/Annots'] = annotations.filter((annotation) => !isLink(annotation))
    dict[shelter] = annotations.filter(isLink)
    objects.touch(ref)
  }
  const path = join(tools.workDir, 'sheltered.pdf')
  await objects.save(path, tools)
  return path
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
