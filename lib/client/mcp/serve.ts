import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Arguments } from '../command/arguments.ts'
import { type ExitCode, exitCodes, UsageError } from '../command/exit-codes.ts'
import type { CommandSession } from '../command/session.ts'
import manifest from '../package.json' with { type: 'json' }
import { AgentFiles } from './agent-files.ts'

/** `mutabor mcp`: serves agents over stdin and stdout, or with `--http PORT` at http://localhost:PORT/mcp. */
export async function serveAgents({ flags }: Arguments, session: CommandSession): Promise<ExitCode> {
  const sdk = await loadSdk()
  const root = flags.root ?? (flags.http === undefined ? process.cwd() : undefined)
  const createServerForClient = () =>
    sdk.createMcpServer(session.client, new AgentFiles(root), manifest.version)
  const abortEvent = once(session.signal, 'abort')
  if (flags.http !== undefined) {
    const close = await serveHttp(sdk, Number(flags.http), createServerForClient, session)
    await abortEvent
    await close()
    return exitCodes.done
  }
  const server = createServerForClient()
  const closedEvent = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
  })
  await server.connect(new sdk.StdioServerTransport())
  await Promise.race([closedEvent, abortEvent])
  await server.close()
  return exitCodes.done
}

/** The SDK is an optional peer dependency, as plain conversions don't need it. */
async function loadSdk() {
  try {
    const [{ createMcpServer }, { StdioServerTransport }, { StreamableHTTPServerTransport }] =
      await Promise.all([
        import('./server.ts'),
        import('@modelcontextprotocol/sdk/server/stdio.js'),
        import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
      ])
    return { createMcpServer, StdioServerTransport, StreamableHTTPServerTransport }
  } catch (cause) {
    throw new UsageError('mutabor mcp needs its SDK: npm install @modelcontextprotocol/sdk', { cause })
  }
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>

async function serveHttp(
  sdk: Sdk,
  port: number,
  createServerForClient: () => ReturnType<Sdk['createMcpServer']>,
  { terminal }: CommandSession,
): Promise<() => Promise<void>> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('--http: expected a port from 0 to 65535, for example --http 3333')
  const sessions = new Map<string, InstanceType<Sdk['StreamableHTTPServerTransport']>>()
  let allowedHosts: string[] = []
  const http = createServer(async (request, response) => {
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp') {
      response.writeHead(404).end()
      return
    }
    const id = request.headers['mcp-session-id']
    const existingTransport = sessions.get(String(id))
    if (id !== undefined && !existingTransport) {
      response.writeHead(404).end('Session not found. Initialize a new one.')
      return
    }
    const transport =
      existingTransport ??
      new sdk.StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        // Keeps web pages from using the server through a host name that resolves to localhost.
        enableDnsRebindingProtection: true,
        allowedHosts,
        onsessioninitialized: (sessionId: string) => void sessions.set(sessionId, transport),
        onsessionclosed: (sessionId: string) => void sessions.delete(sessionId),
      })
    // The SDK's types don't compile with `exactOptionalPropertyTypes`.
    if (!existingTransport) await createServerForClient().connect(transport as Transport)
    await transport.handleRequest(request, response)
  })
  http.listen(port, '127.0.0.1')
  await once(http, 'listening')
  const address = http.address()
  const actualPort = typeof address === 'object' && address ? address.port : port
  allowedHosts = [`localhost:${actualPort}`, `127.0.0.1:${actualPort}`]
  terminal.note(`MCP server listening at http://localhost:${actualPort}/mcp`)
  return async () => {
    for (const transport of sessions.values()) await transport.close()
    http.closeAllConnections()
    http.close()
  }
}
