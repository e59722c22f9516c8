import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { basename, join } from 'node:path'
import type { SandboxLimits, WaitingProgram } from './command.ts'
import { protection, sandboxed } from './isolation.ts'
import { isOver, killGroup } from './process-exit.ts'
import { bringIn, makeProcessFolder, removeOrphanedFolders, removeProcessFolder } from './process-folder.ts'

/** Keeps one program started for whoever has work next. */
export interface Standby {
  /** The one that waits, if there is one; the next is started. */
  take(): Promise<WaitingProgram | undefined>
  close(): Promise<void>
}

export interface StandbySettings {
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
export function createStandby(settings: StandbySettings): Standby {
  let next: Promise<WaitingProgram | undefined> | undefined
  let swept: Promise<void> | undefined
  let closed = false

  async function begin(): Promise<WaitingProgram | undefined> {
    // Elsewhere other jobs of the same user run beside it, and one that is hostile could lie in wait in it.
    if ((await protection()).level !== 'namespaces') return undefined
    swept ??= removeOrphanedFolders(settings.baseDir, settings.prefix)
    await swept
    return start(settings)
  }

  return {
    async take() {
      const taken = next
      // Whoever comes next starts a program of its own then, and hears what is wrong.
      next = closed ? undefined : begin().catch(() => undefined)
      const program = await taken
      if (!program || isOver(program.child)) {
        await program?.end()
        return undefined
      }
      return program
    },
    async close() {
      closed = true
      const waiting = await next
      await waiting?.end()
    },
  }
}

async function start({ baseDir, prefix, prepare, ...program }: StandbySettings): Promise<WaitingProgram> {
  const folder = await makeProcessFolder(baseDir, prefix)
  try {
    const { readOnly, limits } = program
    const env = await prepare(folder)
    const command = await sandboxed(program.file, program.args, { workDir: folder, readOnly, limits, env })
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
      bring: async (path) => {
        const inside = join(folder, basename(path))
        await bringIn(path, inside)
        await command.grant(inside)
        return inside
      },
      end: async () => {
        if (!isOver(child)) {
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
