// `npm run embedded` as a process, to be pointed at.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../lib/local/embedded-command.ts', import.meta.url))

const spawnServer = (args: readonly string[]) =>
  spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })

/** Starts it and gives what it printed. It ends with the test, if `end` did not end it before. */
export async function startEmbedded(t: TestContext, ...args: readonly string[]) {
  const child = spawnServer(args)
  const end = () => stopProcess(child)
  t.after(end)
  const errors = text(child.stderr)
  const [printed] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(async () => {
      throw new Error(`it did not start: ${await errors}`)
    }),
  ])
  return { printed: String(printed), pid: child.pid ?? 0, end }
}

/** How it ends when it cannot start. */
export async function startFailure(...args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawnServer(args)
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { code, output }
}

async function stopProcess(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await exit
  return code
}
