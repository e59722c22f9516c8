import { readFile } from 'node:fs/promises'

/** Clock ticks per second of the times in /proc (proc(5)), which are the same on every Linux that Node supports. */
const ticksPerS = 100
const memoryPageBytes = 4096

export interface ProcessUsage {
  /** Processor time since the start of the process, in seconds. */
  readonly cpuS: number
  /** Resident memory in bytes. */
  readonly memoryBytes: number
}

const noUsage: ProcessUsage = { cpuS: 0, memoryBytes: 0 }

/**
 * Returns the usage of a process and its descendants, because a program in a sandbox is a descendant of its launcher.
 */
export async function readProcessTreeUsage(pid: number): Promise<ProcessUsage> {
  const [ownUsage, children] = await Promise.all([readProcessUsage(pid), listChildren(pid)])
  const allUsages = [ownUsage, ...(await Promise.all(children.map(readProcessTreeUsage)))]
  return {
    cpuS: allUsages.reduce((sum, { cpuS }) => sum + cpuS, 0),
    memoryBytes: allUsages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  }
}

/** Returns the usage of one process; zero if it has ended. */
export async function readProcessUsage(pid: number): Promise<ProcessUsage> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return noUsage
  // The second field is the name of the program, in parentheses. It may contain any character, so the line is split
  // after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const getField = (number: number) => Number(fields[number - 3] ?? 0)
  const [user, system, pages] = [getField(14), getField(15), getField(24)]
  return { cpuS: (user + system) / ticksPerS, memoryBytes: pages * memoryPageBytes }
}

async function listChildren(pid: number): Promise<number[]> {
  const childList = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return childList.split(' ').filter(Boolean).map(Number)
}
