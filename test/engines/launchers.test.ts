import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchers } from '../../lib/engines/sandbox/launchers.ts'

test('each way to confine an engine has these walls, filters and limits, the best first', () => {
  const unshared = ['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`)
  const ofRoot = ['bwrap', ...unshared, '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']
  const ofUser = ['bwrap', '--unshare-all']
  const all = { launcher: true, needsRoot: false, landlock: false, filter: true }
  const walled = { ...all, level: 'namespaces', processes: 256 }
  const bare = { ...all, walls: [], processes: 4096 }
  assert.deepEqual(
    launchers.map(({ detail: _, ...way }) => way),
    [
      { ...walled, walls: ofRoot, needsRoot: true },
      { ...walled, walls: ofUser },
      { ...walled, walls: ofRoot, needsRoot: true, filter: false },
      { ...walled, walls: ofUser, filter: false },
      { ...bare, level: 'filtered', landlock: true },
      { ...bare, level: 'filtered' },
      { ...bare, level: 'limits', filter: false },
      { ...bare, level: 'none', filter: false, launcher: false },
    ],
  )
})
