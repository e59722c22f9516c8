import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { EngineCrash } from '../../lib/engines/sandbox/engine-crash.ts'
import { runEscapeTest } from '../../lib/engines/sandbox/escape-test.ts'
import { createTools, ProcessFailure } from '../../lib/engines/sandbox/exec.ts'
import { buildCommand, chooseLauncher, confinement, randomUid } from '../../lib/engines/sandbox/isolation.ts'
import { launchCommand } from '../../lib/engines/sandbox/launch-command.ts'
import { type Launcher, launchers } from '../../lib/engines/sandbox/launchers.ts'
import { progressWithin } from '../../lib/engines/sandbox/progress.ts'
import { landlockRules } from '../../lib/engines/sandbox/visible-files.ts'
import { scratchFolder } from '../scratch-folder.ts'

const base = scratchFolder('sandbox-rules')
const { level, detail } = await confinement()
const limited = level === 'none' ? { skip: `needs limits, found ${detail}` } : {}
const asRoot = process.getuid?.() === 0 ? {} : { skip: 'needs root' }
const none = launchers.at(-1) as Launcher
const workFolder = () => mkdtemp(join(base, 'work-'))

describe('what a confined program is given', () => {
  test('is an environment that nobody else shares, in which its folder is where it lives', async () => {
    const workDir = await workFolder()
    const environment = async (env: Record<string, string>) =>
      (await buildCommand(none, 'true', [], { workDir, env })).env
    const usual = {
      PATH: '/usr/bin:/bin:/usr/local/bin',
      LANG: 'C.UTF-8',
      LD_LIBRARY_PATH: '/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack',
    }
    const own = { HOME: workDir, TMPDIR: workDir }
    assert.deepEqual(await environment({}), { ...usual, ...own })
    const asked = { LANG: 'de_DE.UTF-8', HOME: '/root', TMPDIR: '/', MORE: '1' }
    assert.deepEqual(await environment(asked), { ...usual, ...asked, ...own })
  })

  test('is a uid of a range that is nobody’s', () => {
    const uids = Array.from({ length: 1000 }, randomUid)
    assert.ok(uids.every((uid) => Number.isInteger(uid) && uid >= 2_000_000_000 && uid < 2_100_000_000))
    assert.ok(new Set(uids).size > 900)
  })

  test('is its folder, as deep as programs make folders and no deeper', asRoot, async () => {
    const workDir = await workFolder()
    const at = (depth: number) => join(workDir, ...Array.from({ length: depth }, () => 'd'))
    mkdirSync(at(66), { recursive: true })
    const uid = randomUid()
    await buildCommand({ ...none, needsRoot: true }, 'true', [], { workDir, uid })
    const owners = await Promise.all([0, 1, 64, 65].map(async (depth) => (await lstat(at(depth))).uid))
    assert.deepEqual(owners, [uid, uid, uid, process.getuid?.()])
  })

  // Rights of linux/landlock.h: 1 to execute, 2 to write a file, 4 to read one, 8 to read a folder, 32 to remove a file,
  // 512 to make a socket, 16384 to truncate.
  test('are files by Landlock where it has no walls', () => {
    const run = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/shown']
    const read = [
      ...['/etc/alternatives', '/etc/fonts', '/etc/ImageMagick-6', '/etc/ld.so.cache', '/etc/ld.so.conf'],
      ...['/etc/ld.so.conf.d', '/etc/libreoffice', '/etc/localtime', '/etc/papersize'],
      ...['/var/cache/fontconfig', '/var/lib/libreoffice', '/etc/mime.types', '/etc/passwd'],
      ...['/etc/ssl/openssl.cnf', '/dev', '/proc', '/sys/devices/system/cpu', '/var/spool/libreoffice'],
    ]
    const rules = (rights: number, ...paths: readonly string[]) => paths.map((path) => [rights, path])
    const expected = [
      ...rules(1 + 4 + 8, ...run),
      ...rules(4 + 8, ...read),
      ...rules(2 + 4 + 16_384, '/dev/null', '/dev/zero', '/dev/full'),
    ]
    const work = rules(0xffff - 1, '/work')
    assert.deepEqual(landlockRules('/work', ['/shown']), [...expected, ...work])
    assert.deepEqual(landlockRules('/work', ['/shown'], true), [
      ...expected,
      ...rules(32 + 512, '/tmp'),
      ...work,
    ])
  })

  // Numbers of asm-generic/resource.h.
  test('are limits by the numbers that the kernel has for them, and what else it is held by', () => {
    const limits = { cpuS: 1.5, fileBytes: 2, dataBytes: 3, processes: 4, memoryBytes: 5 }
    const plain = { program: '/launch.pl', limits, closeFdsFrom: 3 }
    const start = ['/usr/bin/perl', '/launch.pl', 'fds=3', 'limit=4:0']
    const numbered = ['limit=0:2', 'limit=1:2', 'limit=2:3', 'limit=6:4', 'limit=9:5']
    assert.deepEqual(launchCommand(plain), [...start, ...numbered, '--'])
    assert.deepEqual(launchCommand({ ...plain, limits: {} }), [...start, '--'])
    assert.deepEqual(
      launchCommand({
        ...plain,
        uid: 0,
        filter: 'ff',
        files: [
          [4, '/a'],
          [8, '/b'],
        ],
      }),
      [...[...start, 'uid=0', ...numbered, 'landlock=1', '4=/a', '8=/b', 'filter=ff', '--']],
    )
    assert.ok(launchCommand({ ...plain, files: [] }).includes('landlock=1'), 'no files are not all files')
  })
})

