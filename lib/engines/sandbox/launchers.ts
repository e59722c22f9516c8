import type { ConfinementLevel } from './confinement-levels.ts'

/** How a program is started confined. */
export interface Launcher {
  /** What it promises; whether it holds here, the intruder tells. */
  readonly level: ConfinementLevel
  /** What it is called in a log or by an operator. */
  readonly detail: string
  /** Namespaces around it: bwrap's arguments but for its files; none when empty. */
  readonly namespaceArgs: readonly string[]
  /** The program gets a user of its own. */
  readonly needsRoot: boolean
  /** By layers/sandbox/launch.pl: limits and all that follows. */
  readonly usesLaunchScript: boolean
  /** System calls that it does not get. */
  readonly filtersSyscalls: boolean
  /** Only the files that it needs. */
  readonly usesLandlock: boolean
  /**
   * Processes and threads that it may have, as the kernel counts them: those of the sandbox where it has a uid or a user
   * namespace of its own, otherwise all that the user of the service runs, and never more than that user may.
   */
  readonly maxProcesses: number
}

const namespaces = ['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`)
const caps = ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']

/** Root drops to a uid of its own, others get a user namespace. */
const rootLauncher = {
  level: 'namespaces',
  namespaceArgs: ['bwrap', ...namespaces, ...caps],
  needsRoot: true,
  usesLaunchScript: true,
  usesLandlock: false,
  maxProcesses: 256,
} as const
const userLauncher = { ...rootLauncher, namespaceArgs: ['bwrap', '--unshare-all'], needsRoot: false } as const
const commonDetail = 'own processes, only the work folder writable, rlimits'

/** Among the other processes of this user. */
const withoutNamespaces = {
  namespaceArgs: [],
  needsRoot: false,
  usesLaunchScript: true,
  maxProcesses: 4096,
} as const

/** From the best to none at all. */
export const launchers: readonly Launcher[] = [
  {
    ...rootLauncher,
    filtersSyscalls: true,
    detail: `bubblewrap: no network, own uid, ${commonDetail}, system calls filtered`,
  },
  {
    ...userLauncher,
    filtersSyscalls: true,
    detail: `bubblewrap: no network, ${commonDetail}, system calls filtered`,
  },
  { ...rootLauncher, filtersSyscalls: false, detail: `bubblewrap: no network, own uid, ${commonDetail}` },
  { ...userLauncher, filtersSyscalls: false, detail: `bubblewrap: no network, ${commonDetail}` },
  {
    ...withoutNamespaces,
    level: 'filtered',
    filtersSyscalls: true,
    usesLandlock: true,
    detail:
      'filters of system calls and of files: no network, no signals, only the work folder writable, rlimits',
  },
  {
    ...withoutNamespaces,
    level: 'filtered',
    filtersSyscalls: true,
    usesLandlock: false,
    detail: 'a filter of system calls: no network, no signals, rlimits; engines can read each other’s files',
  },
  {
    ...withoutNamespaces,
    level: 'limits',
    filtersSyscalls: false,
    usesLandlock: false,
    detail:
      'rlimits only: this system refuses namespaces and filters, so engines share its network and files',
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
