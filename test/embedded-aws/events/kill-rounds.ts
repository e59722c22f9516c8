import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import { CreateScheduleCommand, ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler'
import { credentials, queueArn, region } from './start-events.ts'

const WRITERS = 8
const RoleArn = 'arn:aws:iam::000000000000:role/scheduler'

interface Service {
  readonly child: ChildProcess
  readonly events: EventBridgeClient
  readonly scheduler: SchedulerClient
}

/**
 * Kills the server at random times under eight writers, then checks that every acknowledged event reached its target
 * and every acknowledged schedule exists once.
 */
export async function runKillRounds(
  rounds: number,
): Promise<{ events: number; schedules: number; twice: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'events-crash-'))
  const deliveredFile = join(folder, 'delivered')
  writeFileSync(deliveredFile, '')
  const start = () => startService(join(folder, 'events.db'), deliveredFile)
  const acknowledged = { events: new Set<string>(), schedules: new Set<string>() }

  let service = await start()
  await service.events.send(new PutRuleCommand({ Name: 'all', EventPattern: '{"source":["crash"]}' }))
  await service.events.send(
    new PutTargetsCommand({ Rule: 'all', Targets: [{ Id: '1', Arn: queueArn('q') }] }),
  )
  for (let round = 0; round < rounds; round++) {
    const running = service
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(running, `${round}-${writer}`, acknowledged),
    )
    // The time of the kill has to be random.
    await wait(20 + Math.random() * 120)
    // On a busy machine nothing may have been acknowledged yet, and the round would prove nothing.
    while (acknowledged.events.size === 0 || acknowledged.schedules.size === 0) await wait(5)
    await kill(running)
    await Promise.all(writers)
    service = await start()
  }

  const readDeliveries = () => readFileSync(deliveredFile, 'utf8').split('\n').slice(0, -1)
  const missing = new Set(acknowledged.events)
  const news = service.child
  const all = new Promise<void>((resolve) => {
    const check = (id: string) => missing.delete(id) && missing.size === 0 && resolve()
    news.on('message', (message: { delivered?: string }) => check(message.delivered ?? ''))
    for (const id of readDeliveries()) check(id)
    if (missing.size === 0) resolve()
  })
  await Promise.race([all, wait(30_000, undefined, { ref: false })])
  assert.deepEqual([...missing], [], 'events that were acknowledged and never delivered')

  const names = await listSchedules(service.scheduler)
  assert.equal(new Set(names).size, names.length)
  for (const name of acknowledged.schedules) assert.ok(names.includes(name), `schedule ${name} is lost`)
  await kill(service)
  const ids = readDeliveries()
  rmSync(folder, { recursive: true })
  return {
    events: acknowledged.events.size,
    schedules: acknowledged.schedules.size,
    twice: ids.length - new Set(ids).size,
  }
}

async function startService(file: string, deliveredFile: string): Promise<Service> {
  const child = fork(join(import.meta.dirname, 'server-process.ts'), [file, deliveredFile])
  const [message]: { address?: AddressInfo }[] = await once(child, 'message')
  // A delivery left over from the previous process may be reported first.
  const address = message?.address ?? (await addressOf(child))
  const client = { endpoint: `http://127.0.0.1:${address.port}`, region, credentials, maxAttempts: 1 }
  return { child, events: new EventBridgeClient(client), scheduler: new SchedulerClient(client) }
}

function addressOf(child: ChildProcess): Promise<AddressInfo> {
  return new Promise((resolve) => {
    child.on('message', ({ address }: { address?: AddressInfo }) => address && resolve(address))
  })
}

async function kill({ child, events, scheduler }: Service): Promise<void> {
  const isGone = once(child, 'exit')
  child.kill('SIGKILL')
  await isGone
  events.destroy()
  scheduler.destroy()
}

/** Writes until the server is killed, and records what was acknowledged. */
async function write(
  { child, events, scheduler }: Service,
  name: string,
  acknowledged: { events: Set<string>; schedules: Set<string> },
): Promise<void> {
  for (let n = 0; child.exitCode === null && child.signalCode === null; n++) {
    try {
      const entry = { Source: 'crash', DetailType: 'x', Detail: JSON.stringify({ name, n }) }
      const { Entries = [] } = await events.send(new PutEventsCommand({ Entries: [entry, entry] }))
      for (const { EventId } of Entries) if (EventId) acknowledged.events.add(EventId)
      const Name = `${name}-${n}`
      await scheduler.send(
        new CreateScheduleCommand({
          Name,
          ScheduleExpression: 'at(2199-01-01T00:00:00)',
          FlexibleTimeWindow: { Mode: 'OFF' },
          Target: { Arn: queueArn('q'), RoleArn },
        }),
      )
      acknowledged.schedules.add(Name)
    } catch (error) {
      const answered = error instanceof Error && '$fault' in error && '$response' in error && error.$response
      if (answered && child.signalCode === null && !child.killed) throw error
    }
  }
}

async function listSchedules(scheduler: SchedulerClient): Promise<string[]> {
  const names: string[] = []
  let NextToken: string | undefined
  do {
    const page = await scheduler.send(new ListSchedulesCommand({ NextToken }))
    names.push(...(page.Schedules ?? []).map(({ Name = '' }) => Name))
    NextToken = page.NextToken
  } while (NextToken !== undefined)
  return names
}
