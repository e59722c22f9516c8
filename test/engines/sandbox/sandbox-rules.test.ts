import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { EngineCrash } from '../../../lib/engines/sandbox/engine-crash.ts'
import { runEscapeTest } from '../../../lib/engines/sandbox/escape-test.ts'
import { createTools, ProcessFailure } from '../../../lib/engines/sandbox/exec.ts'
import {
  buildCommand,
  chooseLauncher,
  getConfinement,
  randomUid,
} from '../../../lib/engines/sandbox/isolation.ts'
import { buildLaunchCommand } from '../../../lib/engines/sandbox/launch-command.ts'
import { type Launcher, launchers } from '../../../lib/engines/sandbox/launchers.ts'
import { progressWithin } from '../../../lib/engines/sandbox/progress.ts'
import { buildLandlockRules } from '../../../lib/engines/sandbox/visible-files.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

const base = scratchFolder('sandbox-rules')
const { level, detail } = await getConfinement()
const skipWithoutLimits = level === 'none' ? { skip: `needs limits, found ${detail}` } : {}
const skipUnlessRoot = process.getuid?.() === 0 ? {} : { skip: 'needs root' }
const noLauncher = launchers.at(-1) as Launcher
const makeWorkFolder = () => mkdtemp(join(base, 'work-'))

describe('rules of confined programs', () => {
  test('a confined program gets a clean environment with HOME and TMPDIR set to its work folder', async () => {
    const workDir = await makeWorkFolder()
    const getEnvironment = async (env: Record<string, string>) =>
      (await buildCommand(noLauncher, 'true', [], { workDir, env })).env
    const defaultEnvironment = {
      PATH: '/usr/bin:/bin:/usr/local/bin',
      LANG: 'C.UTF-8',
      LD_LIBRARY_PATH: '/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack',
    }
    const ownVariables = { HOME: workDir, TMPDIR: workDir }
    assert.deepEqual(await getEnvironment({}), { ...defaultEnvironment, ...ownVariables })
    const requestedVariables = { LANG: 'de_DE.UTF-8', HOME: '/root', TMPDIR: '/', MORE: '1' }
    assert.deepEqual(await getEnvironment(requestedVariables), {
      ...defaultEnvironment,
      ...requestedVariables,
      ...ownVariables,
    })
  })

  test('a confined program gets a random uid from an unused range', () => {
    const uids = Array.from({ length: 1000 }, randomUid)
    assert.ok(uids.every((uid) => Number.isInteger(uid) && uid >= 2_000_000_000 && uid < 2_100_000_000))
    assert.ok(new Set(uids).size > 900)
  })

  test('a confined program owns its work folder, down to a depth of 64 folders', skipUnlessRoot, async () => {
    const workDir = await makeWorkFolder()
    const createDeepPath = (depth: number) => join(workDir, ...Array.from({ length: depth }, () => 'd'))
    mkdirSync(createDeepPath(66), { recursive: true })
    const uid = randomUid()
    await buildCommand({ ...noLauncher, needsRoot: true }, 'true', [], { workDir, uid })
    const owners = await Promise.all(
      [0, 1, 64, 65].map(async (depth) => (await lstat(createDeepPath(depth))).uid),
    )
    assert.deepEqual(owners, [uid, uid, uid, process.getuid?.()])
  })

  // Rights of linux/landlock.h: 1 to execute, 2 to write a file, 4 to read one, 8 to read a folder, 32 to remove a
  // file, 512 to create a socket, 16384 to truncate.
  test('a confined program without namespaces gets access to files through Landlock rules', () => {
    const run = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/shown']
    const read = [
      ...['/etc/alternatives', '/etc/fonts', '/etc/ImageMagick-6', '/etc/ld.so.cache', '/etc/ld.so.conf'],
      ...['/etc/ld.so.conf.d', '/etc/libreoffice', '/etc/localtime', '/etc/papersize'],
      ...['/var/cache/fontconfig', '/var/lib/libreoffice', '/etc/mime.types', '/etc/passwd'],
      ...['/etc/ssl/openssl.cnf', '/dev', '/proc', '/sys/devices/system/cpu', '/var/spool/libreoffice'],
    ]
    const createRules = (rights: number, ...paths: readonly string[]) => paths.map((path) => [rights, path])
    const expectedArgs = [
      ...createRules(1 + 4 + 8, ...run),
      ...createRules(4 + 8, ...read),
      ...createRules(2 + 4 + 16_384, '/dev/null', '/dev/zero', '/dev/full'),
    ]
    const work = createRules(0xffff - 1, '/work')
    assert.deepEqual(buildLandlockRules('/work', ['/shown']), [...expectedArgs, ...work])
    assert.deepEqual(buildLandlockRules('/work', ['/shown'], true), [
      ...expectedArgs,
      ...createRules(32 + 512, '/tmp'),
      ...work,
    ])
  })

  // Resource numbers of asm-generic/resource.h.
  test('a confined program is started with resource limits, then Landlock rules, then the seccomp filter', () => {
    const limits = { cpuS: 1.5, fileBytes: 2, dataBytes: 3, processes: 4, memoryBytes: 5 }
    const plainOptions = { program: '/launch.pl', limits, closeFdsFrom: 3 }
    const start = ['/usr/bin/perl', '/launch.pl', 'fds=3', 'limit=4:0']
    const numberedArgs = ['limit=0:2', 'limit=1:2', 'limit=2:3', 'limit=6:4', 'limit=9:5']
    assert.deepEqual(buildLaunchCommand(plainOptions), [...start, ...numberedArgs, '--'])
    assert.deepEqual(buildLaunchCommand({ ...plainOptions, limits: {} }), [...start, '--'])
    assert.deepEqual(
      buildLaunchCommand({
        ...plainOptions,
        uid: 0,
        filter: 'ff',
        files: [
          [4, '/a'],
          [8, '/b'],
        ],
      }),
      [...[...start, 'uid=0', ...numberedArgs, 'landlock=1', '4=/a', '8=/b', 'filter=ff', '--']],
    )
    assert.ok(
      buildLaunchCommand({ ...plainOptions, files: [] }).includes('landlock=1'),
      'an empty list of files still enables Landlock',
    )
  })
})

