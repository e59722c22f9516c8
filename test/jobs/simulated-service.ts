import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { Sockets } from '../../lib/aws/sockets.ts'
import { Table, type TransactionWrite } from '../../lib/aws/table.ts'
import { readConfig } from '../../lib/config.ts'
import { DurationStats } from '../../lib/conversion/duration-stats.ts'
import { receiveStoredFile, receiveUpload } from '../../lib/conversion/receive-upload.ts'
import { Vault } from '../../lib/crypto/sealed.ts'
import type { Shortfall } from '../../lib/engines/engine.ts'
import { newId } from '../../lib/ids.ts'
import { Jobs } from '../../lib/jobs/jobs.ts'
import { getJobKey } from '../../lib/jobs/keys.ts'
import { convertTask } from '../../lib/jobs/run/convert-task.ts'
import { runTask } from '../../lib/jobs/run/run-task.ts'
import { transferTask } from '../../lib/jobs/run/transfer-task.ts'
import { JobStore } from '../../lib/jobs/store.ts'
import type { NewJob, NewTask } from '../../lib/jobs/task-graph.ts'
import { createDirectSender } from '../../lib/jobs/task-sender.ts'
import { DownloadLimits } from '../../lib/links/download-limit.ts'
import type { Job, JobState } from '../../lib/model/job.ts'
import { defaultPlans } from '../../lib/plans.ts'
import type { Services } from '../../lib/services/services.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { Uploads } from '../../lib/uploads/uploads.ts'
import { RequestCounts } from '../../lib/usage/request-counts.ts'
import { silentLog } from '../embedded-aws/dynamodb/start-dynamodb.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { EffectGate, runAsInstance } from './function-instance.ts'
import { MemoryBus } from './memory-bus.ts'
import { MemoryFiles } from './memory-files.ts'
import { MemoryQueues, type QueuedMessage } from './memory-queues.ts'
import type { MemoryTable } from './memory-table.ts'
import { createRecords } from './new-tasks.ts'
import {
  type Behavior,
  createNoOpEngines,
  importedAnimation,
  importedDocument,
  importedFile,
} from './no-op-engine.ts'
import { createClient, passThrough, type TableBehavior } from './simulated-aws.ts'
import { type Call, isFinishedJob, toCall } from './table-calls.ts'
import type { TestDatabase } from './test-table.ts'
import { runInTime, VirtualTime, virtualWallTime } from './virtual-time.ts'

const secret = 'a secret of tests that is long enough'
const folder = scratchFolder('mutabor-jobs')
const config = readConfig({ WORK_DIR: folder, LOG_LEVEL: 'silent' })

export interface SimulationOptions {
  readonly database?: TestDatabase
  readonly tableName?: string
  /** Used instead of the database in tests that need no real table. */
  readonly table?: MemoryTable
  /** Number of messages processed concurrently. */
  readonly concurrency?: number
  /** Visibility timeout of messages. */
  readonly visibilityS?: number
  /** Number of concurrent conversions; unlimited when left out. */
  readonly parallel?: number
  /** Numbers of the effects after which their instance dies. */
  readonly crashAfter?: readonly number[]
  /** Simulated failures of the table. */
  readonly tableBehavior?: TableBehavior
  readonly copies?: () => number
  /** Called while the task with this name runs. */
  readonly during?: Readonly<Record<string, DuringTask>>
}

export type DuringTask = (
  service: SimulatedService,
  run: { readonly attempt: number; readonly progress: (ratio: number) => void },
) => Promise<unknown>

/**
 * The service around one job, in one process: the real jobs and workers with the real table, and queues, bus and
 * bucket in memory. Each message, client request and sweep is an instance that can die independently.
 */
export class SimulatedService {
  readonly gate: EffectGate
  readonly queues: MemoryQueues
  readonly bus: MemoryBus
  readonly files: MemoryFiles
  readonly time = new VirtualTime()
  readonly jobId = newId('job')
  readonly calls: Call[] = []
  /** Names of tasks, once per engine run. */
  readonly runs: string[] = []
  /** Errors in instances that had not died. */
  readonly failures: unknown[] = []
  readonly #table: Table
  readonly #engines: Services['engines']
  readonly #options: SimulationOptions
  /** Services of workers that wait for a message. */
  readonly #idleServices: Services[] = []
  /** Number of sweeps that ran because something was due. */
  sweeps = 0
  #sweptAt = 0
  #timeSteps = 0

