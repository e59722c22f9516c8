// Several processes send to the sockets of one owner: one process at a time, and the others do not wait for it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusEvent } from '../../events/index.ts'
import { createProgressEvent } from '../../lib/jobs/events.ts'
import { Broadcast } from '../../lib/live/broadcast.ts'
import { SocketStore } from '../../lib/live/connections.ts'
import { EventFeeds } from '../../lib/live/event-feed.ts'
import type { Services } from '../../lib/services/services.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { tasks } from './support/example-tasks.ts'

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

/** Creates an owner with a socket that has received its greeting, and a second process with the same table. */
async function openOwner() {
  const { json } = await app.send('POST', '/v1/jobs', { body: { tasks } })
  const job = (await app.services.jobs.store.getJob(json.data.jobId)) ?? assert.fail()
  const { owner } = job
  const frames: string[] = []
  const signals: string[] = []
  let beforePost = async () => {}
  const sockets = {
    post: async (_id: string, frame: string) => {
      await beforePost()
      frames.push(frame)
      return 'sent'
    },
    close: async () => {},
    isOpen: async () => true,
  }
  const bus = { signal: async (name: string) => void signals.push(name) }
  const services = { ...app.services, sockets, bus } as unknown as Services // a stub with only the members that are used
  const feeds = new EventFeeds(services.table)
  await feeds.watch(owner)
  const connections = new SocketStore(services.table)
  await connections.add({ id: 'socket', owner, bad: 0 })
  await connections.addRequest(owner, 'socket', { type: 'greet' })
  const [first, second] = [new Broadcast(services), new Broadcast(services)]
  await first.serve(owner)
  assert.equal(JSON.parse(frames.splice(0)[0] ?? '').type, 'hello')
  const progress = (percent: number): BusEvent =>
    createProgressEvent({ ...job, sequence: percent }, 'event', {
      at: new Date().toISOString(),
      percent,
      stage: 'convert',
    })
  const listPercents = () => frames.map((frame) => JSON.parse(frame).job.progress.percent)
  const setBeforePost = (run: () => Promise<void>) => {
    beforePost = run
  }
  return { owner, feeds, first, second, progress, percents: listPercents, signals, setBeforePost }
}

test('a live event that arrives while another process sends events is sent by that process', async () => {
  const { first, second, progress, percents, setBeforePost } = await openOwner()
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>()
  const { promise: sendingStarted, resolve: startSending } = Promise.withResolvers<void>()
  setBeforePost(async () => {
    startSending()
    await blocked
  })
  const sending = first.publish(progress(10))
  await sendingStarted
  const startedAt = performance.now()
  await second.publish(progress(20))
  await second.publish(progress(30))
  assert.ok(performance.now() - startedAt < 3000, 'nothing waits for the lease')
  assert.deepEqual(percents(), [])
  unblock()
  await sending
  assert.deepEqual(percents(), [10, 20, 30])
  await second.publish(progress(40))
  assert.deepEqual(percents(), [10, 20, 30, 40])
})

test('a live event is sent by the next process if the one that was sending has died', async () => {
  const { owner, feeds, first, progress, percents } = await openOwner()
  assert.notEqual(await feeds.acquire(owner, 'a process that dies', Date.now() - 10_000), 'taken')
  await first.publish(progress(10))
  assert.deepEqual(percents(), [10])
})

test('a process that has sent the events of other processes for a long time hands over to a new invocation', async (t) => {
  const { owner, feeds, first, second, progress, percents, signals, setBeforePost } = await openOwner()
  let percent = 10
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  setBeforePost(async () => {
    if (percent >= 60) return
    percent += 10
    await second.publish(progress(percent))
    t.mock.timers.tick(3000)
  })
  await first.publish(progress(10))
  assert.deepEqual(signals, ['sockets.waiting'])
  assert.ok(percents().length < 6)
  setBeforePost(async () => {})
  assert.notEqual(await feeds.acquire(owner, 'the new invocation'), 'taken', 'the lease is free')
  await feeds.abandon(owner, 'the new invocation')
  await second.serve(owner)
  assert.deepEqual(percents(), [10, 20, 30, 40, 50, 60].slice(0, percents().length))
  assert.equal(percents().at(-1), percent)
})
