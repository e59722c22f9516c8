import { FunctionError } from '../../embedded-aws/lambda/function-error.ts'
import type { FunctionContext } from '../../embedded-aws/lambda/runtime.ts'
import type { ServiceMessage } from './worker.ts'
import { WorkerProcess, type WorkerProcessOptions } from './worker-process.ts'

export interface OnDemandWorkerOptions extends WorkerProcessOptions {
  readonly idleMs: number
}

/** Runs the function of one queue in a process that is started when first needed and stopped when idle. */
export class OnDemandWorker {
  readonly #options: OnDemandWorkerOptions
  /** All processes of the worker, including those that are stopping. */
  readonly #processes = new Set<WorkerProcess>()
  #current: WorkerProcess | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: OnDemandWorkerOptions) {
    this.#options = options
  }

  /**
   * Invokes the function.
   * @param apart true to use a separate process, because the event may crash the process.
   * @throws FunctionError if the function fails, its process dies or it times out
   */
  async invoke(
    event: unknown,
    context: FunctionContext,
    { apart = false, traceHeader = '' } = {},
  ): Promise<unknown> {
    if (this.#isClosed)
      throw new FunctionError({ errorType: 'Runtime.ExitError', errorMessage: 'the service is stopping' })
    if (apart) return this.#invokeInOwnProcess(event, context, traceHeader)
    clearTimeout(this.#idleTimer)
    // A process may take seconds to stop, and the next one starts without waiting for it.
    const workerProcess = this.#current?.acceptsWork ? this.#current : this.#start()
    try {
      return await workerProcess.invoke(event, context, traceHeader)
    } finally {
      this.#stopWhenIdle()
    }
  }

  broadcast(message: ServiceMessage): void {
    for (const workerProcess of this.#processes) workerProcess.send(message)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idleTimer)
    await Promise.all([...this.#processes].map((workerProcess) => workerProcess.stop()))
  }

  async #invokeInOwnProcess(event: unknown, context: FunctionContext, traceHeader: string): Promise<unknown> {
    const workerProcess = this.#launch()
    try {
      return await workerProcess.invoke(event, context, traceHeader)
    } finally {
      void workerProcess.stop()
    }
  }

  #start(): WorkerProcess {
    this.#current = this.#launch()
    return this.#current
  }

  #launch(): WorkerProcess {
    const startedWorker = new WorkerProcess(this.#options)
    this.#processes.add(startedWorker)
    void startedWorker.whenExited.finally(() => this.#processes.delete(startedWorker))
    return startedWorker
  }

  #stopWhenIdle(): void {
    const idleWorker = this.#current
    if (!idleWorker || idleWorker.isBusy) return
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      this.#options.log.info({ queue: this.#options.queue }, 'stopping an idle worker')
      void idleWorker.stop()
    }, this.#options.idleMs)
    this.#idleTimer.unref()
  }
}
