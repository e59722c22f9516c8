import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FileExchange } from '../aws/connections.ts'
import { emitJobEnd } from '../jobs/job-end-emitter.ts'
import type { Log } from '../log.ts'
import type { FunctionName } from '../resources/functions.ts'
import { functionOfQueue } from '../resources/queue-functions.ts'
import type { QueueId } from '../resources/queues.ts'
import { type Command, exitWithParent } from './exit-with-parent.ts'
import { FunctionError, type FunctionFailure } from './lambda/function-error.ts'
import type { FunctionContext } from './lambda/runtime.ts'
import nodeEnvironment from './node-environment.json' with { type: 'json' }
import nodeFlags from './node-flags.json' with { type: 'json' }
import type { Invocation, ServiceMessage, WorkerMessage } from './worker.ts'
import { type FileRequest, fileSharingFlag, handleFileRequest } from './worker-file-broker.ts'

const workerFile = fileURLToPath(new URL('./worker.ts', import.meta.url))

/**
 * The pieces of streams lie between the threshold of all others and this one: new pages for each of them cost more than
 * all else about them. Each thread would keep its own store of what is freed.
 */
const mallocForStreams = {
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  MALLOC_ARENA_MAX: '1',
}
/**
 * What is young there are the pieces on their way, which are freed as they go; see lib/collect-garbage.ts. Without
 * the second V8 would look through all of a small heap for every few MiB that pass: half of the work of a transfer.
 */
const v8FlagsForStreams = ['--max-semi-space-size=2', '--initial-old-space-size=64']

const defaultHangTimeoutMs = 15_000
/**
 * Until it is heard for the first time. On a machine that is busy with much else reading the code takes longer than any
 * silence of a worker that runs; whoever ended it then would begin it anew for ever, and no job would be done.
 */
const defaultStartTimeoutMs = 120_000
const checkEveryMs = 1000
const stopTimeoutMs = 8000

export interface WorkerProcessOptions {
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
  readonly hangTimeoutMs?: number
  /** The same before its first sign of life. */
  readonly startTimeoutMs?: number
  /** Program of the process; that of the functions when left out. */
  readonly file?: string
  /** What its command becomes where the process is not to run here as it is. */
  readonly wrapCommand?: (command: Command) => Command
  /** Removes what a process that is gone has left. */
  readonly cleanUp?: (pid: number) => void
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
  readonly exited: Promise<void>
  readonly #options: WorkerProcessOptions
  readonly #child: ChildProcess
  readonly #pending = new Map<number, Pending>()
  readonly #checkTimer: NodeJS.Timeout
  #lastSeen = Date.now()
  #lastCheck = Date.now()
  #hasStarted = false
  #nextId = 1
  #isStopping = false
  /** Why it is killed by us, which its signal does not tell. */
  #killReason: string | undefined

