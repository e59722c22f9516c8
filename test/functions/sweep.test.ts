// Tests the sweep with records that it cannot handle.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { getWakeShard } from '../../lib/jobs/keys.ts'
import type { Services } from '../../lib/services/services.ts'
import { sweepDueRecords } from '../../lib/services/sweep-due-records.ts'
import { createWakeHandlers } from '../../lib/services/wakeups.ts'
import {
  advanceClock,
  app,
  clock,
  createEvent,
  createWebhook,
  newClient,
  now,
  queue,
} from './support/webhook-service.ts'

const log: Record<string, unknown>[] = []
const recordingLog = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line)) })

const sweep = (handlers?: Record<string, () => Promise<void>>) => {
  const services: Services = { ...app.services, log: recordingLog }
  return sweepDueRecords(services, {
    now,
    handlers: { ...createWakeHandlers(services), ...handlers },
  })
}

const logLines = (message: string) => log.filter(({ msg }) => msg === message)

/** Stores a due record that lacks what its handler expects. */
const storeDueRecord = async (pk: string, sk: string, fields: object = {}) => {
  await app.services.table.put({
    pk,
    sk,
    ...fields,
    wakeAt: new Date(clock - 1000).toISOString(),
    wakeShard: getWakeShard('same shard'),
  })
  return { pk, sk }
}

test('the sweep skips unreadable records, and quarantines them after five failures', async () => {
  const ids = Array.from({ length: 40 }, (_, at) => `wf_broken${at}`)
  const brokenRecords = await Promise.all(ids.map((id) => storeDueRecord(`WORKFLOW#${id}`, 'WORKFLOW')))
  const unknownRecord = await storeDueRecord('GHOST#1', 'GHOST')
  const handledIds: string[] = []
  advanceClock(1)
  const healthyIds = Array.from({ length: 30 }, (_, at) => `s${at}`)
  for (const id of healthyIds) await storeDueRecord(`SLOTS#${id}`, 'SLOTS')
  const SLOTS = async (owner = '') => {
    handledIds.push(owner)
    await app.services.table.update(
      { pk: `SLOTS#${owner}`, sk: 'SLOTS' },
      { remove: ['wakeAt', 'wakeShard'] },
    )
  }
  assert.equal(await sweep({ SLOTS }), 30)
  assert.deepEqual(handledIds.toSorted(), healthyIds.toSorted(), 'all in one run')
  assert.equal(logLines('due record could not be processed').length, 41)
  const read = (key: { pk: string; sk: string }) => app.services.table.get(key)
  const first = brokenRecords[0] ?? assert.fail()
  assert.equal(Date.parse(String((await read(first))?.['wakeAt'])) - clock, 120_000, 'tried again in 2 min')
  for (let run = 2; run <= 5; run++) {
    assert.equal(logLines('record is quarantined').length, 0, `before run ${run}`)
    advanceClock(2000)
    assert.equal(await sweep({ SLOTS }), 0)
  }
  const quarantineLines = logLines('record is quarantined')
  assert.equal(quarantineLines.length, 41)
  assert.equal(quarantineLines[0]?.['QuarantinedRecords'], 1)
  assert.deepEqual(quarantineLines[0]?.['_aws'], {
    Timestamp: clock,
    CloudWatchMetrics: [
      {
        Namespace: 'Mutabor',
        Dimensions: [[]],
        Metrics: [{ Name: 'QuarantinedRecords', Unit: 'Count' }],
      },
    ],
  })
  for (const key of [first, unknownRecord])
    assert.equal(Date.parse(String((await read(key))?.['wakeAt'])) - clock, 86_400_000)
  // A day later, these handlers can handle the records, like a later version of the service.
  advanceClock(86_401)
  const WORKFLOW = async (id = '') =>
    void (await app.services.table.delete({ pk: `WORKFLOW#${id}`, sk: 'WORKFLOW' }))
  assert.equal(await sweep({ SLOTS, WORKFLOW }), 40)
  await app.services.table.delete(unknownRecord)
})

test('the sweep counts only consecutive failures of a record', async () => {
  const key = await storeDueRecord('PLAN#a', 'PLAN')
  let isFailing = true
  const PLAN = async () => {
    if (isFailing) throw new Error('expected failure')
    await app.services.table.update(key, { set: { wakeAt: new Date(clock + 60_000).toISOString() } })
  }
  log.length = 0
  for (let run = 0; run < 12; run++) {
    isFailing = run % 4 !== 3
    await sweep({ PLAN })
    advanceClock(2000)
  }
  assert.deepEqual(
    [logLines('due record could not be processed').length, logLines('record is quarantined').length],
    [9, 0],
  )
  await app.services.table.delete(key)
})

test('the sweep retries the deliveries of a webhook even if one of them is unreadable', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/sweep')
  const { stream } = await createEvent(send)
  queue.length = 0
  const brokenDelivery = await storeDueRecord(`LANE#${id}#${stream}`, 'DELIVERY#0000000000000009#dlv_broken')
  advanceClock(7200)
  log.length = 0
  await sweep()
  assert.ok(queue.length > 0, 'the delivery whose message was lost gets a new one')
  for (const { message } of queue) assert.deepEqual(message, { webhookId: id, stream })
  assert.deepEqual(
    logLines('due record could not be processed').map(({ record }) => record),
    [brokenDelivery],
  )
})

test('the SweepDelay metric is the time that a due record waited, and is omitted if no record was due', async () => {
  const key = await storeDueRecord('PLAN#late', 'PLAN')
  advanceClock(99)
  log.length = 0
  const PLAN = () => app.services.table.delete(key)
  await sweep({ PLAN })
  await sweep({ PLAN })
  assert.deepEqual(
    logLines('metric').map(({ SweepDelay }) => SweepDelay),
    [100],
  )
})

test('the DeliveryDelay metric is the time since a webhook delivery was due, even after its message was sent again', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/stuck')
  const { stream } = await createEvent(send)
  const { LANE } = createWakeHandlers({ ...app.services, log: recordingLog })
  log.length = 0
  for (let hour = 1; hour <= 2; hour++) {
    advanceClock(3600)
    await LANE?.(`${id}#${stream}`, now())
  }
  assert.deepEqual(
    logLines('metric').map(({ DeliveryDelay }) => DeliveryDelay),
    [3600, 7200],
  )
})
