import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { confineIfPossible, randomUid } from '../engines/sandbox/isolation.ts'
import { TruncatedOutput } from '../engines/sandbox/output-buffers.ts'
import { getExitSignal, killGroup } from '../engines/sandbox/process-exit.ts'
import { makeProcessFolder, removeProcessFolder } from '../engines/sandbox/process-folder.ts'
import { exitWithParent } from '../io/exit-with-parent.ts'
import { readProcessTreeUsage } from '../io/process-usage.ts'
import type { EngineServiceMessage } from './engine-messages.ts'
import { encodeFrame, FrameReader } from './frames.ts'
import { ReadyMessage, type ServiceMessage } from './messages.ts'
import type { ProcessKind } from './process-kinds.ts'

export const folderPrefix = 'mutabor-decoder-'

/** Interval between the checks of a process during a call. Most calls end before the first check. */
const checkEveryMs = 100
const startTimeoutMs = 60_000
/** Number of calls after which the memory of a process is checked even if no call took long. */
const callsPerMemoryCheck = 20

/** Why a call has no result: a limit was exceeded, the process crashed, or no process was free. */
export type EndReason = 'processor time' | 'memory' | 'reads' | 'silence' | 'crash' | 'busy'

export class DecoderEndedError extends Error {
  override readonly name = 'DecoderEndedError'
  readonly reason: EndReason
  /** What ended a process that crashed, such as `SIGSEGV` or `exit code 1`. */
  readonly exit: string

  constructor(reason: EndReason, exit: string, output = '') {
    super(`a decoder process ended (${reason}): ${[exit, output].filter(Boolean).join(': ')}`)
    this.reason = reason
    this.exit = exit
  }
}

/** Limits for one call. */
export interface CallLimits {
  /** Processor time in seconds. */
  readonly cpuS: number
  /** Resident memory of the process. */
  readonly memoryBytes: number
  /** How long the process may send neither a request nor a result. */
  readonly silenceMs: number
}

/** The process as the call sees it. */
export interface CalledProcess {
  /** The only folder that the process can see, besides programs, libraries and fonts. */
  readonly folder: string
  /** User of the process; set only if the service runs as root. */
  readonly uid: number
  /** Number of bytes of messages that the process has not read yet. */
  readonly unsentBytes: number
  send(message: ServiceMessage | EngineServiceMessage, ...bytes: readonly Uint8Array[]): void
  kill(reason: EndReason): void
  /** Makes the user of the process the owner of a file that was put into the folder. */
  grant(path: string): Promise<void>
}

/** Work for a process. */
export interface Call<Result> {
  readonly limits: CallLimits
  /**
   * Time of the last request or reply; undefined while the process may be silent, because the service has not replied
   * yet or the call allows silence.
   */
  readonly waitingSince: number | undefined
  run(process: CalledProcess): Promise<Result>
  /**
   * Called with each message, before any check.
   * @throws Error for a message that the process may not send.
   */
  onMessage(message: unknown): void
  /** Called when the process exits during the call. */
  onExit?(error: DecoderEndedError): void
}

interface RunningCall {
  readonly call: Omit<Call<unknown>, 'run'>
  readonly fail: (error: unknown) => void
  /** Processor time in seconds that the process had used when it was first checked during the call. */
  startCpuS?: number
}

/** A sandboxed process without credentials that handles one call at a time. */
export class DecoderProcess {
  /**
   * Resolves when the process can be called.
   * @throws DecoderEndedError
   */
  readonly ready: Promise<void>
  /** Resolves when the process has exited, or could not be started. */
  readonly exited: Promise<void>
  readonly #kind: ProcessKind
  readonly #whenReady = Promise.withResolvers<void>()
  readonly #whenExited = Promise.withResolvers<void>()
  readonly #stderr = new TruncatedOutput(2 * 1024)
  #child: ChildProcess | undefined
  #folder = ''
  #folderRemoval: Promise<void> | undefined
  readonly #uid = randomUid()
  #grant = async (_path: string): Promise<void> => undefined
  #runningCall: RunningCall | undefined
  #killReason: EndReason | undefined
  #callCount = 0
  #memoryBytes = 0
  #hasExited = false

  constructor(kind: ProcessKind) {
    this.#kind = kind
    this.ready = this.#whenReady.promise
    this.exited = this.#whenExited.promise
    const timer = setTimeout(() => this.kill('silence'), startTimeoutMs)
    timer.unref()
    // The pool handles the rejection.
    this.ready.catch(() => undefined).finally(() => clearTimeout(timer))
    this.#start().catch((error: unknown) => this.#onExit(String(error)))
  }

