import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { basename, join } from 'node:path'
import type { PrestartedProcess, SandboxLimits } from './command.ts'
import { confinement, sandboxCommand } from './isolation.ts'
import { hasExited, killGroup } from './process-exit.ts'
import { copyIn, makeProcessFolder, removeOrphanedFolders, removeProcessFolder } from './process-folder.ts'

/** Keeps one program started for whoever has work next. */
export interface Prestarter {
  /** The one that waits, if there is one; the next is started. */
  take(): Promise<PrestartedProcess | undefined>
  close(): Promise<void>
}

export interface PrestartOptions {
  /** Folder under which each program gets one of its own. */
  readonly baseDir: string
  /** Of the name of its folder. */
  readonly prefix: string
  readonly file: string
  readonly args: readonly string[]
  readonly readOnly: readonly string[]
  readonly limits: SandboxLimits
  /** Makes its folder ready. @returns what is added to its environment. */
  prepare(folder: string): Promise<Readonly<Record<string, string>>>
}

/**
 * What a program loads before it can work is loaded while the job before it runs. As it has seen nothing but its own
 * code by then and is used once, a job is as far from all others as in a program that is started for it.
 */
export function createPrestarter(options: PrestartOptions): Prestarter {
  let next: Promise<PrestartedProcess | undefined> | undefined
  let cleaned: Promise<void> | undefined
  let closed = false

  async function prestart(): Promise<PrestartedProcess | undefined> {
    // Elsewhere other jobs of the same user run beside it, and one that is hostile could lie in wait in it.
    if ((await confinement()).level !== 'namespaces') return undefined
    cleaned ??= removeOrphanedFolders(options.baseDir, options.prefix)
    await cleaned
    return start(options)
  }

  return {
    async take() {
      const current = next
      // Whoever comes next starts a program of its own then, and hears what is wrong.
      next = closed ? undefined : prestart().catch(() => undefined)
      const program = await current
      if (!program || hasExited(program.child)) {
        await program?.stop()
        return undefined
      }
      return program
    },
    async close() {
      closed = true
      const current = await next
      await current?.stop()
    },
  }
}

async function start({ baseDir, prefix, prepare, ...program }: PrestartOptions): Promise<PrestartedProcess> {
  const folder = await makeProcessFolder(baseDir, prefix)
  try {
    const { readOnly, limits } = program
    const env = await prepare(folder)
    const command = await sandboxCommand(program.file, program.args, {
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
    // One that cannot be started, or dies while it waits, is found when it is taken.
    child.on('error', () => undefined)
    child.stdin.on('error', () => undefined)
    // What waits for work keeps nobody waiting: without us its input ends, and so does it.
    child.unref()
    for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as Socket).unref() // as Node makes them
    return {
      child,
      folder,
      copyIn: async (path) => {
        const inside = join(folder, basename(path))
        await copyIn(path, inside)
        await command.grant(inside)
        return inside
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
