import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { InputFile, Tools } from '../engine.ts'

const Source = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))])
const RawCell = z.looseObject({
  cell_type: z.literal('raw'),
  source: Source,
  metadata: z.looseObject({ raw_mimetype: z.string().optional(), format: z.string().optional() }).default({}),
})
type RawCell = z.infer<typeof RawCell>
const Notebook = z.looseObject({ cells: z.array(z.unknown()) })

/** Targets whose writers keep raw cells of these MIME types. */
const targetsByMimeType: Readonly<Record<string, readonly FormatId[]>> = {
  'text/latex': ['tex'],
  'application/pdf': ['tex'],
  'text/restructuredtext': ['rst'],
  'text/x-rst': ['rst'],
}
/** Targets that contain the complete AST. */
const astTargets: readonly FormatId[] = ['pjson', 'native']

/** Turns raw cells, which pandoc's writers silently drop, into text or code; Jupyter shows them verbatim. */
export async function convertRawCells(input: InputFile, to: FormatId, tools: Tools): Promise<InputFile> {
  const notebook = astTargets.includes(to)
    ? undefined
    : Notebook.safeParse(tryParseJson(await readFile(input.path, 'utf8'))).data
  if (!notebook) return input
  const cells = notebook.cells.map((cell) => {
    const raw = RawCell.safeParse(cell).data
    return raw ? toMarkdownCell(raw, to) : cell
  })
  const path = join(tools.workDir, 'raw-cells.ipynb')
  await writeFile(path, JSON.stringify({ ...notebook, cells }))
  return { ...input, path }
}

function toMarkdownCell(cell: RawCell, to: FormatId): unknown {
  const { source, metadata, ...others } = cell
  const type = metadata.raw_mimetype ?? metadata.format ?? ''
  const isKept = type === 'text/html' || targetsByMimeType[type]?.includes(to)
  if (isKept || source.trim() === '') return cell
  if (type === 'text/markdown') return { ...others, cell_type: 'markdown', metadata: {}, source }
  const fence = '`'.repeat(Math.max(3, ...[...source.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return { ...others, cell_type: 'markdown', metadata: {}, source: `${fence}\n${source}\n${fence}` }
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Pandoc's reader reports invalid JSON.
    return undefined
  }
}
