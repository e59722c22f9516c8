import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FileExchange } from '../aws/connections.ts'
import { emitJobEnd } from '../jobs/job-end-emitter.ts'
import type { Log } from '../log.ts'
import type { FunctionName } from '../resources/functions.ts'
import { functionOfQueue } from '../resources/queue-functions.ts'
import type { QueueId } from '../resources/queues.ts'
import { type Command, withParentDeath } from './exit-with-parent.ts'
import { type Failure, FunctionError } from './lambda/function-error.ts'
import type { FunctionContext } from './lambda/runtime.ts'
import nodeEnvironment from './node-environment.json' with { type: 'json' }
import nodeFlags from './node-flags.json' with { type: 'json' }
import type { Invocation, ServiceMessage, WorkerMessage } from './worker.ts'
import { answerWish, type FileWish, sharingFiles } from './worker-file-broker.ts'

const workerFile = fileURLToPath(new URL('./worker.ts', import.meta.url))

/**
 * The pieces of streams lie between the threshold of all others and this one: new pages for each of them cost more than
 * all else about them. Each thread would keep its own store of what is freed.
 */
const forStreams = {
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  MALLOC_ARENA_MAX: '1',
}
/**
 * What is young there are the pieces on their way, which are freed as they go; see lib/collect-garbage.ts. Without
 * the second V8 would look through all of a small heap for every few MiB that pass: half of the work of a transfer.
 */
const flagsForStreams = ['--max-semi-space-size=2', '--initial-old-space-size=64']

const defaultHangMs = 15_000
/**
 * Until it is heard for the first time. On a machine that is busy with much else reading the code takes longer than any
 * silence of a worker that runs; whoever ended it then would begin it anew for ever, and no job would be done.
 */
const defaultStartMs = 120_000
const watchMs = 1000
const stopMs = 8000

export interface ProcessOptions {
  /** Whose function it runs; a function that no queue feeds stands for itself, with its `handler`. */
  readonly queue: QueueId | FunctionName
  /** As `live.sockets`: of which module what. */
  readonly handler?: string
  /** Whole environment of the process, as Lambda would set it. */
  readonly environment: Readonly<Record<string, string>>
  /** Open file that its output goes to. */
  readonly logFd: number
  readonly log: Log
  /** Left out where the bucket is elsewhere. */
  readonly exchange?: FileExchange | undefined
  /** Bytes of resident memory above which it is ended. */
  readonly maxMemoryBytes: number
  /** Milliseconds without a sign of life after which it counts as hanging. */
  readonly hangMs?: number
  /** The same before its first sign of life. */
  readonly startMs?: number
  /** Program of the process; that of the functions when left out. */
  readonly file?: string
  /** What its command becomes where the process is not to run here as it is. */
  readonly startedBy?: (command: Command) => Command
  /** Removes what a process that is gone has left. */
  readonly clearUp?: (pid: number) => void
}

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  readonly deadline: number
}

/**
 * One process that runs the function of a queue, killed when it hangs or takes too much memory. What it was doing then is
 * an error of the invocation, as on Lambda.
 */
export class WorkerProcess {
  /** Its end. */
  readonly gone: Promise<void>
  readonly #options: ProcessOptions
  readonly #child: ChildProcess
  readonly #pending = new Map<number, Pending>()
  readonly #watch: NodeJS.Timeout
  #lastSeen = Date.now()
  #lastLook = Date.now()
  #hasStarted = false
  #nextId = 1
  #isEnding = false
  /** Why it is killed by us, which its signal does not tell. */
  #killedFor: string | undefined

