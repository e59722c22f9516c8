import { tmpdir } from 'node:os'
import { availableThreads } from '../engines/host-limits.ts'
import { removeOrphanedFolders } from '../engines/sandbox/process-folder.ts'
import { DecoderEnded, DecoderProcess, folderPrefix, type Work } from './decoder-process.ts'
import type { DecoderMessage } from './messages.ts'
import type { Program } from './program-file.ts'

const maxProcesses = Math.max(2, Math.min(4, availableThreads()))
/** Time without work after which all processes but one end, and that one is replaced if it has read files. */
const idleMs = 60_000
/** How long a file may wait for a process. */
const maxWaitMs = 20_000

const findBundledProgram = async (): Promise<Program> => (await import('./program-file.ts')).findProgram()

interface Waiting extends PromiseWithResolvers<DecoderProcess> {
  readonly timer: NodeJS.Timeout
}

/** Keeps decoder processes warm; each reads one file at a time, so that a file which kills one harms no other. */
export class DecoderPool {
  readonly #findProgram: () => Promise<Program>
  readonly #free: DecoderProcess[] = []
  /** All processes, including those that are starting or busy. */
  readonly #all = new Set<DecoderProcess>()
  #startingCount = 0
  readonly #waiting: Waiting[] = []
  #idleTimer: NodeJS.Timeout | undefined

  constructor(findProgram = findBundledProgram) {
    this.#findProgram = findProgram
    // What processes of a killed service left behind.
    removeOrphanedFolders(tmpdir(), folderPrefix).catch(() => undefined)
  }

  /** Starts a process, so that the first file need not wait for it. */
  warm(): void {
    if (this.#all.size === 0) this.#start()
  }

  /** @throws DecoderEnded; whatever `work.read` throws. */
  async run(work: Work): Promise<DecoderMessage> {
    clearTimeout(this.#idleTimer)
    const process = this.#takeFree() ?? (await this.#waitForProcess())
    try {
      return await process.run(work)
    } finally {
      this.#release(process)
      this.#idleTimer = setTimeout(() => this.#refresh(), idleMs)
      this.#idleTimer.unref()
    }
  }

  /** Ends all processes; the next file starts one again. */
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

  #waitForProcess(): Promise<DecoderProcess> {
    const { promise, ...resolvers } = Promise.withResolvers<DecoderProcess>()
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      waiting.reject(new DecoderEnded('busy', `no process was free for ${maxWaitMs / 1000} s`))
    }, maxWaitMs)
    const waiting: Waiting = { promise, ...resolvers, timer }
    this.#waiting.push(waiting)
    this.#startForWaiting()
    return promise
  }

  #startForWaiting(): void {
    while (this.#startingCount < this.#waiting.length && this.#all.size < maxProcesses) this.#start()
  }

  #start(): void {
    const process = new DecoderProcess(this.#findProgram)
    this.#all.add(process)
    this.#startingCount++
    process.ready
      .finally(() => this.#startingCount--)
      .then(
        () => this.#release(process),
        // Not started again for the same file, which would go on forever where no process can start.
        (error) => this.#takeWaiting()?.reject(error),
      )
    void process.exited.then(() => this.#onExit(process))
  }

  #release(process: DecoderProcess): void {
    if (process.acceptsWork) {
      const next = this.#takeWaiting()
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

  #takeWaiting(): Waiting | undefined {
    const next = this.#waiting.shift()
    clearTimeout(next?.timer)
    return next
  }

  /** Frees the memory that files have taken, such as that of libmagic. */
  #refresh(): void {
    const [kept, ...others] = this.#free.toSorted((a, b) => Number(a.hasReadFiles) - Number(b.hasReadFiles))
    for (const one of others) void one.stop()
    if (!kept?.hasReadFiles) return
    this.#start()
    void kept.stop()
  }
}
