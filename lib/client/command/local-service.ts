import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { getChildEnvironment, stateFolder } from './environment.ts'
import { UsageError } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

interface LocalService {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a service for this command. Returns undefined if a service already responds at the URL. */
export async function startLocalService(url: string, terminal: Terminal): Promise<LocalService | undefined> {
  const isRunning = await fetch(new URL('/v1', url), { signal: AbortSignal.timeout(2000) }).then(
    (response) => response.ok,
    () => false,
  )
  if (isRunning) return undefined
  const root = findRepository()
  if (!root) {
    throw new UsageError(
      `No service responds at ${url}, and --local found no Mutabor repository in this folder or above. Run the command in the repository, or set MUTABOR_URL.`,
    )
  }
  terminal.note('Starting a service for this command …')
  const child = spawn(process.execPath, [join(root, 'lib/local/setup.mjs'), 'start'], {
    cwd: root,
    env: { ...getChildEnvironment(), PORT: '0', DATA_DIR: join(stateFolder, 'service') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderrText = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderrText = `${stderrText}${chunk}`.slice(-4000)
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exitEvent = once(child, 'exit')
    child.kill('SIGTERM')
    await exitEvent
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const readyUrl = /ready: (\S+)/.exec(line)?.[1]
    if (!readyUrl) continue
    child.stdout.resume()
    return { url: readyUrl, stop }
  }
  await stop()
  throw new UsageError(`The service did not start. ${stderrText.trim()}`)
}

/** Finds the Mutabor repository by searching upwards from the current folder and from this file. */
export function findRepository(): string | undefined {
  for (const start of [process.cwd(), dirname(fileURLToPath(import.meta.url))])
    for (let folder = start; ; folder = dirname(folder)) {
      if (isRepository(folder)) return folder
      if (folder === dirname(folder)) break
    }
  return undefined
}

function isRepository(folder: string): boolean {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name === 'mutabor'
  } catch {
    return false
  }
}
