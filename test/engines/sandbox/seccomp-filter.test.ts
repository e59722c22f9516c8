// Interprets the seccomp program as the kernel would, to check the action for each system call.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildSeccompFilter, type FilterOptions } from '../../../lib/engines/sandbox/seccomp-filter.ts'

interface Call {
  readonly call: number
  readonly args?: readonly number[]
  readonly architecture?: number
}
const x8664 = 0xc000003e
const allowed = 'allowed'
const killedResult = 'killed'

/**
 * Returns the action for a call, running the program as the kernel does:
 * https://docs.kernel.org/userspace-api/seccomp_filter.html
 */
function findAction(options: FilterOptions, { call, args = [], architecture = x8664 }: Call): string {
  const program = Buffer.from(buildSeccompFilter(options), 'hex')
  const data = Buffer.alloc(64)
  data.writeInt32LE(call, 0)
  data.writeUInt32LE(architecture, 4)
  for (const [at, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + at * 8)
  let word = 0
  for (let at = 0; ; at++) {
    const code = program.readUInt16LE(at * 8)
    const [whenTrue, whenFalse] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)]
    const value = program.readUInt32LE(at * 8 + 4)
    const jumpIf = (condition: boolean) => (at += condition ? whenTrue : whenFalse)
    if (code === 0x20) word = data.readUInt32LE(value)
    else if (code === 0x15) jumpIf(word === value)
    else if (code === 0x35) jumpIf(word >= value)
    else if (code === 0x45) jumpIf((word & value) !== 0)
    else if (code === 0x06) {
      if (value === 0x7fff0000) return allowed
      return value === 0x80000000 ? killedResult : `error ${value - 0x50000}`
    } else assert.fail(`no such instruction: ${code}`)
  }
}

const [EPERM, ENOSYS, EAFNOSUPPORT] = ['error 1', 'error 38', 'error 97']

describe('seccomp filter', () => {
  const isolatedOptions: FilterOptions = { sharesPidNamespace: false }
  const sharedOptions: FilterOptions = { sharesPidNamespace: true }
  const findActions = (options: FilterOptions, ...calls: Call[]) =>
    calls.map((call) => findAction(options, call))

  test('the seccomp filter kills processes of other architectures and of the x32 ABI', () => {
    const [i386, arm] = [0x40000003, 0xc00000b7]
    for (const architecture of [i386, arm])
      assert.equal(findAction(isolatedOptions, { call: 1, architecture }), killedResult)
    assert.deepEqual(findActions(isolatedOptions, { call: 0x40000001 }, { call: 0x3fffffff }, { call: 1 }), [
      ...[killedResult, allowed, allowed],
    ])
  })

  test('the seccomp filter refuses process inspection, kernel interfaces, mounts and shared IPC', () => {
    const refusedCalls = [
      ...[101, 310, 311, 312, 424, 434, 438, 440, 448],
      ...[154, 172, 173, 103, 163, 248, 249, 250, 298, 300, 321, 323, 175, 176, 313, 246, 320],
      ...[164, 159, 227, 305, 179, 443, 167, 168, 169],
      ...[155, 161, 165, 166, 272, 303, 304, 308, 428, 429, 430, 431, 432, 433, 442],
      ...[29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71, 240, 241],
    ]
    for (const call of refusedCalls) assert.equal(findAction(isolatedOptions, { call }), EPERM, String(call))
    const defaultOptions = {
      read: 0,
      write: 1,
      open: 2,
      mmap: 9,
      fork: 57,
      execve: 59,
      exit: 60,
      futex: 202,
      openat: 257,
    }
    for (const [name, call] of Object.entries(defaultOptions))
      assert.equal(findAction(isolatedOptions, { call }), allowed, name)
  })

  test('the seccomp filter refuses sockets except Unix socket pairs and, with the option unixSockets, Unix sockets', () => {
    const [unix, inet, netlink] = [1, 2, 16].map((family) => ({ call: 41, args: [family] }))
    assert.ok(unix && inet && netlink)
    assert.deepEqual(findActions(isolatedOptions, unix, inet, netlink), [
      EAFNOSUPPORT,
      EAFNOSUPPORT,
      EAFNOSUPPORT,
    ])
    assert.deepEqual(findActions({ ...isolatedOptions, unixSockets: true }, unix, inet, netlink), [
      ...[allowed, EAFNOSUPPORT, EAFNOSUPPORT],
    ])
    assert.deepEqual(findActions(isolatedOptions, { call: 53, args: [1] }, { call: 53, args: [2] }), [
      allowed,
      EAFNOSUPPORT,
    ])
  })

  test('the seccomp filter allows new threads and processes, but no namespaces', () => {
    const [thread, user, net] = [0x3d0f00, 0x10000000, 0x40000000].map((flags) => ({
      call: 56,
      args: [flags],
    }))
    assert.ok(thread && user && net)
    assert.deepEqual(findActions(isolatedOptions, thread, user, net), [allowed, EPERM, EPERM])
    // CLONE_NEW* of sched.h: mount, cgroup, UTS, IPC, user, PID and network namespaces. All other flags are allowed.
    const namespaceFlags = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]
    for (let bit = 0; bit < 32; bit++) {
      const flag = 2 ** bit
      const expectedResult = namespaceFlags.includes(flag) ? EPERM : allowed
      assert.equal(findAction(isolatedOptions, { call: 56, args: [flag] }), expectedResult, flag.toString(16))
    }
    // clone3 and io_uring could bypass the filter. Programs do without them if the kernel does not implement them.
    for (const call of [435, 425, 426, 427])
      assert.equal(findAction(isolatedOptions, { call }), ENOSYS, String(call))
  })

  test('the seccomp filter allows prlimit64 only on the calling process, and refuses risky ioctl and fcntl requests', () => {
    assert.deepEqual(findActions(isolatedOptions, { call: 302, args: [0] }, { call: 302, args: [7] }), [
      allowed,
      EPERM,
    ])
    const ioctlCalls = [0x5412, 0x541c, 0x8901, 0x8902].map((request) => ({ call: 16, args: [1, request] }))
    assert.deepEqual(findActions(isolatedOptions, ...ioctlCalls), [EPERM, EPERM, EPERM, EPERM])
    const fcntlCalls = [8, 10, 15].map((command) => ({ call: 72, args: [1, command] }))
    assert.deepEqual(findActions(isolatedOptions, ...fcntlCalls), [EPERM, EPERM, EPERM])
    assert.deepEqual(
      findActions(isolatedOptions, { call: 16, args: [1, 0x5413] }, { call: 72, args: [1, 3] }),
      [...[allowed, allowed]],
    )
  })

  test('without a PID namespace, the seccomp filter refuses signals to other processes and leaving the process group', () => {
    const [setpgid, setsid, kill] = [{ call: 109 }, { call: 112 }, { call: 62, args: [1234] }]
    assert.deepEqual(findActions(isolatedOptions, setpgid, setsid, kill), [allowed, allowed, allowed])
    assert.deepEqual(findActions(sharedOptions, setpgid, setsid, kill), [EPERM, EPERM, EPERM])
    for (const call of [129, 200, 297]) assert.equal(findAction(sharedOptions, { call }), EPERM, String(call))
    // 0x4f574e50 is the placeholder that the launch script replaces with the process's own pid.
    const killsOfSelf = [0, 0x4f574e50].flatMap((pid) => [62, 234].map((call) => ({ call, args: [pid] })))
    assert.deepEqual(new Set(findActions(sharedOptions, ...killsOfSelf)), new Set([allowed]))
    assert.equal(findAction(sharedOptions, { call: 234, args: [1234] }), EPERM)
  })
})
