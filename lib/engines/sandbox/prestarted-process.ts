import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { basename, join } from 'node:path'
import type { PrestartedProcess, SandboxLimits } from './command.ts'
import { createSandboxCommand, getConfinement } from './isolation.ts'
import { hasExited, killGroup } from './process-exit.ts'
import { copyIn, makeProcessFolder, removeOrphanedFolders, removeProcessFolder } from './process-folder.ts'

/** Keeps one process started for the next job. */
export interface Prestarter {
  /** Returns the prestarted process, if there is one, and starts a process for the next call. */
  take(): Promise<PrestartedProcess | undefined>
  close(): Promise<void>
}

interface PrestartOptions {
  /** Folder in which each process gets its own subfolder. */
  readonly baseDir: string
  /** Prefix of the subfolder's name. */
  readonly prefix: string
  readonly file: string
  readonly args: readonly string[]
  readonly readOnly: readonly string[]
  readonly limits: SandboxLimits
  /** Prepares the subfolder. @returns additional environment variables. */
  prepare(folder: string): Promise<Readonly<Record<string, string>>>
}

/**
 * Starts a program while the previous job is running, to hide its start-up time. Each process is used only once, and
 * until then has read nothing but its own code, so jobs are as isolated as if a process were started for each of them.
 */
export function createPrestarter(options: PrestartOptions): Prestarter {
  let next: Promise<PrestartedProcess | undefined> | undefined
  let cleanup: Promise<void> | undefined
  let isClosed = false

  async function prestart(): Promise<PrestartedProcess | undefined> {
    // Without PID namespaces, a hostile job of the same user could tamper with the waiting process.
    if ((await getConfinement()).level !== 'namespaces') return undefined
    cleanup ??= removeOrphanedFolders(options.baseDir, options.prefix)
    await cleanup
    return start(options)
  }

  return {
    async take() {
      const currentProcess = next
      // If this fails, the next job starts its own process and reports the error.
      next = isClosed ? undefined : prestart().catch(() => undefined)
      const program = await currentProcess
      if (!program || hasExited(program.child)) {
        await program?.stop()
        return undefined
      }
      return program
    },
    async close() {
      isClosed = true
      const currentProcess = await next
      await currentProcess?.stop()
    },
  }
}

async function start({ baseDir, prefix, prepare, ...program }: PrestartOptions): Promise<PrestartedProcess> {
  const folder = await makeProcessFolder(baseDir, prefix)
  try {
    const { readOnly, limits } = program
    const env = await prepare(folder)
    const command = await createSandboxCommand(program.file, program.args, {
      workDir: folder,
      readOnly,
      limits,
      env,
    })
    const child = spawn(command.file, command.args, {
      env: command.env,
      cwd: command.cwd,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    // `take` detects a process that failed to start, or that exited while it was waiting.
    child.on('error', () => undefined)
    child.stdin.on('error', () => undefined)
    // A waiting process must not keep the service running. It exits when its stdin closes.
    child.unref()
    // Node creates the pipes as sockets.
    for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as Socket).unref()
    return {
      child,
      folder,
      copyIn: async (path) => {
        const pathInside = join(folder, basename(path))
        await copyIn(path, pathInside)
        await command.grant(pathInside)
        return pathInside
      },
      stop: async () => {
        if (!hasExited(child)) {
          child.ref()
          const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()))
          killGroup(child)
          await exit
        }
        await removeProcessFolder(folder)
      },
    }
  } catch (error) {
    await removeProcessFolder(folder)
    throw error
  }
}
