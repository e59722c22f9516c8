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

/** Whose writers pass raw cells of these on as they stand. */
const passed: Readonly<Record<string, readonly FormatId[]>> = {
  'text/latex': ['tex'],
  'application/pdf': ['tex'],
  'text/restructuredtext': ['rst'],
  'text/x-rst': ['rst'],
}
/** They hold the document as it was read. */
const whole: readonly FormatId[] = ['pjson', 'native']

/** Jupyter shows raw cells as they were typed; pandoc's writers leave out those of other formats, in silence. */
export async function rawCellsAsText(input: InputFile, to: FormatId, tools: Tools): Promise<InputFile> {
  const notebook = whole.includes(to)
    ? undefined
    : Notebook.safeParse(parsed(await readFile(input.path, 'utf8'))).data
  if (!notebook) return input
  const cells = notebook.cells.map((cell) => {
    const raw = RawCell.safeParse(cell).data
    return raw ? asText(raw, to) : cell
  })
  const path = join(tools.workDir, 'raw-cells.ipynb')
  await writeFile(path, JSON.stringify({ ...notebook, cells }))
  return { ...input, path }
}

function asText(cell: RawCell, to: FormatId): unknown {
  const { source, metadata, ...others } = cell
  const type = metadata.raw_mimetype ?? metadata.format ?? ''
  const isRead = type === 'text/html' || passed[type]?.includes(to)
  if (isRead || source.trim() === '') return cell
  if (type === 'text/markdown') return { ...others, cell_type: 'markdown', metadata: {}, source }
  const fence = '`'.repeat(Math.max(3, ...[...source.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return { ...others, cell_type: 'markdown', metadata: {}, source: `${fence}\n${source}\n${fence}` }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What is wrong with it says its reader.
    return undefined
  }
}
