import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FileExchange } from '../aws/connections.ts'
import { announceEnd } from '../jobs/job-ends.ts'
import type { Log } from '../log.ts'
import type { QueueId } from '../resources.ts'
import { type Failure, FunctionError } from './lambda/failure.ts'
import type { FunctionContext } from './lambda/runtime.ts'
import { withParentDeath } from './parent-death.ts'
import type { Invocation, WorkerMessage } from './worker.ts'
import { answerWish, type FileWish, sharingFiles } from './worker-files.ts'

const workerFile = fileURLToPath(new URL('./worker.ts', import.meta.url))

const defaultHangMs = 15_000
const watchMs = 1000
const stopMs = 8000

export interface WorkerOptions {
  readonly queue: QueueId
  /** Whole environment of the process, as Lambda would set it. */
  readonly environment: Readonly<Record<string, string>>
  /** Open file that its output goes to. */
  readonly logFd: number
  readonly log: Log
  readonly idleMs: number
  /** Left out where the bucket is elsewhere. */
  readonly exchange?: FileExchange | undefined
  /** Bytes of resident memory above which it is ended. */
  readonly maxMemoryBytes: number
  /** Milliseconds without a sign of life after which it counts as hanging. */
  readonly hangMs?: number
  /** Program of the process; that of the functions when left out. */
  readonly file?: string
}

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  readonly deadline: number
}

/**
 * The process that runs the function of one queue: started when first needed, ended when idle, killed
 * when it hangs or takes too much memory. What it was doing then is an error of the invocation, as on Lambda.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #pending = new Map<number, Pending>()
  #child: ChildProcess | undefined
  #lastSeen = 0
  #nextId = 1
  #idle: NodeJS.Timeout | undefined
  #watch: NodeJS.Timeout | undefined
  /** Why it is killed by us, which its signal does not tell. */
  #killedFor: string | undefined

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** @throws FunctionError when the function failed, its process died or its time was over. */
  invoke(event: unknown, { getRemainingTimeInMillis, ...context }: FunctionContext): Promise<unknown> {
    clearTimeout(this.#idle)
    const child = this.#running()
    const id = this.#nextId++
    const deadline = Date.now() + getRemainingTimeInMillis()
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, deadline })
      child.send({ type: 'invoke', id, event, deadline, context } satisfies Invocation, (error) => {
        if (error) this.#settle(id)?.reject(error)
      })
    }).finally(() => this.#rest())
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await exit
    clearTimeout(timer)
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }

  #rest(): void {
    if (this.#pending.size > 0) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#options.log.info({ queue: this.#options.queue }, 'worker ended after long idleness')
      void this.close()
    }, this.#options.idleMs)
    this.#idle.unref()
  }

  #running(): ChildProcess {
    this.#child ??= this.#start()
    return this.#child
  }

  #start(): ChildProcess {
    const { queue, environment, logFd, log, exchange, file = workerFile } = this.#options
    // Unlike the service itself a worker ends when it is idle: it may take the heap that makes it fast.
    const name = queue === 'transfer' ? 'transfer' : 'convert'
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', file] as const
    const [command, ...args] = withParentDeath([...node, name, ...(exchange ? [sharingFiles] : [])])
    const child = spawn(command, args, {
      env: { ...environment, ...(queue !== 'transfer' && { IMAGE_ID: queue }) },
      stdio: ['ignore', logFd, logFd, 'ipc'],
      // Records of jobs hold sets, which JSON does not know.
      serialization: 'advanced',
    })
    this.#lastSeen = Date.now()
    this.#killedFor = undefined
    log.info({ queue, pid: child.pid }, 'worker started')
    child.on('message', (message) => this.#hear(child, message as WorkerMessage)) // only our own worker.ts is at the other end
    child.once('error', (error) => this.#gone(child, error.message))
    child.once('exit', (code, signal) => this.#gone(child, this.#killedFor ?? signal ?? `exit code ${code}`))
    this.#watch = setInterval(() => void this.#check(child), watchMs)
    this.#watch.unref()
    return child
  }

  #hear(child: ChildProcess, message: WorkerMessage): void {
    this.#lastSeen = Date.now()
    if (message.type === 'alive') return
    if (message.type === 'job-ended') {
      announceEnd(message.job)
      return
    }
    if (message.type === 'file') {
      void this.#answer(child, message)
      return
    }
    const pending = this.#settle(message.id)
    if (message.type === 'result') pending?.resolve(message.value)
    else pending?.reject(new FunctionError(message.failure))
  }

  async #answer(child: ChildProcess, wish: FileWish): Promise<void> {
    const { exchange, log, queue } = this.#options
    if (!exchange) return
    const answer = await answerWish(wish, exchange)
    // A worker that is gone needs no answer.
    if (child.connected)
      child.send(answer, (error) => error && log.info({ queue, error }, 'a worker left before its file came'))
  }

  #gone(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return
    this.#child = undefined
    clearInterval(this.#watch)
    const { queue, log } = this.#options
    log[this.#pending.size > 0 ? 'error' : 'info'](
      { queue, reason, running: this.#pending.size },
      'worker ended',
    )
    const failure: Failure = { errorType: 'Runtime.ExitError', errorMessage: `the worker ended: ${reason}` }
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new FunctionError(failure))
  }

  async #check(child: ChildProcess): Promise<void> {
    if (this.#pending.size === 0) {
      this.#lastSeen = Date.now()
      return
    }
    const reason = await this.#reasonToKill(child)
    if (!reason) return
    this.#options.log.error({ queue: this.#options.queue, reason }, 'worker is killed')
    this.#killedFor = reason
    child.kill('SIGKILL')
  }

  async #reasonToKill(child: ChildProcess): Promise<string | undefined> {
    const now = Date.now()
    if (now - this.#lastSeen > (this.#options.hangMs ?? defaultHangMs)) return 'it hangs'
    if ([...this.#pending.values()].some(({ deadline }) => now > deadline)) return 'its time is over'
    if ((await residentBytes(child.pid)) > this.#options.maxMemoryBytes) return 'it takes too much memory'
    return undefined
  }
}

/** Resident memory of a process (proc(5), `VmRSS`); 0 when it is gone. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}