describe('the way to confine engines', () => {
  const promising = (name: string): Launcher => ({ ...none, level: 'limits', detail: name })

  test('is the first of those that hold as much, and none that needs root for who is not', async () => {
    const { launcher: way } = await chooseLauncher([promising('one'), promising('two')], false)
    assert.equal(way.detail, 'one')
    const ofRoot = { ...none, needsRoot: true }
    await assert.rejects(chooseLauncher([ofRoot], false), /no way to start an engine/)
  })

  test('holds nothing where the intruder cannot be sent, who leaves nothing behind', async (t) => {
    const before = process.env['TMPDIR']
    t.after(() => {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
    })
    const folder = await mkdtemp(join(base, 'intruder-'))
    process.env['TMPDIR'] = folder
    const seen: string[] = []
    const findings = await runEscapeTest({ maxProcesses: 7 }, (_bin, args) => {
      seen.push(...args)
      return Promise.reject(new Error('no'))
    })
    assert.deepEqual(new Set(Object.values(findings)), new Set([false]))
    assert.equal(findings.runs, false)
    assert.ok(seen.includes('processes=7') && seen.includes('core=0') && seen.includes('processor=60'))
    assert.deepEqual(readdirSync(folder), [])
  })
})

describe('a program of a step', () => {
  const toolsIn = (workDir: string, more: Partial<Parameters<typeof createTools>[0]> = {}) =>
    createTools({
      ...{ workDir, signal: new AbortController().signal },
      limits: { memoryMb: 1024, diskMb: 64, timeoutS: 20 },
      ...more,
    })

  test('may say as much as 10 MiB, to the byte', async () => {
    const { exec } = toolsIn(await workFolder())
    const most = 10 * 1024 * 1024
    const { stdout } = await exec('head', ['-c', String(most), '/dev/zero'])
    assert.equal(stdout.length, most)
    await assert.rejects(exec('head', ['-c', String(most + 1), '/dev/zero']), /output limit/)
  })

  test('is held to a size of its own, which is told', limited, async () => {
    const { exec } = toolsIn(await workFolder())
    const write = exec('sh', ['-c', 'exec head -c 3000000 /dev/zero > big'], {
      maxFileBytes: 2 * 1024 * 1024,
    })
    await assert.rejects(write, {
      ...{ code: 'CONVERSION_FAILED', message: 'The result would be larger than the limit of 2 MB.' },
      details: { limitMb: 2 },
    })
  })

  test('need not read what it is given', async () => {
    const { exec } = toolsIn(await workFolder())
    await exec('true', [], { stdin: 'x'.repeat(1_000_000) })
  })

  test('ends when the step was cancelled while it was made ready, and is told of as ended by us', async () => {
    const stop = new AbortController()
    const ends: string[] = []
    const onCommand = () => ({
      stderr: () => undefined,
      ended: ({ how }: { how: string }) => void ends.push(how),
    })
    const { exec } = toolsIn(await workFolder(), { signal: stop.signal, onCommand })
    const running = exec('sleep', ['7781'])
    stop.abort(new Error('cancelled'))
    await assert.rejects(running, /cancelled/)
    assert.deepEqual(ends, ['ended by us (Error)'])
  })

  test('has no time after that of its step', async () => {
    // As it is five seconds after its end.
    const limits = { memoryMb: 1024, diskMb: 64, timeoutS: -5 }
    const { exec } = toolsIn(await workFolder(), { limits })
    await assert.rejects(exec('sleep', ['7782'], { timeoutS: 10 }), {
      ...{ code: 'TIMEOUT', message: /^The conversion took longer than its limit of 0 seconds\./ },
    })
  })

  test('tells how far it is and what it drops to who wants to know', async () => {
    const told: unknown[] = []
    const tools = toolsIn(await workFolder(), {
      onProgress: (...progress) => told.push(progress),
      onWarning: (...warning) => told.push(warning),
    })
    tools.progress(0.5, 'pages')
    progressWithin(tools, 0.2, 0.6).progress(0.5, 'pictures')
    tools.warn('PAGES_DROPPED', 'Two pages.')
    assert.deepEqual(told, [
      [0.5, 'pages'],
      [0.4, 'pictures'],
      ['PAGES_DROPPED', 'Two pages.'],
    ])
    const silent = toolsIn(await workFolder())
    silent.progress(1)
    silent.warn('PAGES_DROPPED', 'Two pages.')
  })

  test('leaves plain files and folders, however deep', async () => {
    const workDir = await workFolder()
    await mkdir(join(workDir, 'out'))
    await writeFile(join(workDir, 'out', 'a'), 'a')
    const { exec } = toolsIn(workDir)
    await exec('sh', ['-c', 'ln -s a out/b; mkdir out/c; mkfifo out/c/d; echo > out/c/e'])
    assert.deepEqual(readdirSync(workDir, { recursive: true }).toSorted(), [
      'out',
      'out/a',
      'out/c',
      'out/c/e',
    ])
  })
})

test('an error of a program shows the end of what it said', () => {
  const long = `first${'x'.repeat(1996)}last`
  const shown = `${'x'.repeat(1996)}last`
  const failed = new ProcessFailure('tool', 3, long)
  assert.equal(failed.message, `tool ended with exit code 3: ${shown}`)
  assert.deepEqual([failed.bin, failed.exitCode, failed.stderr], ['tool', 3, long])
  const crash = new EngineCrash('tool', 'SIGSEGV', long)
  assert.equal(crash.message, `tool was ended by SIGSEGV: ${shown}`)
  assert.deepEqual([crash.bin, crash.signal, crash.stderr], ['tool', 'SIGSEGV', long])
})
