import { descendants } from './processes.ts'

/** What of a run of Node's test runner is looked at. */
interface Bounds {
  /** Milliseconds that a file may take in all. */
  readonly fileMs: number
  readonly everyMs: number
}

/**
 * Ends test files that take too long, with all that they started; the runner then says that they failed. Its own limit
 * is a timer within the process of the file: a loop that never waits keeps it from coming, and an `await` outside of
 * tests has none.
 * @returns what stops the watch
 */
export function endHungFiles(runner: number, { fileMs, everyMs }: Bounds): () => void {
  const firstSeen = new Map<number, number>()
  const look = () => {
    const now = Date.now()
    const files = descendants(runner).filter(({ command }) => /\.(test|slow)\.ts\s*$/.test(command))
    for (const { pid, command } of files) {
      const since = firstSeen.get(pid) ?? now
      firstSeen.set(pid, since)
      if (now - since < fileMs) continue
      console.log(`\nEnded after ${Math.round(fileMs / 1000)} s: ${command.trim().split(' ').at(-1)}`)
      for (const each of [...descendants(pid), { pid }]) kill(each.pid)
    }
  }
  const timer = setInterval(look, everyMs)
  return () => clearInterval(timer)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
