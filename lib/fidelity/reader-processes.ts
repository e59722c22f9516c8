import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exitWithParent } from '../io/exit-with-parent.ts'
import { processUsage } from '../io/process-usage.ts'
import type { ContentRequest } from './content-readers.ts'
import { type ContentSummary, fromMessage } from './content-summary.ts'
import { CountingStopped } from './read-errors.ts'
import type { ReaderReply } from './reader-program.ts'

/** Limits for counting one file; a workbook with a million cells needs a tenth of them. */
interface CountingLimits {
  /** Processor time. */
  readonly cpuMs: number
  /** Also counts time in which the process got no processor. */
  readonly wallMs: number
}

const defaultLimits: CountingLimits = { cpuMs: 10_000, wallMs: 120_000 }
/** Heap of a process, without the bytes of the file. A process that needs more aborts. */
const heapMb = 512
/** A process whose heap has grown beyond this is not kept. */
const maxIdleHeapBytes = 64 * 1024 ** 2
const maxIdleProcesses = 1

/** Most files need less time than this, and are never measured. */
const checkEveryMs = 250

const flags = ['--disable-warning=ExperimentalWarning', '--disable-sigusr1', `--max-old-space-size=${heapMb}`]

/** In an image, the program is bundled. */
const programFile = ['ts', 'mjs']
  .map((extension) => fileURLToPath(new URL(`./reader-program.${extension}`, import.meta.url)))
  .find((path) => existsSync(path))

/** The process was killed, but not for what the file made it do. */
class ReaderKilled extends Error {}

const idleProcesses: ReaderProcess[] = []

/**
 * Counts the content of a file in another process, which can be stopped whatever the file makes a reader do. Each call
 * has a process of its own, so that no file waits for another one.
 * @throws CountingStopped when the file needs more than the limits; the signal's reason when aborted.
 */
export async function readInProcess(
  request: ContentRequest,
  signal: AbortSignal,
  limits = defaultLimits,
): Promise<ContentSummary | undefined> {
  try {
    return await readOnce(request, signal, limits)
  } catch (error) {
    if (!(error instanceof ReaderKilled)) throw error
    return readOnce(request, signal, limits)
  }
}

async function readOnce(
  request: ContentRequest,
  signal: AbortSignal,
  limits: CountingLimits,
): Promise<ContentSummary | undefined> {
  signal.throwIfAborted()
  const idle = idleProcesses.pop()
  const reader = idle?.isUsable ? idle : new ReaderProcess()
  try {
    return await reader.read(request, signal, limits)
  } finally {
    if (reader.isUsable && idleProcesses.length < maxIdleProcesses) idleProcesses.push(reader)
    else reader.kill()
  }
}

/** Reads one file at a time. */
class ReaderProcess {
  /** False once it was stopped, has ended or has grown. */
  isUsable = true
  readonly #child: ChildProcess
  #reading = Promise.withResolvers<ReaderReply>()

  constructor() {
    if (programFile === undefined) throw new Error('the program of reader processes is missing')
    const [command, ...args] = exitWithParent([process.execPath, ...flags, programFile])
    const cacheDir = getCompileCacheDir()
    this.#child = spawn(command, args, {
      // It gets no settings and no keys.
      env: cacheDir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cacheDir) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Summaries contain typed arrays.
      serialization: 'advanced',
    })
    this.#child.on('message', (reply: ReaderReply) => this.#reading.resolve(reply))
    this.#child.on('error', (error) => this.#stop(error))
    this.#child.on('exit', (code, how) => this.#stop(endError(code, how)))
    this.#reading.promise.catch(() => undefined)
  }

  async read(
    request: ContentRequest,
    signal: AbortSignal,
    limits: CountingLimits,
  ): Promise<ContentSummary | undefined> {
    this.#reading = Promise.withResolvers()
    const onAbort = () => this.#stop(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#setRef(true)
    const timer = this.#startChecks(limits)
    try {
      this.#child.send(request, (error) => error && this.#stop(new ReaderKilled(error.message)))
      const reply = await this.#reading.promise
      this.isUsable = reply.heapBytes <= maxIdleHeapBytes
      if (reply.type === 'failed') throw new Error(reply.message)
      if (reply.type === 'stopped') throw new CountingStopped(reply.reason)
      return reply.summary && fromMessage(reply.summary)
    } finally {
      clearInterval(timer)
      signal.removeEventListener('abort', onAbort)
      this.#setRef(false)
    }
  }

  kill(): void {
    this.isUsable = false
    this.#child.kill('SIGKILL')
  }

  #startChecks({ cpuMs, wallMs }: CountingLimits): NodeJS.Timeout {
    const startedAt = performance.now()
    let startCpuS: number | undefined
    const check = async () => {
      if (performance.now() - startedAt > wallMs) this.#stop(new CountingStopped(`longer than ${wallMs} ms`))
      const { cpuS } = await processUsage(this.#child.pid ?? 0)
      startCpuS ??= cpuS
      if ((cpuS - startCpuS) * 1000 > cpuMs)
        this.#stop(new CountingStopped(`more than ${cpuMs} ms of processor time`))
    }
    return setInterval(() => void check(), checkEveryMs)
  }

  #stop(reason: unknown): void {
    this.kill()
    this.#reading.reject(reason)
  }

  /** An idle process must not keep this one alive. */
  #setRef(isBusy: boolean): void {
    const method = isBusy ? 'ref' : 'unref'
    this.#child[method]()
    this.#child.channel?.[method]()
  }
}

/** Node aborts when its heap is full. */
function endError(code: number | null, signal: NodeJS.Signals | null): Error {
  if (signal === 'SIGABRT' || signal === 'SIGTRAP')
    return new CountingStopped(`more than ${heapMb} MB of memory`)
  return new ReaderKilled(`a reader process ended: ${signal ?? `exit code ${code}`}`)
}
