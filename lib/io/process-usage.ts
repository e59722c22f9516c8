import { readFileSync } from 'node:fs'

/** Clock ticks per second of the times in /proc (proc(5)), which are the same on every Linux that Node supports. */
const ticksPerS = 100
const memoryPageBytes = 4096

export interface ProcessUsage {
  /** Processor time since the start of the process, in seconds. */
  readonly cpuS: number
  /** Resident memory in bytes. */
  readonly memoryBytes: number
}

/**
 * Returns the usage of a process and its descendants, because a program in a sandbox is a descendant of its launcher.
 * Reads synchronously: the kernel writes these short files in microseconds, and each call of another thread takes
 * longer.
 */
export function readProcessTreeUsage(pid: number): ProcessUsage {
  const usages = [readProcessUsage(pid), ...listChildren(pid).map(readProcessTreeUsage)]
  return {
    cpuS: usages.reduce((sum, { cpuS }) => sum + cpuS, 0),
    memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  }
}

/** Returns the usage of one process; zero if it has ended. */
function readProcessUsage(pid: number): ProcessUsage {
  const stat = readProcessFile(pid, 'stat')
  if (stat === undefined) return { cpuS: 0, memoryBytes: 0 }
  // The second field is the name of the program, in parentheses. It may contain any character, so the line is split
  // after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const getField = (number: number) => Number(fields[number - 3] ?? 0)
  const [user, system, pages] = [getField(14), getField(15), getField(24)]
  return { cpuS: (user + system) / ticksPerS, memoryBytes: pages * memoryPageBytes }
}

const listChildren = (pid: number): number[] =>
  (readProcessFile(pid, `task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number)

/** Returns a file in `/proc`; undefined if the process has ended. */
function readProcessFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}
