// Functions apart from each other and from the service, as on AWS: each in a process of its own and with a key of its own.
import type { Connection } from '../aws/connections.ts'
import type { Log } from '../log.ts'
import { type FunctionName, functionNames, functions } from '../resources/functions.ts'
import type { Callers } from './embedded.ts'
import type { Environment } from './environment.ts'
import type { Command } from './exit-with-parent.ts'
import type { LocalFunction } from './lambda/runtime.ts'
import { Worker } from './on-demand-worker.ts'

export interface Apart {
  readonly callers: Callers
  /** What a function finds in its environment, of what all of them may. */
  environmentOf(name: string, all: Environment): Environment
  /** What starts its process, given what does so elsewhere. */
  commandOf?(name: string, command: Command): Command
  /** In whose name its queue is read, and put aside what failed for good. */
  connectionOf(name: string): Connection
  /** Seconds before each repetition of an asynchronous invocation. */
  readonly delaysS: readonly number[]
}

interface ProcessParts {
  readonly apart: Apart
  readonly environment: Environment
  readonly logFd: number
  readonly log: Log
  readonly idleMs: number
}

/** The functions that no queue feeds. */
export function functionsApart({ apart, environment, ...parts }: ProcessParts) {
  const workers: Worker[] = []
  const handlerOf = (name: FunctionName): LocalFunction['handler'] => {
    const worker = new Worker({
      ...parts,
      queue: name,
      handler: functions[name].handler.replace('functions/', ''),
      environment: apart.environmentOf(name, environment),
      startedBy: (command) => apart.commandOf?.(name, command) ?? command,
      // The time limit of the function is kept by who invokes it, and this is no machine to be shared.
      maxMemoryBytes: 2 * 1024 ** 3,
    })
    workers.push(worker)
    return (event, context) => worker.invoke(event, context)
  }
  const names = functionNames.filter((name) => !('queue' in functions[name].trigger))
  return {
    handlers: Object.fromEntries(names.map((name) => [name, handlerOf(name)])),
    close: () => Promise.all(workers.map((worker) => worker.close())),
  }
}
