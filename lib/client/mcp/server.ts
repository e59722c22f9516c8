import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { fetchOptions, getExtension } from '../command/conversion-options.ts'
import { getErrorMessage } from '../command/exit-codes.ts'
import { isFailure } from '../errors.ts'
import type { Mutabor } from '../mutabor.ts'
import type { Options } from '../request-body.ts'
import type { Result } from '../result.ts'
import { type AgentFiles, limits } from './agent-files.ts'
import { findArgumentError } from './check-arguments.ts'
import { mcpTools, type ToolName } from './tools.ts'

type ToolArguments = Readonly<Record<string, unknown>>

// Returns the options; the schema has checked that they are an object.
const readOptions = ({ options }: ToolArguments): Options => (options ?? {}) as Options

/** Creates the MCP server for one session with an agent. */
export function createMcpServer(client: Mutabor, files: AgentFiles, version: string): Server {
  const server = new Server(
    { name: 'mutabor', version },
    {
      capabilities: { tools: {}, resources: { listChanged: true } },
      instructions: 'Converts files. Results are resources (mutabor://…) unless `output` names a path.',
    },
  )
  const handlers = createHandlers(client, files, () => server.sendResourceListChanged())
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...mcpTools] }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args } }) => {
    const tool = mcpTools.find((mcpTool) => mcpTool.name === name)
    if (!tool) return createErrorResult(`Unknown tool ${name}.`)
    const error = findArgumentError(args ?? {}, tool.inputSchema)
    if (error !== undefined) return createErrorResult(`INVALID_INPUT: ${error}`)
    // Failures are returned as results, which the agent can read; an exception would end its turn.
    return handlers[tool.name](args ?? {}).catch((thrown: unknown) =>
      createErrorResult(
        isFailure(thrown) ? `${thrown.code}: ${thrown.message}` : `FAILED: ${getErrorMessage(thrown)}`,
      ),
    )
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: files.list().map(({ uri, file }) => ({
      uri,
      name: file.filename,
      mimeType: file.mimeType,
      size: file.size,
    })),
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const { bytes, mimeType } = await files.read(uri)
    const isText = /^text\/|[/+](?:json|xml)$|svg/.test(mimeType)
    const body = isText
      ? { text: new TextDecoder().decode(bytes) }
      : { blob: Buffer.from(bytes).toString('base64') }
    return { contents: [{ uri, mimeType, ...body }] }
  })
  return server
}

type ToolHandler = (args: ToolArguments) => Promise<CallToolResult>

const createTextResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
const createErrorResult = (text: string): CallToolResult => ({ ...createTextResult(text), isError: true })

function createHandlers(
  client: Mutabor,
  files: AgentFiles,
  onResult: () => Promise<void>,
): Readonly<Record<ToolName, ToolHandler>> {
  const runConversion = async (
    convert: () => Promise<Result>,
    args: ToolArguments,
  ): Promise<CallToolResult> => {
    const output = args['output'] === undefined ? undefined : String(args['output'])
    await files.requireFree(output)
    const result = await convert()
    const savedFiles = await files.saveResult(result, output)
    await onResult()
    const content = savedFiles.flatMap(({ file, path, uri }): CallToolResult['content'] => [
      { type: 'text', text: `${path ?? file.filename}: ${file.mimeType}, ${file.size} bytes` },
      ...(uri === undefined
        ? []
        : [{ type: 'resource_link' as const, uri, name: file.filename, mimeType: file.mimeType }]),
    ])
    const warnings = result.job.warnings.map(({ message }) => ({ type: 'text' as const, text: message }))
    return { content: [...content, ...warnings] }
  }
  return {
    convert: async (args) => {
      const { source, name } = await files.open(args['file'])
      const requestOptions = { filename: name }
      return runConversion(
        () => client.convert(source, String(args['to']), readOptions(args), requestOptions),
        args,
      )
    },
    merge: async (args) => {
      // The schema has checked that this is an array.
      const openedFiles = await Promise.all(
        (args['files'] as readonly unknown[]).map((file) => files.open(file)),
      )
      const mergeOptions = {
        ...readOptions(args),
        mergeType: args['kind'] ?? 'pdf',
        targetFormat: args['to'],
      }
      const sources = openedFiles.map(({ source }) => source)
      return runConversion(() => client.merge(sources, mergeOptions), args)
    },
    pdf_tool: async (args) => {
      const { source, name } = await files.open(args['file'])
      const requestOptions = { filename: name }
      return runConversion(
        () => client.tool(source, String(args['tool']), readOptions(args), requestOptions),
        args,
      )
    },
    extract_text: async (args) => {
      const { source, name } = await files.open(args['file'])
      const isText = source instanceof Blob && ['txt', 'md', 'csv'].includes(getExtension(name))
      const text = isText ? await source.text() : await extractText(client, source, name)
      const offset = Number(args['offset'] ?? 0)
      const page = text.slice(offset, offset + limits.maxTextLength)
      const end = offset + page.length
      const continuation =
        end < text.length
          ? [`Characters ${offset} to ${end} of ${text.length}. Continue with offset ${end}.`]
          : []
      return { content: [page, ...continuation].map((one) => ({ type: 'text', text: one })) }
    },
    formats: async ({ format }) => {
      if (format !== undefined) {
        const details = await client.call('GET /v1/formats/{formatId}', {
          path: { formatId: String(format) },
        })
        return createTextResult(
          `${details.id}: ${details.name} (${details.category}). It converts to ${details.targets.join(', ')}.`,
        )
      }
      const lines = (await client.formats()).map(
        ({ id, category, canRead, canWrite }) =>
          `${id} ${category}${canRead ? ' read' : ''}${canWrite ? ' write' : ''}`,
      )
      return createTextResult(lines.join('\n'))
    },
    options: async ({ from, to, tool }) => {
      const pair = {
        ...(from !== undefined && { from: String(from) }),
        ...(to !== undefined && { to: String(to) }),
      }
      const options = await fetchOptions(client, tool === undefined ? pair : { operation: String(tool) })
      return options
        ? createTextResult(JSON.stringify(options))
        : createErrorResult('Conversion or tool not found. List the formats with the tool `formats`.')
    },
  }
}

async function extractText(
  client: Mutabor,
  source: Parameters<Mutabor['convert']>[0],
  filename: string,
): Promise<string> {
  const result = await client.convert(source, 'txt', {}, { filename })
  return result.text()
}
