import type { Step } from '../../grid/page-order.ts'
import { parseRange } from '../../grid/page-order.ts'
import type { Category, FormatCatalog } from '../convert/format-catalog.ts'
import type { ToolFile } from './tool-file.ts'
import type { ToolId } from './tools.ts'

/** What tools make when nothing else is asked for, as the service has it. */
const defaultTargets: Partial<Readonly<Record<ToolId, string>>> = {
  thumbnail: 'png',
  archive: 'zip',
  metadata: 'json',
}

export function defaultTarget(
  tool: ToolId,
  from: string | undefined,
  category: Category | undefined,
  targets: readonly string[],
): string | undefined {
  const preferred = tool === 'merge' && category === 'image' ? 'png' : (defaultTargets[tool] ?? from)
  return preferred !== undefined && targets.includes(preferred) ? preferred : targets[0]
}

export type MergeKind = 'pdf' | 'video' | 'audio' | 'image' | 'mixed'

const mergeKinds: readonly string[] = ['video', 'audio', 'image'] satisfies readonly MergeKind[]

/** Only files of one kind become one; undefined while it is not known what they are. */
export function detectMergeKind(
  files: readonly ToolFile[],
  catalog: FormatCatalog | undefined,
): MergeKind | undefined {
  const kinds = new Set(
    files.map(({ file }) => {
      const format = catalog?.ofFile(file)
      return format?.id === 'pdf' ? 'pdf' : format?.category
    }),
  )
  const [kind] = kinds
  if (kinds.size > 1) return 'mixed'
  if (kind === undefined || kind === 'pdf') return kind
  return mergeKinds.includes(kind) ? (kind as MergeKind) : 'mixed' // one of the list
}

/** Some pages of a file that is merged. */
export function rangeSteps({ pages }: ToolFile, values: Readonly<Record<string, unknown>>): readonly Step[] {
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
export const isRange = (text: string): boolean =>
  text.trim() === '' || parseRange(text, 999_999) !== undefined
