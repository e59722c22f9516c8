import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { closeServer, listen } from '../../lib/embedded-aws/listen.ts'

/** The embedded AWS servers in separate processes, each behind a proxy that counts calls. */
export interface CountedServers {
  /** Environment variables with the endpoints of the proxies. */
  readonly env: Readonly<Record<string, string>>
  /**
   * Number of calls since the start by name, such as `DynamoDB UpdateItem`; excludes clients with presigned URLs.
   */
  readonly calls: Map<string, number>
  close(): Promise<void>
}

export async function startCountedServers(): Promise<CountedServers> {
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-counted-'))
  const program = join(import.meta.dirname, '../../lib/local/commands/embedded-command.ts')
  const child = spawn(process.execPath, [program, '--data', dir, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const endpointVariables: Record<string, string> = JSON.parse(await readFirstLine(child))
  const calls = new Map<string, number>()
  const proxies: Server[] = []
  const env = { ...endpointVariables }
  for (const [name, url] of Object.entries(endpointVariables)) {
    if (!name.startsWith('AWS_ENDPOINT_URL_')) continue
    const proxy = createServer({ requestTimeout: 0 }, (call, response) => {
      const kind = getCallName(call)
      if (kind) calls.set(kind, (calls.get(kind) ?? 0) + 1)
      forwardCall(url, call, response)
    })
    env[name] = `http://127.0.0.1:${await listen(proxy, 0)}`
    proxies.push(proxy)
  }
  return {
    env,
    calls,
    close: async () => {
      await Promise.all(proxies.map(closeServer))
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
      await rm(dir, { recursive: true })
    },
  }
}

async function readFirstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('no stdout')
  const [line] = await once(stdout, 'data')
  return String(line)
}

/** Returns the name of a call, such as `SQS SendMessage`; for S3 the HTTP method. */
function getCallName({ method = '', url = '', headers }: IncomingMessage): string | undefined {
  const target = /^(\w+?)(?:_\d+)?\.(\w+)$/.exec(String(headers['x-amz-target'] ?? ''))
  if (target) return `${names[target[1] ?? ''] ?? target[1]} ${target[2]}`
  const { searchParams } = new URL(url, 'http://s3')
  if (searchParams.has('X-Amz-Signature')) return undefined
  const subresource = ['uploads', 'uploadId', 'delete'].find((name) => searchParams.has(name))
  return `S3 ${method}${subresource ? ` ${subresource}` : ''}`
}

const names: Readonly<Record<string, string>> = {
  DynamoDB: 'DynamoDB',
  AmazonSQS: 'SQS',
  AWSEvents: 'EventBridge',
}

/** Forwards a call unchanged, including the signed Host header. */
function forwardCall(to: string, call: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = call
  const forwardedRequest = request(
    new URL(call.url ?? '/', to),
    { method: method ?? 'GET', headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      pipeline(answer, response, () => undefined)
    },
  )
  forwardedRequest.on('error', (error) => response.destroy(error))
  // A long poll must not receive a message after its client has aborted it.
  response.on('close', () => forwardedRequest.destroy())
  pipeline(call, forwardedRequest, () => undefined)
}
