import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { lstatSync, readlinkSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import type { Tools } from '../../../lib/engines/engine.ts'
import { getAvailableThreads } from '../../../lib/engines/host-limits.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import { createSandboxCommand, getConfinement } from '../../../lib/engines/sandbox/isolation.ts'
import { buildBindMountArgs } from '../../../lib/engines/sandbox/visible-files.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

const { level, detail } = await getConfinement()
const skipWithoutNamespaces = level === 'namespaces' ? {} : { skip: `needs bubblewrap, found ${detail}` }
const skipWithoutLimits = level === 'none' ? { skip: `needs prlimit, found ${detail}` } : {}
/** Without root, all sandboxes run as the same user inside their user namespaces. */
const skipUnlessRoot = process.getuid?.() === 0 ? skipWithoutNamespaces : { skip: 'needs root' }

const base = scratchFolder('confine-test')
let workDir: string
beforeEach(async () => {
  workDir = await mkdtemp(join(base, 'work-'))
})

const tools = (): Tools =>
  createTools({
    workDir,
    signal: new AbortController().signal,
    limits: { memoryMb: 1024, diskMb: 64, timeoutS: 20 },
  })
const shell = (script: string, using = tools()) => using.exec('sh', ['-c', script])

describe('confinement on this machine', () => {
  const works = (...args: readonly string[]) => spawnSync('bwrap', args).status === 0
  const visibleArgs = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev']
  const id = ['--reuid=2000000008', '--regid=2000000008', '--clear-groups']
  const capabilityArgs = [
    '--unshare-pid',
    '--unshare-net',
    '--cap-add',
    'CAP_SETUID',
    '--cap-add',
    'CAP_SETGID',
  ]

  // If the best launcher were broken, a weaker one would be used and all tests below would be skipped.
  test('the confinement of engines is as strict as this machine allows', () => {
    if (works('--unshare-all', ...visibleArgs, 'true')) assert.equal(level, 'namespaces', detail)
    if (process.getuid?.() === 0 && works(...capabilityArgs, ...visibleArgs, '--', 'setpriv', ...id, 'true'))
      assert.match(detail, /^bubblewrap: no network, own uid, own processes,.* system calls filtered$/)
  })
})

describe('confined processes', () => {
  test(
    'a confined process has its own user id, which no other sandbox has, and no capabilities',
    skipUnlessRoot,
    async () => {
      const ids = await Promise.all(
        [tools(), tools()].map(
          async (engineTools) => (await shell('id -u; id -g; id -G', engineTools)).stdout,
        ),
      )
      for (const id of ids) assert.match(id, /^(2\d{9})\n\1\n\1\n$/)
      assert.equal(new Set(ids).size, 2)
      // The process has no effective capabilities.
      const { stdout } = await shell('grep ^CapEff /proc/self/status')
      assert.match(stdout, /^CapEff:\s+0+$/m)
    },
  )

  test(
    'a confined process is not in the session of the service, so it cannot write to the terminal of the service',
    skipWithoutNamespaces,
    async () => {
      // proc(5): field 6 is the session; a session from outside the namespace is shown as 0.
      const { stdout } = await shell('cut -d" " -f6 /proc/self/stat')
      assert.notEqual(Number(stdout), 0)
    },
  )

  test(
    'a confined process has its own IPC, PID, network, UTS and mount namespaces',
    skipWithoutNamespaces,
    async () => {
      const names = ['ipc', 'pid', 'net', 'uts', 'mnt']
      const { stdout } = await shell(names.map((name) => `readlink /proc/self/ns/${name}`).join('; '))
      const ownNamespaces = await Promise.all(names.map((name) => readlink(`/proc/self/ns/${name}`)))
      for (const [at, namespace] of stdout.trim().split('\n').entries())
        assert.notEqual(namespace, ownNamespaces[at])
    },
  )

  test(
    'a confined process writes no core dump and has the configured limits',
    skipWithoutLimits,
    async () => {
      const { stdout } = await shell('cat /proc/self/limits')
      const readLimit = (name: string) => Number(new RegExp(`^Max ${name} +(\\d+)`, 'm').exec(stdout)?.[1])
      assert.equal(readLimit('core file size'), 0)
      assert.equal(readLimit('address space'), 1024 * 1024 * 1024)
      assert.equal(readLimit('file size'), 64 * 1024 * 1024)
      assert.equal(readLimit('cpu time'), 20 * Math.max(2, getAvailableThreads()) + 1)
      assert.equal(readLimit('processes'), level === 'namespaces' ? 256 : 4096)
    },
  )

  test(
    'a confined process with a limit on written memory has no limit on its address space',
    skipWithoutLimits,
    async () => {
      const limits = { dataBytes: 512 * 1024 * 1024 + 0.5, processes: 7 }
      const { file, args, env, cwd } = await createSandboxCommand('cat', ['/proc/self/limits'], {
        workDir,
        limits,
      })
      const stdout = execFileSync(file, args, { env, cwd, encoding: 'utf8' })
      assert.match(stdout, /^Max data size +536870913 /m)
      assert.match(stdout, /^Max processes +7 /m)
      assert.match(stdout, /^Max address space +unlimited/m)
    },
  )

  test(
    'a confined process sees the system files that engines need, but no home folders, logs or password hashes',
    skipWithoutNamespaces,
    async () => {
      const { stdout } = await shell('ls /; ls /etc /var /dev/shm /tmp; touch /tmp/a && echo writes')
      assert.doesNotMatch(stdout, /^(root|home|srv|opt|boot|run|shadow|hostname|hosts|log|mail)$/m)
      assert.match(stdout, /^writes$/m)
      for (const path of ['/usr/bin/env', '/bin/sh', '/etc/fonts/fonts.conf', '/etc/ld.so.cache'])
        await shell(`test -r ${path}`)
    },
  )

  test(
    'a confined process can read an additional file that is shared with it, but cannot write to it',
    skipWithoutNamespaces,
    async () => {
      const readOnlyMount = join(base, 'shown.txt')
      await writeFile(readOnlyMount, 'shown')
      const { stdout } = await tools().exec('cat', [readOnlyMount], { readOnly: [readOnlyMount] })
      assert.equal(stdout, 'shown')
      await assert.rejects(
        tools().exec('touch', [readOnlyMount], { readOnly: [readOnlyMount] }),
        /Read-only|Permission denied/,
      )
    },
  )

  test(
    'a confined process is started with the arguments that set its namespaces, capabilities and limits',
    skipUnlessRoot,
    async () => {
      const { file, args, env, cwd } = await createSandboxCommand('true', ['--core=1'], {
        workDir,
        uid: 2_000_000_007,
      })
      const command = [file, ...args]
      const argAfter = (name: string, from = 0) => command.slice(command.indexOf(name, from) + 1)
      assert.equal(file, 'bwrap')
      for (const flag of ['--die-with-parent', '--new-session', '--unshare-uts', '--unshare-cgroup-try'])
        assert.ok(command.indexOf(flag) < command.indexOf('--') && command.includes(flag), flag)
      const capabilities = command.flatMap((word, at) => (word === '--cap-add' ? [command[at + 1]] : []))
      assert.deepEqual(capabilities, ['CAP_SETUID', 'CAP_SETGID'])
      const readOnlyPaths = command.flatMap((word, at) => (word === '--remount-ro' ? [command[at + 1]] : []))
      assert.deepEqual(readOnlyPaths, ['/dev', '/'])
      assert.deepEqual(argAfter('--').slice(0, 6), [
        ...['/usr/bin/perl', '/launch.pl', 'fds=3', 'limit=4:0', 'uid=2000000007', 'limit=6:256'],
      ])
      assert.match(argAfter('--')[6] ?? '', /^filter=(?:[0-9a-f]{16})+$/)
      assert.deepEqual(argAfter('--').slice(7), ['--', 'true', '--core=1'])
      assert.equal(args.at(-1), '--core=1')
      assert.deepEqual([env.HOME, env.TMPDIR, cwd], [workDir, workDir, workDir])
    },
  )

  test(
    'the mounts of a confined process are ordered so that none hides another',
    skipWithoutNamespaces,
    async () => {
      const view = await buildBindMountArgs(
        '/tmp/work/job',
        ['/opt/of-ours/file', '/usr/x'],
        '/opt/launch.pl',
      )
      const scratch = ['--perms', '1777', '--size', '67108864', '--tmpfs']
      const createFolderArgs = (path: string) => ['--perms', '0755', '--dir', path]
      const readOnlyMount = (path: string) => ['--ro-bind-try', path, path]
      const links = view.indexOf('--proc')
      assert.deepEqual(view.slice(0, 5), ['--die-with-parent', '--new-session', '--ro-bind', '/usr', '/usr'])
      const systemMountArgs = ['/bin', '/sbin', '/lib', '/lib64'].flatMap((path) =>
        lstatSync(path).isSymbolicLink()
          ? ['--symlink', readlinkSync(path), path]
          : ['--ro-bind', path, path],
      )
      assert.deepEqual(view.slice(5, links), systemMountArgs)
      assert.deepEqual(view.slice(links), [
        ...['--proc', '/proc', '--dev', '/dev', ...scratch, '/dev/shm', ...scratch, '/tmp'],
        ...['alternatives', 'fonts', 'ImageMagick-6', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'].flatMap(
          (name) => [...createFolderArgs('/etc'), ...readOnlyMount(`/etc/${name}`)],
        ),
        ...['libreoffice', 'localtime', 'papersize'].flatMap((name) => [
          ...createFolderArgs('/etc'),
          ...readOnlyMount(`/etc/${name}`),
        ]),
        ...createFolderArgs('/var'),
        ...createFolderArgs('/var/cache'),
        ...readOnlyMount('/var/cache/fontconfig'),
        ...createFolderArgs('/var'),
        ...createFolderArgs('/var/lib'),
        ...readOnlyMount('/var/lib/libreoffice'),
        ...createFolderArgs('/opt'),
        ...createFolderArgs('/opt/of-ours'),
        ...readOnlyMount('/opt/of-ours/file'),
        ...readOnlyMount('/usr/x'),
        ...createFolderArgs('/etc'),
        ...['--ro-bind-try', '/usr/share/base-passwd/passwd.master', '/etc/passwd'],
        ...['--ro-bind', '/opt/launch.pl', '/launch.pl'],
        ...createFolderArgs('/tmp/work'),
        ...['--bind', '/tmp/work/job', '/tmp/work/job'],
        ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/tmp/work/job'],
      ])
    },
  )

  test(
    'a confined process owns its whole work folder, or only the direct children if chownScope=children',
    skipUnlessRoot,
    async () => {
      const nestedFolder = join(workDir, 'a', 'b')
      await mkdir(nestedFolder, { recursive: true })
      await symlink('/etc/passwd', join(workDir, 'link'))
      const readOwners = () =>
        Promise.all(
          [workDir, join(workDir, 'a'), nestedFolder, join(workDir, 'link')].map(
            async (path) => (await lstat(path)).uid,
          ),
        )
      const uid = 2_000_000_007
      await createSandboxCommand('true', [], { workDir, uid, chownScope: 'children' })
      assert.deepEqual(await readOwners(), [uid, uid, 0, uid])
      await createSandboxCommand('true', [], { workDir, uid })
      assert.deepEqual(await readOwners(), [uid, uid, uid, uid])
      assert.equal((await stat('/etc/passwd')).uid, 0)
      // A folder that has been removed meanwhile is ignored.
      await createSandboxCommand('true', [], { workDir: join(workDir, 'gone') })
    },
  )

  test(
    'while another program of the step is running, a confined program owns only the direct children of its folder',
    skipUnlessRoot,
    async () => {
      const deepPath = join(workDir, 'a', 'b')
      await mkdir(deepPath, { recursive: true })
      const step = tools()
      await shell('touch a/b/first', step)
      const startedEvent = Promise.withResolvers<void>()
      const stop = new AbortController()
      const args = ['-c', 'echo up; sleep 7779']
      const parallelRun = step.exec('sh', args, { signal: stop.signal, onLine: () => startedEvent.resolve() })
      const rejectedRun = assert.rejects(parallelRun, /enough/)
      await Promise.race([startedEvent.promise, rejectedRun])
      await mkdir(join(workDir, 'c', 'd'), { recursive: true })
      await shell('touch c/second', step)
      await assert.rejects(shell('touch c/d/third', step), /Permission denied/)
      stop.abort(new Error('enough'))
      await rejectedRun
      await shell('touch c/d/third', step)
    },
  )
})
