import { setTimeout as pause } from 'node:timers/promises'
import { buildForm } from '../client.ts'
import { withService } from '../compare-with-engine.ts'
import { readCpuMs, readMemoryMib } from '../process-tree.ts'
import type { BenchContext, Section } from '../section.ts'
import { withStoredJobs } from '../with-stored-jobs.ts'

/** An idle service releases memory within half a minute; see lib/local/runtime/idle-memory.ts. */
const pauseS = 45
/** Includes two runs of the sweep, which runs every minute. */
const measureS = 120

const storedJobCount = 100_000

export const idleSection: Section = {
  name: 'idle',
  about: 'memory and CPU time of an idle service with 0 and 100,000 stored jobs; 7 minutes',
  async run(bench) {
    bench.report.title('Idle service')
    const form = buildForm(await bench.fixtures.get('dot.png'), { targetFormat: 'webp' })
    await withService(async (client, { pid }) => {
      await measureIdle('no jobs', pid, bench)
      await client.convert(form)
      await pause(pauseS * 1000)
      const value = readMemoryMib(pid)
      bench.report.figure({ what: 'after a job, its worker waits: memory', value, unit: 'MiB' })
    })
    await withStoredJobs(storedJobCount, bench, (_client, { pid }) =>
      measureIdle(`${storedJobCount.toLocaleString('en')} stored jobs`, pid, bench),
    )
  },
}

async function measureIdle(label: string, pid: number, { report }: BenchContext): Promise<void> {
  await pause(pauseS * 1000)
  const cpuBefore = readCpuMs(pid)
  await pause(measureS * 1000)
  const cpuMsPerSecond = (readCpuMs(pid) - cpuBefore) / measureS
  report.figure({ what: `${label}: memory`, value: readMemoryMib(pid), unit: 'MiB', aim: { most: 150 } })
  report.figure({ what: `${label}: processor`, value: cpuMsPerSecond, unit: 'ms a second', aim: { most: 5 } })
}
