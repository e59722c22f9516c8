import { listDescendants } from './support/processes.ts'

/** Limits for a run of Node's test runner. */
interface Bounds {
  /** Time limit of a test file in milliseconds. */
  readonly fileMs: number
  readonly everyMs: number
}

/**
 * Kills test files that take too long, with their child processes; the runner then reports them as failed. The runner's
 * own limit is a timer in the process of the file, which does not fire during an endless loop, and does not apply to an
 * `await` outside of tests.
 * @returns a function that stops the watch
 */
export function endHungFiles(runnerPid: number, { fileMs, everyMs }: Bounds): () => void {
  const firstSeenByPid = new Map<number, number>()
  const endOverdueFiles = () => {
    const now = Date.now()
    const files = listDescendants(runnerPid).filter(({ command }) => /\.(test|slow)\.ts\s*$/.test(command))
    for (const { pid, command } of files) {
      const firstSeenAt = firstSeenByPid.get(pid) ?? now
      firstSeenByPid.set(pid, firstSeenAt)
      if (now - firstSeenAt < fileMs) continue
      console.log(`\nEnded after ${Math.round(fileMs / 1000)} s: ${command.trim().split(' ').at(-1)}`)
      for (const descendant of [...listDescendants(pid), { pid }]) kill(descendant.pid)
    }
  }
  const timer = setInterval(endOverdueFiles, everyMs)
  return () => clearInterval(timer)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}
