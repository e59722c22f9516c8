import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, closeSync, constants, openSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { EscapeTestResult } from '../../lib/engines/sandbox/escape-test.ts'
import {
  buildCommand,
  chooseLauncher,
  confinementLevel,
  confinementProblem,
  requireConfinement,
} from '../../lib/engines/sandbox/isolation.ts'
import { type Launcher, launchers } from '../../lib/engines/sandbox/launchers.ts'
import { AppError } from '../../lib/errors.ts'
import { scratchFolder } from '../scratch-folder.ts'

const base = scratchFolder('intruder-test')

const things = [
  ...(['secrets', 'network', 'signals', 'files', 'kill', 'memory', 'file-size', 'processes'] as const),
  ...(['processor', 'core', 'pid', 'net', 'runs'] as const),
] as const
const all = Object.fromEntries(things.map((thing) => [thing, true])) as EscapeTestResult // all of its keys
const without = (...missing: readonly (keyof EscapeTestResult)[]): EscapeTestResult => ({
  ...all,
  ...Object.fromEntries(missing.map((thing) => [thing, false])),
})

describe('the level of confinement', () => {
  test('is named by what an intruder could not do', () => {
    assert.equal(confinementLevel(all), 'namespaces')
    for (const thing of ['files', 'pid', 'net'] as const)
      assert.equal(confinementLevel(without(thing)), 'filtered', thing)
    for (const thing of ['secrets', 'network', 'signals', 'kill'] as const)
      assert.equal(confinementLevel(without(thing)), 'limits', thing)
    for (const thing of ['memory', 'file-size', 'processes', 'processor', 'core', 'runs'] as const)
      assert.equal(confinementLevel(without(thing)), 'none', thing)
  })

  test('below what is asked for is a reason to use no engine, with the way out', () => {
    const found = { level: 'limits', detail: 'rlimits only' } as const
    assert.equal(confinementProblem(found, 'limits'), undefined)
    assert.equal(confinementProblem(found, 'none'), undefined)
    for (const wanted of ['filtered', 'namespaces'] as const) {
      const reason = confinementProblem(found, wanted) ?? ''
      assert.match(
        reason,
        /confined by rlimits only; that is "limits", and MIN_CONFINEMENT asks for "(filtered|namespaces)"/,
      )
      assert.match(reason, /Install bubblewrap.*MIN_CONFINEMENT=limits$/)
    }
  })

  test('below what is asked for is told to clients without what holds here, which the log has', async () => {
    const found = { level: 'limits', detail: 'rlimits only' } as const
    await requireConfinement(found, 'limits')
    await assert.rejects(requireConfinement(found, 'filtered'), (error) => {
      assert.ok(error instanceof AppError && error.cause instanceof Error)
      assert.equal(error.code, 'SERVICE_UNAVAILABLE')
      assert.doesNotMatch(error.message, /rlimits/)
      assert.match(error.cause.message, /rlimits only.*MIN_CONFINEMENT/)
      return true
    })
  })

  test('is that of the best way that holds; one that does not start is passed over', async () => {
    const broken: Launcher = { ...(launchers[0] as Launcher), needsRoot: false, namespaceArgs: ['false'] }
    const bare = launchers.filter(({ level }) => level === 'none')
    const { launcher: way, level } = await chooseLauncher([broken, ...bare], false)
    assert.deepEqual([way, level], [bare[0], 'none'])
  })
})

/** As an engine that has no namespaces; as whoever runs the tests. */
const filtered = launchers.filter(
  ({ level, usesLandlock: landlock }) => level === 'filtered' && landlock,
)[0] as Launcher

async function perl(code: string, way = filtered, more = {}): Promise<string> {
  const workDir = await mkdtemp(join(base, 'work-'))
  const command = await buildCommand(way, 'perl', ['-e', code], { workDir, limits: {}, ...more })
  const { stdout, stderr } = spawnSync(command.file, command.args, { ...command, encoding: 'utf8' })
  return stdout + stderr
}

