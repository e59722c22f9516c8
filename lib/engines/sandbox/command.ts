import type { ChildProcess } from 'node:child_process'

export interface SandboxLimits {
  /** Address space of each process in bytes. Omit it for programs that reserve more memory than they use. */
  readonly memoryBytes?: number
  /** Writable private memory of each process in bytes, for programs without a limit of the address space. */
  readonly dataBytes?: number
  /** CPU time of each process in seconds. */
  readonly cpuS?: number
  /** Maximum size of each file that is written. */
  readonly fileBytes?: number
  /** Total number of processes and threads. */
  readonly processes?: number
}

export interface SandboxOptions {
  /** The only writable folder. It is also the current folder, HOME and TMPDIR. */
  readonly workDir: string
  readonly limits?: SandboxLimits
  readonly env?: Readonly<Record<string, string>>
  /** Files or folders that are readable in addition to system programs, libraries and fonts. */
  readonly readOnly?: readonly string[]
  /** Uid of the program; only used if the service runs as root. Defaults to a random one for each sandbox. */
  readonly uid?: number
  /**
   * Which files of the work folder the sandbox's user owns: the whole tree, or only direct children. Use `children`
   * while another process of that user is running, because it could redirect a walk of the tree with symbolic links.
   */
  readonly chownScope?: 'tree' | 'children'
  /** Allows Unix domain sockets, which some programs use between their own processes. */
  readonly unixSockets?: boolean
  /** File descriptors from this number on are closed. Defaults to 3. */
  readonly closeFdsFrom?: number
}

/** Arguments and options for `spawn`. */
export interface SandboxedCommand {
  readonly file: string
  readonly args: string[]
  readonly env: Record<string, string>
  readonly cwd: string
  /**
   * Makes the sandbox's user the owner of a file or folder that was created in the work folder after this call. Only
   * needed for long-running processes that must write there; files that are world-readable need no grant.
   */
  grant(path: string): Promise<void>
}

/** A process that was started in its own sandbox and folder, waits for its arguments, and ends after one job. */
export interface PrestartedProcess {
  readonly child: ChildProcess
  readonly folder: string
  /** Copies a file into the folder of the process. @returns the path of the copy. */
  copyIn(path: string): Promise<string>
  /** Kills the process and removes its folder with all files. */
  stop(): Promise<void>
}
