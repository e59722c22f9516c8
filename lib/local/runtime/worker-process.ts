import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { FunctionError, type FunctionFailure } from '../../embedded-aws/lambda/function-error.ts'
import type { FunctionContext } from '../../embedded-aws/lambda/runtime.ts'
import { type Command, exitWithParent } from '../../io/exit-with-parent.ts'
import type { FileExchange } from '../../io/local-connections.ts'
import { emitJobEnd } from '../../jobs/job-end-emitter.ts'
import type { Log } from '../../log.ts'
import { type FunctionName, functions } from '../../resources/functions.ts'
import { getFunctionForQueue } from '../../resources/queue-functions.ts'
import type { QueueId } from '../../resources/queues.ts'
import { areSpansExported, exportSpan } from '../../trace.ts'
import nodeEnvironment from '../node-environment.json' with { type: 'json' }
import nodeFlags from '../node-flags.json' with { type: 'json' }
import type { Invocation, ServiceMessage, WorkerMessage } from './worker.ts'
import { type FileRequest, fileSharingFlag, handleFileRequest } from './worker-file-broker.ts'
import { sendSpansFlag } from './worker-flags.ts'
import type { WorkerUser } from './worker-user.ts'

const workerFile = fileURLToPath(new URL('./worker.ts', import.meta.url))

/**
 * Settings of malloc for streaming. With the low mmap threshold of the other processes, every chunk of a stream would
 * get new pages, which costs more than all other work for the chunk. A single arena is enough, because each arena keeps
 * its own free memory.
 */
const mallocForStreams = {
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  MALLOC_ARENA_MAX: '1',
}
/**
 * Flags of V8 for streaming. The young generation of a transfer consists of chunks that die quickly; see
 * lib/io/collect-garbage.ts. Without the second flag, V8 would mark the whole small heap for every few MiB, which is
 * half of the work of a transfer.
 */
const v8FlagsForStreams = ['--max-semi-space-size=2', '--initial-old-space-size=64']

const defaultHangTimeoutMs = 15_000
/**
 * Timeout for the first sign of life. On a busy machine, loading the code takes longer than any silence of a running
 * worker; killing it then would restart it forever, and no job would be done.
 */
const defaultStartTimeoutMs = 120_000
const checkEveryMs = 1000
const stopTimeoutMs = 8000

export interface WorkerProcessOptions {
  /** Queue whose function the process runs, or the name of a function without a queue, which also needs `handler`. */
  readonly queue: QueueId | FunctionName
  /** Module and export of the handler, for example `live.sockets`. */
  readonly handler?: string
  /** Complete environment of the process, as Lambda would set it. */
  readonly environment: Readonly<Record<string, string>>
  /** Descriptor of the open log file to which its output is written. */
  readonly logFd: number
  readonly log: Log
  /** Direct access to the bucket; undefined if the bucket is on another server. */
  readonly exchange?: FileExchange | undefined
  /** Resident memory in bytes above which the process is killed. */
  readonly maxMemoryBytes: number
  /** Time without a sign of life after which the process counts as hanging. */
  readonly hangTimeoutMs?: number
  /** Time until the first sign of life after which the process counts as hanging. */
  readonly startTimeoutMs?: number
  /** Script of the process; `worker.ts` by default. */
  readonly file?: string
  /** User that the process runs as; by default, the user of the service. */
  readonly user?: WorkerUser | undefined
  /** Wraps the command, for example to run it isolated. */
  readonly wrapCommand?: (command: Command) => Command
  /** Removes what the process leaves behind when it exits. */
  readonly cleanUp?: (pid: number) => void
}

interface PendingCall {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  /** Deadline in the time of `performance.now()`, because the system clock may be changed. */
  readonly deadline: number
}

/**
 * A process that runs the function of a queue. It is killed if it hangs or uses too much memory; its invocations then
 * fail, as on Lambda.
 */
export class WorkerProcess {
  /** Resolves when the process has exited. */
  readonly whenExited: Promise<void>
  readonly #options: WorkerProcessOptions
  readonly #child: ChildProcess
  readonly #pendingCalls = new Map<number, PendingCall>()
  readonly #checkTimer: NodeJS.Timeout
  #lastSeenMs = performance.now()
  #lastCheckMs = performance.now()
  #hasStarted = false
  #nextId = 1
  #isStopping = false
  /** The reason why the process was killed, which its exit signal does not say. */
  #killReason: string | undefined

