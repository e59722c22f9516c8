// Functions apart from each other and from the service, as on AWS: each in a process of its own and with a key of its own.
import type { Connection } from '../aws/connections.ts'
import type { Log } from '../log.ts'
import { type FunctionName, functionNames, functions } from '../resources/functions.ts'
import type { Callers } from './embedded.ts'
import type { Environment } from './environment.ts'
import type { Command } from './exit-with-parent.ts'
import type { LocalFunction } from './lambda/runtime.ts'
import { OnDemandWorker } from './on-demand-worker.ts'

export interface IsolatedFunctions {
  readonly callers: Callers
  /** What a function finds in its environment, of what all of them may. */
  environmentFor(name: string, all: Environment): Environment
  /** What starts its process, given what does so elsewhere. */
  wrapCommand?(name: string, command: Command): Command
  /** In whose name its queue is read, and put aside what failed for good. */
  connectionFor(name: string): Connection
  /** Seconds before each repetition of an asynchronous invocation. */
  readonly retryDelaysS: readonly number[]
}

interface IsolatedFunctionsOptions {
  readonly isolated: IsolatedFunctions
  readonly environment: Environment
  readonly logFd: number
  readonly log: Log
  readonly idleMs: number
}

/** The functions that no queue feeds. */
export function startIsolatedFunctions({ isolated, environment, ...parts }: IsolatedFunctionsOptions) {
  const workers: OnDemandWorker[] = []
  const startHandler = (name: FunctionName): LocalFunction['handler'] => {
    const worker = new OnDemandWorker({
      ...parts,
      queue: name,
      handler: functions[name].handler.replace('functions/', ''),
      environment: isolated.environmentFor(name, environment),
      wrapCommand: (command) => isolated.wrapCommand?.(name, command) ?? command,
      // The time limit of the function is kept by who invokes it, and this is no machine to be shared.
      maxMemoryBytes: 2 * 1024 ** 3,
    })
    workers.push(worker)
    return (event, context) => worker.invoke(event, context)
  }
  const names = functionNames.filter((name) => !('queue' in functions[name].trigger))
  return {
    handlers: Object.fromEntries(names.map((name) => [name, startHandler(name)])),
    close: () => Promise.all(workers.map((worker) => worker.close())),
  }
}
