import { join, parse } from 'node:path'
import type { EngineResult, EngineWork, Tools } from '../../engine.ts'
import { resolvePages } from '../page-range.ts'
import { assemble, type ComposeOutline, type PdfPageSource } from './assemble.ts'
import {
  type EditablePdf,
  openEditable,
  reencrypt,
  warnEncryptionRemoved,
  warnSignatureInvalid,
  warnTagsRemoved,
} from './editable-pdf.ts'
import type { OutlineItem } from './navigation.ts'
import type { ToolOptions } from './options.ts'

/** Merges several PDFs in the order of the inputs. */
export async function mergePdfs(
  options: ToolOptions<'merge'>,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const opened: EditablePdf[] = []
  for (const [index, input] of work.inputs.entries()) {
    opened.push(await openEditable(input, options.password, tools))
    tools.progress((0.3 * (index + 1)) / work.inputs.length)
  }
  const [first, ...others] = opened
  if (!first) throw new Error('merge was called without an input.')
  const isEncrypted = opened.some((pdf) => pdf.isEncrypted)
  warnEncryptionRemoved({ ...first, isEncrypted }, tools)
  warnTagsRemoved({ ...first, isTagged: opened.some((pdf) => pdf.isTagged) }, tools)
  const compose = createOutlineComposer(options.outline, opened, work)
  const path = await assemble([toPageSource(first), ...others.map(toPageSource)], tools, compose)
  const pages = opened.reduce((sum, { sizes }) => sum + sizes.length, 0)
  await warnSignatureInvalid(
    opened.map(({ path }) => path),
    tools,
  )
  const unencrypted = { ...first, isEncrypted: false }
  const file = await reencrypt(unencrypted, path, join(work.outDir, 'output.pdf'), tools)
  tools.progress(1)
  return { files: [file], details: { pages, files: opened.length } }
}

const toPageSource = ({ path, sizes }: EditablePdf): PdfPageSource => ({
  path,
  pages: resolvePages(undefined, sizes.length),
})

function createOutlineComposer(
  outline: ToolOptions<'merge'>['outline'],
  opened: readonly EditablePdf[],
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
          page += opened[index]?.sizes.length ?? 0
          const title = parse(work.inputs[index]?.filename ?? '').name
          return { title: `u:${title}`, destination, isOpen: false, children }
        })
      }
  }
}
