import names from '../tools/names/words/en.ts'
import { getOperation, pageTools } from '../tools/tools.ts'

/** A tool listed among the formats. */
export interface ListedTool {
  readonly id: string
  readonly name: string
  /** The operation of the service that the tool needs. */
  readonly operation: string
  /** Whether the tool opens on a separate page, which receives the file. */
  readonly hasOwnPage: boolean
}

/** Tools for several files or single pages need more space than a card. */
const hasOwnPage = ({ usesAllFiles, optionsOf }: (typeof pageTools)[number]) =>
  usesAllFiles === true || optionsOf !== undefined

const toListedTool = (tool: (typeof pageTools)[number]): ListedTool => ({
  id: tool.id,
  name: names[tool.id],
  operation: tool.optionsOf ?? getOperation(tool.id),
  hasOwnPage: hasOwnPage(tool),
})

const listTools = (ids: readonly string[]) => pageTools.filter(({ id }) => ids.includes(id)).map(toListedTool)

const pdfTools = [
  ...pageTools.filter(({ sourceFormat }) => sourceFormat === 'pdf').map(toListedTool),
  ...listTools(['merge']),
]
const toolsByCategory: Readonly<Record<string, readonly ListedTool[]>> = {
  image: listTools(['merge', 'compress', 'thumbnail', 'watermark', 'metadata']),
  video: listTools(['merge', 'compress', 'thumbnail', 'watermark', 'metadata']),
  audio: listTools(['merge', 'compress', 'metadata']),
}

interface ToolSource {
  readonly id: string
  readonly category: string
  /**
   * Operations that the engines can run on the format. The field is missing in lists cached before an upgrade of the
   * service.
   */
  readonly tools?: readonly string[]
}

/** Returns the tools that the service can run on a format. */
export function listToolsFor(source: ToolSource | undefined): readonly ListedTool[] {
  const tools = source?.id === 'pdf' ? pdfTools : (toolsByCategory[source?.category ?? ''] ?? [])
  return tools.filter(({ operation }) => source?.tools?.includes(operation))
}

/** Returns the name of a tool; for tools of a newer service, the id. */
export const getToolName = (id: string): string => (names as Readonly<Record<string, string>>)[id] ?? id
