import { readdirSync, readFileSync } from 'node:fs'

export interface Process {
  readonly pid: number
  readonly command: string
}

function read(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // It ended while we looked.
    return ''
  }
}

const pids = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

/** Processes below one, with what each runs. */
export function descendants(pid: number): Process[] {
  const parents = new Map(
    pids().map((id) => [Number(id), Number(/^PPid:\s+(\d+)/m.exec(read(id, 'status'))?.[1])]),
  )
  const below = (id: number): number[] =>
    [...parents].filter(([, parent]) => parent === id).flatMap(([child]) => [child, ...below(child)])
  return below(pid).map((id) => ({ pid: id, command: read(id, 'cmdline').replaceAll('\0', ' ') }))
}

/** Processes that were started with this in their environment. */
export const withEnvironment = (text: string) => pids().filter((id) => read(id, 'environ').includes(text))

/** Resident bytes (proc(5), `VmRSS`); 0 when it is gone. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(read(pid, 'status'))?.[1] ?? 0) * 1024
}

/**
 * Proportional bytes (proc(5), `Pss`): what the process has alone, and its share of what it has with others, such as the
 * program of Node; 0 when it is gone.
 */
export function proportionalBytes(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0) * 1024
}
