/**
 * Builds the seccomp filter (classic BPF) for engines. It allows all system calls except those listed here. The numbers
 * are those of x86-64; a process that uses another system call ABI is killed.
 */

/** Calls that inspect other processes, or take file descriptors and memory from them. */
const processInspection = {
  ptrace: 101,
  process_vm_readv: 310,
  process_vm_writev: 311,
  kcmp: 312,
  pidfd_send_signal: 424,
  pidfd_open: 434,
  pidfd_getfd: 438,
  process_madvise: 440,
  process_mrelease: 448,
} as const

/** Kernel interfaces that no converter needs and that have been used for sandbox escapes. */
const kernelInterfaces = {
  modify_ldt: 154,
  iopl: 172,
  ioperm: 173,
  syslog: 103,
  acct: 163,
  add_key: 248,
  request_key: 249,
  keyctl: 250,
  perf_event_open: 298,
  fanotify_init: 300,
  bpf: 321,
  userfaultfd: 323,
  init_module: 175,
  delete_module: 176,
  finit_module: 313,
  kexec_load: 246,
  kexec_file_load: 320,
  settimeofday: 164,
  adjtimex: 159,
  clock_settime: 227,
  clock_adjtime: 305,
  quotactl: 179,
  quotactl_fd: 443,
  swapon: 167,
  swapoff: 168,
  reboot: 169,
} as const

/** Calls that change which files a process sees. */
const mountCalls = {
  pivot_root: 155,
  chroot: 161,
  mount: 165,
  umount2: 166,
  unshare: 272,
  name_to_handle_at: 303,
  open_by_handle_at: 304,
  setns: 308,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
} as const

/** Shared memory, semaphores and message queues, which outlive their creator and could connect two engines. */
const sharedIpc = {
  shmget: 29,
  shmat: 30,
  shmctl: 31,
  shmdt: 67,
  semget: 64,
  semop: 65,
  semctl: 66,
  semtimedop: 220,
  msgget: 68,
  msgsnd: 69,
  msgrcv: 70,
  msgctl: 71,
  mq_open: 240,
  mq_unlink: 241,
} as const

/** Calls that leave the process group that is killed after a step, or that signal processes outside of it. */
const processGroupEscapes = {
  setpgid: 109,
  setsid: 112,
  rt_sigqueueinfo: 129,
  tkill: 200,
  rt_tgsigqueueinfo: 297,
} as const

/** Newer calls that could bypass the filter. They fail with ENOSYS, so that programs fall back to older calls. */
const filterBypasses = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  clone3: 435,
} as const

const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const

/** BPF instructions and seccomp actions, from linux/filter.h and linux/seccomp.h. */
const loadWordOpcode = 0x20
const jumpIfEqualOpcode = 0x15
const jumpIfAtLeastOpcode = 0x35
const jumpIfAnyBitOpcode = 0x45
const returnOpcode = 0x06
const killProcessAction = 0x80000000
const allowAction = 0x7fff0000
const failWith = (number: number) => 0x00050000 | number

const syscallNumberOffset = 0
const architectureOffset = 4
/** Returns the offset of the lower half of an argument. All arguments that the filter checks have 32 bits. */
const argumentOffset = (index: number) => 16 + 8 * index
const x8664Architecture = 0xc000003e
/** System call numbers from here on belong to the x32 ABI, which the lists above do not cover. */
const x32SyscallBit = 0x40000000

/** All CLONE_NEW* flags of `clone`. */
const cloneNamespaceFlags = 0x7e020000
const unixSocketFamily = 1
const [fSetOwn, fSetSignal, fSetOwnEx] = [8, 10, 15]
const [tiocsti, tioclinux, fiosetown, siocspgrp] = [0x5412, 0x541c, 0x8901, 0x8902]
/** Placeholder that the launch script replaces with the process's own pid. */
const ownPidPlaceholder = 0x4f574e50

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number]

/**
 * Applies an action to a system call. If there is a test, the action applies only to calls whose argument passes it.
 */
