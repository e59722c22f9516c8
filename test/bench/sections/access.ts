import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManagerKey } from '../../support/account.ts'
import { startService } from '../../support/service.ts'
import { HttpClient } from '../client.ts'
import { measureRepeatedly, median, runInterleaved } from '../measure.ts'
import { withCpu } from '../process-tree.ts'
import type { BenchContext, Section } from '../section.ts'

const runsInARow = 200
const rounds = 8
const path = '/v1/formats/png'

/**
 * Measures the cost of authentication: sends the same request anonymously, and with an API key of a plan with limits.
 */
async function compare({ report }: BenchContext): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mutabor-plans-'))
  const plansPath = join(folder, 'plans.json')
  await writeFile(plansPath, JSON.stringify({ pro: { requestsPerMinute: 1e6, requestsPerHour: 1e6 } }))
  const service = await startService({ PLANS_FILE: plansPath })
  const client = new HttpClient(service.url)
  try {
    const key = await createManagerKey(service)
    const ask = (headers: Readonly<Record<string, string>>) => async () => {
      const { status, body } = await client.send(path, { headers })
      if (status !== 200) throw new Error(`${path} was answered with ${status} ${body}`)
    }
    const spentMs: Record<'anonymous' | 'key', number[]> = { anonymous: [], key: [] }
    const createMeasurement = (who: keyof typeof spentMs, headers: Readonly<Record<string, string>>) =>
      withCpu(service.pid, runsInARow, measureRepeatedly(runsInARow, ask(headers)), spentMs[who])
    const times = await runInterleaved(rounds, {
      anonymous: createMeasurement('anonymous', {}),
      key: createMeasurement('key', { 'x-api-key': key }),
    })
    report.title('Authentication')
    const summarize = (values: Readonly<Record<keyof typeof spentMs, readonly number[]>>) => {
      const [anonymous, keyMs] = [median(values.anonymous), median(values.key)]
      return {
        value: keyMs - anonymous,
        remark: `anonymous ${anonymous.toFixed(2)} ms, key ${keyMs.toFixed(2)} ms`,
      }
    }
    report.figure({ what: 'processor, more', ...summarize(spentMs), unit: 'ms', aim: { most: 1 } })
    report.figure({ what: 'wall, more', ...summarize(times), unit: 'ms' })
  } finally {
    client.close()
    await service.stop()
    await rm(folder, { recursive: true })
  }
}

export const access: Section = {
  name: 'access',
  about: 'what an API key and its limits add to a request',
  run: compare,
}
