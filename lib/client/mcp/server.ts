import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { sentenceOf } from '../command/exit.ts'
import { extensionOf, optionsOf } from '../command/pair-options.ts'
import { isFailure } from '../failure.ts'
import type { Mutabor } from '../mutabor.ts'
import type { Options } from '../request-body.ts'
import type { Result } from '../result.ts'
import { type AgentFiles, limits } from './files.ts'
import { wrongIn } from './schema.ts'
import { type ToolName, tools } from './tools.ts'

type Given = Readonly<Record<string, unknown>>

const optionsIn = ({ options }: Given): Options => (options ?? {}) as Options // an object by the schema

/** One conversation with an agent. */
export function agentServer(client: Mutabor, files: AgentFiles, version: string): Server {
  const server = new Server(
    { name: 'mutabor', version },
    {
      capabilities: { tools: {}, resources: { listChanged: true } },
      instructions: 'Converts files. Results are resources (mutabor://…) unless `output` names a path.',
    },
  )
  const acts = actions(client, files, () => server.sendResourceListChanged())
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given } }) => {
    const tool = tools.find((one) => one.name === name)
    if (!tool) return failed(`There is no tool ${name}.`)
    const wrong = wrongIn(given ?? {}, tool.inputSchema)
    if (wrong !== undefined) return failed(`INVALID_INPUT: ${wrong}`)
    // An agent reads why, whatever it is: what is thrown would end its turn.
    return acts[tool.name](given ?? {}).catch((thrown: unknown) =>
      failed(isFailure(thrown) ? `${thrown.code}: ${thrown.message}` : `FAILED: ${sentenceOf(thrown)}`),
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

type Act = (given: Given) => Promise<CallToolResult>

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
const failed = (text: string): CallToolResult => ({ ...said(text), isError: true })

function actions(
  client: Mutabor,
  files: AgentFiles,
  told: () => Promise<void>,
): Readonly<Record<ToolName, Act>> {
  const made = async (convert: () => Promise<Result>, given: Given): Promise<CallToolResult> => {
    const output = given['output'] === undefined ? undefined : String(given['output'])
    await files.requireFree(output)
    const result = await convert()
    const kept = await files.keep(result, output)
    await told()
    const content = kept.flatMap(({ file, path, uri }): CallToolResult['content'] => [
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
      return made(() => client.convert(source, String(given['to']), optionsIn(given), how), given)
    },
    merge: async (given) => {
      const opened = await Promise.all((given['files'] as readonly unknown[]).map((one) => files.open(one)))
      const wish = { ...optionsIn(given), mergeType: given['kind'] ?? 'pdf', targetFormat: given['to'] }
      const sources = opened.map(({ source }) => source)
      return made(() => client.merge(sources, wish), given)
    },
    pdf_tool: async (given) => {
      const { source, name } = await files.open(given['file'])
      const how = { filename: name }
      return made(() => client.tool(source, String(given['tool']), optionsIn(given), how), given)
    },
    extract_text: async (given) => {
      const { source, name } = await files.open(given['file'])
      const isText = source instanceof Blob && ['txt', 'md', 'csv'].includes(extensionOf(name))
      const text = isText ? await source.text() : await textOf(client, source, name)
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
        return said(`${found.id}: ${found.name} (${found.category}). It becomes ${found.targets.join(', ')}.`)
      }
      const lines = (await client.formats()).map(
        ({ id, category, canRead, canWrite }) =>
          `${id} ${category}${canRead ? ' read' : ''}${canWrite ? ' write' : ''}`,
      )
      return said(lines.join('\n'))
    },
    options: async ({ from, to, tool }) => {
      const pair = {
        ...(from !== undefined && { from: String(from) }),
        ...(to !== undefined && { to: String(to) }),
      }
      const options = await optionsOf(client, tool === undefined ? pair : { operation: String(tool) })
      return options ? said(JSON.stringify(options)) : failed('There is no such pair or tool.')
    },
  }
}

async function textOf(
  client: Mutabor,
  source: Parameters<Mutabor['convert']>[0],
  filename: string,
): Promise<string> {
  const result = await client.convert(source, 'txt', {}, { filename })
  return result.text()
}
