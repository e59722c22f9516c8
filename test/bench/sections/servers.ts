import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeFlags from '../../../lib/local/node-flags.json' with { type: 'json' }
import { listDescendants, readResidentBytes } from '../../support/processes.ts'
import { runParallel } from '../measure.ts'
import type { Print } from '../report.ts'
import type { Section } from '../section.ts'
import { type Disk, measureDisk, measureMd5 } from '../servers/disk.ts'
import { measureS3Transfers } from '../servers/s3-transfer.ts'
import {
  type BenchmarkCall,
  createDynamoDbCalls,
  createEventCalls,
  createSqsCalls,
} from '../servers/server-calls.ts'

/**
 * An embedded server in a separate process. Its speed is compared with that of the disk, and its memory is measured.
 */
interface Server {
  readonly url: string
  readonly child: ChildProcess
  /** Returns the peak resident memory of the server so far in MiB. */
  peakMib(): number
  stop(): Promise<void>
}

async function start(service: string, dir: string): Promise<Server> {
  const child = fork(join(import.meta.dirname, '../servers/server-process.ts'), [service, dir], {
    execArgv: nodeFlags,
  })
  const [{ url }] = await once(child, 'message')
  // DynamoDB is a separate program, which a Node process starts and supervises.
  const pid = listDescendants(child.pid ?? 0)[0]?.pid ?? child.pid ?? 0
  let maxBytes = readResidentBytes(pid)
  const watch = setInterval(() => {
    maxBytes = Math.max(maxBytes, readResidentBytes(pid))
  }, 50)
  return {
    url,
    child,
    peakMib: () => maxBytes / 2 ** 20,
    stop: async () => {
      clearInterval(watch)
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
  }
}

interface Figure {
  readonly who: string
  readonly what: string
  readonly figure: number
  readonly unit: 'MiB/s' | 'per s'
  readonly peakMib?: number
  readonly remark?: string
}

function formatLine({ who, what, figure, unit, peakMib, remark = '' }: Figure): string {
  const memory = peakMib === undefined ? '' : `${Math.round(peakMib)} MiB`
  return `${who.padEnd(12)} ${what.padEnd(36)} ${Math.round(figure).toString().padStart(7)} ${unit}  ${memory.padStart(8)}  ${remark}`.trimEnd()
}

async function s3(dir: string, mib: number, disk: Disk, say: Print): Promise<void> {
  const server = await start('S3', dir)
  try {
    for (const { name, run } of await measureS3Transfers(server.url, mib)) {
      const startedAtMs = performance.now()
      await run()
      const mibPerS = mib / ((performance.now() - startedAtMs) / 1000)
      const remark = name === 'GET' ? '' : `${Math.round((mibPerS / disk.writeMibPerS) * 100)} % of the disk`
      const label = `${name}, ${mib} MiB`
      say(
        formatLine({
          who: 'S3',
          what: label,
          figure: mibPerS,
          unit: 'MiB/s',
          peakMib: server.peakMib(),
          remark,
        }),
      )
    }
  } finally {
    await server.stop()
  }
}

async function calls(who: string, server: Server, list: readonly BenchmarkCall[], say: Print): Promise<void> {
  for (const { name, runs, clients, units, call } of list) {
    const { perSecond, failures } = await runParallel(clients, runs, call)
    const label = `${name}, ${clients} clients`
    const remark = failures > 0 ? `${failures} failed` : ''
    say(
      formatLine({
        who,
        what: label,
        figure: perSecond * units,
        unit: 'per s',
        peakMib: server.peakMib(),
        remark,
      }),
    )
  }
}

async function sqs(dir: string, say: Print): Promise<void> {
  const server = await start('SQS', dir)
  try {
    await calls('SQS', server, await createSqsCalls(server.url), say)
  } finally {
    await server.stop()
  }
}

async function measureEvents(dir: string, say: Print): Promise<void> {
  const server = await start('EVENTBRIDGE', dir)
  try {
    const list = await createEventCalls(server.url)
    const total = list.reduce((sum, { runs, units }) => sum + runs * units, 0)
    const startedAtMs = performance.now()
    const deliveriesPromise = waitForDeliveries(server.child, total)
    await calls('EventBridge', server, list, say)
    await deliveriesPromise
    const figure = total / ((performance.now() - startedAtMs) / 1000)
    const label = 'from PutEvents to the target'
    say(formatLine({ who: 'EventBridge', what: label, figure, unit: 'per s', peakMib: server.peakMib() }))
  } finally {
    await server.stop()
  }
}

function waitForDeliveries(child: ChildProcess, total: number): Promise<void> {
  let count = 0
  return new Promise((resolve) => {
    child.on('message', () => {
      count++
      if (count === total) resolve()
    })
  })
}

async function dynamoDb(dir: string, say: Print): Promise<void> {
  const server = await start('DYNAMODB', dir)
  try {
    await calls('DynamoDB', server, await createDynamoDbCalls(server.url), say)
  } finally {
    await server.stop()
  }
}

/** Transfers files of `mib` MiB through S3; the figures of the other servers include the time of the SDK. */
async function benchServers(mib: number, say: Print): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-bench-'))
  const folder = async (name: string) => {
    await mkdir(join(dir, name))
    return join(dir, name)
  }
  try {
    const disk = await measureDisk(dir, mib)
    say('\nserver       what                                   speed        memory at most')
    const bare = (who: string, label: string, figure: number, unit: Figure['unit']) =>
      say(formatLine({ who, what: label, figure, unit }))
    bare('disk', `write and fdatasync, ${mib} MiB`, disk.writeMibPerS, 'MiB/s')
    bare('disk', '4 KiB and fdatasync, one by one', disk.commitsPerS, 'per s')
    bare('one core', 'MD5, which S3 needs for an ETag', measureMd5(mib), 'MiB/s')
    await s3(await folder('s3'), mib, disk, say)
    await sqs(await folder('sqs'), say)
    await measureEvents(await folder('events'), say)
    await dynamoDb(await folder('dynamodb'), say)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

export const servers: Section = {
  name: 'servers',
  about: 'each embedded server compared with its disk',
  run: ({ report, flags }) => benchServers(flags.has('gib') ? 1024 : 256, report.print),
}
