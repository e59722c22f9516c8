import { toolOperations as pdfTools } from '../api-constants.ts'
import type { Schema } from './check-arguments.ts'

/** What agents can call, as the Model Context Protocol describes it. */

const text = (description: string) => ({ type: 'string', description }) as const
const file = text('Path of a file, an http(s) address, or the uri of an earlier result (mutabor://…)')
const pdfTool = { type: 'string', enum: pdfTools, description: 'Name of the tool' } as const
const output = text('Path of a new file to write the result to; without it the result is a resource to read')
const options = {
  type: 'object',
  description: 'Options as the tool `options` lists them',
  additionalProperties: true,
} as const

const objectSchema = (properties: Readonly<Record<string, Schema>>, required: readonly string[]) => ({
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

export const tools = [
  {
    name: 'convert',
    title: 'Convert a file',
    description: 'Converts a file (document, image, audio, video, ebook, archive, font) to another format.',
    inputSchema: objectSchema({ file, to: text('Format to convert to, as pdf'), options, output }, [
      'file',
      'to',
    ]),
    annotations: conversionHints,
  },
  {
    name: 'merge',
    title: 'Merge files',
    description: 'Makes one file of several PDFs, images, sounds or films, in their order.',
    inputSchema: objectSchema(
      {
        files: { type: 'array', items: file, minItems: 2, maxItems: 100 },
        kind: { type: 'string', enum: ['pdf', 'image', 'audio', 'video'], description: 'pdf when left out' },
        to: text('Format of the result'),
        ...{ options, output },
      },
      ['files'],
    ),
    annotations: conversionHints,
  },
  {
    name: 'pdf_tool',
    title: 'Work on a PDF',
    description: 'Runs a tool on a PDF; `compress` takes other files, too.',
    inputSchema: objectSchema({ file, tool: pdfTool, options, output }, ['file', 'tool']),
    annotations: conversionHints,
  },
  {
    name: 'extract_text',
    title: 'Read the text of a file',
    description:
      'The text of a document, an ebook, a presentation, a table or a PDF, page by page of characters.',
    inputSchema: objectSchema(
      { file, offset: { type: 'integer', minimum: 0, description: 'Characters to leave out at the start' } },
      ['file'],
    ),
    annotations: readOnlyHints,
  },
  {
    name: 'formats',
    title: 'List formats',
    description: 'What can be converted; with `format`, what becomes of it.',
    inputSchema: objectSchema({ format: text('A format, as docx') }, []),
    annotations: readOnlyHints,
  },
  {
    name: 'options',
    title: 'List options',
    description: 'Options of a pair of formats (`from`, `to`) or of a PDF tool (`tool`).',
    inputSchema: objectSchema(
      { from: text('Source format'), to: text('Target format'), tool: text('A tool') },
      [],
    ),
    annotations: readOnlyHints,
  },
] as const

export type ToolName = (typeof tools)[number]['name']
