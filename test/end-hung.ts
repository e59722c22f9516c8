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
  const findOverdue = createOverdueFinder(fileMs)
  const endOverdueFiles = () => {
    const files = listDescendants(runnerPid).filter(({ command }) => /\.(test|slow)\.ts\s*$/.test(command))
    for (const { pid, command } of findOverdue(files, Date.now())) {
      console.log(`\nEnded after ${Math.round(fileMs / 1000)} s: ${command.trim().split(' ').at(-1)}`)
      for (const descendant of [...listDescendants(pid), { pid }]) kill(descendant.pid)
    }
  }
  const timer = setInterval(endOverdueFiles, everyMs)
  return () => clearInterval(timer)
}

/**
 * Returns a function to call repeatedly with the running processes. It returns those that it first saw at least
 * `fileMs` ago. It forgets processes that have ended, because in a long run a later process can reuse their id.
 */
export function createOverdueFinder(fileMs: number) {
  let firstSeenAt = new Map<number, number>()
  return <Process extends { readonly pid: number }>(
    processes: readonly Process[],
    now: number,
  ): Process[] => {
    firstSeenAt = new Map(processes.map(({ pid }) => [pid, firstSeenAt.get(pid) ?? now]))
    return processes.filter(({ pid }) => now - (firstSeenAt.get(pid) ?? now) >= fileMs)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}
