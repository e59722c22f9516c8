import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupsOf, percentilesOf, sumOf } from '../../lib/usage/counts.ts'
import type { Ended } from '../../lib/usage/endings.ts'
import { Meter } from '../../lib/usage/meter.ts'
import { countsIn, dayOf, ownerDay, serviceDay } from '../../lib/usage/records.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/app-on-embedded.ts'

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

const share = {
  ...{ format: 'webp', engine: 'vips', workMs: 120, bytesIn: 1000, bytesOut: 400 },
  ...{ durationMs: 150, queueMs: 20 },
}
const timestamp = '2026-03-04T05:06:07.890Z'
let numbered = 0
const ended = (changes: Partial<Ended> = {}): Ended => ({
  ...{ event: 'job.completed', timestamp, id: `evt_${++numbered}`, owner: 'anon_one', share },
  ...changes,
})

const newMeter = (gatherMs = 0) =>
  new Meter({ table: app.services.table, isLeftOut: async (owner) => owner === 'acc_admin', gatherMs })
const ofOwner = async (owner: string, day = dayOf(timestamp)) =>
  countsIn((await app.services.table.get(ownerDay(owner, day))) ?? {})
const ofService = async (day: string) => app.services.table.partition(serviceDay(day))

test('an end counts once, however often it is told and whoever counts it', async () => {
  const [one, other] = [newMeter(), newMeter()]
  const all = [ended(), ended(), ended({ event: 'job.failed', errorCode: 'CORRUPT_FILE' })]
  await Promise.all([...all, ...all].flatMap((end) => [one.count(end), other.count(end)]))
  await newMeter().count(all[0] ?? ended())
  const counts = await ofOwner('anon_one')
  const { jobs, completed, failed, bytesIn, workMs } = counts
  assert.deepEqual(
    { jobs, completed, failed, bytesIn, workMs },
    {
      ...{ jobs: 3, completed: 2, failed: 1, bytesIn: 3000, workMs: 360 },
    },
  )
  assert.equal(groupsOf(counts, 'engine').get('vips')?.['jobs'], 3)
  assert.equal(groupsOf(counts, 'format').get('webp')?.['completed'], 2)
})

test('many ends at once are counted by few writes, and each on its day', async () => {
  const owner = 'anon_many'
  const meter = newMeter(50)
  const days = ['2026-05-06', '2026-05-07']
  const all = Array.from({ length: 200 }, (_, at) =>
    ended({ owner, timestamp: `${days[at % 2]}T10:00:0${at % 10}.000Z` }),
  )
  await Promise.all(all.map((end) => meter.count(end)))
  for (const day of days) assert.equal((await ofOwner(owner, day))['jobs'], 100)
})

test('a stop counts what is gathered', async () => {
  const meter = newMeter(60_000)
  const counted = meter.count(ended({ owner: 'anon_late' }))
  await meter.close()
  await counted
  assert.equal((await ofOwner('anon_late'))['jobs'], 1)
})

test('jobs of those who run the service are not among its figures', async () => {
  const day = '2026-07-08'
  const at = { timestamp: `${day}T00:00:00.000Z` }
  const meter = newMeter()
  await Promise.all([ended(at), ended({ ...at, owner: 'acc_admin' })].map((end) => meter.count(end)))
  const records = await ofService(day)
  const jobs = Object.fromEntries(records.map(({ sk, ...item }) => [String(sk).split('#')[0], item['jobs']]))
  assert.deepEqual(jobs, { vips: 1, excluded: 1 })
  assert.equal((await ofOwner('acc_admin', day))['jobs'], 1, 'they see their own')
})

test('percentiles of many records are those of all that was measured, to two percent', async () => {
  const day = '2026-09-10'
  const meter = newMeter()
  const durations = Array.from({ length: 1000 }, (_, at) => (at + 1) * 10)
  await Promise.all(
    durations.map((durationMs, at) =>
      meter.count(
        ended({
          timestamp: `${day}T00:00:00.000Z`,
          share: { ...share, engine: at % 3 ? 'vips' : 'ffmpeg', durationMs },
        }),
      ),
    ),
  )
  const took = percentilesOf(sumOf((await ofService(day)).map(countsIn)), 'took')
  for (const [share, expected] of [
    [0.5, 5000],
    [0.95, 9500],
    [0.99, 9900],
  ] as const)
    assert.ok(Math.abs((took(share) ?? 0) - expected) <= expected * 0.03, `${took(share)} for ${expected}`)
  assert.equal(percentilesOf({}, 'took')(0.5), null)
})
