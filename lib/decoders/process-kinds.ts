import { tmpdir } from 'node:os'
import type { SandboxLimits } from '../engines/sandbox/command.ts'
import type { Program } from './program-file.ts'

/** How processes of a pool are started, and how long they are used. */
export interface ProcessKind {
  findProgram(): Promise<Program>
  /** Returns the folder in which each process gets a folder of its own. */
  parentFolder(): string
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Limits of the whole process. */
  readonly limits: SandboxLimits
  readonly maxProcesses: number
  readonly maxCalls: number
  /** Memory above which a process is replaced. */
  readonly maxIdleBytes: number
  /** Longer messages are not read: a file may have taken control of the process. */
  readonly maxMessageBytes: number
  /** How long a call may wait for a process. */
  readonly maxWaitMs: number
}

const MiB = 1024 ** 2

/** Time limit in milliseconds, in effect unlimited: the abort signal of a call ends the call earlier. */
export const dayMs = 24 * 3600_000
const commonFlags = ['--disable-warning=ExperimentalWarning', '--disable-sigusr1', '--v8-pool-size=1']

/** Processes that read files in ranges, through the service. They write nothing. */
export const readerKind: Omit<ProcessKind, 'maxProcesses' | 'maxWaitMs'> = {
  findProgram: async () => (await import('./program-file.ts')).findProgram(),
  parentFolder: tmpdir,
  flags: [...commonFlags, '--max-semi-space-size=4', '--max-old-space-size=512'],
  env: { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '1' },
  // The process may reserve more memory than it ever uses, because most of what it reserves never becomes resident.
  limits: { dataBytes: 2048 * MiB, cpuS: 20_000, fileBytes: 0 },
  maxCalls: 2000,
  maxIdleBytes: 256 * MiB,
  maxMessageBytes: 64 * MiB,
}

/** Processes that run the code of engines, each with the files of one step in its folder. */
export const engineKind: Omit<ProcessKind, 'parentFolder'> = {
  findProgram: async () => (await import('./program-file.ts')).findEngineProgram(),
  flags: [...commonFlags, '--max-semi-space-size=8', '--max-old-space-size=2048'],
  // Sets no MALLOC variable: a fixed threshold would make malloc request new pages for each small image.
  env: { UV_THREADPOOL_SIZE: '4' },
  // The limits of the engine also apply to each call.
  limits: { dataBytes: 6144 * MiB, fileBytes: 4096 * MiB },
  // A worker runs fewer tasks than this at a time.
  maxProcesses: 64,
  maxWaitMs: dayMs,
  maxCalls: 1000,
  maxIdleBytes: 300 * MiB,
  // Allows for a page that is sent to the browser in base64.
  maxMessageBytes: 192 * MiB,
}
