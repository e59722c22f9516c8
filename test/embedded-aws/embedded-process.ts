// Runs `npm run embedded` as a process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../lib/local/commands/embedded-command.ts', import.meta.url))

const spawnServer = (args: readonly string[]) =>
  spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })

/** Starts the servers and returns their output. They stop with the test, unless `end` stopped them before. */
export async function startEmbedded(t: TestContext, ...args: readonly string[]) {
  const child = spawnServer(args)
  const end = () => stopProcess(child)
  t.after(end)
  const errors = text(child.stderr)
  const [printedLine] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(async () => {
      throw new Error(`it did not start: ${await errors}`)
    }),
  ])
  return { firstLine: String(printedLine), pid: child.pid ?? 0, end }
}

/** Returns the exit code and error output of a start that fails. */
export async function getStartFailure(...args: readonly string[]): Promise<{ code: number; output: string }> {
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
