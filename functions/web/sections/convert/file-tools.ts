import names from '../tools/names/words/en.ts'
import { tools } from '../tools/tools.ts'
import type { Tool } from './target-picker.tsx'

/** Several files, or the pages of one, want more room than a card has. */
const hasOwnPage = ({ isJoint, optionsOf }: (typeof tools)[number]) =>
  isJoint === true || optionsOf !== undefined

const asRow = (tool: (typeof tools)[number]): Tool => ({
  ...{ id: tool.id, name: names[tool.id], hasOwnPage: hasOwnPage(tool) },
})

const merge = tools.filter(({ id }) => id === 'merge').map(asRow)
const pdfTools = [...tools.filter(({ takes }) => takes === 'pdf').map(asRow), ...merge]

/** Beside converting, what can be done with a file of a format. */
export function toolsFor(
  source: { readonly id: string; readonly category: string } | undefined,
): readonly Tool[] {
  if (source?.id === 'pdf') return pdfTools
  return source && ['image', 'video', 'audio'].includes(source.category) ? merge : []
}

export const nameOfTool = (id: string): string => (names as Readonly<Record<string, string>>)[id] ?? id
