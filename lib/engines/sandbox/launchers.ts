import type { ConfinementLevel } from './confinement-levels.ts'

/** How a program is started confined. */
export interface Way {
  /** What it promises; whether it holds here, the intruder tells. */
  readonly level: ConfinementLevel
  /** What it is called in a log or by an operator. */
  readonly detail: string
  /** Namespaces around it: bwrap's arguments but for its files; none when empty. */
  readonly walls: readonly string[]
  /** The program gets a user of its own. */
  readonly needsRoot: boolean
  /** By layers/sandbox/launch.pl: limits and all that follows. */
  readonly launcher: boolean
  /** System calls that it does not get. */
  readonly filter: boolean
  /** Only the files that it needs. */
  readonly landlock: boolean
  /**
   * Processes and threads that it may have, as the kernel counts them: those of the sandbox where it has a uid or a user
   * namespace of its own, otherwise all that the user of the service runs, and never more than that user may.
   */
  readonly processes: number
}

const namespaces = ['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`)
const caps = ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']

/** Root drops to a uid of its own, others get a user namespace. */
const ofRoot = {
  level: 'namespaces',
  walls: ['bwrap', ...namespaces, ...caps],
  needsRoot: true,
  launcher: true,
  landlock: false,
  processes: 256,
} as const
const ofUser = { ...ofRoot, walls: ['bwrap', '--unshare-all'], needsRoot: false } as const
const inside = 'own processes, only the work folder writable, rlimits'

/** Among the other processes of this user. */
const bare = { walls: [], needsRoot: false, launcher: true, processes: 4096 } as const

/** From the best to none at all. */
export const ways: readonly Way[] = [
  { ...ofRoot, filter: true, detail: `bubblewrap: no network, own uid, ${inside}, system calls filtered` },
  { ...ofUser, filter: true, detail: `bubblewrap: no network, ${inside}, system calls filtered` },
  { ...ofRoot, filter: false, detail: `bubblewrap: no network, own uid, ${inside}` },
  { ...ofUser, filter: false, detail: `bubblewrap: no network, ${inside}` },
  {
    ...bare,
    level: 'filtered',
    filter: true,
    landlock: true,
    detail:
      'filters of system calls and of files: no network, no signals, only the work folder writable, rlimits',
  },
  {
    ...bare,
    level: 'filtered',
    filter: true,
    landlock: false,
    detail: 'a filter of system calls: no network, no signals, rlimits; engines can read each other’s files',
  },
  {
    ...bare,
    level: 'limits',
    filter: false,
    landlock: false,
    detail:
      'rlimits only: this system refuses namespaces and filters, so engines share its network and files',
  },
  {
    ...bare,
    level: 'none',
    launcher: false,
    filter: false,
    landlock: false,
    detail: 'nothing',
  },
]
