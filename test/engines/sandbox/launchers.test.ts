import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchers } from '../../../lib/engines/sandbox/launchers.ts'

test('the sandbox launchers are listed from strictest to weakest, with their namespaces, filters and limits', () => {
  const unshareArgs = ['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`)
  const rootCommand = ['bwrap', ...unshareArgs, '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']
  const userCommand = ['bwrap', '--unshare-all']
  const allFields = { usesLaunchScript: true, needsRoot: false, usesLandlock: false, filtersSyscalls: true }
  const isolatedFields = { ...allFields, level: 'namespaces', maxProcesses: 256 }
  const sharedFields = { ...allFields, namespaceArgs: [], maxProcesses: 4096 }
  assert.deepEqual(
    launchers.map(({ detail: _, ...launcher }) => launcher),
    [
      { ...isolatedFields, namespaceArgs: rootCommand, needsRoot: true },
      { ...isolatedFields, namespaceArgs: userCommand },
      { ...isolatedFields, namespaceArgs: rootCommand, needsRoot: true, filtersSyscalls: false },
      { ...isolatedFields, namespaceArgs: userCommand, filtersSyscalls: false },
      { ...sharedFields, level: 'filtered', usesLandlock: true },
      { ...sharedFields, level: 'filtered' },
      { ...sharedFields, level: 'limits', filtersSyscalls: false },
      { ...sharedFields, level: 'none', filtersSyscalls: false, usesLaunchScript: false },
    ],
  )
})
