import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { Sockets } from '../../lib/aws/sockets.ts'
import { Table } from '../../lib/aws/table.ts'
import { readConfig } from '../../lib/config.ts'
import { DurationStats } from '../../lib/conversion/duration-stats.ts'
import { deleteOrphanUpload, publishUploadEvent, receiveUpload } from '../../lib/conversion/receive-upload.ts'
import { Downloads } from '../../lib/download-limit.ts'
import type { Shortfall } from '../../lib/engines/engine.ts'
import { newId } from '../../lib/ids.ts'
import { isTerminalStatus, type Job, type JobState } from '../../lib/jobs/job.ts'
import { Jobs } from '../../lib/jobs/jobs.ts'
import { jobKey } from '../../lib/jobs/keys.ts'
import { convertTask } from '../../lib/jobs/run/convert-task.ts'
import { runTask } from '../../lib/jobs/run/run-task.ts'
import { transferTask } from '../../lib/jobs/run/transfer-task.ts'
import { JobStore, type TransactionWrite } from '../../lib/jobs/store.ts'
import type { NewJob, NewTask } from '../../lib/jobs/task-graph.ts'
import { createDirectSender } from '../../lib/jobs/task-sender.ts'
import { defaultPlans } from '../../lib/plans.ts'
import { Vault } from '../../lib/sealed.ts'
import type { Services } from '../../lib/services.ts'
import { Outgoing } from '../../lib/transfer/guarded-http.ts'
import { Uploads } from '../../lib/uploads.ts'
import { RequestCounts } from '../../lib/usage/request-counts.ts'
import { silentLog } from '../local/dynamodb/start-dynamodb.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { asInstance, Gate } from './function-instance.ts'
import { MemoryBus } from './memory-bus.ts'
import { MemoryFiles } from './memory-files.ts'
import { MemoryQueues, type Received } from './memory-queues.ts'
import type { MemoryTable } from './memory-table.ts'
import { records } from './new-tasks.ts'
import {
  type Behavior,
  importedAnimation,
  importedDocument,
  importedFile,
  noOpEngines,
} from './no-op-engine.ts'
import { asItIs, clientOf, isWrite, type Manner } from './simulated-aws.ts'
import type { Database } from './test-table.ts'
import { inTime, VirtualTime, wallTime } from './virtual-time.ts'

const secret = 'a secret of tests that is long enough'
const folder = scratchFolder('mutabor-jobs')
const config = readConfig({ WORK_DIR: folder, LOG_LEVEL: 'silent' })

export interface Circumstances {
  readonly database?: Database
  readonly tableName?: string
  /** In place of the database, where nothing that is asked hangs on the way to it. */
  readonly table?: MemoryTable
  /** Messages that are worked on at a time. */
  readonly loops?: number
  /** Seconds for which a message stays hidden of which its receiver says nothing. */
  readonly visibilityS?: number
  /** Conversions at a time for which there is room; as many as it takes when left out. */
  readonly parallel?: number
  /** Numbers of the effects after which whoever had them dies. */
  readonly stops?: readonly number[]
  /** How the table behaves. */
  readonly manner?: Manner
  readonly copies?: () => number
  /** By the name of a task, what happens while it runs. */
  readonly during?: Readonly<
    Record<
      string,
      (world: World, run: { attempt: number; progress: (ratio: number) => void }) => Promise<unknown>
    >
  >
}

export type During = (
  world: World,
  run: { readonly attempt: number; readonly progress: (ratio: number) => void },
) => Promise<void>

/** A call of the table, as it was sent. */
export interface Call {
  readonly name: string
  readonly keys: readonly string[]
  readonly isWrite: boolean
}

/**
 * The service around one job, in one process: the real jobs and workers on the real table, with queues, bus and
 * bucket in memory. Each message, each client and each look of the sweep is an instance that can die by itself.
 */
export class World {
  readonly gate: Gate
  readonly queues: MemoryQueues
  readonly bus: MemoryBus
  readonly files: MemoryFiles
  readonly time = new VirtualTime()
  readonly jobId = newId('job')
  readonly calls: Call[] = []
  /** Names of tasks, once for each time that an engine began. */
  readonly runs: string[] = []
  /** What broke in an instance that had not died. */
  readonly failures: unknown[] = []
  readonly #table: Table
  readonly #engines: Services['engines']
  readonly #circumstances: Circumstances
  /** What workers remember that wait for a message. */
  readonly #warm: Services[] = []
  /** Looks that the sweep took of its own, as something was due. */
  sweeps = 0
  #sweptAt = 0
  #moves = 0

