import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { tmpdir, totalmem } from 'node:os'
import { confineIfPossible } from '../engines/sandbox/isolation.ts'
import { TruncatedOutput } from '../engines/sandbox/output-buffers.ts'
import { killGroup } from '../engines/sandbox/process-exit.ts'
import { makeProcessFolder, removeProcessFolder } from '../engines/sandbox/process-folder.ts'
import { exitWithParent } from '../io/exit-with-parent.ts'
import { processTreeUsage } from '../io/process-usage.ts'
import { encodeFrame, FrameReader } from './frames.ts'
import { type CallMessage, DecoderMessage, type ServiceMessage } from './messages.ts'
import type { Program } from './program-file.ts'

export const folderPrefix = 'mutabor-decoder-'

/** Limits for one file. */
export const fileLimits = {
  /** Processor time. */
  cpuS: 2,
  /** Resident memory of the process. */
  memoryBytes: Math.min(512 * 1024 ** 2, totalmem() / 2),
  /** Bytes that are read in addition to head and tail. */
  readBytes: 512 * 1024 ** 2,
  /** Bytes of one range, which the service holds in memory. */
  rangeBytes: 64 * 1024 ** 2,
  reads: 5000,
  /** How long the process may neither ask for bytes nor answer; longer than a busy machine needs for `cpuS`. */
  silenceMs: 25_000,
} as const

/** Most files need less time than this, and are never looked at. */
const checkEveryMs = 100
const startTimeoutMs = 60_000
const maxFiles = 500

const flags = [
  ...['--disable-warning=ExperimentalWarning', '--disable-sigusr1', '--v8-pool-size=1'],
  ...[
    '--max-semi-space-size=4',
    `--max-old-space-size=${Math.floor(fileLimits.memoryBytes / 2 / 1024 ** 2)}`,
  ],
]

/** Private memory that may be reserved, of which only a part is ever resident, and all processor time of a process. */
const limits = { dataBytes: 2 * 1024 ** 3, cpuS: maxFiles * fileLimits.cpuS, fileBytes: 0 } as const

/** Why a file was not read: the limit that it exceeded, a process that died by itself, or none that was free. */
export type EndReason = 'processor time' | 'memory' | 'reads' | 'silence' | 'crash' | 'busy'

export class DecoderEnded extends Error {
  override readonly name = 'DecoderEnded'
  readonly reason: EndReason

  constructor(reason: EndReason, description: string) {
    super(`the file was not read (${reason}): ${description}`)
    this.reason = reason
  }
}

/** What a process reads: `call` describes the file, `edges` are its head and tail. */
export interface Work {
  readonly call: CallMessage
  readonly edges: Uint8Array
  read(start: number, end: number): Promise<Uint8Array>
}

interface Running extends PromiseWithResolvers<DecoderMessage> {
  readonly work: Work
  /** Processor time at the first look at the process. */
  startCpuS?: number
  bytesRead: number
  reads: number
  /** Why a range could not be read, whatever the process makes of that. */
  readError?: unknown
  /** When the process last asked for something or got it; undefined while the service reads for it. */
  waitingSince: number | undefined
}

/** A confined process without keys that reads one file at a time. */
export class DecoderProcess {
  /** Resolves when it can read files. @throws DecoderEnded */
  readonly ready: Promise<void>
  /** Resolves when it has exited, or could not be started. */
  readonly exited: Promise<void>
  readonly #whenReady = Promise.withResolvers<void>()
  readonly #whenExited = Promise.withResolvers<void>()
  readonly #stderr = new TruncatedOutput(2 * 1024)
  #child: ChildProcess | undefined
  #running: Running | undefined
  #killReason: EndReason | undefined
  #filesRead = 0
  #hasExited = false

  constructor(findProgram: () => Promise<Program>) {
    this.ready = this.#whenReady.promise
    this.exited = this.#whenExited.promise
    const timer = setTimeout(() => this.kill('silence'), startTimeoutMs)
    timer.unref()
    // The pool handles the rejection.
    this.ready.catch(() => undefined).finally(() => clearTimeout(timer))
    this.#start(findProgram).catch((error: unknown) => this.#onExit(String(error)))
  }

