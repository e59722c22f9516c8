import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { AppError } from '../../errors.ts'
import type { EngineLimits, ExecOptions, Tools } from '../engine.ts'
import { getAvailableThreads } from '../host-limits.ts'
import type { PrestartedProcess, SandboxedCommand, SandboxLimits, SandboxOptions } from './command.ts'
import { EngineCrash } from './engine-crash.ts'
import { createSandboxCommand, getConfinement, randomUid } from './isolation.ts'
import { createMutex, type RunExclusive } from './mutex.ts'
import { OutputCap, TruncatedOutput } from './output-buffers.ts'
import { getExitSignal, hasExited, killGroup, killMarked, waitForExit } from './process-exit.ts'
import { removeSpecialFiles } from './work-folder.ts'

const MB = 1024 * 1024

/** Thrown if a program reports a failure with its exit code. Engines convert it to an AppError for the client. */
export class ProcessFailure extends Error {
  override readonly name = 'ProcessFailure'
  readonly bin: string
  readonly exitCode: number
  readonly stderr: string

  constructor(bin: string, exitCode: number, stderr: string) {
    super(`${bin} exited with code ${exitCode}: ${stderr.slice(-2000)}`)
    this.bin = bin
    this.exitCode = exitCode
    this.stderr = stderr
  }
}

/** How a program of a step ended. */
interface CommandResult {
  /** How the program ended, such as `exit code 1`, `SIGKILL` or the reason why it was stopped. */
  readonly how: string
  readonly hasSucceeded: boolean
  readonly ms: number
  /** Beginning and end of the output if it is long. */
  readonly stderr: string
}

/** Receives the stderr output and the end of one program. */
interface CommandObserver {
  stderr(chunk: Buffer): void
  ended(end: CommandResult): void
}

/** Called for each program that starts. Its arguments may contain user input, including passwords. */
export type OnCommand = (bin: string, args: readonly string[]) => CommandObserver

export interface ToolsOptions {
  readonly workDir: string
  /**
   * User of a process that is running in `workDir` at the same time and could redirect a walk of its folders. Programs
   * run as the same user.
   */
  readonly runningUid?: number
  readonly signal: AbortSignal
  readonly limits: EngineLimits
  readonly onProgress?: (ratio: number, stage?: string) => void
  readonly onWarning?: Tools['warn']
  readonly onCommand?: OnCommand | undefined
}

/** Creates the tools of one step. Programs run confined to `workDir`, all within the time limit of the step. */
export function createTools(options: ToolsOptions): Tools {
  const { workDir, signal, limits, onProgress, onWarning, onCommand } = options
  const deadline = Date.now() + limits.timeoutS * 1000
  const uid = options.runningUid ?? randomUid()
  let runningCount = options.runningUid === undefined ? 0 : 1
  // Changes owners for one program at a time.
  // The whole tree is walked only while no program runs, because a program could replace a folder with a symbolic link.
  const runExclusive = createMutex()
  const exec: Tools['exec'] = async (bin, args, execOptions = {}) => {
    const remainingS = Math.max(0, (deadline - Date.now()) / 1000)
    const timeoutS = Math.min(execOptions.timeoutS ?? remainingS, remainingS)
    runningCount++
    try {
      const chownScope = runningCount === 1 ? 'tree' : 'children'
      return await execute(bin, args, {
        ...execOptions,
        timeoutS,
        workDir,
        signal: execOptions.signal ? AbortSignal.any([signal, execOptions.signal]) : signal,
        uid,
        limits,
        chownScope,
        runExclusive,
        onCommand,
      })
    } finally {
      runningCount--
      await runExclusive(async () => {
        if (runningCount === 0 && !signal.aborted) await removeSpecialFiles(workDir)
      })
    }
  }
  return {
    workDir,
    signal,
    exec,
    progress: (ratio, stage) => onProgress?.(ratio, stage),
    warn: (...warning) => onWarning?.(...warning),
    host: () => Promise.reject(new Error('only code in a decoder process has a host')),
  }
}

interface Execution extends ExecOptions {
  readonly timeoutS: number
  readonly workDir: string
  readonly signal: AbortSignal
  readonly uid: number
  readonly limits: EngineLimits
  readonly chownScope: 'tree' | 'children'
  readonly runExclusive: RunExclusive
  readonly onCommand: OnCommand | undefined
}

