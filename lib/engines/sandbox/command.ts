import type { ChildProcess } from 'node:child_process'

export interface SandboxLimits {
  /** Address space of each process in bytes; left out for programs that reserve more than they use. */
  readonly memoryBytes?: number
  /** What each process may write to of its own memory, for those programs. */
  readonly dataBytes?: number
  /** CPU seconds of each process. */
  readonly cpuS?: number
  /** Size of any one file that it writes. */
  readonly fileBytes?: number
  /** Processes and threads together. */
  readonly processes?: number
}

export interface SandboxOptions {
  /** The only folder it can write to; it is also its current folder, HOME and TMPDIR. */
  readonly workDir: string
  readonly limits?: SandboxLimits
  readonly env?: Readonly<Record<string, string>>
  /** More files or folders that it may read, besides the system's programs, libraries and fonts. */
  readonly readOnly?: readonly string[]
  /** Uid to run as where the service is root; left out, each sandbox has a fresh one. */
  readonly uid?: number
  /**
   * How much of the work folder the sandbox's user gets: all of it, or, while another process of that user is
   * alive, only what lies directly in it. Below that a living process could lead us astray by links.
   */
  readonly chownScope?: 'tree' | 'children'
  /** It speaks to itself by sockets that have names, or addresses among files. */
  readonly unixSockets?: boolean
  /** The first descriptor that is none of its; 3 when left out. */
  readonly closeFdsFrom?: number
}

/** Everything that `spawn` needs. */
export interface SandboxedCommand {
  readonly file: string
  readonly args: string[]
  readonly env: Record<string, string>
  readonly cwd: string
  /**
   * Hands a file or folder that was made after this call, directly inside the work folder, to the sandbox's
   * user. Needed for a process that lives on and must write there; it reads what anybody may read anyway.
   */
  grant(path: string): Promise<void>
}

/** A program that waits for its arguments, in a sandbox and a folder of its own, and ends after one job. */
export interface PrestartedProcess {
  readonly child: ChildProcess
  readonly folder: string
  /** Copies a file into its folder. @returns where it is there. */
  copyIn(path: string): Promise<string>
  /** Ends it, and removes its folder with all that is in it. */
  stop(): Promise<void>
}
