import { join } from 'node:path'
import type { Tools } from '../engine.ts'
import { qpdf } from '../qpdf.ts'
import { type EditablePdf, finish, type Tool } from './document.ts'
import { runScript } from './mutool.ts'
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
  const flat = join(tools.workDir, 'flat.pdf')
  await qpdf({ inputFile: drawn, flattenAnnotations: 'all', outputFile: flat }, tools)
  return flat
}
