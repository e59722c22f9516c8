import { setTimeout as pause } from 'node:timers/promises'
import { formOf } from '../client.ts'
import { withService } from '../compare-with-engine.ts'
import { cpuMs, memoryMib } from '../process-tree.ts'
import type { Bench, Section } from '../section.ts'
import { withStoredJobs } from '../with-stored-jobs.ts'

/** A service that has nothing to do gives memory back within half a minute; see lib/local/idle-memory.ts. */
const settleS = 45
/** What looks about does so every minute. */
const watchS = 120

const stored = 100_000

export const idle: Section = {
  name: 'idle',
  about: 'memory and processor of a service that nobody uses, with 0 and 100,000 stored jobs; 7 minutes',
  async run(bench) {
    bench.report.title('Nothing to do')
    const form = formOf(await bench.fixtures.get('dot.png'), { targetFormat: 'webp' })
    await withService(async (client, { pid }) => {
      await watch('no jobs', pid, bench)
      await client.convert(form)
      await pause(settleS * 1000)
      const value = memoryMib(pid)
      bench.report.figure({ what: 'after a job, its worker waits: memory', value, unit: 'MiB' })
    })
    await withStoredJobs(stored, bench, (_client, { pid }) =>
      watch(`${stored.toLocaleString('en')} stored jobs`, pid, bench),
    )
  },
}

async function watch(what: string, pid: number, { report }: Bench): Promise<void> {
  await pause(settleS * 1000)
  const before = cpuMs(pid)
  await pause(watchS * 1000)
  const perSecond = (cpuMs(pid) - before) / watchS
  report.figure({ what: `${what}: memory`, value: memoryMib(pid), unit: 'MiB', aim: { most: 150 } })
  report.figure({ what: `${what}: processor`, value: perSecond, unit: 'ms a second', aim: { most: 5 } })
}