  async #start(): Promise<void> {
    const { flags, limits, env, findProgram, parentFolder } = this.#kind
    const folder = await makeProcessFolder(parentFolder(), folderPrefix)
    this.#folder = folder
    this.#folderRemoval = this.exited.then(() => removeProcessFolder(folder)).catch(() => undefined)
    const program = await findProgram()
    const command = await confineIfPossible(process.execPath, [...flags, program.file], {
      workDir: folder,
      readOnly: [process.execPath, ...program.files],
      limits,
      closeFdsFrom: 4,
      env,
      uid: this.#uid,
    })
    this.#grant = command.grant
    if (this.#killReason !== undefined) throw new Error('it was stopped before it had started')
    const [bin, ...rest] = exitWithParent([command.file, ...command.args])
    const child = spawn(bin, rest, {
      env: command.env,
      cwd: command.cwd,
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    const frames = new FrameReader(this.#kind.maxMessageBytes)
    child.stdin?.on('error', () => undefined) // the `exit` event reports the reason
    child.stderr?.on('data', (chunk: Buffer) => this.#stderr.add(chunk))
    // Messages have their own descriptor, because a library may print to standard output.
    const [, , messages] = this.#pipes()
    messages?.on('data', (chunk: Buffer) => this.#onOutput(chunk, frames))
    child.once('error', (error) => this.#onExit(error.message))
    child.once('exit', (code, signal) => this.#onExit(getExitSignal({ code, signal }) ?? `exit code ${code}`))
    this.#unref()
  }

  /** False once the process has reached its maximum number of calls, uses too much memory, or has exited. */
  get acceptsWork(): boolean {
    const { maxCalls, maxIdleBytes } = this.#kind
    return (
      !this.#hasExited &&
      this.#killReason === undefined &&
      this.#callCount < maxCalls &&
      this.#memoryBytes <= maxIdleBytes
    )
  }

  get hasBeenCalled(): boolean {
    return this.#callCount > 0
  }

  /**
   * Runs a call.
   * @throws DecoderEndedError if the process exceeds a limit or crashes; the signal's reason; whatever `call` throws.
   */
  async run<Result>(call: Call<Result>, signal?: AbortSignal): Promise<Result> {
    this.#callCount++
    const failurePromise = Promise.withResolvers<never>()
    const runningCall: RunningCall = { call, fail: failurePromise.reject }
    this.#runningCall = runningCall
    this.#ref()
    const timer = setInterval(() => this.#check(runningCall), checkEveryMs)
    const onAbort = () => {
      failurePromise.reject(signal?.reason)
      this.kill('crash')
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      signal?.throwIfAborted()
      if (this.#hasExited) throw new DecoderEndedError('crash', 'it had exited before')
      return await Promise.race([call.run(this.#toCalledProcess()), failurePromise.promise])
    } finally {
      clearInterval(timer)
      if (this.#callCount % callsPerMemoryCheck === 0) this.#check(runningCall)
      signal?.removeEventListener('abort', onAbort)
      this.#runningCall = undefined
      this.#unref()
    }
  }

  #toCalledProcess(): CalledProcess {
    const { stdin } = this.#child ?? {}
    return {
      folder: this.#folder,
      uid: this.#uid,
      grant: this.#grant,
      get unsentBytes() {
        return stdin?.writableLength ?? 0
      },
      send: (message, ...bytes) => {
        const frameParts = encodeFrame(message, ...bytes)
        // Combines the parts into one write, because each write wakes the other process.
        stdin?.cork()
        for (const framePart of frameParts) stdin?.write(framePart)
        stdin?.uncork()
      },
      kill: (reason) => this.kill(reason),
    }
  }

  kill(reason: EndReason): void {
    this.#killReason ??= reason
    if (this.#child) killGroup(this.#child)
  }

  /** Ends the process; resolves when it has exited and its folder is removed. */
  async stop(): Promise<void> {
    this.kill('crash')
    this.#ref()
    await this.exited
    await this.#folderRemoval
  }

  #onOutput(chunk: Buffer, frames: FrameReader): void {
    try {
      for (const message of frames.add(chunk)) this.#onMessage(message)
    } catch (error) {
      this.#stderr.add(Buffer.from(`unexpected output: ${error}`))
      this.kill('crash')
    }
  }

  #onMessage(message: unknown): void {
    if (this.#runningCall) this.#runningCall.call.onMessage(message)
    else if (ReadyMessage.safeParse(message).success) this.#whenReady.resolve()
    else throw new Error('a message without a call')
  }

  #check(runningCall: RunningCall): void {
    const { cpuS, memoryBytes } = readProcessTreeUsage(this.#child?.pid ?? 0)
    runningCall.startCpuS ??= cpuS
    this.#memoryBytes = memoryBytes
    const { limits, waitingSince = Date.now() } = runningCall.call
    if (cpuS - runningCall.startCpuS > limits.cpuS) this.kill('processor time')
    else if (memoryBytes > limits.memoryBytes) this.kill('memory')
    else if (Date.now() - waitingSince > limits.silenceMs) this.kill('silence')
  }

  #onExit(exit: string): void {
    if (this.#hasExited) return
    this.#hasExited = true
    // A launcher that is killed while it starts leaves its child process behind.
    if (this.#child) killGroup(this.#child)
    const output = this.#stderr.toString().trim()
    const likelyReason = output.includes('heap out of memory') ? 'memory' : 'crash'
    const error = new DecoderEndedError(this.#killReason ?? likelyReason, exit, output)
    this.#whenReady.reject(error)
    this.#runningCall?.fail(error)
    this.#runningCall?.call.onExit?.(error)
    this.#whenExited.resolve()
  }

  /** Lets the service exit while a decoder process has no work. */
  #unref(): void {
    this.#child?.unref()
    for (const pipe of this.#pipes()) pipe.unref()
  }

  #ref(): void {
    this.#child?.ref()
    for (const pipe of this.#pipes()) pipe.ref()
  }

  #pipes(): Socket[] {
    const pipes: readonly unknown[] = this.#child?.stdio ?? []
    return pipes.filter((pipe) => pipe instanceof Socket)
  }
}
