import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { descendants } from '../processes.ts'
import type { MeasuredTurn } from './measure.ts'

/** What a program and all below it use, as the kernel counts it (proc(5)). It runs under `reaper.py`, whose id is given. */

export const reaper = ['/usr/bin/python3', '-B', join(import.meta.dirname, 'reaper.py')]

/** Milliseconds of a clock tick: USER_HZ is 100 on every Linux that runs Node. */
const tickMs = 10

const treeOf = (pid: number) => descendants(pid).map((one) => one.pid)

/** Processor milliseconds of user and system until now, those of processes that have ended included. */
export const cpuMs = (pid: number): number =>
  [pid, ...treeOf(pid)].reduce((sum, one) => sum + ticksOf(one), 0) * tickMs

/** Of this process and all that it ever started: the reaper, under which a benchmark runs, has those who lost their parent. */
export const cpuMsOfBench = (): number => cpuMs(process.ppid)

/** Of programs that this process started and that have ended. */
export const cpuMsOfExited = (): number => ticksOf(process.pid, 'those that have ended') * tickMs

function ticksOf(pid: number, whose: 'all' | 'those that have ended' = 'all'): number {
  const stat = read(pid, 'stat')
  // The name, field 2, may hold anything, so what follows its last parenthesis is field 3; `utime` is 14, `cutime` 16.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(whose === 'all' ? 11 : 13, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
}

/** Much of a job goes on behind its answer. */
const backgroundMs = 200

/** The turn, and beside it the processor milliseconds that a tree takes for each of its jobs, once it is warm. */
export function withCpu(pid: number, jobs: number, turn: MeasuredTurn, spent: number[]): MeasuredTurn {
  let isWarm = false
  return async () => {
    const before = cpuMs(pid)
    const measured = await turn()
    await pause(backgroundMs)
    if (isWarm) spent.push((cpuMs(pid) - before) / jobs)
    isWarm = true
    return measured
  }
}

/**
 * Resident MiB, each shared page once. The sum of their PSS would be less than they take: other programs that run Node,
 * as this one, would carry a part.
 */
export function memoryMib(pid: number): number {
  let own = 0
  const shared = new Map<string, number>()
  for (const one of treeOf(pid)) {
    const files = new Map<string, number>()
    for (const { path, residentKb, ownKb } of mappings(one)) {
      own += ownKb
      if (path) files.set(path, (files.get(path) ?? 0) + residentKb - ownKb)
    }
    for (const [path, kb] of files) shared.set(path, Math.max(shared.get(path) ?? 0, kb))
  }
  return [...shared.values()].reduce((sum, kb) => sum + kb, own) / 1024
}

interface Mapping {
  /** Of a file; what has none belongs to the process. */
  readonly path: string | undefined
  readonly residentKb: number
  readonly ownKb: number
}

function* mappings(pid: number): Generator<Mapping> {
  // Each begins with a line `address perms offset dev inode path`; the others have a name and a colon.
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
    // It ended while we looked.
    return ''
  }
}

/** The most that a tree takes during some work, which is not timed: looking takes time too. */
export async function peakMib(pid: number, work: () => Promise<unknown>): Promise<number> {
  const working = work()
  let isOver = false
  const end = () => {
    isOver = true
  }
  working.then(end, end)
  let most = 0
  while (!isOver) {
    most = Math.max(most, memoryMib(pid))
    await pause(100)
  }
  await working
  return most
}
