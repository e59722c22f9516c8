import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { isPdfDict, isPdfRef, type PdfDict, PdfObjects, type PdfPage } from './objects.ts'

/**
 * Keeps the tags of pages that qpdf draws over. qpdf moves their content into form XObjects, where the structure tree
 * does not find it.
 */

/** Private page entries with the original content. */
const contentsKey = '/MutaborContents'
const resourcesKey = '/MutaborResources'

/**
 * Writes a copy whose pages keep their original content in extra entries, from which `restoreContents` restores it
 * after stamping.
 */
export async function saveContents(sourcePath: string, tools: Tools): Promise<string> {
  const objects = await PdfObjects.load(sourcePath, tools)
  for (const page of objects.pages()) {
    page.dict[contentsKey] = objects.listContentStreams(page)
    page.dict[resourcesKey] = page.readInherited('/Resources') ?? {}
    objects.markChanged(page.ref)
  }
  const path = join(tools.workDir, 'set-aside.pdf')
  await objects.save(path, tools)
  return path
}

/**
 * Restores the content of pages, and draws the added content as an artifact, which screen readers skip. Content that is
 * neither tagged nor an artifact is not accessible (PDF/UA-1, 7.1).
 */
export async function restoreContents(stampedPath: string, tools: Tools): Promise<string> {
  const objects = await PdfObjects.load(stampedPath, tools)
  for (const page of objects.pages()) {
    const { [contentsKey]: contents = [], [resourcesKey]: resources = {}, ...rest } = page.dict
    const [overlay] = objects.listContentStreams(page)
    const restoredPage: PdfDict = { ...rest }
    if (overlay && isPdfRef(overlay) && !objects.list(contents).includes(overlay)) {
      const name = createOverlayForm(objects, page, overlay)
      const originalResources = objects.dict(resources)
      const images = { ...objects.dict(originalResources?.['/XObject']), [name]: overlay }
      restoredPage['/Resources'] = { ...originalResources, '/XObject': images }
      const before = objects.addStream('q\n')
      const after = objects.addStream(`\nQ\n/Artifact <</Type /Pagination>> BDC q ${name} Do Q EMC\n`)
      restoredPage['/Contents'] = [before, ...objects.list(contents), after]
    }
    objects.set(page.ref, restoredPage)
  }
  addGlyphMaps(objects)
  const path = join(tools.workDir, 'restored.pdf')
  await objects.save(path, tools)
  return path
}

/**
 * Turns the new content of a page into a form XObject that excludes the original content.
 * @returns the name of the form XObject.
 */
function createOverlayForm(objects: PdfObjects, page: PdfPage, overlay: string): string {
  const stream = objects.dict(overlay) ?? {}
  const resources = objects.dict(page.dict['/Resources'])
  const images = objects.dict(resources?.['/XObject']) ?? {}
  const [original] = Object.keys(images).sort()
  const box = page.readInherited('/MediaBox') ?? []
  const form = { '/Type': '/XObject', '/Subtype': '/Form', '/BBox': box }
  const emptyFormRef = objects.addStream('', form)
  Object.assign(stream, form, {
    '/Resources': { ...resources, '/XObject': original ? { ...images, [original]: emptyFormRef } : images },
  })
  objects.markChanged(overlay)
  return `/Stamp${overlay.split(' ')[0]}`
}

/** Adds a font entry that PDF/UA-1 requires (7.21.3.2) and Cairo leaves out. It gets its default value. */
function addGlyphMaps(objects: PdfObjects): void {
  for (const ref of objects.refs) {
    const font = objects.dict(ref)
    if (!isPdfDict(font) || font['/Subtype'] !== '/CIDFontType2' || font['/CIDToGIDMap']) continue
    font['/CIDToGIDMap'] = '/Identity'
    objects.markChanged(ref)
  }
}
