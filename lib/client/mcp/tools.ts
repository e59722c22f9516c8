import { toolOperations as pdfTools } from '../api-constants.ts'
import type { ArgumentSchema } from './check-arguments.ts'

/** Tools for agents, in the format of the Model Context Protocol. */

const createTextSchema = (description: string) => ({ type: 'string', description }) as const
const file = createTextSchema('Path of a file, an http(s) URL, or the URI of an earlier result (mutabor://…)')
const pdfTool = { type: 'string', enum: pdfTools, description: 'Name of the tool' } as const
const output = createTextSchema(
  'Path of a new file for the result; without it, the result is returned as a resource',
)
const options = {
  type: 'object',
  description: 'Options, as listed by the tool `options`',
  additionalProperties: true,
} as const

const createObjectSchema = (
  properties: Readonly<Record<string, ArgumentSchema>>,
  required: readonly string[],
) => ({
  type: 'object' as const,
  properties: { ...properties },
  required: [...required],
  additionalProperties: false,
})

const readOnlyHints = { readOnlyHint: true, openWorldHint: false }
const conversionHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

export const mcpTools = [
  {
    name: 'convert',
    title: 'Convert a file',
    description: 'Converts a file (document, image, audio, video, ebook, archive, font) to another format.',
    inputSchema: createObjectSchema(
      { file, to: createTextSchema('Target format, such as pdf'), options, output },
      ['file', 'to'],
    ),
    annotations: conversionHints,
  },
  {
    name: 'merge',
    title: 'Merge files',
    description: 'Merges PDFs, images, audio files or videos into one file, in the given order.',
    inputSchema: createObjectSchema(
      {
        files: { type: 'array', items: file, minItems: 2, maxItems: 100 },
        kind: {
          type: 'string',
          enum: ['pdf', 'image', 'audio', 'video'],
          description: 'Type of the files; defaults to pdf',
        },
        to: createTextSchema('Format of the result'),
        options,
        output,
      },
      ['files'],
    ),
    annotations: conversionHints,
  },
  {
    name: 'pdf_tool',
    title: 'Work on a PDF',
    description: 'Runs a tool on a PDF; `compress` also accepts other files.',
    inputSchema: createObjectSchema({ file, tool: pdfTool, options, output }, ['file', 'tool']),
    annotations: conversionHints,
  },
  {
    name: 'extract_text',
    title: 'Read the text of a file',
    description:
      'Returns the text of a document, ebook, presentation, spreadsheet or PDF, up to 50,000 characters at a time.',
    inputSchema: createObjectSchema(
      {
        file,
        offset: { type: 'integer', minimum: 0, description: 'Number of characters to skip at the start' },
      },
      ['file'],
    ),
    annotations: readOnlyHints,
  },
  {
    name: 'formats',
    title: 'List formats',
    description: 'Lists all formats or, with `format`, the formats to which that format can be converted.',
    inputSchema: createObjectSchema({ format: createTextSchema('A format, such as docx') }, []),
    annotations: readOnlyHints,
  },
  {
    name: 'options',
    title: 'List options',
    description: 'Lists the options of a conversion (`from`, `to`) or of a PDF tool (`tool`).',
    inputSchema: createObjectSchema(
      {
        from: createTextSchema('Source format'),
        to: createTextSchema('Target format'),
        tool: createTextSchema('Name of a tool'),
      },
      [],
    ),
    annotations: readOnlyHints,
  },
] as const

export type ToolName = (typeof mcpTools)[number]['name']
