/** Tools other than conversion, by the names of their operations. */

export interface Tool {
  readonly id: ToolId
  /** The format that the tool accepts; undefined if it accepts any. */
  readonly sourceFormat?: 'pdf'
  /** Set if the tool combines all files, in order; otherwise it processes each file separately. */
  readonly usesAllFiles?: true
  /** The operation whose options are used if the tool combines several operations. */
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

type GroupId = keyof typeof groups
export type ToolId = (typeof groups)[GroupId][number]

/** The ids are the keys of a constant object. */
export const groupIds = Object.keys(groups) as readonly GroupId[]

const multiFileTools: readonly ToolId[] = ['merge', 'archive']

export const pageTools: readonly Tool[] = groupIds.flatMap((group) =>
  groups[group].map((id) => ({
    id,
    ...(group !== 'files' && { sourceFormat: 'pdf' as const }),
    ...(multiFileTools.includes(id) && { usesAllFiles: true as const }),
    ...(id === 'organize-pdf' && { optionsOf: 'extract-pdf-pages' as const }),
  })),
)

/** Returns the operation that a tool uses: only the general `compress` can compress a PDF to a given size. */
export const getOperation = (tool: string): string => (tool === 'compress-pdf' ? 'compress' : tool)

export const findTool = (id: string | undefined): Tool | undefined => pageTools.find((tool) => tool.id === id)
