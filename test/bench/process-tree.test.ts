import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { listDescendants } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { readCpuMs, readMemoryMib, reaperCommand } from './process-tree.ts'

const startUnderReaper = (script: string) => {
  const [program = '', ...args] = [...reaperCommand, '/bin/sh', '-c', script]
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

test('the CPU time of a process tree includes orphaned processes', async (t) => {
  const busyLoop = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
  // The shell in between exits first, like a killed sandbox.
  const child = startUnderReaper(`(sh -c '${busyLoop}; echo over' &); exec sleep 60`)
  t.after(() => child.kill())
  const pid = child.pid ?? 0
  await once(child.stdout, 'data')
  await waitUntil(() => listDescendants(pid).length === 1, 'it is reaped')
  assert.ok(readCpuMs(pid) >= 100, `${readCpuMs(pid)} ms were counted`)
})

test('the memory of a benchmarked program excludes its parent process', async (t) => {
  const child = startUnderReaper('echo there; exec sleep 60')
  t.after(() => child.kill())
  await once(child.stdout, 'data')
  const pid = child.pid ?? 0
  await waitUntil(() => readMemoryMib(pid) > 0.1, 'it has memory')
  assert.ok(readMemoryMib(pid) < 5, `${readMemoryMib(pid)} MiB`)
})

test('a SIGTERM sent to the parent process of a benchmarked program is passed on to the program', async () => {
  const child = startUnderReaper('trap "echo ended; exit" TERM; echo there; while :; do sleep 0.05; done')
  await once(child.stdout, 'data')
  const words = once(child.stdout, 'data')
  child.kill('SIGTERM')
  const [[text], [code]] = await Promise.all([words, once(child, 'exit')])
  assert.deepEqual([String(text), code], ['ended\n', 0])
})
