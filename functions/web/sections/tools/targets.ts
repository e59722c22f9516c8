import type { Step } from '../../grid/page-order.ts'
import { pagesIn } from '../../grid/page-order.ts'
import type { Catalogue, Category } from '../convert/format-catalog.ts'
import type { Chosen } from './tool-file.ts'
import type { ToolId } from './tools.ts'

/** What tools make when nothing else is asked for, as the service has it. */
const usual: Partial<Readonly<Record<ToolId, string>>> = {
  thumbnail: 'png',
  archive: 'zip',
  metadata: 'json',
}

export function usualTarget(
  tool: ToolId,
  from: string | undefined,
  category: Category | undefined,
  targets: readonly string[],
): string | undefined {
  const own = tool === 'merge' && category === 'image' ? 'png' : (usual[tool] ?? from)
  return own !== undefined && targets.includes(own) ? own : targets[0]
}

export type MergeKind = 'pdf' | 'video' | 'audio' | 'image' | 'mixed'

const mergeKinds: readonly string[] = ['video', 'audio', 'image'] satisfies readonly MergeKind[]

/** Only files of one kind become one; undefined while it is not known what they are. */
export function mergeKindOf(
  files: readonly Chosen[],
  catalogue: Catalogue | undefined,
): MergeKind | undefined {
  const kinds = new Set(
    files.map(({ file }) => {
      const format = catalogue?.ofFile(file)
      return format?.id === 'pdf' ? 'pdf' : format?.category
    }),
  )
  const [kind] = kinds
  if (kinds.size > 1) return 'mixed'
  if (kind === undefined || kind === 'pdf') return kind
  return mergeKinds.includes(kind) ? (kind as MergeKind) : 'mixed' // one of the list
}

/** Some pages of a file that is merged. */
export function rangeSteps({ pages }: Chosen, values: Readonly<Record<string, unknown>>): readonly Step[] {
  if (pages.trim() === '') return []
  const { password } = values
  return [
    {
      operation: 'extract-pdf-pages',
      options: { pages, ...(password !== undefined && { password }) },
    },
  ]
}

/** As the service reads it: of how many pages is not known here. */
export const isRange = (text: string): boolean => text.trim() === '' || pagesIn(text, 999_999) !== undefined
