// Functions isolated from each other and from the service, as on AWS: each has its own process and its own access key.

import type { Callers } from '../../embedded-aws/embedded.ts'
import type { LocalFunction } from '../../embedded-aws/lambda/runtime.ts'
import type { AccountQuotas } from '../../embedded-aws/quotas.ts'
import type { Command } from '../../io/exit-with-parent.ts'
import type { ClientConnection } from '../../io/local-connections.ts'
import type { Log } from '../../log.ts'
import { type FunctionName, functionNames, functions } from '../../resources/functions.ts'
import type { Environment } from './environment.ts'
import { OnDemandWorker } from './on-demand-worker.ts'

export interface IsolatedFunctions {
  readonly callers: Callers
  /** Returns the environment of one function, selected from that of all functions. */
  createEnvironment(name: string, baseEnvironment: Environment): Environment
  /** Wraps the command that starts the process of a function. */
  wrapCommand?(name: string, command: Command): Command
  /** Returns the credentials with which a function reads its queue and writes to its dead-letter queue. */
  createConnection(name: string): ClientConnection
  /** Delay before each retry of an asynchronous invocation. */
  readonly retryDelaysS: readonly number[]
  /** Quotas of the account to enforce; none if omitted. */
  readonly quotas?: AccountQuotas
  /** Returns the concurrency of a function according to the settings of its deployment. */
  getConcurrency?(name: string): DeployedConcurrency
}

interface DeployedConcurrency {
  /** Maximum number of concurrent invocations by the function's queue. */
  readonly maximumConcurrency?: number | undefined
  readonly reservedConcurrency?: number | undefined
}

interface IsolatedFunctionsOptions {
  readonly isolation: IsolatedFunctions
  readonly environment: Environment
  readonly logFd: number
  readonly log: Log
  readonly idleMs: number
}

/** Starts the functions that are not triggered by a queue. */
export function startIsolatedFunctions({ isolation, environment, ...options }: IsolatedFunctionsOptions) {
  const workers: OnDemandWorker[] = []
  const startHandler = (name: FunctionName): LocalFunction['handler'] => {
    const worker = new OnDemandWorker({
      ...options,
      queue: name,
      handler: functions[name].handler.replace('functions/', ''),
      environment: isolation.createEnvironment(name, environment),
      wrapCommand: (command) => isolation.wrapCommand?.(name, command) ?? command,
      // The caller enforces the real time limit. The memory limit is generous, because nothing else uses the machine.
      maxMemoryBytes: 2 * 1024 ** 3,
    })
    workers.push(worker)
    return (event, context, traceHeader) => worker.invoke(event, context, { traceHeader })
  }
  const names = functionNames.filter((name) => !('queue' in functions[name].trigger))
  return {
    handlers: Object.fromEntries(names.map((name) => [name, startHandler(name)])),
    close: () => Promise.all(workers.map((worker) => worker.close())),
  }
}