  constructor(options: SimulationOptions) {
    this.#options = options
    const { crashAfter, copies, visibilityS } = options
    this.gate = new EffectGate(crashAfter)
    this.queues = new MemoryQueues(config, this.gate, {
      ...(copies && { copies }),
      ...(visibilityS && { visibilityS }),
    })
    this.bus = new MemoryBus(config, this.gate)
    this.files = new MemoryFiles(config, this.gate)
    this.#table = options.table ?? this.#openTable(options)
    const behave: Behavior = async (name, tools) => {
      this.runs.push(name)
      const attempt = this.runs.filter((run) => run === name).length
      const during = options.during?.[name]
      // A test may also return another value, which is not a shortfall.
      const shortfall = await during?.(this, { attempt, progress: (ratio) => tools.progress(ratio) })
      return shortfall as Shortfall | undefined
    }
    const engines = createNoOpEngines(behave)
    this.#engines = async () => engines
    for (const { key } of [importedFile, importedDocument, importedAnimation])
      this.files.objects.set(key, new Uint8Array([1]))
    mkdirSync(folder, { recursive: true })
  }

  #openTable({ database, tableName = '', tableBehavior = passThrough }: SimulationOptions): Table {
    assert.ok(database, 'a database is required')
    const client = database.client().send.bind(database.client()) as (command: unknown) => Promise<unknown>
    // Uses the real time, because the SDK retries when its clock differs from the server's.
    const send = (command: unknown) => runInTime(virtualWallTime, () => client(command))
    const sendCounted = async (command: unknown) => {
      const call = toCall(command)
      this.calls.push(call)
      if (!call.isWrite) return this.gate.observe(() => tableBehavior(command, send))
      return this.gate.effect(`${call.name} ${call.keys}`, () => tableBehavior(command, send))
    }
    return new Table({ ...config, TABLE_NAME: tableName }, createClient(sendCounted))
  }

  /** Creates the services of an instance, which shares nothing with other instances but the external services. */
  services(): Services {
    const uploads = new Uploads(this.#table)
    const { files, queues } = this
    const engines = this.#engines
    const key = Buffer.from(secret)
    const store = new JobStore(this.#table)
    const jobs: Jobs = new Jobs({
      store,
      files,
      uploads,
      queues,
      bus: this.bus,
      log: silentLog,
      taskSender: createDirectSender({ store, engines }),
      getSubscribers: async () => () => [],
      waitForChange: () => sleep(1, undefined),
      checkForUpload: (task) => receiveUpload(task.uploadId ?? '', { uploads, files, jobs }),
    })
    return {
      config: { ...config, PARALLEL: this.#options.parallel },
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
      downloadLimits: new DownloadLimits(this.#table),
      resultLink: ({ id }) => `/v1/download/${id}`,
      guardedHttp: async () => new GuardedHttp(),
      findSubscribers: async () => () => [],
      engines,
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
      withConfig: () => this.services(),
    }
  }

  /** Runs an action as a separate instance, in simulated time; returns undefined when it died. */
  asInstance<T>(
    name: string,
    action: (services: Services) => Promise<T>,
    services = this.services(),
  ): Promise<T | undefined> {
    return runInTime(this.time, () => runAsInstance(name, () => action(services)))
  }

  /** Like `asInstance`, but records errors instead of throwing them. */
  request<T>(name: string, action: (services: Services) => Promise<T>): Promise<T | undefined> {
    return this.asInstance(name, async (services) => {
      try {
        return await action(services)
      } catch (error) {
        this.failures.push(error)
        return undefined
      }
    })
  }

  create(
    tasks: readonly NewTask[],
    moreFields: Partial<NewJob> = {},
    otherWrites: readonly TransactionWrite[] = [],
  ) {
    return this.request('creator', ({ jobs }) =>
      jobs.create(createRecords(this.jobId, tasks, moreFields), otherWrites),
    )
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

  /** Simulates the bucket's notification of an upload, as functions/receive-upload.ts receives it. */
  receive(uploadId: string, key: string) {
    return this.request('receiver', (services) =>
      receiveStoredFile({ uploadId, key, createdAt: new Date() }, services),
    )
  }

  /** The stored job and its tasks. */
  async state(): Promise<JobState> {
    const state = await this.services().jobs.store.getState(this.jobId)
    assert.ok(state, 'the job exists')
    return state
  }

  job(): Promise<Job | undefined> {
    return this.services().jobs.store.getJob(this.jobId)
  }

  /** Runs until nothing is left to do before the job's retention ends, advancing time as needed. */
  async runToEnd({
    until,
  }: {
    until?: (job: Record<string, unknown> | undefined) => boolean
  } = {}): Promise<void> {
    const { concurrency = 1 } = this.#options
    const runningTasks = new Set<Promise<void>>()
    for (;;) {
      const nextVisible = this.queues.nextVisible()
      while (runningTasks.size < concurrency) {
        const receivedMessage = runInTime(this.time, () => this.queues.receive())
        if (!receivedMessage) break
        const processing = this.#processMessage(receivedMessage).finally(() =>
          runningTasks.delete(processing),
        )
        runningTasks.add(processing)
      }
      if (runningTasks.size > 0)
        await Promise.race([...runningTasks, ...(runningTasks.size < concurrency ? [nextVisible] : [])])
      else if (!(await this.#advanceTime(until))) return
    }
  }

  /** Processes a message as `createQueueFunction` does. */
  async #processMessage({ message, queue, receipt }: QueuedMessage): Promise<void> {
    // A function processes one message after another until it dies.
    const services = this.#idleServices.pop() ?? this.services()
    const processMessage = async () => {
      const extendVisibility = (seconds: number) => this.queues.extendVisibility(queue, receipt, seconds)
      try {
        const run = {
          ref: message,
          queue,
          services,
          isShared: false,
          extendVisibility,
          stopSignal: new AbortController().signal,
          outOfSpaceSignal: new AbortController().signal,
          remainingMs: 600_000,
        }
        const outcome = await runTask(run, queue === 'transfer' ? transferTask : convertTask)
        if (outcome.done) await this.queues.delete(receipt)
        else await extendVisibility(outcome.retryInS)
      } catch (error) {
        await extendVisibility(5)
        this.failures.push(error)
      }
      this.#idleServices.push(services)
    }
    await this.asInstance(`worker ${message.task}`, processMessage, services)
  }

  /** Advances time to the next message or sweep; returns false when there is none. */
  async #advanceTime(
    until: ((job: Record<string, unknown> | undefined) => boolean) | undefined,
  ): Promise<boolean> {
    const Item = await this.#readJobItem()
    const isOver = until ? until(Item) : isFinishedJob(Item)
    const messageAt = this.queues.nextAt
    if (isOver && messageAt === undefined) return false
    // As in the index of due jobs: without `wakeShard`, no sweep would find the job.
    const wakeAt = Item?.['wakeShard'] && Item['wakeAt'] ? Date.parse(String(Item['wakeAt'])) : undefined
    const sweepAt =
      wakeAt === undefined || isOver ? Infinity : Math.max(wakeAt, this.#sweptAt + minSweepIntervalMs)
    const nextTime = Math.min(messageAt ?? Infinity, sweepAt)
    this.#timeSteps += 1
    if (this.#timeSteps > maxTimeSteps)
      throw new Error(`the job does not come to rest: ${this.gate.effects.slice(-10).join(', ')}`, {
        cause: this.failures.at(-1),
      })
    assert.ok(Number.isFinite(nextTime), `no message or sweep will ever process ${JSON.stringify(Item)}`)
    this.time.moveTo(nextTime)
    if (nextTime !== sweepAt) return true
    this.sweeps += 1
    await this.sweep()
    return true
  }

  /** Reads the stored job without counting as an access by an instance. */
  async #readJobItem(): Promise<Record<string, unknown> | undefined> {
    const { database, tableName, table } = this.#options
    const Key = getJobKey(this.jobId)
    if (table) return table.get(Key)
    const read = new GetCommand({ TableName: tableName, Key, ConsistentRead: true })
    return (await database?.client().send(read))?.Item
  }

  /** Sweeps the job, even if it is not due. */
  async sweep(): Promise<void> {
    this.#sweptAt = this.time.now
    // After a failure, the next sweep tries again.
    await this.request('sweep', ({ jobs }) => jobs.wake(this.jobId, new Date()))
  }
}

const minSweepIntervalMs = 60_000
/** Maximum number of time steps until a job must be at rest. */
const maxTimeSteps = 100
