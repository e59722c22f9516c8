import { FunctionError } from './lambda/function-error.ts'
import type { FunctionContext } from './lambda/runtime.ts'
import type { ServiceMessage } from './worker.ts'
import { type ProcessOptions, WorkerProcess } from './worker-process.ts'

export interface WorkerOptions extends ProcessOptions {
  readonly idleMs: number
}

/** Runs the function of one queue in a process that is started when first needed and ended when idle. */
export class Worker {
  readonly #options: WorkerOptions
  /** Those that end among them. */
  readonly #processes = new Set<WorkerProcess>()
  #current: WorkerProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** @throws FunctionError when the function failed, its process died or its time was over. */
  async invoke(event: unknown, context: FunctionContext): Promise<unknown> {
    clearTimeout(this.#idle)
    if (this.#isClosed)
      throw new FunctionError({ errorType: 'Runtime.ExitError', errorMessage: 'the service ends' })
    // One that ends, because it was idle or has to, may take seconds for it: the next does not wait for that.
    const process = this.#current?.takesWork ? this.#current : this.#start()
    try {
      return await process.invoke(event, context)
    } finally {
      this.#rest()
    }
  }

  tell(message: ServiceMessage): void {
    for (const process of this.#processes) process.tell(message)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    await Promise.all([...this.#processes].map((process) => process.end()))
  }

  #start(): WorkerProcess {
    const started = new WorkerProcess(this.#options)
    this.#current = started
    this.#processes.add(started)
    void started.gone.finally(() => this.#processes.delete(started))
    return started
  }

  #rest(): void {
    const resting = this.#current
    if (!resting || resting.isBusy) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#options.log.info({ queue: this.#options.queue }, 'worker ends after long idleness')
      void resting.end()
    }, this.#options.idleMs)
    this.#idle.unref()
  }
}
