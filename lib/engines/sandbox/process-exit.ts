import type { ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'

/** Exit of a child process as reported by Node: either the code or the signal is null. */
interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * Waits until the program has exited and its output has ended. After an abort, waits only for the exit, because other
 * processes may hold the pipes open.
 */
export function waitForExit(child: ChildProcess, abortSignal: AbortSignal): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
    child.once('exit', (code, signal) => {
      const dropPipes = () => {
        child.stdout?.destroy()
        child.stderr?.destroy()
        resolve({ code, signal })
      }
      if (abortSignal.aborted) dropPipes()
      else abortSignal.addEventListener('abort', dropPipes, { once: true })
    })
  })
}

const signalNumbers: Readonly<Record<number, string>> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
}

/** Returns the signal that ended a program. bwrap and shells report it as exit code 128 + signal number. */
export function getExitSignal({ code, signal }: Exit): string | undefined {
  return signal ?? signalNumbers[(code ?? 0) - 128]
}

/** Whether the process has exited or could not be started. */
export function hasExited({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

/** Kills a program and its process group. Does nothing if it has already exited. */
export function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined) kill(-child.pid)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!isMissingProcess(error)) throw error
  }
}

function isMissingProcess(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ESRCH'
}

/** Whether a process is running, even if it belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Kills processes that left the process group with `setsid`. Not needed inside a PID namespace. */
export async function killMarked(mark: string): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const pids = await findMarkedPids(mark)
    if (pids.length === 0) return
    for (const pid of pids) kill(pid)
  }
}

async function findMarkedPids(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const markedPids = await Promise.all(
    pids.map(async (pid) => {
      const env = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
      return env.includes(mark)
    }),
  )
  return pids.filter((_, index) => markedPids[index])
}
