import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { AppError } from '../../errors.ts'
import type { EngineLimits, ExecOptions, Tools } from '../engine.ts'
import { availableThreads } from '../host-limits.ts'
import type { PrestartedProcess, SandboxedCommand, SandboxLimits, SandboxOptions } from './command.ts'
import { EngineCrash } from './engine-crash.ts'
import { confinement, randomUid, sandboxCommand } from './isolation.ts'
import { createMutex, type RunExclusive } from './mutex.ts'
import { HeadAndTail, OutputCap } from './output-buffers.ts'
import { exitSignal, hasExited, killGroup, killMarked, waitForExit } from './process-exit.ts'
import { removeSpecialFiles } from './work-folder.ts'

const MB = 1024 * 1024

/** The program said itself that it failed. Engines turn it into an AppError that a client can read. */
export class ProcessFailure extends Error {
  override readonly name = 'ProcessFailure'
  readonly bin: string
  readonly exitCode: number
  readonly stderr: string

  constructor(bin: string, exitCode: number, stderr: string) {
    super(`${bin} ended with exit code ${exitCode}: ${stderr.slice(-2000)}`)
    this.bin = bin
    this.exitCode = exitCode
    this.stderr = stderr
  }
}

/** How a program ended that a step ran. */
interface CommandEnd {
  /** As `exit code 1`, `SIGKILL` or the reason for which it was ended. */
  readonly how: string
  readonly succeeded: boolean
  readonly ms: number
  /** Both ends of it when it is long. */
  readonly stderr: string
}

/** Looks on while one program runs. */
interface CommandObserver {
  stderr(chunk: Buffer): void
  ended(end: CommandEnd): void
}

/** Called for each program that starts. Its arguments may hold what a user typed, passwords among it. */
export type OnCommand = (bin: string, args: readonly string[]) => CommandObserver

export interface ToolsOptions {
  readonly workDir: string
  readonly signal: AbortSignal
  readonly limits: EngineLimits
  readonly onProgress?: (ratio: number, stage?: string) => void
  readonly onWarning?: (code: string, message: string) => void
  readonly onCommand?: OnCommand | undefined
}

/** What an engine gets for one step: programs run confined to `workDir`, all within the step's time. */
export function createTools(options: ToolsOptions): Tools {
  const { workDir, signal, limits, onProgress, onWarning, onCommand } = options
  const deadline = Date.now() + limits.timeoutS * 1000
  const uid = randomUid()
  let runningCount = 0
  // The folder is walked only while nothing that could swap a folder for a link runs in it: one walk at a time,
  // all of it for the first program, nothing below the surface beside another.
  const serialize = createMutex()
  const exec: Tools['exec'] = async (bin, args, execOptions = {}) => {
    const leftS = Math.max(0, (deadline - Date.now()) / 1000)
    const timeoutS = Math.min(execOptions.timeoutS ?? leftS, leftS)
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
        serialize,
        onCommand,
      })
    } finally {
      runningCount--
      await serialize(async () => {
        if (runningCount === 0 && !signal.aborted) await removeSpecialFiles(workDir)
      })
    }
  }
  return {
    workDir,
    signal,
    exec,
    progress: (ratio, stage) => onProgress?.(ratio, stage),
    warn: (code, message) => onWarning?.(code, message),
  }
}

interface Execution extends ExecOptions {
  readonly timeoutS: number
  readonly workDir: string
  readonly signal: AbortSignal
  readonly uid: number
  readonly limits: EngineLimits
  readonly chownScope: 'tree' | 'children'
  readonly serialize: RunExclusive
  readonly onCommand: OnCommand | undefined
}