describe('launcher for engines', () => {
  const createLauncher = (name: string): Launcher => ({ ...noLauncher, level: 'limits', detail: name })

  test('engines use the first launcher that works, and none that needs root if the service does not run as root', async () => {
    const { launcher } = await chooseLauncher([createLauncher('one'), createLauncher('two')], false)
    assert.equal(launcher.detail, 'one')
    const rootLauncher = { ...noLauncher, needsRoot: true }
    await assert.rejects(chooseLauncher([rootLauncher], false), /No launcher can start an engine/)
  })

  test('a launcher fails all checks of the escape test if the test cannot be started, and no files are left behind', async (t) => {
    const tmpDirBefore = process.env['TMPDIR']
    t.after(() => {
      if (tmpDirBefore === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = tmpDirBefore
    })
    const folder = await mkdtemp(join(base, 'escape-test-'))
    process.env['TMPDIR'] = folder
    const lines: string[] = []
    const result = await runEscapeTest({ maxProcesses: 7 }, (_bin, args) => {
      lines.push(...args)
      return Promise.reject(new Error('no'))
    })
    assert.deepEqual(new Set(Object.values(result)), new Set([false]))
    assert.equal(result.runs, false)
    assert.ok(lines.includes('processes=7') && lines.includes('core=0') && lines.includes('processor=60'))
    assert.deepEqual(readdirSync(folder), [])
  })
})

describe('programs of a conversion step', () => {
  const createToolsIn = (workDir: string, moreOptions: Partial<Parameters<typeof createTools>[0]> = {}) =>
    createTools({
      workDir,
      signal: new AbortController().signal,
      limits: { memoryMb: 1024, diskMb: 64, timeoutS: 20 },
      ...moreOptions,
    })

  test('an engine program may write at most 10 MiB to stdout', async () => {
    const { exec } = createToolsIn(await makeWorkFolder())
    const maxBytes = 10 * 1024 * 1024
    const { stdout } = await exec('head', ['-c', String(maxBytes), '/dev/zero'])
    assert.equal(stdout.length, maxBytes)
    await assert.rejects(exec('head', ['-c', String(maxBytes + 1), '/dev/zero']), /output limit/)
  })

  test(
    'an engine program is stopped at its own file size limit, and the error names the limit',
    skipWithoutLimits,
    async () => {
      const { exec } = createToolsIn(await makeWorkFolder())
      const write = exec('sh', ['-c', 'exec head -c 3000000 /dev/zero > big'], {
        maxFileBytes: 2 * 1024 * 1024,
      })
      await assert.rejects(write, {
        code: 'CONVERSION_FAILED',
        message: 'The result would exceed the size limit of 2 MB.',
        details: { limitMb: 2 },
      })
    },
  )

  test('an engine program need not read its stdin', async () => {
    const { exec } = createToolsIn(await makeWorkFolder())
    await exec('true', [], { stdin: 'x'.repeat(1_000_000) })
  })

  test('an engine program is reported as stopped if its step is cancelled while the sandbox is prepared', async () => {
    const stop = new AbortController()
    const endedCommands: string[] = []
    const onCommand = () => ({
      stderr: () => undefined,
      ended: ({ how }: { how: string }) => void endedCommands.push(how),
    })
    const { exec } = createToolsIn(await makeWorkFolder(), { signal: stop.signal, onCommand })
    const runningSleep = exec('sleep', ['7781'])
    stop.abort(new Error('cancelled'))
    await assert.rejects(runningSleep, /cancelled/)
    assert.deepEqual(endedCommands, ['stopped (Error)'])
  })

  test('an engine program started after the time limit of its step fails with TIMEOUT', async () => {
    // The limit passed five seconds ago.
    const limits = { memoryMb: 1024, diskMb: 64, timeoutS: -5 }
    const { exec } = createToolsIn(await makeWorkFolder(), { limits })
    await assert.rejects(exec('sleep', ['7782'], { timeoutS: 10 }), {
      code: 'TIMEOUT',
      message: /^The conversion exceeded its time limit of 0 seconds\./,
    })
  })

  test('a conversion step reports progress and warnings to its listeners, if it has any', async () => {
    const reportedRuns: unknown[] = []
    const tools = createToolsIn(await makeWorkFolder(), {
      onProgress: (...progress) => reportedRuns.push(progress),
      onWarning: (...warning) => reportedRuns.push(warning),
    })
    tools.progress(0.5, 'pages')
    progressWithin(tools, 0.2, 0.6).progress(0.5, 'images')
    tools.warn('PAGES_DROPPED', 'Two pages.', { count: 2 })
    assert.deepEqual(reportedRuns, [
      [0.5, 'pages'],
      [0.4, 'images'],
      ['PAGES_DROPPED', 'Two pages.', { count: 2 }],
    ])
    const toolsWithoutListeners = createToolsIn(await makeWorkFolder())
    toolsWithoutListeners.progress(1)
    toolsWithoutListeners.warn('PAGES_DROPPED', 'Two pages.')
  })

  test('an engine program leaves only regular files and folders in its work folder, at any depth', async () => {
    const workDir = await makeWorkFolder()
    await mkdir(join(workDir, 'out'))
    await writeFile(join(workDir, 'out', 'a'), 'a')
    const { exec } = createToolsIn(workDir)
    await exec('sh', ['-c', 'ln -s a out/b; mkdir out/c; mkfifo out/c/d; echo > out/c/e'])
    assert.deepEqual(readdirSync(workDir, { recursive: true }).toSorted(), [
      'out',
      'out/a',
      'out/c',
      'out/c/e',
    ])
  })
})

test('the error of a failed engine program contains the end of its stderr', () => {
  const longStderr = `first${'x'.repeat(1996)}last`
  const expectedOutput = `${'x'.repeat(1996)}last`
  const failedProcess = new ProcessFailure('tool', 3, longStderr)
  assert.equal(failedProcess.message, `tool exited with code 3: ${expectedOutput}`)
  assert.deepEqual([failedProcess.bin, failedProcess.exitCode, failedProcess.stderr], ['tool', 3, longStderr])
  const crash = new EngineCrash('tool', 'SIGSEGV', longStderr)
  assert.equal(crash.message, `tool was killed by SIGSEGV: ${expectedOutput}`)
  assert.deepEqual([crash.bin, crash.signal, crash.stderr], ['tool', 'SIGSEGV', longStderr])
})
