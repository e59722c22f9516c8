/** What can be done with files besides converting them, by the names that tasks have for it. */

export interface Tool {
  readonly id: ToolId
  /** Formats that it takes; any when left out. */
  readonly sourceFormat?: 'pdf'
  /** All files at once, in their order; else each by itself. */
  readonly usesAllFiles?: true
  /** What the service calls the operation whose options it has, where the tool is several of them. */
  readonly optionsOf?: ToolId
}

export const groups = {
  pages: [
    'organize-pdf',
    'split-pdf',
    'extract-pdf-pages',
    'remove-pdf-pages',
    'reorder-pdf-pages',
    'rotate-pdf',
    'crop-pdf',
  ],
  content: [
    'ocr-pdf',
    'add-watermark-pdf',
    'add-page-numbers-pdf',
    'edit-pdf-metadata',
    'extract-pdf-images',
    'pdf-info',
  ],
  safety: ['encrypt-pdf', 'decrypt-pdf', 'redact-pdf', 'sanitize-pdf', 'flatten-pdf'],
  size: ['compress-pdf', 'grayscale-pdf', 'remove-blank-pages-pdf', 'linearize-pdf', 'repair-pdf', 'to-pdfa'],
  files: ['merge', 'compress', 'thumbnail', 'watermark', 'metadata', 'archive', 'extract'],
} as const

export type GroupId = keyof typeof groups
export type ToolId = (typeof groups)[GroupId][number]

/** Keys of a const table. */
export const groupIds = Object.keys(groups) as readonly GroupId[]

const jointTools: readonly ToolId[] = ['merge', 'archive']

export const tools: readonly Tool[] = groupIds.flatMap((group) =>
  groups[group].map((id) => ({
    id,
    ...(group !== 'files' && { sourceFormat: 'pdf' as const }),
    ...(jointTools.includes(id) && { usesAllFiles: true as const }),
    ...(id === 'organize-pdf' && { optionsOf: 'extract-pdf-pages' as const }),
  })),
)

export const findTool = (id: string | undefined): Tool | undefined => tools.find((tool) => tool.id === id)
