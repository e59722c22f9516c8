import type { ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'

/** As Node tells it: one of the two is null. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Waits for the end of the program and of its output, but not for a stranger that holds the pipes after a kill. */
export function waitForExit(child: ChildProcess, stop: AbortSignal): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
    child.once('exit', (code, signal) => {
      const dropPipes = () => {
        child.stdout?.destroy()
        child.stderr?.destroy()
        resolve({ code, signal })
      }
      if (stop.aborted) dropPipes()
      else stop.addEventListener('abort', dropPipes, { once: true })
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

/** bwrap and shells report a signal of their child as exit code 128 + number. */
export function exitSignal({ code, signal }: Exit): string | undefined {
  return signal ?? signalNumbers[(code ?? 0) - 128]
}

/** Whether it has ended, or never began. */
export function hasExited({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

/** The program and all that it started; what has ended already is no error. */
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

/** Whether a process runs, as this user or as another. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Ends what left the process group (setsid); where there is a PID namespace nothing is left to find. */
export async function killMarked(mark: string): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const pids = await markedPids(mark)
    if (pids.length === 0) return
    for (const pid of pids) kill(pid)
  }
}

async function markedPids(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const marked = await Promise.all(
    pids.map(async (pid) => {
      const env = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
      return env.includes(mark)
    }),
  )
  return pids.filter((_, index) => marked[index])
}
