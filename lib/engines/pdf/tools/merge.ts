import { join, parse } from 'node:path'
import type { EngineResult, EngineWork, Tools } from '../../engine.ts'
import { pagesOf } from '../page-range.ts'
import { assemble, type ComposeOutline, type Part } from './assemble.ts'
import {
  type EditablePdf,
  lockAgain,
  openEditable,
  warnSigned,
  warnUnlocked,
  warnUntagged,
} from './editable-pdf.ts'
import type { OutlineItem } from './navigation.ts'
import type { ToolOptions } from './options.ts'

/** Several PDFs as one, in the order of the inputs. */
export async function merge(
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
  const encrypted = opened.some((pdf) => pdf.encrypted)
  warnUnlocked({ ...first, encrypted }, tools)
  warnUntagged({ ...first, isTagged: opened.some((pdf) => pdf.isTagged) }, tools)
  const compose = composing(options.outline, opened, work)
  const path = await assemble([partOf(first), ...others.map(partOf)], tools, compose)
  const pages = opened.reduce((sum, { sizes }) => sum + sizes.length, 0)
  await warnSigned(
    opened.map(({ path }) => path),
    tools,
  )
  const open = { ...first, encrypted: false }
  const file = await lockAgain(open, path, join(work.outDir, 'output.pdf'), tools)
  tools.progress(1)
  return { files: [file], details: { pages, files: opened.length } }
}

const partOf = ({ path, sizes }: EditablePdf): Part => ({ path, pages: pagesOf(undefined, sizes.length) })

function composing(
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
          const place = { page, view: ['/Fit'] }
          page += opened[index]?.sizes.length ?? 0
          const title = parse(work.inputs[index]?.filename ?? '').name
          return { title: `u:${title}`, place, open: false, children }
        })
      }
  }
}