  async #start(findProgram: () => Promise<Program>): Promise<void> {
    const folder = await makeProcessFolder(tmpdir(), folderPrefix)
    void this.exited.then(() => removeProcessFolder(folder)).catch(() => undefined)
    const program = await findProgram()
    const { file, args, env, cwd } = await confineIfPossible(process.execPath, [...flags, program.file], {
      workDir: folder,
      readOnly: [process.execPath, ...program.files],
      limits,
      closeFdsFrom: 4,
      env: { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '1' },
    })
    if (this.#killReason !== undefined) throw new Error('it was stopped before it had started')
    const [bin, ...rest] = exitWithParent([file, ...args])
    const child = spawn(bin, rest, { env, cwd, detached: true, stdio: ['pipe', 'ignore', 'pipe', 'pipe'] })
    this.#child = child
    const frames = new FrameReader()
    child.stdin?.on('error', () => undefined) // its exit says why
    child.stderr?.on('data', (chunk: Buffer) => this.#stderr.add(chunk))
    // The messages have a descriptor of their own, so that a library may print something.
    const [, , messages] = this.#pipes()
    messages?.on('data', (chunk: Buffer) => this.#onOutput(chunk, frames))
    child.once('error', (error) => this.#onExit(error.message))
    child.once('exit', (code, signal) => this.#onExit(signal ?? `exit code ${code}`))
    this.#unref()
  }

  /** False once it has read the maximum number of files, or has exited. */
  get acceptsWork(): boolean {
    return !this.#hasExited && this.#killReason === undefined && this.#filesRead < maxFiles
  }

  get hasReadFiles(): boolean {
    return this.#filesRead > 0
  }

  /** @throws DecoderEnded when it exceeds a limit or crashes; whatever `work.read` throws. */
  async run(work: Work): Promise<DecoderMessage> {
    this.#filesRead++
    const running: Running = {
      ...Promise.withResolvers<DecoderMessage>(),
      work,
      bytesRead: 0,
      reads: 0,
      waitingSince: Date.now(),
    }
    this.#running = running
    this.#ref()
    const timer = setInterval(() => void this.#check(running), checkEveryMs)
    try {
      if (this.#hasExited) throw new DecoderEnded('crash', 'it had exited before')
      this.#send(work.call, work.edges)
      return await running.promise
    } finally {
      clearInterval(timer)
      this.#running = undefined
      this.#unref()
    }
  }

  kill(reason: EndReason): void {
    this.#killReason ??= reason
    if (this.#child) killGroup(this.#child)
  }

  /** Ends it; resolves when it has exited. */
  async stop(): Promise<void> {
    this.kill('crash')
    this.#ref()
    await this.exited
  }

  #onOutput(chunk: Buffer, frames: FrameReader): void {
    try {
      for (const message of frames.add(chunk)) this.#onMessage(DecoderMessage.parse(message))
    } catch (error) {
      this.#stderr.add(Buffer.from(`unexpected output: ${error}`))
      this.kill('crash')
    }
  }

  #onMessage(message: DecoderMessage): void {
    if (message.type === 'ready') {
      this.#whenReady.resolve()
      return
    }
    const running = this.#running
    if (!running) throw new Error(`${message.type} without work`)
    if (message.type === 'read') void this.#serve(message, running)
    else if ('readError' in running) running.reject(running.readError)
    else running.resolve(message)
  }

  /** Reads a range for the process, which has no access to the storage. */
  async #serve({ start, end }: { start: number; end: number }, running: Running): Promise<void> {
    const { work } = running
    const until = Math.min(end, work.call.size)
    const length = Math.max(0, until - start)
    running.bytesRead += length
    running.reads++
    const isOverLimit =
      length > fileLimits.rangeBytes ||
      running.bytesRead > fileLimits.readBytes ||
      running.reads > fileLimits.reads
    // The program waits for each range: one that asks for more before it has taken the last one has been taken over.
    const unsentBytes = this.#child?.stdin?.writableLength ?? 0
    const isImpatient = running.waitingSince === undefined || unsentBytes > fileLimits.rangeBytes
    if (isOverLimit || isImpatient) return this.kill('reads')
    running.waitingSince = undefined
    try {
      const bytes = length > 0 ? await work.read(start, until) : new Uint8Array()
      this.#send({ type: 'range', failed: false }, bytes)
    } catch (error) {
      running.readError = error
      this.#send({ type: 'range', failed: true })
    }
    running.waitingSince = Date.now()
  }

  async #check(running: Running): Promise<void> {
    const { cpuS, memoryBytes } = await processTreeUsage(this.#child?.pid ?? 0)
    if (running !== this.#running) return
    running.startCpuS ??= cpuS
    if (cpuS - running.startCpuS > fileLimits.cpuS) this.kill('processor time')
    else if (memoryBytes > fileLimits.memoryBytes) this.kill('memory')
    else if (Date.now() - (running.waitingSince ?? Date.now()) > fileLimits.silenceMs) this.kill('silence')
  }

  #send(message: ServiceMessage, bytes?: Uint8Array): void {
    for (const part of encodeFrame(message, bytes)) this.#child?.stdin?.write(part)
  }

  #onExit(how: string): void {
    if (this.#hasExited) return
    this.#hasExited = true
    // A launcher that is killed while it starts leaves its child behind.
    if (this.#child) killGroup(this.#child)
    const output = this.#stderr.toString().trim()
    const ownReason = output.includes('heap out of memory') ? 'memory' : 'crash'
    const error = new DecoderEnded(this.#killReason ?? ownReason, [how, output].filter(Boolean).join(': '))
    this.#whenReady.reject(error)
    this.#running?.reject(error)
    this.#whenExited.resolve()
  }

  /** A process without work must not keep this one alive. */
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