  constructor(options: WorkerProcessOptions) {
    this.#options = options
    const { queue, handler, environment, logFd, log, exchange, file = workerFile } = options
    const functionName = getFunctionForQueue(queue)
    const name = handler ?? functionName ?? 'convert'
    const module = functionName ? functions[functionName].handler.replace('functions/', '') : name
    // Transfers and deliveries only pass bytes on and don't need the larger heap, which would keep growing.
    // Other workers exit when idle, unlike the service itself, so they may use the larger heap.
    const savesMemory = name === 'transfer' || name === 'deliver'
    // Without --disable-sigusr1, any program of the same user could open Node's debugger and read the secrets.
    const flags = savesMemory ? nodeFlags : ['--disable-warning=ExperimentalWarning', '--disable-sigusr1']
    const extraFlags = name === 'transfer' ? v8FlagsForStreams : []
    const nodeCommand: Command = [
      process.execPath,
      ...flags,
      ...extraFlags,
      file,
      module,
      ...(exchange ? [fileSharingFlag] : []),
      ...(areSpansExported() ? [sendSpansFlag] : []),
    ]
    const [command, ...args] = exitWithParent(options.wrapCommand?.(nodeCommand) ?? nodeCommand)
    const child = spawn(command, args, {
      env: {
        ...environment,
        // With this variable, the SDK sends the trace header of the invocation.
        AWS_LAMBDA_FUNCTION_NAME: functionName ?? (handler ? queue : `convert-${queue}`),
        ...(savesMemory && nodeEnvironment),
        ...(name === 'transfer' && mallocForStreams),
        ...(name === 'convert' && { IMAGE_ID: queue }),
      },
      ...options.user,
      stdio: ['ignore', logFd, logFd, 'ipc'],
      // Job records contain sets, which JSON cannot represent.
      serialization: 'advanced',
    })
    this.#child = child
    log.info({ queue, pid: child.pid }, 'worker started')
    child.on('message', (message) => this.#onMessage(message as WorkerMessage)) // only worker.ts sends messages here
    const { promise, resolve } = Promise.withResolvers<string>()
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(this.#killReason ?? signal ?? `exit code ${code}`))
    this.whenExited = promise.then((reason) => this.#onExit(reason))
    this.#checkTimer = setInterval(() => void this.#check(), checkEveryMs)
    this.#checkTimer.unref()
  }

  /**
   * Whether the process accepts work. False once it is being stopped or killed, because new work would be lost with it.
   */
  get acceptsWork(): boolean {
    const { connected, exitCode, signalCode } = this.#child
    return !this.#isStopping && connected && exitCode === null && signalCode === null
  }

  get isBusy(): boolean {
    return this.#pendingCalls.size > 0
  }

  /** Invokes the function. @throws FunctionError if the function fails, its process dies or it times out */
  invoke(
    event: unknown,
    { getRemainingTimeInMillis, ...context }: FunctionContext,
    traceHeader = '',
  ): Promise<unknown> {
    const id = this.#nextId++
    const remainingMs = getRemainingTimeInMillis()
    const deadline = performance.now() + remainingMs
    return new Promise((resolve, reject) => {
      this.#pendingCalls.set(id, { resolve, reject, deadline })
      const invocation = { type: 'invoke', id, event, remainingMs, context, traceHeader } satisfies Invocation
      this.#child.send(invocation, (error) => {
        if (error) this.#takePending(id)?.reject(error)
      })
    })
  }

  /** Sends a message, unless the process has disconnected. */
  send(message: ServiceMessage): void {
    const { log, queue } = this.#options
    if (this.#child.connected)
      this.#child.send(
        message,
        (error) => error && log.info({ queue, error }, 'a message could not be sent to a worker'),
      )
  }

  /**
   * Stops the process: it can release its tasks and exit, and is killed after a timeout. Resolves when it has exited.
   */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs)
    await this.whenExited
    clearTimeout(timer)
  }

  #takePending(id: number): PendingCall | undefined {
    const pendingCall = this.#pendingCalls.get(id)
    this.#pendingCalls.delete(id)
    return pendingCall
  }

  #onMessage(message: WorkerMessage): void {
    this.#lastSeenMs = performance.now()
    this.#hasStarted = true
    if (message.type === 'alive') return
    if (message.type === 'job-ended') {
      emitJobEnd(message.job)
      return
    }
    if (message.type === 'span') {
      exportSpan(message.span)
      return
    }
    if (message.type === 'file') {
      void this.#onFileRequest(message)
      return
    }
    const pendingCall = this.#takePending(message.id)
    if (message.type === 'result') pendingCall?.resolve(message.value)
    else pendingCall?.reject(new FunctionError(message.failure))
  }

  async #onFileRequest(request: FileRequest): Promise<void> {
    const { exchange } = this.#options
    if (exchange) this.send(await handleFileRequest(request, exchange))
  }

  #onExit(reason: string): void {
    clearInterval(this.#checkTimer)
    this.#isStopping = true
    const { queue, log, cleanUp } = this.#options
    log[this.isBusy ? 'error' : 'info']({ queue, reason, running: this.#pendingCalls.size }, 'worker exited')
    const failure: FunctionFailure = {
      errorType: 'Runtime.ExitError',
      errorMessage: `the worker exited: ${reason}`,
    }
    for (const id of [...this.#pendingCalls.keys()]) this.#takePending(id)?.reject(new FunctionError(failure))
    if (this.#child.pid !== undefined) cleanUp?.(this.#child.pid)
  }

  async #check(): Promise<void> {
    const now = performance.now()
    // If the service itself was suspended, as when a laptop lid closes, it has missed the workers' signs of life.
    const wasSuspended = now - this.#lastCheckMs > 3 * checkEveryMs
    this.#lastCheckMs = now
    if (wasSuspended || (!this.isBusy && this.#hasStarted)) {
      this.#lastSeenMs = now
      return
    }
    const reason = await this.#findReasonToKill()
    if (!reason) return
    this.#options.log.error({ queue: this.#options.queue, reason }, 'killing a worker')
    this.#killReason = reason
    this.#isStopping = true
    this.#child.kill('SIGKILL')
  }

  async #findReasonToKill(): Promise<string | undefined> {
    const now = performance.now()
    const { hangTimeoutMs = defaultHangTimeoutMs, startTimeoutMs = defaultStartTimeoutMs } = this.#options
    const silentMs = now - this.#lastSeenMs
    if (!this.#hasStarted && silentMs > startTimeoutMs) return 'it did not start in time'
    if (this.#hasStarted && silentMs > hangTimeoutMs) return 'it stopped responding'
    if ([...this.#pendingCalls.values()].some(({ deadline }) => now > deadline))
      return 'it exceeded its time limit'
    if ((await readResidentBytes(this.#child.pid)) > this.#options.maxMemoryBytes)
      return 'it used too much memory'
    return undefined
  }
}

/** Returns the resident memory of a process (proc(5), `VmRSS`); 0 if it has exited. */
async function readResidentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}
