import type { ConfinementLevel } from '../../component-ids.ts'

/** A method to start a sandboxed program. */
export interface Launcher {
  /** Promised level. The escape test shows whether this system reaches it. */
  readonly level: ConfinementLevel
  /** Description for logs and operators. */
  readonly detail: string
  /** Arguments of bwrap for namespaces, without those for files. Empty if no namespaces are used. */
  readonly namespaceArgs: readonly string[]
  /** Works only for root, since the program gets its own user. */
  readonly needsRoot: boolean
  /** Whether layers/sandbox/launch.pl sets limits and filters. The fields below require it. */
  readonly usesLaunchScript: boolean
  /** Whether a seccomp filter refuses dangerous system calls. */
  readonly filtersSyscalls: boolean
  /** Whether Landlock restricts which files the program can open. */
  readonly usesLandlock: boolean
  /**
   * Maximum number of processes and threads. The kernel counts those of the sandbox if it has its own uid or user
   * namespace, and otherwise all processes of the service's user.
   */
  readonly maxProcesses: number
}

const unshareArgs = ['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`)
const capabilityArgs = ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']

/** As root, the program is switched to its own uid; other users get a user namespace. */
const rootLauncher = {
  level: 'namespaces',
  namespaceArgs: ['bwrap', ...unshareArgs, ...capabilityArgs],
  needsRoot: true,
  usesLaunchScript: true,
  usesLandlock: false,
  maxProcesses: 256,
} as const
const userLauncher = { ...rootLauncher, namespaceArgs: ['bwrap', '--unshare-all'], needsRoot: false } as const
const commonDescription = 'own processes, only the work folder writable, rlimits'

/** The program shares the PID namespace with the other processes of this user. */
const withoutNamespaces = {
  namespaceArgs: [],
  needsRoot: false,
  usesLaunchScript: true,
  maxProcesses: 4096,
} as const

/** All launchers, from the strictest to no confinement. */
export const launchers: readonly Launcher[] = [
  {
    ...rootLauncher,
    filtersSyscalls: true,
    detail: `bubblewrap: no network, own uid, ${commonDescription}, system calls filtered`,
  },
  {
    ...userLauncher,
    filtersSyscalls: true,
    detail: `bubblewrap: no network, ${commonDescription}, system calls filtered`,
  },
  {
    ...rootLauncher,
    filtersSyscalls: false,
    detail: `bubblewrap: no network, own uid, ${commonDescription}`,
  },
  { ...userLauncher, filtersSyscalls: false, detail: `bubblewrap: no network, ${commonDescription}` },
  {
    ...withoutNamespaces,
    level: 'filtered',
    filtersSyscalls: true,
    usesLandlock: true,
    detail: 'system call and file filters: no network, no signals, only the work folder writable, rlimits',
  },
  {
    ...withoutNamespaces,
    level: 'filtered',
    filtersSyscalls: true,
    usesLandlock: false,
    detail: 'a system call filter: no network, no signals, rlimits; engines can read each other’s files',
  },
  {
    ...withoutNamespaces,
    level: 'limits',
    filtersSyscalls: false,
    usesLandlock: false,
    detail:
      'rlimits only: this system does not allow namespaces or filters, so engines share its network and files',
  },
  {
    ...withoutNamespaces,
    level: 'none',
    usesLaunchScript: false,
    filtersSyscalls: false,
    usesLandlock: false,
    detail: 'nothing',
  },
]
