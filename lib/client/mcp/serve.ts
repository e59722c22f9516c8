import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Arguments } from '../command/arguments.ts'
import { type ExitCode, exitCodes, UsageError } from '../command/exit-codes.ts'
import type { Session } from '../command/session.ts'
import manifest from '../package.json' with { type: 'json' }
import { AgentFiles } from './agent-files.ts'

/** `mutabor mcp`: agents call by stdin and stdout, or with `--http PORT` at http://localhost:PORT/mcp. */
export async function serveAgents({ flags }: Arguments, session: Session): Promise<ExitCode> {
  const sdk = await loadSdk()
  const root = flags.root ?? (flags.http === undefined ? process.cwd() : undefined)
  const createServerForClient = () =>
    sdk.createMcpServer(session.client, new AgentFiles(root), manifest.version)
  const ended = once(session.signal, 'abort')
  if (flags.http !== undefined) {
    const close = await serveHttp(sdk, Number(flags.http), createServerForClient, session)
    await ended
    await close()
    return exitCodes.done
  }
  const server = createServerForClient()
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
  })
  await server.connect(new sdk.StdioServerTransport())
  await Promise.race([closed, ended])
  await server.close()
  return exitCodes.done
}

/** The SDK is an optional peer: whoever only converts files does without it. */
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
  { terminal }: Session,
): Promise<() => Promise<void>> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('--http: expected a port, as --http 3333')
  const sessions = new Map<string, InstanceType<Sdk['StreamableHTTPServerTransport']>>()
  let allowedHosts: string[] = []
  const http = createServer(async (request, response) => {
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp') {
      response.writeHead(404).end()
      return
    }
    const id = request.headers['mcp-session-id']
    const existing = sessions.get(String(id))
    if (id !== undefined && !existing) {
      response.writeHead(404).end('There is no such session.')
      return
    }
    const transport =
      existing ??
      new sdk.StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        // A page of another site whose name leads here must not drive it.
        ...{ enableDnsRebindingProtection: true, allowedHosts },
        onsessioninitialized: (sessionId: string) => void sessions.set(sessionId, transport),
        onsessionclosed: (sessionId: string) => void sessions.delete(sessionId),
      })
    // Its types are written for looser settings of the compiler than ours.
    if (!existing) await createServerForClient().connect(transport as Transport)
    await transport.handleRequest(request, response)
  })
  http.listen(port, '127.0.0.1')
  await once(http, 'listening')
  const address = http.address()
  const actualPort = typeof address === 'object' && address ? address.port : port
  allowedHosts = [`localhost:${actualPort}`, `127.0.0.1:${actualPort}`]
  terminal.note(`Agents are served at http://localhost:${actualPort}/mcp`)
  return async () => {
    for (const transport of sessions.values()) await transport.close()
    http.closeAllConnections()
    http.close()
  }
}
