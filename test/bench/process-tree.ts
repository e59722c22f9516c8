import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { listDescendants } from '../support/processes.ts'
import type { Measurement } from './measure.ts'

// Resource use of a process and its descendants, as the kernel counts it (proc(5)). Programs run under `reaper.py`,
// whose process id is passed to these functions.

export const reaperCommand = ['/usr/bin/python3', '-B', join(import.meta.dirname, 'reaper.py')]

/** Duration of a clock tick: USER_HZ is 100 on every Linux that runs Node. */
const tickMs = 10

const listDescendantPids = (pid: number) => listDescendants(pid).map((descendant) => descendant.pid)

/**
 * Returns the user and system CPU time of a process tree so far in milliseconds, including processes that have exited.
 */
export const readCpuMs = (pid: number): number =>
  [pid, ...listDescendantPids(pid)].reduce((sum, treePid) => sum + readTicks(treePid), 0) * tickMs

/**
 * Returns the CPU time of this process and of everything it started, because the reaper, its parent, adopts orphaned
 * processes.
 */
export const readCpuMsOfBench = (): number => readCpuMs(process.ppid)

/** Returns the CPU time of the child processes of this process that have exited. */
export const readCpuMsOfExited = (): number => readTicks(process.pid, 'those that have ended') * tickMs

function readTicks(pid: number, scope: 'all' | 'those that have ended' = 'all'): number {
  const stat = read(pid, 'stat')
  // Field 2, the name, can contain any character, so field 3 starts after the last parenthesis. `utime` is field 14,
  // and `cutime` is field 16.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(scope === 'all' ? 11 : 13, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
}

/** How long to wait for background work after a reply. */
const backgroundMs = 200

/**
 * Wraps a measurement so that it also adds the CPU time per job of a process tree to `spentMs`, except in the first
 * run, which is a warm-up.
 */
export function withCpu(pid: number, jobs: number, measurement: Measurement, spentMs: number[]): Measurement {
  let isWarm = false
  return async () => {
    const cpuBefore = readCpuMs(pid)
    const measuredMs = await measurement()
    await pause(backgroundMs)
    if (isWarm) spentMs.push((readCpuMs(pid) - cpuBefore) / jobs)
    isWarm = true
    return measuredMs
  }
}

/**
 * Returns the resident memory of a process tree in MiB, counting each shared page once. The sum of PSS values would be
 * too small, because Node processes outside of the tree, such as this one, share pages as well.
 */
export function readMemoryMib(pid: number): number {
  let totalOwnKb = 0
  const sharedKbByPath = new Map<string, number>()
  for (const descendantPid of listDescendantPids(pid)) {
    const files = new Map<string, number>()
    for (const { path, residentKb, ownKb } of readMappings(descendantPid)) {
      totalOwnKb += ownKb
      if (path) files.set(path, (files.get(path) ?? 0) + residentKb - ownKb)
    }
    for (const [path, kb] of files) sharedKbByPath.set(path, Math.max(sharedKbByPath.get(path) ?? 0, kb))
  }
  return [...sharedKbByPath.values()].reduce((sum, kb) => sum + kb, totalOwnKb) / 1024
}

interface Mapping {
  /** The mapped file; undefined for private memory. */
  readonly path: string | undefined
  readonly residentKb: number
  readonly ownKb: number
}

function* readMappings(pid: number): Generator<Mapping> {
  // Each mapping starts with a line `address perms offset dev inode path`; its other lines have a name and a colon.
  for (const text of read(pid, 'smaps').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)) {
    const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
    const path = /^\S+ \S+ \S+ \S+ [1-9]\d*\s+(.+)/.exec(text)?.[1]
    yield { path, residentKb: kb('Rss'), ownKb: path ? kb('Private_Dirty') : kb('Pss') }
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // The process exited in the meantime.
    return ''
  }
}

/**
 * Returns the peak memory of a process tree in MiB during an action. Don't time that action, because sampling slows it
 * down.
 */
export async function measurePeakMib(pid: number, action: () => Promise<unknown>): Promise<number> {
  const actionPromise = action()
  let isOver = false
  const end = () => {
    isOver = true
  }
  actionPromise.then(end, end)
  let maxMib = 0
  while (!isOver) {
    maxMib = Math.max(maxMib, readMemoryMib(pid))
    await pause(100)
  }
  await actionPromise
  return maxMib
}
