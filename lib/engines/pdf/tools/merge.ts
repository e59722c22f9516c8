import { join, parse } from 'node:path'
import type { EngineResult, EngineWork, Tools } from '../../engine.ts'
import { resolvePages } from '../page-range.ts'
import { assemblePdf, type ComposeOutline, joinsDocuments, type PdfPageSource } from './assemble.ts'
import {
  type EditablePdf,
  openEditable,
  reencrypt,
  requireUnsigned,
  warnAboutInvalidSignatures,
  warnAboutLockedAttachments,
  warnAboutRemovedEncryption,
  warnAboutRemovedTags,
} from './editable-pdf.ts'
import type { OutlineItem } from './navigation.ts'
import type { ToolOptions } from './options.ts'
import { reviewPdfAClaim } from './pdfa-claim.ts'

/** Merges several PDFs in the order of the inputs. */
export async function mergePdfs(
  options: ToolOptions<'merge'>,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const openedPdfs: EditablePdf[] = []
  for (const [index, input] of work.inputs.entries()) {
    openedPdfs.push(await openEditable(input, options.password, tools))
    tools.progress((0.3 * (index + 1)) / work.inputs.length)
  }
  await requireUnsigned(openedPdfs, options)
  const [firstPdf, ...otherPdfs] = openedPdfs
  if (!firstPdf) throw new Error('merge was called without an input.')
  const isEncrypted = openedPdfs.some((pdf) => pdf.isEncrypted)
  warnAboutRemovedEncryption({ ...firstPdf, isEncrypted }, tools)
  for (const pdf of openedPdfs) warnAboutLockedAttachments(pdf, tools)
  if (!joinsDocuments(openedPdfs))
    warnAboutRemovedTags({ ...firstPdf, isTagged: openedPdfs.some((pdf) => pdf.isTagged) }, tools)
  const composeOutline = createOutlineComposer(options.outline, openedPdfs, work)
  const joinedPath = await assemblePdf(
    [toPageSource(firstPdf), ...otherPdfs.map(toPageSource)],
    tools,
    composeOutline,
  )
  const path = await reviewPdfAClaim(firstPdf.path, joinedPath, work.operation, tools)
  const pages = openedPdfs.reduce((sum, { sizes }) => sum + sizes.length, 0)
  await warnAboutInvalidSignatures(
    openedPdfs.map(({ path }) => path),
    tools,
  )
  const unencryptedPdf = { ...firstPdf, isEncrypted: false }
  const file = await reencrypt(unencryptedPdf, path, join(work.outDir, 'output.pdf'), tools)
  tools.progress(1)
  return { files: [file], details: { pages, files: openedPdfs.length } }
}

const toPageSource = ({ path, sizes }: EditablePdf): PdfPageSource => ({
  path,
  pages: resolvePages(undefined, sizes.length),
})

function createOutlineComposer(
  outline: ToolOptions<'merge'>['outline'],
  openedPdfs: readonly EditablePdf[],
  work: EngineWork,
): ComposeOutline {
  switch (outline) {
    case 'keep':
      return (outlines) => outlines.flat()
    case 'none':
      return () => []
    case 'per_file':
      return (outlines) => {
        let page = 0
        return outlines.map((children, index): OutlineItem => {
          const destination = { page, view: ['/Fit'] }
          page += openedPdfs[index]?.sizes.length ?? 0
          const title = parse(work.inputs[index]?.filename ?? '').name
          return { title: `u:${title}`, destination, isOpen: false, children }
        })
      }
  }
}