async function execute(
  bin: string,
  args: readonly string[],
  execution: Execution,
): Promise<{ stdout: string; stderr: string }> {
  const { signal, workDir, timeoutS, okCodes = [0] } = execution
  signal.throwIfAborted()
  // Identifies every process of this run by an environment variable, as PID namespaces are not available everywhere.
  const processMark = randomUUID()
  const sandbox: SandboxOptions = {
    workDir,
    uid: execution.uid,
    chownScope: execution.chownScope,
    readOnly: execution.readOnly ?? [],
    env: { ...execution.env, MUTABOR_RUN: processMark },
    limits: toSandboxLimits({ ...execution.limits, timeoutS }, execution),
  }
  const command =
    execution.prestarted ?? (await execution.runExclusive(() => createSandboxCommand(bin, args, sandbox)))
  const child = 'child' in command ? claimPrestarted(command) : spawnCommand(command, execution)
  const startedAtMs = performance.now()
  const observer = execution.onCommand?.(bin, args)
  const stdout = new OutputCap(10 * MB)
  const stderr = new TruncatedOutput(64 * 1024)
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(createTimeoutError(timeoutS)), timeoutS * 1000)
  const onAbort = () => stop.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  stop.signal.addEventListener('abort', () => killGroup(child), { once: true })
  // The signal may have been aborted while the sandbox was prepared; then no further event is sent.
  if (signal.aborted) onAbort()
  child.stdout?.on('data', (chunk: Buffer) => {
    if (!stdout.add(chunk)) stop.abort(new EngineCrash(bin, 'its output limit', stderr.toString()))
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr.add(chunk)
    observer?.stderr(chunk)
  })
  const { onLine } = execution
  if (onLine && child.stdout) createInterface({ input: child.stdout }).on('line', onLine)
  let how = 'it could not be started'
  let hasSucceeded = false
  try {
    writeStdin(child, execution.prestarted ? `${JSON.stringify(args)}\n` : execution.stdin)
    const exit = await waitForExit(child, stop.signal)
    const crashSignal = getExitSignal(exit)
    how = stop.signal.aborted ? describeAbort(stop.signal) : (crashSignal ?? `exit code ${exit.code}`)
    stop.signal.throwIfAborted()
    if (crashSignal !== undefined) throw createCrashError(bin, crashSignal, stderr.toString(), execution)
    if (exit.code === null || !okCodes.includes(exit.code)) {
      throw new ProcessFailure(bin, exit.code ?? -1, stderr.toString())
    }
    hasSucceeded = true
    return { stdout: stdout.toString(execution.encoding), stderr: stderr.toString() }
  } finally {
    observer?.ended({
      how,
      hasSucceeded,
      ms: Math.round(performance.now() - startedAtMs),
      stderr: stderr.toString(),
    })
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    killGroup(child)
    if ((await getConfinement()).level !== 'namespaces') await killMarked(processMark)
  }
}

/** Returns the limits that the sandbox sets for each process of a step. */
export function toSandboxLimits(
  { memoryMb, diskMb, timeoutS }: EngineLimits,
  { maxMemoryBytes, maxFileBytes }: Pick<ExecOptions, 'maxMemoryBytes' | 'maxFileBytes'> = {},
): SandboxLimits {
  return {
    memoryBytes: maxMemoryBytes ?? memoryMb * MB,
    fileBytes: maxFileBytes ?? diskMb * MB,
    // Lets all threads be busy until the time limit; a program that exceeds this has bypassed the time limit.
    cpuS: timeoutS * Math.max(2, getAvailableThreads()) + 1,
  }
}

function spawnCommand({ file, args, env, cwd }: SandboxedCommand, { stdin }: Execution): ChildProcess {
  const stdinMode = stdin === undefined ? 'ignore' : 'pipe'
  return spawn(file, args, { env, cwd, detached: true, stdio: [stdinMode, 'pipe', 'pipe'] })
}

/** Returns the prestarted process. It must still be running, since a process that has ended sends no more events. */
function claimPrestarted({ child }: PrestartedProcess): ChildProcess {
  if (hasExited(child)) throw new Error('The prestarted process exited before it was given work.')
  child.ref()
  return child
}

function describeAbort({ reason }: AbortSignal): string {
  if (reason instanceof AppError) return `stopped (${reason.code})`
  return `stopped (${reason instanceof Error ? reason.constructor.name : String(reason)})`
}

function createTimeoutError(timeoutS: number): AppError {
  return new AppError(
    'TIMEOUT',
    `The conversion exceeded its time limit of ${Math.round(timeoutS)} seconds. Send a smaller file or request only a part of it.`,
  )
}

function writeStdin(child: ChildProcess, input: string | undefined): void {
  if (input === undefined || !child.stdin) return
  // A program may end without reading all of its input; its exit code says whether it succeeded.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
}

function createCrashError(bin: string, signal: string, stderr: string, execution: Execution): Error {
  const cause = new EngineCrash(bin, signal, stderr)
  if (signal === 'SIGXFSZ') {
    const limitMb = Math.round((execution.maxFileBytes ?? execution.limits.diskMb * MB) / MB)
    const message = `The result would exceed the size limit of ${limitMb} MB.`
    return new AppError('CONVERSION_FAILED', message, { limitMb }, { cause })
  }
  if (signal === 'SIGXCPU') {
    return new AppError('TIMEOUT', 'The conversion exceeded its limit of processor time.', undefined, {
      cause,
    })
  }
  return cause
}
