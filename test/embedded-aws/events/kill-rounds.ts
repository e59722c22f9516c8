import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  DescribeRuleCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import { credentials, queueArn, region } from './start-events.ts'

const WRITERS = 8

interface Service {
  readonly child: ChildProcess
  readonly events: EventBridgeClient
}

/**
 * Kills the server at random times while eight clients write, then checks that every acknowledged event reached its
 * target and every rule is at least as new as its last acknowledged change.
 */
export async function runEventBusKillRounds(
  rounds: number,
): Promise<{ events: number; changes: number; duplicateCount: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'events-crash-'))
  const deliveredFile = join(folder, 'delivered')
  writeFileSync(deliveredFile, '')
  const start = () => startService(join(folder, 'events.db'), deliveredFile)
  const acknowledged = { events: new Set<string>(), rules: new Map<string, number>() }

  let service = await start()
  await service.events.send(new PutRuleCommand({ Name: 'all', EventPattern: '{"source":["crash"]}' }))
  await service.events.send(
    new PutTargetsCommand({ Rule: 'all', Targets: [{ Id: '1', Arn: queueArn('q') }] }),
  )
  for (let round = 0; round < rounds; round++) {
    const runningService = service
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(runningService, { round, writer }, acknowledged),
    )
    // The time of the kill has to be random.
    await wait(20 + Math.random() * 120)
    // On a busy machine nothing may have been acknowledged yet, and the round would prove nothing.
    while (acknowledged.events.size === 0 || acknowledged.rules.size === 0) await wait(5)
    await kill(runningService)
    await Promise.all(writers)
    service = await start()
  }

  const readDeliveries = () => readFileSync(deliveredFile, 'utf8').split('\n').slice(0, -1)
  const missingEvents = new Set(acknowledged.events)
  const child = service.child
  const allDeliveredEvent = new Promise<void>((resolve) => {
    const check = (id: string) => missingEvents.delete(id) && missingEvents.size === 0 && resolve()
    child.on('message', (message: { delivered?: string }) => check(message.delivered ?? ''))
    for (const id of readDeliveries()) check(id)
    if (missingEvents.size === 0) resolve()
  })
  await Promise.race([allDeliveredEvent, wait(30_000, undefined, { ref: false })])
  assert.deepEqual([...missingEvents], [], 'events that were acknowledged and never delivered')

  for (const [Name, change] of acknowledged.rules) {
    const { Description } = await service.events.send(new DescribeRuleCommand({ Name }))
    assert.ok(Number(Description) >= change, `${Name} has change ${Description}, not ${change}`)
  }
  await kill(service)
  const ids = readDeliveries()
  rmSync(folder, { recursive: true })
  return {
    events: acknowledged.events.size,
    changes: [...acknowledged.rules.values()].reduce((sum, change) => sum + change, 0),
    duplicateCount: ids.length - new Set(ids).size,
  }
}

async function startService(file: string, deliveredFile: string): Promise<Service> {
  const child = fork(join(import.meta.dirname, 'server-process.ts'), [file, deliveredFile])
  const [message]: { address?: AddressInfo }[] = await once(child, 'message')
  // A delivery left over from the previous process may be reported first.
  const address = message?.address ?? (await receiveAddress(child))
  const client = { endpoint: `http://127.0.0.1:${address.port}`, region, credentials, maxAttempts: 1 }
  return { child, events: new EventBridgeClient(client) }
}

function receiveAddress(child: ChildProcess): Promise<AddressInfo> {
  return new Promise((resolve) => {
    child.on('message', ({ address }: { address?: AddressInfo }) => address && resolve(address))
  })
}

async function kill({ child, events }: Service): Promise<void> {
  const exitEvent = once(child, 'exit')
  child.kill('SIGKILL')
  await exitEvent
  events.destroy()
}

/** Writes until the server is killed, and records what was acknowledged. */
async function write(
  { child, events }: Service,
  { round, writer }: { readonly round: number; readonly writer: number },
  acknowledged: { events: Set<string>; rules: Map<string, number> },
): Promise<void> {
  for (let n = 0; child.exitCode === null && child.signalCode === null; n++) {
    try {
      const crashEntry = { Source: 'crash', DetailType: 'x', Detail: JSON.stringify({ round, writer, n }) }
      const { Entries = [] } = await events.send(new PutEventsCommand({ Entries: [crashEntry, crashEntry] }))
      for (const { EventId } of Entries) if (EventId) acknowledged.events.add(EventId)
      const rule = { Name: `rule-${writer}`, EventPattern: '{"source":["none"]}' }
      const change = (acknowledged.rules.get(rule.Name) ?? 0) + 1
      await events.send(new PutRuleCommand({ ...rule, Description: `${change}` }))
      acknowledged.rules.set(rule.Name, change)
    } catch (error) {
      const hasResponse =
        error instanceof Error && '$fault' in error && '$response' in error && error.$response
      if (hasResponse && child.signalCode === null && !child.killed) throw error
    }
  }
}