/** By number, as in asm/unistd_64.h. */
const refusedEverywhere = [
  ...[29, 30, 31, 64, 65, 66, 67, 68, 69, 70, 71, 101, 103, 154, 155, 159, 161, 163, 164, 165, 166, 167, 168],
  ...[
    169, 172, 173, 175, 176, 179, 220, 227, 240, 241, 246, 248, 249, 250, 272, 298, 300, 303, 304, 305, 308,
  ],
  ...[310, 311, 312, 313, 320, 321, 323, 424, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 443, 448],
]
const refusedAmongOthers = [109, 112, 129, 200, 297]
const asIfOlder = [425, 426, 427, 435]

/** What cannot be meant: no call of these does anything with it, if it should be let through. */
const tried = (numbers: readonly number[]) =>
  `for (${numbers.join(',')}) { my $r = syscall $_, -1, -1, -1, -1, -1, -1; print "$_ ", $r == -1 ? $! + 0 : "done", "\\n" }`

describe('the filter of system calls', () => {
  const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]

  test('refuses what no converter needs, and says of newer calls that there are none', async () => {
    const calls = [...refusedEverywhere, ...refusedAmongOthers, ...asIfOlder]
    const expected = calls.map((call) => `${call} ${asIfOlder.includes(call) ? ENOSYS : EPERM}`)
    assert.deepEqual((await perl(tried(calls))).trim().split('\n'), expected)
  })

  test('lets a program lead groups and sessions where it has processes of its own', async (t) => {
    const way = launchers.find(
      ({ namespaceArgs: walls, needsRoot }) => walls.length > 0 && needsRoot === (process.getuid?.() === 0),
    ) as Launcher
    const said = await perl('print setpgrp(0, 0) ? "led" : $!; ', way)
    if (/bwrap/.test(said)) t.skip(said)
    else assert.match(said, /^led/)
    assert.match(await perl('print setpgrp(0, 0) ? "led" : $!'), /not permitted/)
  })

  test('gives no sockets, or those among files to who needs them', async () => {
    const sockets = `for ([1,1],[2,1],[2,2],[10,1],[16,3],[17,3]) { my $r = socket my $s, $$_[0], $$_[1], 0; print "$$_[0] ", $r ? "done" : $! + 0, "\\n" }`
    const refused = [1, 2, 2, 10, 16, 17].map((family) => `${family} ${EAFNOSUPPORT}\n`)
    assert.equal(await perl(sockets), refused.join(''))
    assert.equal(
      await perl(sockets, filtered, { unixSockets: true }),
      ['1 done\n', ...refused.slice(1)].join(''),
    )
    const pair = 'for (1, 2) { print socketpair(my $a, my $b, $_, 1, 0) ? "done " : $! + 0 }'
    assert.equal(await perl(pair), `done ${EAFNOSUPPORT}`)
  })

  test('looks at arguments where only some of them harm', async () => {
    const code = `
      sub told { print shift, " ", ($_[0] == -1 ? $! + 0 : "done"), "\\n" }
      told("clone into a namespace", syscall 56, 0x10000000, 0, 0, 0, 0);
      if (!defined(my $child = fork)) { told("fork", -1) } elsif (!$child) { exit } else { told("fork", 0) }
      told("limits of another", syscall 302, getppid, 7, 0, 0);
      my $limits = "\\0" x 16; told("limits of its own", syscall 302, 0, 7, 0, $limits);
      pipe my $out, my $in;
      told("terminal", syscall 16, fileno $out, $_, 0) for 0x5412, 0x541c, 0x8901, 0x8902;
      told("size of the terminal", syscall 16, fileno $out, 0x5413, 0);
      told("owner", syscall 72, fileno $out, $_, 0) for 8, 10, 15;
      told("flags", syscall 72, fileno $out, 1, 0);
      told("kill of another", syscall 62, getppid, 0);
      told("kill of all", syscall 62, -1, 0);
      my $own = $$ + 0; told("kill of its own", syscall 62, $own, 0);
      told("kill of its group", syscall 62, 0, 0);
      told("kill of a thread of another", syscall 234, getppid, getppid, 0);
      told("kill of a thread of its own", syscall 234, $own, $own, 0);`
    assert.deepEqual((await perl(code)).trim().split('\n'), [
      ...['clone into a namespace 1', 'fork done', 'limits of another 1', 'limits of its own done'],
      ...['terminal 1', 'terminal 1', 'terminal 1', 'terminal 1', 'size of the terminal 25'],
      ...['owner 1', 'owner 1', 'owner 1', 'flags done'],
      ...['kill of another 1', 'kill of all 1', 'kill of its own done', 'kill of its group done'],
      ...['kill of a thread of another 1', 'kill of a thread of its own done'],
    ])
  })

  test('ends who speaks to the kernel by numbers of another dialect', async () => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const code = 'syscall 0x40000000 + 39'
    const command = await buildCommand(filtered, 'perl', ['-e', code], { workDir, limits: {} })
    assert.equal(spawnSync(command.file, command.args, command).signal, 'SIGSYS')
  })
})

