import names from '../tools/names/words/en.ts'
import { pageTools } from '../tools/tools.ts'
import type { ListedTool } from './target-picker.tsx'

/** Tools for several files or single pages need more space than a card. */
const hasOwnPage = ({ usesAllFiles, optionsOf }: (typeof pageTools)[number]) =>
  usesAllFiles === true || optionsOf !== undefined

const toListedTool = (tool: (typeof pageTools)[number]): ListedTool => ({
  id: tool.id,
  name: names[tool.id],
  hasOwnPage: hasOwnPage(tool),
})

const merge = pageTools.filter(({ id }) => id === 'merge').map(toListedTool)
const pdfTools = [
  ...pageTools.filter(({ sourceFormat }) => sourceFormat === 'pdf').map(toListedTool),
  ...merge,
]

/** Returns the tools for a format. */
export function toolsFor(
  source: { readonly id: string; readonly category: string } | undefined,
): readonly ListedTool[] {
  if (source?.id === 'pdf') return pdfTools
  return source && ['image', 'video', 'audio'].includes(source.category) ? merge : []
}

/** Returns the id of a tool of a newer service. */
export const toolName = (id: string): string => (names as Readonly<Record<string, string>>)[id] ?? id