async function execute(
  bin: string,
  args: readonly string[],
  execution: Execution,
): Promise<{ stdout: string; stderr: string }> {
  const { signal, workDir, timeoutS, okCodes = [0] } = execution
  signal.throwIfAborted()
  // Marks every process of this run, wherever it hides: a namespace is not to be had everywhere.
  const mark = randomUUID()
  const sandbox: SandboxOptions = {
    workDir,
    uid: execution.uid,
    chownScope: execution.chownScope,
    readOnly: execution.readOnly ?? [],
    env: { ...execution.env, MUTABOR_RUN: mark },
    limits: sandboxLimits({ ...execution.limits, timeoutS }, execution),
  }
  const command =
    execution.prestarted ?? (await execution.serialize(() => sandboxCommand(bin, args, sandbox)))
  const child = 'child' in command ? claimPrestarted(command) : spawnCommand(command, execution)
  const startedMs = performance.now()
  const observer = execution.onCommand?.(bin, args)
  const stdout = new OutputCap(10 * MB)
  const stderr = new HeadAndTail(64 * 1024)
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(timeoutError(timeoutS)), timeoutS * 1000)
  const onAbort = () => stop.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  stop.signal.addEventListener('abort', () => killGroup(child), { once: true })
  // It may have happened while the sandbox was made ready, and is not told twice.
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
  let succeeded = false
  try {
    writeStdin(child, execution.prestarted ? `${JSON.stringify(args)}\n` : execution.stdin)
    const exit = await waitForExit(child, stop.signal)
    const crashSignal = exitSignal(exit)
    how = stop.signal.aborted ? describeAbort(stop.signal) : (crashSignal ?? `exit code ${exit.code}`)
    stop.signal.throwIfAborted()
    if (crashSignal !== undefined) throw crashError(bin, crashSignal, stderr.toString(), execution)
    if (exit.code === null || !okCodes.includes(exit.code)) {
      throw new ProcessFailure(bin, exit.code ?? -1, stderr.toString())
    }
    succeeded = true
    return { stdout: stdout.toString(), stderr: stderr.toString() }
  } finally {
    observer?.ended({
      how,
      succeeded,
      ms: Math.round(performance.now() - startedMs),
      stderr: stderr.toString(),
    })
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    killGroup(child)
    if ((await confinement()).level !== 'namespaces') await killMarked(mark)
  }
}

/** What the sandbox holds each process of a step to. */
export function sandboxLimits(
  { memoryMb, diskMb, timeoutS }: EngineLimits,
  { maxMemoryBytes, maxFileBytes }: Pick<ExecOptions, 'maxMemoryBytes' | 'maxFileBytes'> = {},
): SandboxLimits {
  return {
    memoryBytes: maxMemoryBytes ?? memoryMb * MB,
    fileBytes: maxFileBytes ?? diskMb * MB,
    // All its threads busy from start to end are within the time limit; more means that the clock was cheated.
    cpuS: timeoutS * Math.max(2, availableThreads()) + 1,
  }
}

function spawnCommand({ file, args, env, cwd }: SandboxedCommand, { stdin }: Execution): ChildProcess {
  const input = stdin === undefined ? 'ignore' : 'pipe'
  return spawn(file, args, { env, cwd, detached: true, stdio: [input, 'pipe', 'pipe'] })
}

/** What has ended already would tell nobody of its end. */
function claimPrestarted({ child }: PrestartedProcess): ChildProcess {
  if (hasExited(child)) throw new Error('The program ended while it waited for work.')
  child.ref()
  return child
}

function describeAbort({ reason }: AbortSignal): string {
  if (reason instanceof AppError) return `ended by us (${reason.code})`
  return `ended by us (${reason instanceof Error ? reason.constructor.name : String(reason)})`
}

function timeoutError(timeoutS: number): AppError {
  return new AppError(
    'TIMEOUT',
    `The conversion took longer than its limit of ${Math.round(timeoutS)} seconds. Send a smaller file, or ask for less of it.`,
  )
}

function writeStdin(child: ChildProcess, input: string | undefined): void {
  if (input === undefined || !child.stdin) return
  // A program may end without reading all of it; its exit code says whether that was right.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
}

function crashError(bin: string, signal: string, stderr: string, execution: Execution): Error {
  const cause = new EngineCrash(bin, signal, stderr)
  if (signal === 'SIGXFSZ') {
    const limitMb = Math.round((execution.maxFileBytes ?? execution.limits.diskMb * MB) / MB)
    const sentence = `The result would be larger than the limit of ${limitMb} MB.`
    return new AppError('CONVERSION_FAILED', sentence, { limitMb }, { cause })
  }
  if (signal === 'SIGXCPU') {
    return new AppError('TIMEOUT', 'The conversion used more processor time than its limit.', undefined, {
      cause,
    })
  }
  return cause
}