describe('a program that is launched', () => {
  test('gets no more rights by a program that would give them', async () => {
    const status = 'open my $s, "<", "/proc/self/status"; print grep /^(NoNewPrivs|Seccomp):/, <$s>'
    assert.equal(await perl(status), 'NoNewPrivs:\t1\nSeccomp:\t2\n')
  })

  test('has no descriptor beyond those that are its own', async () => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const nothing = openSync('/dev/null', 'r')
    const list = ['-e', 'for (3 .. 9) { print "$_ " if open my $f, "<&=", $_ }']
    const opened = async (descriptors?: number) => {
      const options = { workDir, limits: {}, ...(descriptors !== undefined && { descriptors }) }
      const { file, args, env, cwd } = await buildCommand(filtered, 'perl', list, options)
      const stdio = ['ignore', 'pipe', 'inherit', nothing, nothing, nothing] as const
      return execFileSync(file, args, { env, cwd, encoding: 'utf8', stdio: [...stdio] })
    }
    assert.deepEqual([await opened(), await opened(5)], ['', '3 4 '])
    closeSync(nothing)
  })

  test('is held to the hard limit where that is lower than what it may have', async () => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const { file, args, env, cwd } = await buildCommand(filtered, 'cat', ['/proc/self/limits'], {
      workDir,
      limits: {},
    })
    const stdout = execFileSync('prlimit', ['--nproc=1000:1024', '--', file, ...args], {
      env: { ...process.env, ...env },
      cwd,
      encoding: 'utf8',
    })
    assert.match(stdout, /^Max processes +1024 +1024 /m)
    assert.match(stdout, /^Max core file size +0 +0 /m)
  })

  test('does not start with more than it was to have', async () => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const { file, args, env, cwd } = await buildCommand(filtered, 'true', [], { workDir, limits: {} })
    const spoilt = args.map((word) => (word.startsWith('filter=') ? 'filter=ffffffffffffffff' : word))
    const { status, stderr } = spawnSync(file, spoilt, { env, cwd, encoding: 'utf8' })
    assert.notEqual(status, 0)
    assert.match(stderr, /^launch: seccomp: Invalid argument$/m)
  })

  test('opens its folder and what it needs of the system, and runs nothing of its own making', async () => {
    const shown = await mkdtemp(join(base, 'shown-'))
    const code = `
      sub told { print "$_[0]: ", ($_[1] ? "yes" : $! + 0), "\\n" }
      told("makes", open my $own, ">", "own"); print $own "#!/bin/sh\\n"; close $own; chmod 0755, "own";
      told("runs it", !system "./own");
      told("makes a folder", mkdir "folder"); told("moves", rename "own", "folder/own"); told("removes", unlink "folder/own");
      told("reads programs", open my $a, "<", "/usr/bin/env"); told("reads fonts", opendir my $d, "/etc/fonts");
      told("discards", open my $n, ">", "/dev/null");
      told("writes to $_", open my $o, "+<", "/dev/$_") for "zero", "full";
      told("reads what it is given", opendir my $e, "${shown}"); told("writes there", open my $f, ">", "${shown}/x");
      told("reads accounts' secrets", open my $g, "<", "/etc/shadow");
      told("writes to the system", open my $h, ">", "/usr/x"); told("writes to all's", open my $i, ">", "/tmp/x-of-a-test");
      told("reads folders beside its own", opendir my $j, "${base}");`
    assert.deepEqual((await perl(code, filtered, { readOnly: [shown] })).trim().split('\n'), [
      ...['makes: yes', 'runs it: 13', 'makes a folder: yes', 'moves: yes', 'removes: yes'],
      ...['reads programs: yes', 'reads fonts: yes', 'discards: yes'],
      ...['writes to zero: yes', 'writes to full: yes'],
      ...['reads what it is given: yes', 'writes there: 13', "reads accounts' secrets: 13"],
      ...['writes to the system: 13', "writes to all's: 13", 'reads folders beside its own: 13'],
    ])
  })

  test('may name sockets where LibreOffice does, if it speaks by them', async () => {
    const code = `socket my $s, 1, 1, 0; my $path = "/tmp/socket-of-$$"; print bind($s, pack "Sa*", 1, $path) ? "named" : $! + 0; unlink $path`
    assert.equal(await perl(code, filtered, { unixSockets: true }), 'named')
  })
})

