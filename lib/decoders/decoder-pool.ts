import { removeOrphanedFolders } from '../engines/sandbox/process-folder.ts'
import { type Call, DecoderEnded, DecoderProcess, folderPrefix } from './decoder-process.ts'
import type { ProcessKind } from './process-kinds.ts'

/** Time without work after which all processes but one end, and that one is replaced if it has been called. */
const idleMs = 60_000

type Waiting = PromiseWithResolvers<DecoderProcess>

/** Keeps decoder processes warm; each does one call at a time, so that a file which kills one harms no other. */
export class DecoderPool {
  readonly #kind: ProcessKind
  readonly #free: DecoderProcess[] = []
  /** All processes, including those that are starting or busy. */
  readonly #all = new Set<DecoderProcess>()
  #startingCount = 0
  readonly #waitingCalls: Waiting[] = []
  #idleTimer: NodeJS.Timeout | undefined
  #hasCleaned = false

  constructor(kind: ProcessKind) {
    this.#kind = kind
  }

  /** Starts a process, so that the first call need not wait for it. */
  warm(): void {
    if (this.#all.size === 0) this.#start()
  }

  /** @throws DecoderEnded; the signal's reason; whatever `call` throws. */
  async run<Result>(call: Call<Result>, signal?: AbortSignal): Promise<Result> {
    clearTimeout(this.#idleTimer)
    const process = this.#takeFree() ?? (await this.#waitForProcess(signal))
    try {
      return await process.run(call, signal)
    } finally {
      this.#release(process)
      this.#idleTimer = setTimeout(() => this.#refresh(), idleMs)
      this.#idleTimer.unref()
    }
  }

  /** Ends all processes; the next call starts one again. */
  async stop(): Promise<void> {
    clearTimeout(this.#idleTimer)
    await Promise.all([...this.#all].map((process) => process.stop()))
  }

  #takeFree(): DecoderProcess | undefined {
    for (;;) {
      const process = this.#free.pop()
      if (process === undefined || process.acceptsWork) return process
    }
  }

  async #waitForProcess(signal: AbortSignal | undefined): Promise<DecoderProcess> {
    signal?.throwIfAborted()
    const { promise, ...resolvers } = Promise.withResolvers<DecoderProcess>()
    const giveUp = (reason: unknown) => {
      const at = this.#waitingCalls.indexOf(waitingCall)
      if (at >= 0) this.#waitingCalls.splice(at, 1)
      waitingCall.reject(reason)
    }
    const { maxWaitMs } = this.#kind
    const timer = setTimeout(
      () => giveUp(new DecoderEnded('busy', `no process was free for ${maxWaitMs / 1000} s`)),
      maxWaitMs,
    )
    const waitingCall: Waiting = { promise, ...resolvers }
    const onAbort = () => giveUp(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#waitingCalls.push(waitingCall)
    this.#startForWaiting()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #startForWaiting(): void {
    while (this.#startingCount < this.#waitingCalls.length && this.#all.size < this.#kind.maxProcesses)
      this.#start()
  }

  #start(): void {
    this.#removeOrphans()
    const process = new DecoderProcess(this.#kind)
    this.#all.add(process)
    this.#startingCount++
    process.ready
      .finally(() => this.#startingCount--)
      .then(
        () => this.#release(process),
        // Not started again for the same call, which would go on forever where no process can start.
        (error) => this.#waitingCalls.shift()?.reject(error),
      )
    void process.exited.then(() => this.#onExit(process))
  }

  /** Removes folders that processes of a killed service left behind. */
  #removeOrphans(): void {
    if (this.#hasCleaned) return
    this.#hasCleaned = true
    removeOrphanedFolders(this.#kind.parentFolder(), folderPrefix).catch(() => undefined)
  }

  #release(process: DecoderProcess): void {
    if (process.acceptsWork) {
      const next = this.#waitingCalls.shift()
      if (next) next.resolve(process)
      else this.#free.push(process)
    } else void process.stop()
  }

  #onExit(process: DecoderProcess): void {
    this.#all.delete(process)
    const at = this.#free.indexOf(process)
    if (at >= 0) this.#free.splice(at, 1)
    this.#startForWaiting()
  }

  /** Replaces idle processes, to free the memory that libraries such as libmagic have taken. */
  #refresh(): void {
    const [keptProcess, ...otherProcesses] = this.#free.toSorted(
      (a, b) => Number(a.hasBeenCalled) - Number(b.hasBeenCalled),
    )
    for (const one of otherProcesses) void one.stop()
    if (!keptProcess?.hasBeenCalled) return
    this.#start()
    void keptProcess.stop()
  }
}
