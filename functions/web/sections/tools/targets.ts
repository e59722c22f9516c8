import { defined } from '../../../../lib/validation/defined.ts'
import type { PageOperation } from '../../grid/page-order.ts'
import { parseRange } from '../../grid/page-order.ts'
import type { Category, FormatCatalog } from '../convert/format-catalog.ts'
import type { ToolFile } from './tool-file.ts'
import type { ToolId } from './tools.ts'

/** Default output formats of tools, as in the service, except that images are usually combined into a PDF. */
const defaultTargets: Partial<Readonly<Record<ToolId, string>>> = {
  thumbnail: 'png',
  archive: 'zip',
  metadata: 'json',
}

export function chooseDefaultTarget(
  tool: ToolId,
  from: string | undefined,
  category: Category | undefined,
  targets: readonly string[],
): string | undefined {
  const preferred = tool === 'merge' && category === 'image' ? 'pdf' : (defaultTargets[tool] ?? from)
  return preferred !== undefined && targets.includes(preferred) ? preferred : targets[0]
}

export type MergeKind = 'pdf' | 'video' | 'audio' | 'image' | 'mixed'

const mergeKinds: readonly string[] = ['video', 'audio', 'image'] satisfies readonly MergeKind[]

/**
 * Returns the merge kind of the files, because only files of one kind can be merged; undefined while their formats are
 * unknown.
 */
export function detectMergeKind(
  files: readonly ToolFile[],
  catalog: FormatCatalog | undefined,
): MergeKind | undefined {
  const kinds = new Set(
    files.map(({ file }) => {
      const format = catalog?.findByFile(file)
      return format?.id === 'pdf' ? 'pdf' : format?.category
    }),
  )
  const [kind] = kinds
  if (kinds.size > 1) return 'mixed'
  if (kind === undefined || kind === 'pdf') return kind
  return mergeKinds.includes(kind) ? (kind as MergeKind) : 'mixed' // checked above
}

/** Returns the steps that extract the chosen pages of a file before it is merged. */
export function createRangeSteps(
  { pages }: ToolFile,
  values: Readonly<Record<string, unknown>>,
): readonly PageOperation[] {
  if (pages.trim() === '') return []
  const { password } = values
  return [
    {
      operation: 'extract-pdf-pages',
      options: { pages, ...defined({ password }) },
    },
  ]
}

/** Whether the text is a valid page range; the page count is not checked, because it is not known here. */
export const isRange = (text: string): boolean =>
  text.trim() === '' || parseRange(text, 999_999) !== undefined
