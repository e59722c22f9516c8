import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { withParentDeath } from './process.ts'

const binary = join(
  dirname(createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json')),
  'dynoxide',
)

export interface DynamoDb {
  readonly url: string
  close(): Promise<void>
}

/** Starts the embedded DynamoDB and keeps it running on its port. */
export async function openDynamoDb(options: { file: string; port: number; log: Log }): Promise<DynamoDb> {
  const port = options.port || (await freePort())
  const url = `http://127.0.0.1:${port}`
  let closing = false
  let child = start(port, options)
  const restart = async () => {
    if (closing) return
    options.log.error({ port }, 'the embedded DynamoDB ended; starting it again')
    await sleep(200)
    if (closing) return
    child = start(port, options)
    child.once('exit', restart)
  }
  child.once('exit', restart)
  await answering(url, child)
  return {
    url,
    close: async () => {
      closing = true
      const exit = once(child, 'exit')
      if (child.exitCode === null && child.kill('SIGTERM')) await exit
    },
  }
}

function start(port: number, { file, log }: { file: string; log: Log }): ChildProcess {
  const [command, ...args] = withParentDeath([binary, 'serve', '-p', String(port), '--db-path', file])
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr?.on('data', (chunk: Buffer) => log.debug({ from: 'dynamodb' }, chunk.toString().trim()))
  return child
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 10_000
  for (;;) {
    try {
      // Any answer will do, a refusal for want of a signature too.
      await fetch(url, { method: 'POST', signal: AbortSignal.timeout(1000) })
      return
    } catch (error) {
      if (Date.now() > deadline || child.exitCode !== null) {
        throw new Error(
          `The embedded DynamoDB does not answer on ${url}; is its file in use by another service?`,
          { cause: error },
        )
      }
      await sleep(10)
    }
  }
}

/** A port that is free now; whoever asks for it takes it at once. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (!address || typeof address === 'string') throw new Error('no port to be had')
  return address.port
}
