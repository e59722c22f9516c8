import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchers } from '../../../lib/engines/sandbox/launchers.ts'

test('each launcher has these namespaces, filters and limits, the strictest first', () => {
  const unshared = ['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`)
  const forRoot = ['bwrap', ...unshared, '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']
  const forUser = ['bwrap', '--unshare-all']
  const all = { usesLaunchScript: true, needsRoot: false, usesLandlock: false, filtersSyscalls: true }
  const isolated = { ...all, level: 'namespaces', maxProcesses: 256 }
  const shared = { ...all, namespaceArgs: [], maxProcesses: 4096 }
  assert.deepEqual(
    launchers.map(({ detail: _, ...launcher }) => launcher),
    [
      { ...isolated, namespaceArgs: forRoot, needsRoot: true },
      { ...isolated, namespaceArgs: forUser },
      { ...isolated, namespaceArgs: forRoot, needsRoot: true, filtersSyscalls: false },
      { ...isolated, namespaceArgs: forUser, filtersSyscalls: false },
      { ...shared, level: 'filtered', usesLandlock: true },
      { ...shared, level: 'filtered' },
      { ...shared, level: 'limits', filtersSyscalls: false },
      { ...shared, level: 'none', filtersSyscalls: false, usesLaunchScript: false },
    ],
  )
})
