import { readConfig } from '../config.ts'
import type { Chunk, Engine, EngineLimits, EngineResult, Tools } from '../engines/engine.ts'
import { EngineCrash } from '../engines/sandbox/engine-crash.ts'
import { createTools, type ToolsOptions, toSandboxLimits } from '../engines/sandbox/exec.ts'
import { AppError } from '../errors.ts'
import { callEngine } from './call-engine.ts'
import { DecoderPool } from './decoder-pool.ts'
import { DecoderEndedError } from './decoder-process.ts'
import { EngineCall, type EngineReply } from './engine-call.ts'
import type { EngineRequest } from './engine-messages.ts'
import { engineKind } from './process-kinds.ts'
import { warmCounting } from './read-summary.ts'

const pool = new DecoderPool({ ...engineKind, parentFolder: () => readConfig().WORK_DIR })

/** Starts processes in advance for a step of an engine. */
export function warmProcesses(engine: string | undefined): void {
  warmCounting()
  if (engine !== undefined) pool.warm()
}

export const stopEngines = () => pool.stop()

type RequestForMethod<Method> = Extract<EngineRequest, { method: Method }>

/**
 * Runs the code of an engine in a decoder process, or in this process if the engine has `runsInWorker`.
 * @throws AppError, EngineCrash, or an error for a bug; the signal's reason when aborted.
 */
export function runEngine(
  engine: Engine,
  request: RequestForMethod<'run'> | RequestForMethod<'join'>,
  options: ToolsOptions,
): Promise<EngineResult>
export function runEngine(
  engine: Engine,
  request: RequestForMethod<'split'>,
  options: ToolsOptions,
): Promise<readonly Chunk[] | undefined>
export async function runEngine(
  engine: Engine,
  request: EngineRequest,
  options: ToolsOptions,
): Promise<EngineReply> {
  if (engine.runsInWorker) return callEngine(engine, request, createTools(options))
  return runWithRetries(engine, request, options, 1)
}

/** Maximum number of attempts: a process within its limits may have been killed for a reason other than its file. */
const maxAttempts = 3

async function runWithRetries(
  engine: Engine,
  request: EngineRequest,
  options: ToolsOptions,
  run: number,
): Promise<EngineReply> {
  const { limits, signal } = options
  const { cpuS = Number.POSITIVE_INFINITY, memoryBytes = Number.POSITIVE_INFINITY } = toSandboxLimits(limits)
  const call = new EngineCall(
    engine,
    request,
    { cpuS, memoryBytes, silenceMs: Number.POSITIVE_INFINITY },
    ({ folder, uid }): Tools => createTools({ ...options, workDir: folder, runningUid: uid }),
  )
  try {
    return await pool.run(call, signal)
  } catch (error) {
    if (!(error instanceof DecoderEndedError)) throw error
    const wasKilled = error.reason === 'crash' && error.exit === 'SIGKILL'
    if (wasKilled && run < maxAttempts) return runWithRetries(engine, request, options, run + 1)
    throw toEngineError(error, engine, limits)
  }
}

function toEngineError(error: DecoderEndedError, { id }: Engine, { memoryMb }: EngineLimits): Error {
  switch (error.reason) {
    case 'memory':
      return new EngineCrash(id, `its memory limit of ${memoryMb} MiB`, error.message)
    case 'processor time':
      return new AppError('TIMEOUT', 'The conversion exceeded its limit of processor time.', undefined, {
        cause: error,
      })
    default:
      return new EngineCrash(id, error.exit, error.message)
  }
}
