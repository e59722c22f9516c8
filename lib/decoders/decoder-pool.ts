import { removeOrphanedFolders } from '../engines/sandbox/process-folder.ts'
import { type Call, DecoderEndedError, DecoderProcess, folderPrefix } from './decoder-process.ts'
import type { ProcessKind } from './process-kinds.ts'

/** Idle time after which all processes but one end; the last one is replaced if it has handled a call. */
const idleMs = 60_000

type WaitingCall = PromiseWithResolvers<DecoderProcess>

/**
 * Keeps decoder processes warm. Each handles one call at a time, so that a file which crashes its process affects no
 * other call.
 */
export class DecoderPool {
  readonly #kind: ProcessKind
  readonly #freeProcesses: DecoderProcess[] = []
  /** All processes, including those that are starting or busy. */
  readonly #allProcesses = new Set<DecoderProcess>()
  #startingCount = 0
  readonly #waitingCalls: WaitingCall[] = []
  #idleTimer: NodeJS.Timeout | undefined
  #hasRemovedOrphans = false

  constructor(kind: ProcessKind) {
    this.#kind = kind
  }

  /** Starts a process, so that the first call need not wait for it. */
  warm(): void {
    if (this.#allProcesses.size === 0) this.#start()
  }

  /**
   * Runs a call in a free process, as soon as there is one.
   * @throws DecoderEndedError; the signal's reason; whatever `call` throws.
   */
  async run<Result>(call: Call<Result>, signal?: AbortSignal): Promise<Result> {
    clearTimeout(this.#idleTimer)
    const process = this.#takeFreeProcess() ?? (await this.#waitForProcess(signal))
    try {
      return await process.run(call, signal)
    } finally {
      this.#release(process)
      // Another call may have ended meanwhile and started the timer.
      clearTimeout(this.#idleTimer)
      this.#idleTimer = setTimeout(() => this.#replaceIdleProcesses(), idleMs)
      this.#idleTimer.unref()
    }
  }

  /** Ends all processes; the next call starts a process again. */
  async stop(): Promise<void> {
    clearTimeout(this.#idleTimer)
    await Promise.all([...this.#allProcesses].map((process) => process.stop()))
  }

  #takeFreeProcess(): DecoderProcess | undefined {
    for (;;) {
      const process = this.#freeProcesses.pop()
      if (process === undefined || process.acceptsWork) return process
    }
  }

  async #waitForProcess(signal: AbortSignal | undefined): Promise<DecoderProcess> {
    signal?.throwIfAborted()
    const { promise, ...resolvers } = Promise.withResolvers<DecoderProcess>()
    const stopWaiting = (reason: unknown) => {
      const at = this.#waitingCalls.indexOf(waitingCall)
      if (at >= 0) this.#waitingCalls.splice(at, 1)
      waitingCall.reject(reason)
    }
    const { maxWaitMs } = this.#kind
    const timer = setTimeout(
      () => stopWaiting(new DecoderEndedError('busy', `no process was free for ${maxWaitMs / 1000} s`)),
      maxWaitMs,
    )
    const waitingCall: WaitingCall = { promise, ...resolvers }
    const onAbort = () => stopWaiting(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#waitingCalls.push(waitingCall)
    this.#startForWaitingCalls()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #startForWaitingCalls(): void {
    while (
      this.#startingCount < this.#waitingCalls.length &&
      this.#allProcesses.size < this.#kind.maxProcesses
    )
      this.#start()
  }

  #start(): void {
    this.#removeOrphans()
    const process = new DecoderProcess(this.#kind)
    this.#allProcesses.add(process)
    this.#startingCount++
    process.ready
      .finally(() => this.#startingCount--)
      .then(
        () => this.#release(process),
        // Doesn't start another process for the same call: if no process can start, that would go on forever.
        (error) => this.#waitingCalls.shift()?.reject(error),
      )
    void process.exited.then(() => this.#onExit(process))
  }

  /** Removes folders that processes of a killed service left behind. */
  #removeOrphans(): void {
    if (this.#hasRemovedOrphans) return
    this.#hasRemovedOrphans = true
    removeOrphanedFolders(this.#kind.parentFolder(), folderPrefix).catch(() => undefined)
  }

  #release(process: DecoderProcess): void {
    if (process.acceptsWork) {
      const next = this.#waitingCalls.shift()
      if (next) next.resolve(process)
      else this.#freeProcesses.push(process)
    } else void process.stop()
  }

  #onExit(process: DecoderProcess): void {
    this.#allProcesses.delete(process)
    const at = this.#freeProcesses.indexOf(process)
    if (at >= 0) this.#freeProcesses.splice(at, 1)
    this.#startForWaitingCalls()
  }

  /** Replaces idle processes, to free the memory that libraries such as libmagic have taken. */
  #replaceIdleProcesses(): void {
    const [keptProcess, ...otherProcesses] = this.#freeProcesses.toSorted(
      (a, b) => Number(a.hasBeenCalled) - Number(b.hasBeenCalled),
    )
    for (const process of otherProcesses) void process.stop()
    if (!keptProcess?.hasBeenCalled) return
    this.#start()
    void keptProcess.stop()
  }
}