  constructor(options: WorkerProcessOptions) {
    this.#options = options
    const { queue, handler, environment, logFd, log, exchange, file = workerFile } = options
    const name = handler ?? functionOfQueue(queue) ?? 'convert'
    // Unlike the service itself a worker ends when it is idle: it may take the heap that makes it fast. Not so one that
    // only passes bytes on, which leave a heap behind that is not even small.
    const savesMemory = name === 'transfer' || name === 'deliver'
    // The second: any program of the same user could have Node open its debugger, and read all that it knows.
    const flags = savesMemory ? nodeFlags : ['--disable-warning=ExperimentalWarning', '--disable-sigusr1']
    const extraFlags = name === 'transfer' ? v8FlagsForStreams : []
    const node: Command = [
      process.execPath,
      ...flags,
      ...extraFlags,
      file,
      name,
      ...(exchange ? [fileSharingFlag] : []),
    ]
    const [command, ...args] = exitWithParent(options.wrapCommand?.(node) ?? node)
    const child = spawn(command, args, {
      env: {
        ...environment,
        ...(savesMemory && nodeEnvironment),
        ...(name === 'transfer' && mallocForStreams),
        ...(name === 'convert' && { IMAGE_ID: queue }),
      },
      stdio: ['ignore', logFd, logFd, 'ipc'],
      // Records of jobs hold sets, which JSON does not know.
      serialization: 'advanced',
    })
    this.#child = child
    log.info({ queue, pid: child.pid }, 'worker started')
    child.on('message', (message) => this.#onMessage(message as WorkerMessage)) // only our own worker.ts is at the other end
    const { promise, resolve } = Promise.withResolvers<string>()
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(this.#killReason ?? signal ?? `exit code ${code}`))
    this.exited = promise.then((reason) => this.#onExit(reason))
    this.#checkTimer = setInterval(() => void this.#check(), checkEveryMs)
    this.#checkTimer.unref()
  }

  /** False from the moment in which its end is decided: what it is given then would be lost with it. */
  get acceptsWork(): boolean {
    const { connected, exitCode, signalCode } = this.#child
    return !this.#isStopping && connected && exitCode === null && signalCode === null
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
        if (error) this.#takePending(id)?.reject(error)
      })
    })
  }

  /** A process that is gone needs to hear nothing. */
  send(message: ServiceMessage): void {
    const { log, queue } = this.#options
    if (this.#child.connected)
      this.#child.send(message, (error) => error && log.info({ queue, error }, 'a worker left unheard'))
  }

  /** It gives back what it works on, and goes; resolves when it is gone. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs)
    await this.exited
    clearTimeout(timer)
  }

  #takePending(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }

  #onMessage(message: WorkerMessage): void {
    this.#lastSeen = Date.now()
    this.#hasStarted = true
    if (message.type === 'alive') return
    if (message.type === 'job-ended') {
      emitJobEnd(message.job)
      return
    }
    if (message.type === 'file') {
      void this.#onFileRequest(message)
      return
    }
    const pending = this.#takePending(message.id)
    if (message.type === 'result') pending?.resolve(message.value)
    else pending?.reject(new FunctionError(message.failure))
  }

  async #onFileRequest(request: FileRequest): Promise<void> {
    const { exchange } = this.#options
    if (exchange) this.send(await handleFileRequest(request, exchange))
  }

  #onExit(reason: string): void {
    clearInterval(this.#checkTimer)
    this.#isStopping = true
    const { queue, log, cleanUp } = this.#options
    log[this.isBusy ? 'error' : 'info']({ queue, reason, running: this.#pending.size }, 'worker ended')
    const failure: FunctionFailure = {
      errorType: 'Runtime.ExitError',
      errorMessage: `the worker ended: ${reason}`,
    }
    for (const id of [...this.#pending.keys()]) this.#takePending(id)?.reject(new FunctionError(failure))
    if (this.#child.pid !== undefined) cleanUp?.(this.#child.pid)
  }

  async #check(): Promise<void> {
    const now = Date.now()
    // Whoever was stopped for a while himself, as with the lid of a computer, has not heard what was said meanwhile.
    const wasSuspended = now - this.#lastCheck > 3 * checkEveryMs
    this.#lastCheck = now
    if (wasSuspended || (!this.isBusy && this.#hasStarted)) {
      this.#lastSeen = now
      return
    }
    const reason = await this.#reasonToKill()
    if (!reason) return
    this.#options.log.error({ queue: this.#options.queue, reason }, 'worker is killed')
    this.#killReason = reason
    this.#isStopping = true
    this.#child.kill('SIGKILL')
  }

  async #reasonToKill(): Promise<string | undefined> {
    const now = Date.now()
    const { hangTimeoutMs = defaultHangTimeoutMs, startTimeoutMs = defaultStartTimeoutMs } = this.#options
    const silentMs = now - this.#lastSeen
    if (!this.#hasStarted && silentMs > startTimeoutMs) return 'it does not start'
    if (this.#hasStarted && silentMs > hangTimeoutMs) return 'it hangs'
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
