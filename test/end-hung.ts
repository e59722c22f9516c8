import { descendants } from './support/processes.ts'

/** Limits for a run of Node's test runner. */
interface Bounds {
  /** Time limit of a test file in milliseconds. */
  readonly fileMs: number
  readonly everyMs: number
}

/**
 * Kills test files that take too long, with their child processes; the runner then reports them as failed. Its own
 * limit is a timer in the process of the file, which does not fire during an endless loop, and does not apply to an
 * `await` outside of tests.
 * @returns a function that stops the watch
 */
export function endHungFiles(runner: number, { fileMs, everyMs }: Bounds): () => void {
  const firstSeen = new Map<number, number>()
  const look = () => {
    const now = Date.now()
    const files = descendants(runner).filter(({ command }) => /\.(test|slow)\.ts\s*$/.test(command))
    for (const { pid, command } of files) {
      const seenSince = firstSeen.get(pid) ?? now
      firstSeen.set(pid, seenSince)
      if (now - seenSince < fileMs) continue
      console.log(`\nEnded after ${Math.round(fileMs / 1000)} s: ${command.trim().split(' ').at(-1)}`)
      for (const descendant of [...descendants(pid), { pid }]) kill(descendant.pid)
    }
  }
  const timer = setInterval(look, everyMs)
  return () => clearInterval(timer)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