function rule(syscallNumber: number, action: number, test: readonly Instruction[] = []): Instruction[] {
  return [
    [jumpIfEqualOpcode, 0, test.length + 1 + (test.length > 0 ? 1 : 0), syscallNumber],
    ...test,
    [returnOpcode, 0, 0, action],
    ...(test.length > 0 ? [reloadSyscallNumber] : []),
  ]
}

/** Instruction that loads the system call number again for the next rule. */
const reloadSyscallNumber: Instruction = [loadWordOpcode, 0, 0, syscallNumberOffset]

/** Continues with the next instruction if the argument is one of the values, and otherwise skips it. */
const matchOneOf = (index: number, values: readonly number[]): Instruction[] => [
  [loadWordOpcode, 0, 0, argumentOffset(index)],
  ...values.map(
    (value, at): Instruction => [
      jumpIfEqualOpcode,
      values.length - 1 - at,
      at === values.length - 1 ? 1 : 0,
      value,
    ],
  ),
]

/** Continues with the next instruction if the argument is none of the values, and otherwise skips it. */
const matchNoneOf = (index: number, values: readonly number[]): Instruction[] => [
  [loadWordOpcode, 0, 0, argumentOffset(index)],
  ...values.map((value, at): Instruction => [jumpIfEqualOpcode, values.length - at, 0, value]),
]

const matchAnyBit = (index: number, bits: number): Instruction[] => [
  [loadWordOpcode, 0, 0, argumentOffset(index)],
  [jumpIfAnyBitOpcode, 0, 1, bits],
]

export interface FilterOptions {
  /** Allows Unix domain sockets, without which LibreOffice and Chromium do not start. */
  readonly unixSockets?: boolean | undefined
  /**
   * Whether the process has no PID namespace, so that the filter must keep it from signalling other processes and from
   * leaving the process group.
   */
  readonly sharesPidNamespace: boolean
}

/** Returns the BPF program as a hexadecimal string. */
export function buildSeccompFilter({
  unixSockets = false,
  sharesPidNamespace: sharesNamespace,
}: FilterOptions): string {
  const deniedSyscalls = {
    ...processInspection,
    ...kernelInterfaces,
    ...mountCalls,
    ...sharedIpc,
    ...(sharesNamespace && processGroupEscapes),
  }
  const program: readonly Instruction[] = [
    [loadWordOpcode, 0, 0, architectureOffset],
    [jumpIfEqualOpcode, 1, 0, x8664Architecture],
    [returnOpcode, 0, 0, killProcessAction],
    reloadSyscallNumber,
    [jumpIfAtLeastOpcode, 0, 1, x32SyscallBit],
    [returnOpcode, 0, 0, killProcessAction],
    ...Object.values(deniedSyscalls).flatMap((syscallNumber) => rule(syscallNumber, failWith(errno.EPERM))),
    ...Object.values(filterBypasses).flatMap((syscallNumber) => rule(syscallNumber, failWith(errno.ENOSYS))),
    ...rule(41, failWith(errno.EAFNOSUPPORT), unixSockets ? matchNoneOf(0, [unixSocketFamily]) : []), // socket
    ...rule(53, failWith(errno.EAFNOSUPPORT), matchNoneOf(0, [unixSocketFamily])), // socketpair
    ...rule(56, failWith(errno.EPERM), matchAnyBit(0, cloneNamespaceFlags)), // clone
    ...rule(302, failWith(errno.EPERM), matchNoneOf(0, [0])), // prlimit64 of another process
    ...rule(16, failWith(errno.EPERM), matchOneOf(1, [tiocsti, tioclinux, fiosetown, siocspgrp])), // ioctl
    ...rule(72, failWith(errno.EPERM), matchOneOf(1, [fSetOwn, fSetSignal, fSetOwnEx])), // fcntl
    ...(sharesNamespace
      ? [62, 234].flatMap((syscallNumber) =>
          rule(syscallNumber, failWith(errno.EPERM), matchNoneOf(0, [0, ownPidPlaceholder])),
        )
      : []), // kill, tgkill
    [returnOpcode, 0, 0, allowAction],
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [at, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(whenTrue, at * 8 + 2)
    bytes.writeUInt8(whenFalse, at * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4)
  }
  return bytes.toString('hex')
}