  constructor(circumstances: Circumstances) {
    this.#circumstances = circumstances
    const { stops, copies, visibilityS } = circumstances
    this.gate = new Gate(stops)
    this.queues = new MemoryQueues(config, this.gate, {
      ...(copies && { copies }),
      ...(visibilityS && { visibilityS }),
    })
    this.bus = new MemoryBus(config, this.gate)
    this.files = new MemoryFiles(config, this.gate)
    this.#table = circumstances.table ?? this.#served(circumstances)
    const behave: Behavior = async (name, tools) => {
      this.runs.push(name)
      const attempt = this.runs.filter((run) => run === name).length
      const during = circumstances.during?.[name]
      // Whatever else a test returns is no word of what came through.
      const said = await during?.(this, { attempt, progress: (ratio) => tools.progress(ratio) })
      return said as Shortfall | undefined
    }
    const engines = noOpEngines(behave)
    this.#engines = async () => engines
    for (const { key } of [importedFile, importedDocument, importedAnimation])
      this.files.objects.set(key, new Uint8Array([1]))
    mkdirSync(folder, { recursive: true })
  }

  #served({ database, tableName = '', manner = asItIs }: Circumstances): Table {
    assert.ok(database, 'there is a table')
    const client = database.client().send.bind(database.client()) as (command: unknown) => Promise<unknown>
    // To the SDK, a clock that is not the server's is a reason to try again.
    const send = (command: unknown) => inTime(wallTime, () => client(command))
    const counted = async (command: unknown) => {
      const call = callOf(command)
      this.calls.push(call)
      if (!call.isWrite) return this.gate.look(() => manner(command, send))
      return this.gate.effect(`${call.name} ${call.keys}`, () => manner(command, send))
    }
    return new Table({ ...config, TABLE_NAME: tableName }, clientOf(counted))
  }

  /** What an instance makes at its start: it shares nothing with another one but the world outside. */
  services(): Services {
    const uploads = new Uploads(this.#table)
    const { files, queues } = this
    const engines = this.#engines
    const key = Buffer.from(secret)
    const store = new JobStore(this.#table)
    const jobs: Jobs = new Jobs({
      ...{ store, files, uploads, queues, bus: this.bus, log: silentLog },
      taskSender: createDirectSender({ store, engines }),
      getSubscribers: async () => () => [],
      waitForChange: () => sleep(1, undefined),
      checkForUpload: (task) => receiveUpload(task.uploadId ?? '', { uploads, files, jobs }),
    })
    return {
      ...{
        config: { ...config, PARALLEL: this.#circumstances.parallel },
        log: silentLog,
        table: this.#table,
        files,
        queues,
        bus: this.bus,
        sockets: new Sockets(config),
        jobs,
        uploads,
        durations: new DurationStats(this.#table),
        requestCounts: new RequestCounts(this.#table),
        downloads: new Downloads(this.#table),
        resultLink: ({ id }) => `/v1/download/${id}`,
        outgoing: async () => new Outgoing(),
        engines,
      },
      vault: new Vault(secret),
      plans: defaultPlans,
      keys: {
        owner: key,
        cursor: key,
        idempotency: key,
        accounts: key,
        signedUrls: key,
        download: () => key,
      },
      at: () => this.services(),
    }
  }

  /** Runs as an instance of its own, in this world's time; undefined when it died. */
  as<T>(
    name: string,
    action: (services: Services) => Promise<T>,
    services = this.services(),
  ): Promise<T | undefined> {
    return inTime(this.time, () => asInstance(name, () => action(services)))
  }

  /** As `as`; of what breaks, a client learns no more than that. */
  request<T>(name: string, action: (services: Services) => Promise<T>): Promise<T | undefined> {
    return this.as(name, async (services) => {
      try {
        return await action(services)
      } catch (error) {
        this.failures.push(error)
        return undefined
      }
    })
  }

  create(tasks: readonly NewTask[], wishes: Partial<NewJob> = {}, along: readonly TransactionWrite[] = []) {
    return this.request('creator', ({ jobs }) => jobs.create(records(this.jobId, tasks, wishes), along))
  }

  cancel() {
    return this.request(
      'canceller',
      async ({ jobs }) => (await jobs.cancel(this.jobId, 'user')) !== undefined,
    )
  }

  delete() {
    return this.request('deleter', ({ jobs }) => jobs.delete(this.jobId))
  }

  /** The bucket tells of a file that arrived, as functions/receive-upload.ts hears of it. */
  receive(uploadId: string, key: string) {
    return this.request('receiver', async (services) => {
      await publishUploadEvent(uploadId, services)
      await receiveUpload(uploadId, services)
      await deleteOrphanUpload(uploadId, key, services)
    })
  }

  /** The job and its tasks as they are stored. */
  async state(): Promise<JobState> {
    const state = await this.services().jobs.store.getState(this.jobId)
    assert.ok(state, 'the job is there')
    return state
  }

  job(): Promise<Job | undefined> {
    return this.services().jobs.store.getJob(this.jobId)
  }

  /** Works until nothing is left to do before the retention of the job is over; time goes by as it is needed. */
  async settle({
    until,
  }: {
    until?: (job: Record<string, unknown> | undefined) => boolean
  } = {}): Promise<void> {
    const { loops = 1 } = this.#circumstances
    const running = new Set<Promise<void>>()
    for (;;) {
      const news = this.queues.news()
      while (running.size < loops) {
        const received = inTime(this.time, () => this.queues.receive())
        if (!received) break
        const work = this.#work(received).finally(() => running.delete(work))
        running.add(work)
      }
      if (running.size > 0) await Promise.race([...running, ...(running.size < loops ? [news] : [])])
      else if (!(await this.#moveOn(until))) return
    }
  }

  /** As `queueFunction` has it. */
  async #work({ message, queue, receipt }: Received): Promise<void> {
    // A function serves one message after the other until it dies.
    const services = this.#warm.pop() ?? this.services()
    const work = async () => {
      const extendVisibility = (seconds: number) => this.queues.extendVisibility(queue, receipt, seconds)
      try {
        const run = {
          ...{ ref: message, queue, services, extendVisibility },
          stopping: new AbortController().signal,
          outOfSpace: new AbortController().signal,
          remainingMs: 600_000,
        }
        const outcome = await runTask(run, queue === 'transfer' ? transferTask : convertTask)
        if (outcome.done) await this.queues.delete(receipt)
        else await extendVisibility(outcome.retryInS)
      } catch (error) {
        await extendVisibility(5)
        this.failures.push(error)
      }
      this.#warm.push(services)
    }
    await this.as(`worker ${message.task}`, work, services)
  }

  /** To when something happens next; false when nothing does. */
  async #moveOn(
    until: ((job: Record<string, unknown> | undefined) => boolean) | undefined,
  ): Promise<boolean> {
    const Item = await this.#item()
    const isOver = until ? until(Item) : isAtRest(Item)
    const messageAt = this.queues.nextAt
    if (isOver && messageAt === undefined) return false
    // As the index has it: without its part of the index no sweep would find it.
    const wakeAt = Item?.['wakeShard'] && Item['wakeAt'] ? Date.parse(String(Item['wakeAt'])) : undefined
    const sweepAt = wakeAt === undefined || isOver ? Infinity : Math.max(wakeAt, this.#sweptAt + sweepEveryMs)
    const next = Math.min(messageAt ?? Infinity, sweepAt)
    this.#moves += 1
    if (this.#moves > mostMoves)
      throw new Error(`it goes on for ever: ${this.gate.effects.slice(-10).join(', ')}`, {
        cause: this.failures.at(-1),
      })
    assert.ok(Number.isFinite(next), `nobody will ever look at ${JSON.stringify(Item)}`)
    this.time.moveTo(next)
    if (next !== sweepAt) return true
    this.sweeps += 1
    await this.sweep()
    return true
  }

  /** The job as it is stored, which no instance looks at by that. */
  async #item(): Promise<Record<string, unknown> | undefined> {
    const { database, tableName, table } = this.#circumstances
    const Key = jobKey(this.jobId)
    if (table) return table.get(Key)
    const read = new GetCommand({ TableName: tableName, Key, ConsistentRead: true })
    return (await database?.client().send(read))?.Item
  }

  /** Looks at the job, due or not. */
  async sweep(): Promise<void> {
    this.#sweptAt = this.time.now
    // What fails is tried again by the next run.
    await this.request('sweep', ({ jobs }) => jobs.wake(this.jobId, new Date()))
  }
}

const sweepEveryMs = 60_000
/** Waits of one job, which has to rest some time. */
const mostMoves = 100

/** Only the end of its retention is left. */
const isAtRest = (item: Record<string, unknown> | undefined) =>
  item === undefined ||
  item['wakeAt'] === undefined ||
  (isTerminalStatus(item['status'] as Job['status']) &&
    item['status'] !== 'expired' &&
    !item['unsaid'] &&
    !item['deletedAt'])

function callOf(command: unknown): Call {
  // Of every command of the document client, whatever it is.
  const { constructor: kind, input } = command as { constructor: { name: string }; input: object }
  const name = kind.name.replace('Command', '')
  return { name, keys: [...keysIn(input)], isWrite: isWrite(command) }
}

/** Keys of all that a command writes or reads. */
function* keysIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || value instanceof Set) return
  if ('pk' in value && 'sk' in value) {
    yield `${String(value.pk).replace(/^JOB#job_[^#]*/, 'JOB')} ${value.sk}`
    return
  }
  for (const one of Object.values(value)) yield* keysIn(one)
}