/** As on Lambda: another uid, no user namespaces, 1,024 processes at most. */
const lambdaLike = [
  ...['setpriv', '--reuid=993', '--regid=990', '--clear-groups', '--inh-caps=-all'],
  ...['bwrap', '--unshare-user', '--disable-userns', '--dev-bind', '/', '/', '--proc', '/proc'],
  ...['prlimit', '--nproc=1024:1024', '--'],
]
const here = fileURLToPath(new URL('.', import.meta.url))

function whyNotLambdaLike(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, to become somebody else'
  const [command = '', ...args] = [...lambdaLike, 'test', '-r', here]
  return spawnSync(command, args).status === 0
    ? undefined
    : 'needs this code where others can read it, and bubblewrap'
}
const reason = whyNotLambdaLike()

test(
  'without namespaces an intruder is held by filters, and by limits alone where these are refused',
  reason === undefined ? {} : { skip: reason },
  () => {
    const script = `
      const { commandFor, findWay, levelOf } = await import(${JSON.stringify(join(here, '../../lib/engines/sandbox/isolation.ts'))})
      const { intrude } = await import(${JSON.stringify(join(here, '../../lib/engines/sandbox/escape-test.ts'))})
      const { ways } = await import(${JSON.stringify(join(here, '../../lib/engines/sandbox/launchers.ts'))})
      const open = async (way) => {
        const findings = await intrude(way, (...command) => commandFor(way, ...command))
        return [levelOf(findings), ...Object.keys(findings).filter((thing) => !findings[thing])].join(' ')
      }
      const { way } = await findWay(ways, false)
      console.log(JSON.stringify([way.detail, ...await Promise.all(ways.filter((way) => way.walls.length === 0).map(open))]))`
    const [command = '', ...args] = [
      ...lambdaLike,
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      '--eval',
      script,
    ]
    const env = { PATH: process.env['PATH'], TMPDIR: '/tmp', SERVICE_SECRET: 'a key of this service' }
    const { stdout, stderr } = spawnSync(command, args, { env, cwd: '/', encoding: 'utf8' })
    assert.deepEqual(JSON.parse(stdout || JSON.stringify(stderr)), [
      (launchers.find(({ usesLandlock: landlock }) => landlock) as Launcher).detail,
      'filtered pid net',
      // Landlock is what keeps /proc of the service: in the images nobody may read the program, and that does it too.
      'limits secrets files pid net',
      'limits secrets network signals files kill pid net',
      'none secrets network signals files kill memory processor core pid net',
    ])
  },
)

test('the perl that starts engines is where every Debian has it', () => {
  accessSync('/usr/bin/perl', constants.X_OK)
})
