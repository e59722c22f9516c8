import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { extensionOf, fetchOptions } from '../command/conversion-options.ts'
import { messageOf } from '../command/exit-codes.ts'
import { isFailure } from '../errors.ts'
import type { Mutabor } from '../mutabor.ts'
import type { Options } from '../request-body.ts'
import type { Result } from '../result.ts'
import { type AgentFiles, limits } from './agent-files.ts'
import { findArgumentError } from './check-arguments.ts'
import { type ToolName, tools } from './tools.ts'

type ToolArguments = Readonly<Record<string, unknown>>

const readOptions = ({ options }: ToolArguments): Options => (options ?? {}) as Options // an object by the schema

/** One conversation with an agent. */
export function createMcpServer(client: Mutabor, files: AgentFiles, version: string): Server {
  const server = new Server(
    { name: 'mutabor', version },
    {
      capabilities: { tools: {}, resources: { listChanged: true } },
      instructions: 'Converts files. Results are resources (mutabor://…) unless `output` names a path.',
    },
  )
  const handlers = createHandlers(client, files, () => server.sendResourceListChanged())
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given } }) => {
    const tool = tools.find((one) => one.name === name)
    if (!tool) return errorResult(`There is no tool ${name}.`)
    const wrong = findArgumentError(given ?? {}, tool.inputSchema)
    if (wrong !== undefined) return errorResult(`INVALID_INPUT: ${wrong}`)
    // An agent reads why, whatever it is: what is thrown would end its turn.
    return handlers[tool.name](given ?? {}).catch((thrown: unknown) =>
      errorResult(isFailure(thrown) ? `${thrown.code}: ${thrown.message}` : `FAILED: ${messageOf(thrown)}`),
    )
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: files.list().map(({ uri, file }) => ({
      ...{ uri, name: file.filename, mimeType: file.mimeType, size: file.size },
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

type ToolHandler = (given: ToolArguments) => Promise<CallToolResult>

const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
const errorResult = (text: string): CallToolResult => ({ ...textResult(text), isError: true })

function createHandlers(
  client: Mutabor,
  files: AgentFiles,
  onResult: () => Promise<void>,
): Readonly<Record<ToolName, ToolHandler>> {
  const runConversion = async (
    convert: () => Promise<Result>,
    given: ToolArguments,
  ): Promise<CallToolResult> => {
    const output = given['output'] === undefined ? undefined : String(given['output'])
    await files.requireFree(output)
    const result = await convert()
    const saved = await files.saveResult(result, output)
    await onResult()
    const content = saved.flatMap(({ file, path, uri }): CallToolResult['content'] => [
      { type: 'text', text: `${path ?? file.filename}: ${file.mimeType}, ${file.size} bytes` },
      ...(uri === undefined
        ? []
        : [{ type: 'resource_link' as const, uri, name: file.filename, mimeType: file.mimeType }]),
    ])
    const warnings = result.job.warnings.map(({ message }) => ({ type: 'text' as const, text: message }))
    return { content: [...content, ...warnings] }
  }
  return {
    convert: async (given) => {
      const { source, name } = await files.open(given['file'])
      const how = { filename: name }
      return runConversion(() => client.convert(source, String(given['to']), readOptions(given), how), given)
    },
    merge: async (given) => {
      const opened = await Promise.all((given['files'] as readonly unknown[]).map((one) => files.open(one)))
      const mergeOptions = {
        ...readOptions(given),
        mergeType: given['kind'] ?? 'pdf',
        targetFormat: given['to'],
      }
      const sources = opened.map(({ source }) => source)
      return runConversion(() => client.merge(sources, mergeOptions), given)
    },
    pdf_tool: async (given) => {
      const { source, name } = await files.open(given['file'])
      const how = { filename: name }
      return runConversion(() => client.tool(source, String(given['tool']), readOptions(given), how), given)
    },
    extract_text: async (given) => {
      const { source, name } = await files.open(given['file'])
      const isText = source instanceof Blob && ['txt', 'md', 'csv'].includes(extensionOf(name))
      const text = isText ? await source.text() : await extractText(client, source, name)
      const offset = Number(given['offset'] ?? 0)
      const part = text.slice(offset, offset + limits.textLength)
      const end = offset + part.length
      const rest =
        end < text.length
          ? [`Characters ${offset} to ${end} of ${text.length}: go on with offset ${end}.`]
          : []
      return { content: [part, ...rest].map((one) => ({ type: 'text', text: one })) }
    },
    formats: async ({ format }) => {
      if (format !== undefined) {
        const found = await client.call('GET /v1/formats/{formatId}', { path: { formatId: String(format) } })
        return textResult(
          `${found.id}: ${found.name} (${found.category}). It becomes ${found.targets.join(', ')}.`,
        )
      }
      const lines = (await client.formats()).map(
        ({ id, category, canRead, canWrite }) =>
          `${id} ${category}${canRead ? ' read' : ''}${canWrite ? ' write' : ''}`,
      )
      return textResult(lines.join('\n'))
    },
    options: async ({ from, to, tool }) => {
      const pair = {
        ...(from !== undefined && { from: String(from) }),
        ...(to !== undefined && { to: String(to) }),
      }
      const options = await fetchOptions(client, tool === undefined ? pair : { operation: String(tool) })
      return options ? textResult(JSON.stringify(options)) : errorResult('There is no such pair or tool.')
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
