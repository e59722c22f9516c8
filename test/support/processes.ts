import { readdirSync, readFileSync } from 'node:fs'

export interface Process {
  readonly pid: number
  readonly command: string
}

function read(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // The process exited in the meantime.
    return ''
  }
}

const listPids = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

/** Lists the descendants of a process with their commands. */
export function listDescendants(pid: number): Process[] {
  const parents = new Map(
    listPids().map((id) => [Number(id), Number(/^PPid:\s+(\d+)/m.exec(read(id, 'status'))?.[1])]),
  )
  const listDescendantPids = (id: number): number[] =>
    [...parents]
      .filter(([, parent]) => parent === id)
      .flatMap(([child]) => [child, ...listDescendantPids(child)])
  return listDescendantPids(pid).map((id) => ({
    pid: id,
    command: read(id, 'cmdline').replaceAll('\0', ' '),
  }))
}

/** Lists processes whose environment contains a text. */
export const findPidsWithEnvironment = (text: string) =>
  listPids().filter((id) => read(id, 'environ').includes(text))

/** Returns the resident bytes (proc(5), `VmRSS`); 0 if the process has exited. */
export function readResidentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(read(pid, 'status'))?.[1] ?? 0) * 1024
}

/**
 * Returns the proportional bytes (proc(5), `Pss`): the private memory of a process and its share of shared memory, such
 * as the Node binary; 0 if the process has exited.
 */
export function readProportionalBytes(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0) * 1024
}