  constructor(options: ProcessOptions) {
    this.#options = options
    const { queue, handler, environment, logFd, log, exchange, file = workerFile } = options
    const name = handler ?? functionOfQueue(queue) ?? 'convert'
    // Unlike the service itself a worker ends when it is idle: it may take the heap that makes it fast. Not so one that
    // only passes bytes on, which leave a heap behind that is not even small.
    const isThrifty = name === 'transfer' || name === 'deliver'
    // The second: any program of the same user could have Node open its debugger, and read all that it knows.
    const flags = isThrifty ? nodeFlags : ['--disable-warning=ExperimentalWarning', '--disable-sigusr1']
    const more = name === 'transfer' ? flagsForStreams : []
    const node: Command = [
      process.execPath,
      ...flags,
      ...more,
      file,
      name,
      ...(exchange ? [sharingFiles] : []),
    ]
    const [command, ...args] = withParentDeath(options.startedBy?.(node) ?? node)
    const child = spawn(command, args, {
      env: {
        ...environment,
        ...(isThrifty && nodeEnvironment),
        ...(name === 'transfer' && forStreams),
        ...(name === 'convert' && { IMAGE_ID: queue }),
      },
      stdio: ['ignore', logFd, logFd, 'ipc'],
      // Records of jobs hold sets, which JSON does not know.
      serialization: 'advanced',
    })
    this.#child = child
    log.info({ queue, pid: child.pid }, 'worker started')
    child.on('message', (message) => this.#hear(message as WorkerMessage)) // only our own worker.ts is at the other end
    const { promise, resolve } = Promise.withResolvers<string>()
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(this.#killedFor ?? signal ?? `exit code ${code}`))
    this.gone = promise.then((reason) => this.#ended(reason))
    this.#watch = setInterval(() => void this.#check(), watchMs)
    this.#watch.unref()
  }

  /** False from the moment in which its end is decided: what it is given then would be lost with it. */
  get takesWork(): boolean {
    const { connected, exitCode, signalCode } = this.#child
    return !this.#isEnding && connected && exitCode === null && signalCode === null
  }

  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  /** @throws FunctionError when the function failed, its process died or its time was over. */
  invoke(event: unknown, { getRemainingTimeInMillis, ...context }: FunctionContext): Promise<unknown> {
    const id = this.#nextId++
    const deadline = Date.now() + getRemainingTimeInMillis()
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, deadline })
      const invocation = { type: 'invoke', id, event, deadline, context } satisfies Invocation
      this.#child.send(invocation, (error) => {
        if (error) this.#settle(id)?.reject(error)
      })
    })
  }

  /** A process that is gone needs to hear nothing. */
  tell(message: ServiceMessage): void {
    const { log, queue } = this.#options
    if (this.#child.connected)
      this.#child.send(message, (error) => error && log.info({ queue, error }, 'a worker left unheard'))
  }

  /** It gives back what it works on, and goes; resolves when it is gone. */
  async end(): Promise<void> {
    this.#isEnding = true
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopMs)
    await this.gone
    clearTimeout(timer)
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }

  #hear(message: WorkerMessage): void {
    this.#lastSeen = Date.now()
    this.#hasStarted = true
    if (message.type === 'alive') return
    if (message.type === 'job-ended') {
      emitJobEnd(message.job)
      return
    }
    if (message.type === 'file') {
      void this.#answer(message)
      return
    }
    const pending = this.#settle(message.id)
    if (message.type === 'result') pending?.resolve(message.value)
    else pending?.reject(new FunctionError(message.failure))
  }

  async #answer(wish: FileWish): Promise<void> {
    const { exchange } = this.#options
    if (exchange) this.tell(await answerWish(wish, exchange))
  }

  #ended(reason: string): void {
    clearInterval(this.#watch)
    this.#isEnding = true
    const { queue, log, clearUp } = this.#options
    log[this.isBusy ? 'error' : 'info']({ queue, reason, running: this.#pending.size }, 'worker ended')
    const failure: Failure = { errorType: 'Runtime.ExitError', errorMessage: `the worker ended: ${reason}` }
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new FunctionError(failure))
    if (this.#child.pid !== undefined) clearUp?.(this.#child.pid)
  }

  async #check(): Promise<void> {
    const now = Date.now()
    // Whoever was stopped for a while himself, as with the lid of a computer, has not heard what was said meanwhile.
    const wasAway = now - this.#lastLook > 3 * watchMs
    this.#lastLook = now
    if (wasAway || (!this.isBusy && this.#hasStarted)) {
      this.#lastSeen = now
      return
    }
    const reason = await this.#reasonToKill()
    if (!reason) return
    this.#options.log.error({ queue: this.#options.queue, reason }, 'worker is killed')
    this.#killedFor = reason
    this.#isEnding = true
    this.#child.kill('SIGKILL')
  }

  async #reasonToKill(): Promise<string | undefined> {
    const now = Date.now()
    const { hangMs = defaultHangMs, startMs = defaultStartMs } = this.#options
    const silentMs = now - this.#lastSeen
    if (!this.#hasStarted && silentMs > startMs) return 'it does not start'
    if (this.#hasStarted && silentMs > hangMs) return 'it hangs'
    if ([...this.#pending.values()].some(({ deadline }) => now > deadline)) return 'its time is over'
    if ((await residentBytes(this.#child.pid)) > this.#options.maxMemoryBytes)
      return 'it takes too much memory'
    return undefined
  }
}

/** Resident memory of a process (proc(5), `VmRSS`); 0 when it is gone. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}
