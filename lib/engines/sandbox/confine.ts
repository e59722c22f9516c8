import { execFile } from 'node:child_process'
import { lchown, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startOf } from './linking.ts'
import { viewOfFiles } from './visible-files.ts'
import { ignoreGone } from './work-folder.ts'

const run = promisify(execFile)

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
  readonly handOver?: 'tree' | 'children'
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

type ProtectionLevel = 'bwrap' | 'prlimit' | 'none'

/** How far engines are confined on this system. */
export interface Protection {
  readonly level: ProtectionLevel
  /** One sentence for an operator. */
  readonly detail: string
}

/** How the levels are told apart inside this file: root drops to a uid of its own, others get a user namespace. */
type Mode = 'bwrap-as-root' | 'bwrap-user-namespace' | 'prlimit' | 'none'

const details = {
  'bwrap-as-root': 'bubblewrap: no network, own uid, own processes, only the work folder writable, rlimits',
  'bwrap-user-namespace': 'bubblewrap: no network, own processes, only the work folder writable, rlimits',
  prlimit:
    'rlimits only: this system refuses namespaces, so engines share its network and files; run it in a container without egress',
  none: 'none: install bubblewrap and util-linux so that engines run confined',
} as const satisfies Record<Mode, string>

/** Debian's own programs first: what an operator put into /usr/local is found, but shadows nothing. */
const path = '/usr/bin:/bin:/usr/local/bin'

/**
 * Debian's plain BLAS and LAPACK before all others: FFmpeg links them for a filter that nobody asks for, and where a
 * machine has OpenBLAS that would take a quarter of each start of FFmpeg.
 */
const libraries = ['blas', 'lapack'].map((name) => `/usr/lib/x86_64-linux-gnu/${name}`).join(':')

/**
 * Processes and threads that a program may have, as the kernel counts them: those of the sandbox where it has a
 * uid or a user namespace of its own, otherwise all that the user of the service runs.
 */
const processLimits = {
  'bwrap-as-root': 256,
  'bwrap-user-namespace': 256,
  prlimit: 4096,
  none: 4096,
} as const satisfies Record<Mode, number>

const maxDepth = 64

/** Which confinement this system allows, found once by trying. */
export async function protection(): Promise<Protection> {
  const mode = await protectionMode()
  const level = mode === 'bwrap-as-root' || mode === 'bwrap-user-namespace' ? 'bwrap' : mode
  return { level, detail: details[mode] }
}

let found: Promise<Mode> | undefined

function protectionMode(): Promise<Mode> {
  found ??= findMode()
  return found
}

async function findMode(): Promise<Mode> {
  const modes: readonly Mode[] =
    process.getuid?.() === 0
      ? ['bwrap-as-root', 'bwrap-user-namespace', 'prlimit']
      : ['bwrap-user-namespace', 'prlimit']
  const workDir = await mkdtemp(join(tmpdir(), 'mutabor-check-'))
  try {
    for (const mode of modes) {
      if (await works(mode, workDir)) return mode
    }
    return 'none'
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

async function works(mode: Mode, workDir: string): Promise<boolean> {
  const uid = freshUid()
  if (mode === 'bwrap-as-root') {
    const owned = await lchown(workDir, uid, uid).then(
      () => true,
      () => false,
    )
    if (!owned) return false
  }
  const command = await commandFor(mode, 'sh', ['-c', 'touch probe && rm probe'], { workDir, uid })
  try {
    await run(command.file, command.args, { env: command.env, cwd: workDir, timeout: 10_000 })
    return true
  } catch {
    return false
  }
}

/**
 * The command that runs `bin` confined, for callers that keep the process (`exec.ts` is for one-off ones).
 * Spawn it with `detached: true` and end it by SIGKILL to the process group: that ends all it started.
 */
export async function sandboxed(
  bin: string,
  args: readonly string[],
  options: SandboxOptions,
): Promise<SandboxedCommand> {
  const mode = await protectionMode()
  const uid = options.uid ?? freshUid()
  if (mode === 'bwrap-as-root')
    await own(options.workDir, uid, options.handOver === 'children' ? 1 : maxDepth)
  return commandFor(mode, bin, args, { ...options, uid })
}

async function commandFor(
  mode: Mode,
  bin: string,
  args: readonly string[],
  options: SandboxOptions & { uid: number },
): Promise<SandboxedCommand> {
  const { workDir, uid } = options
  const env = {
    PATH: path,
    LANG: 'C.UTF-8',
    LD_LIBRARY_PATH: libraries,
    ...options.env,
    HOME: workDir,
    TMPDIR: workDir,
  }
  const limits = { processes: processLimits[mode], ...options.limits }
  const started = [...(await startOf(bin)), ...args]
  const limited = mode === 'none' ? started : ['prlimit', ...limitArgs(limits), '--', ...started]
  const [file = bin, ...rest] = await confined(mode, limited, options)
  return {
    file,
    args: rest,
    env,
    cwd: workDir,
    grant: async (path) => {
      if (mode === 'bwrap-as-root') await lchown(path, uid, uid)
    },
  }
}

async function confined(
  mode: Mode,
  command: readonly string[],
  options: SandboxOptions & { uid: number },
): Promise<readonly string[]> {
  switch (mode) {
    case 'bwrap-as-root': {
      // A uid that nothing else on the system has: RLIMIT_NPROC counts by uid and is never held against root.
      const id = String(options.uid)
      const drop = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--inh-caps=-all', '--']
      const namespaces = ['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`)
      const caps = ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']
      return [
        'bwrap',
        ...namespaces,
        ...caps,
        ...(await viewOfFiles(options.workDir, options.readOnly ?? [])),
        '--',
        ...drop,
        ...command,
      ]
    }
    case 'bwrap-user-namespace':
      return [
        'bwrap',
        '--unshare-all',
        ...(await viewOfFiles(options.workDir, options.readOnly ?? [])),
        '--',
        ...command,
      ]
    case 'prlimit':
    case 'none':
      return command
  }
}

function limitArgs({ memoryBytes, dataBytes, cpuS, fileBytes, processes }: SandboxLimits): string[] {
  const args = ['--core=0']
  if (processes !== undefined) args.push(`--nproc=${processes}`)
  if (memoryBytes !== undefined) args.push(`--as=${Math.ceil(memoryBytes)}`)
  if (dataBytes !== undefined) args.push(`--data=${Math.ceil(dataBytes)}`)
  if (cpuS !== undefined) args.push(`--cpu=${Math.ceil(cpuS)}`)
  if (fileBytes !== undefined) args.push(`--fsize=${Math.ceil(fileBytes)}`)
  return args
}

/** From a range that neither Debian's accounts nor its subordinate ids use. */
export function freshUid(): number {
  return 2_000_000_000 + Math.floor(Math.random() * 100_000_000)
}

/** Links themselves change hands, never what they point to. */
async function own(path: string, uid: number, depth: number): Promise<void> {
  const stats = await lstat(path).catch(ignoreGone)
  if (!stats) return
  if (stats.uid !== uid) await lchown(path, uid, uid).catch(ignoreGone)
  if (!stats.isDirectory() || depth === 0) return
  for (const name of await readdir(path)) await own(join(path, name), uid, depth - 1)
}
