import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, closeSync, constants, openSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { EscapeTestResult } from '../../../lib/engines/sandbox/escape-test.ts'
import {
  buildCommand,
  chooseLauncher,
  describeConfinementProblem,
  requireConfinement,
  toConfinementLevel,
} from '../../../lib/engines/sandbox/isolation.ts'
import { type Launcher, launchers } from '../../../lib/engines/sandbox/launchers.ts'
import { AppError } from '../../../lib/errors.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

const base = scratchFolder('escape-test')

const checks = [
  ...(['secrets', 'network', 'signals', 'files', 'kill', 'memory', 'file-size', 'processes'] as const),
  ...(['processor', 'core', 'pid', 'net', 'runs'] as const),
] as const
const allChecks = Object.fromEntries(checks.map((check) => [check, true])) as EscapeTestResult // all of its keys
const withoutChecks = (...missingChecks: readonly (keyof EscapeTestResult)[]): EscapeTestResult => ({
  ...allChecks,
  ...Object.fromEntries(missingChecks.map((check) => [check, false])),
})

describe('confinement level of the sandbox', () => {
  test('the confinement level is determined by the checks of the escape test that passed', () => {
    assert.equal(toConfinementLevel(allChecks), 'namespaces')
    for (const check of ['files', 'pid', 'net'] as const)
      assert.equal(toConfinementLevel(withoutChecks(check)), 'filtered', check)
    for (const check of ['secrets', 'network', 'signals', 'kill'] as const)
      assert.equal(toConfinementLevel(withoutChecks(check)), 'limits', check)
    for (const check of ['memory', 'file-size', 'processes', 'processor', 'core', 'runs'] as const)
      assert.equal(toConfinementLevel(withoutChecks(check)), 'none', check)
  })

  test('a confinement level below MIN_CONFINEMENT is reported as a problem, with advice for the operator', () => {
    const foundConfinement = { level: 'limits', detail: 'rlimits only' } as const
    assert.equal(describeConfinementProblem(foundConfinement, 'limits'), undefined)
    assert.equal(describeConfinementProblem(foundConfinement, 'none'), undefined)
    for (const minLevel of ['filtered', 'namespaces'] as const) {
      const reason = describeConfinementProblem(foundConfinement, minLevel) ?? ''
      assert.match(
        reason,
        /confined by rlimits only; that is "limits", and MIN_CONFINEMENT asks for "(filtered|namespaces)"/,
      )
      assert.match(reason, /Install bubblewrap.*MIN_CONFINEMENT=limits$/)
    }
  })

  test('a confinement level below MIN_CONFINEMENT gives clients an error without details', async () => {
    const foundConfinement = { level: 'limits', detail: 'rlimits only' } as const
    await requireConfinement(foundConfinement, 'limits')
    await assert.rejects(requireConfinement(foundConfinement, 'filtered'), (error) => {
      assert.ok(error instanceof AppError && error.cause instanceof Error)
      assert.equal(error.code, 'SERVICE_UNAVAILABLE')
      assert.doesNotMatch(error.message, /rlimits/)
      assert.match(error.cause.message, /rlimits only.*MIN_CONFINEMENT/)
      return true
    })
  })

  test('the confinement level is that of the best working launcher', async () => {
    const brokenLauncher: Launcher = {
      ...(launchers[0] as Launcher),
      needsRoot: false,
      namespaceArgs: ['false'],
    }
    const weakestLaunchers = launchers.filter(({ level }) => level === 'none')
    const { launcher, level } = await chooseLauncher([brokenLauncher, ...weakestLaunchers], false)
    assert.deepEqual([launcher, level], [weakestLaunchers[0], 'none'])
  })
})

/** The launcher without namespaces, which works for any user who runs the tests. */
const filteredLauncher = launchers.filter(
  ({ level, usesLandlock }) => level === 'filtered' && usesLandlock,
)[0] as Launcher

/** Runs Perl code with a launcher and returns its stdout and stderr. */
async function runPerl(code: string, launcher = filteredLauncher, moreOptions = {}): Promise<string> {
  const workDir = await mkdtemp(join(base, 'work-'))
  const command = await buildCommand(launcher, 'perl', ['-e', code], { workDir, limits: {}, ...moreOptions })
  const { stdout, stderr } = spawnSync(command.file, command.args, { ...command, encoding: 'utf8' })
  return stdout + stderr
}

/** System call numbers from asm/unistd_64.h. */
const alwaysRefusedCalls = [
  ...[29, 30, 31, 64, 65, 66, 67, 68, 69, 70, 71, 101, 103, 154, 155, 159, 161, 163, 164, 165, 166, 167, 168],
  ...[
    169, 172, 173, 175, 176, 179, 220, 227, 240, 241, 246, 248, 249, 250, 272, 298, 300, 303, 304, 305, 308,
  ],
  ...[310, 311, 312, 313, 320, 321, 323, 424, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 443, 448],
]
const callsRefusedWithoutPidNamespace = [109, 112, 129, 200, 297]
const callsReportedAsMissing = [425, 426, 427, 435]

/** Makes each system call with invalid arguments, so that it has no effect even if the filter lets it through. */
const tryCalls = (numbers: readonly number[]) =>
  `for (${numbers.join(',')}) { my $r = syscall $_, -1, -1, -1, -1, -1, -1; print "$_ ", $r == -1 ? $! + 0 : "done", "\\n" }`

describe('seccomp filter', () => {
  const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]

  test('the seccomp filter refuses system calls that no engine needs, and reports newer system calls as not implemented', async () => {
    const calls = [...alwaysRefusedCalls, ...callsRefusedWithoutPidNamespace, ...callsReportedAsMissing]
    const expectedLines = calls.map(
      (call) => `${call} ${callsReportedAsMissing.includes(call) ? ENOSYS : EPERM}`,
    )
    assert.deepEqual((await runPerl(tryCalls(calls))).trim().split('\n'), expectedLines)
  })

  test('the seccomp filter allows process groups and sessions only inside a PID namespace', async (t) => {
    const launcher = launchers.find(
      ({ namespaceArgs, needsRoot }) => namespaceArgs.length > 0 && needsRoot === (process.getuid?.() === 0),
    ) as Launcher
    const output = await runPerl('print setpgrp(0, 0) ? "led" : $!; ', launcher)
    if (/bwrap/.test(output)) t.skip(output)
    else assert.match(output, /^led/)
    assert.match(await runPerl('print setpgrp(0, 0) ? "led" : $!'), /not permitted/)
  })

  test('the seccomp filter refuses all sockets, except Unix sockets for programs that need them', async () => {
    const socketScript = `for ([1,1],[2,1],[2,2],[10,1],[16,3],[17,3]) { my $r = socket my $s, $$_[0], $$_[1], 0; print "$$_[0] ", $r ? "done" : $! + 0, "\\n" }`
    const refusedFamilies = [1, 2, 2, 10, 16, 17].map((family) => `${family} ${EAFNOSUPPORT}\n`)
    assert.equal(await runPerl(socketScript), refusedFamilies.join(''))
    assert.equal(
      await runPerl(socketScript, filteredLauncher, { unixSockets: true }),
      ['1 done\n', ...refusedFamilies.slice(1)].join(''),
    )
    const pair = 'for (1, 2) { print socketpair(my $a, my $b, $_, 1, 0) ? "done " : $! + 0 }'
    assert.equal(await runPerl(pair), `done ${EAFNOSUPPORT}`)
  })

  test('the seccomp filter refuses system calls by argument if only some arguments are harmless', async () => {
    const code = `
      sub report { print shift, " ", ($_[0] == -1 ? $! + 0 : "done"), "\\n" }
      report("clone into a namespace", syscall 56, 0x10000000, 0, 0, 0, 0);
      if (!defined(my $child = fork)) { report("fork", -1) } elsif (!$child) { exit } else { report("fork", 0) }
      report("limits of another", syscall 302, getppid, 7, 0, 0);
      my $limits = "\\0" x 16; report("limits of its own", syscall 302, 0, 7, 0, $limits);
      pipe my $out, my $in;
      report("terminal", syscall 16, fileno $out, $_, 0) for 0x5412, 0x541c, 0x8901, 0x8902;
      report("size of the terminal", syscall 16, fileno $out, 0x5413, 0);
      report("owner", syscall 72, fileno $out, $_, 0) for 8, 10, 15;
      report("flags", syscall 72, fileno $out, 1, 0);
      report("kill of another", syscall 62, getppid, 0);
      report("kill of all", syscall 62, -1, 0);
      my $own = $$ + 0; report("kill of its own", syscall 62, $own, 0);
      report("kill of its group", syscall 62, 0, 0);
      report("kill of a thread of another", syscall 234, getppid, getppid, 0);
      report("kill of a thread of its own", syscall 234, $own, $own, 0);`
    assert.deepEqual((await runPerl(code)).trim().split('\n'), [
      ...['clone into a namespace 1', 'fork done', 'limits of another 1', 'limits of its own done'],
      ...['terminal 1', 'terminal 1', 'terminal 1', 'terminal 1', 'size of the terminal 25'],
      ...['owner 1', 'owner 1', 'owner 1', 'flags done'],
      ...['kill of another 1', 'kill of all 1', 'kill of its own done', 'kill of its group done'],
      ...['kill of a thread of another 1', 'kill of a thread of its own done'],
    ])
  })

  test('the seccomp filter kills a program that uses x32 system call numbers', async () => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const code = 'syscall 0x40000000 + 39'
    const command = await buildCommand(filteredLauncher, 'perl', ['-e', code], { workDir, limits: {} })
    assert.equal(spawnSync(command.file, command.args, command).signal, 'SIGSYS')
  })
})

describe('sandboxed programs', () => {
  test('a sandboxed program cannot gain privileges from a setuid program', async () => {
    const status = 'open my $s, "<", "/proc/self/status"; print grep /^(NoNewPrivs|Seccomp):/, <$s>'
    assert.equal(await runPerl(status), 'NoNewPrivs:\t1\nSeccomp:\t2\n')
  })

  test('a sandboxed program inherits only its own file descriptors', async () => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const devNull = openSync('/dev/null', 'r')
    const list = ['-e', 'for (3 .. 9) { print "$_ " if open my $f, "<&=", $_ }']
    const listOpenFds = async (closeFdsFrom?: number) => {
      const options = { workDir, limits: {}, ...defined({ closeFdsFrom }) }
      const { file, args, env, cwd } = await buildCommand(filteredLauncher, 'perl', list, options)
      const stdio = ['ignore', 'pipe', 'inherit', devNull, devNull, devNull] as const
      return execFileSync(file, args, { env, cwd, encoding: 'utf8', stdio: [...stdio] })
    }
    assert.deepEqual([await listOpenFds(), await listOpenFds(5)], ['', '3 4 '])
    closeSync(devNull)
  })

  test('a sandboxed program gets the hard limit of the system if its own limit would be higher', async () => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const { file, args, env, cwd } = await buildCommand(filteredLauncher, 'cat', ['/proc/self/limits'], {
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

  test('a sandboxed program does not start if the seccomp filter cannot be installed', async () => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const { file, args, env, cwd } = await buildCommand(filteredLauncher, 'true', [], { workDir, limits: {} })
    const brokenArgs = args.map((arg) => (arg.startsWith('filter=') ? 'filter=ffffffffffffffff' : arg))
    const { status, stderr } = spawnSync(file, brokenArgs, { env, cwd, encoding: 'utf8' })
    assert.notEqual(status, 0)
    assert.match(stderr, /^launch: seccomp: Invalid argument$/m)
  })

  test('a sandboxed program can open its folder and system files, but not execute files that it created', async () => {
    const shownFolder = await mkdtemp(join(base, 'shown-'))
    const code = `
      sub report { print "$_[0]: ", ($_[1] ? "yes" : $! + 0), "\\n" }
      report("makes", open my $own, ">", "own"); print $own "#!/bin/sh\\n"; close $own; chmod 0755, "own";
      report("runs it", !system "./own");
      report("makes a folder", mkdir "folder"); report("moves", rename "own", "folder/own"); report("removes", unlink "folder/own");
      report("reads programs", open my $a, "<", "/usr/bin/env"); report("reads fonts", opendir my $d, "/etc/fonts");
      report("discards", open my $n, ">", "/dev/null");
      report("writes to $_", open my $o, "+<", "/dev/$_") for "zero", "full";
      report("reads what it is given", opendir my $e, "${shownFolder}"); report("writes there", open my $f, ">", "${shownFolder}/x");
      report("reads accounts' secrets", open my $g, "<", "/etc/shadow");
      report("writes to the system", open my $h, ">", "/usr/x"); report("writes to all's", open my $i, ">", "/tmp/x-of-a-test");
      report("reads folders beside its own", opendir my $j, "${base}");`
    assert.deepEqual(
      (await runPerl(code, filteredLauncher, { readOnly: [shownFolder] })).trim().split('\n'),
      [
        ...['makes: yes', 'runs it: 13', 'makes a folder: yes', 'moves: yes', 'removes: yes'],
        ...['reads programs: yes', 'reads fonts: yes', 'discards: yes'],
        ...['writes to zero: yes', 'writes to full: yes'],
        ...['reads what it is given: yes', 'writes there: 13', "reads accounts' secrets: 13"],
        ...['writes to the system: 13', "writes to all's: 13", 'reads folders beside its own: 13'],
      ],
    )
  })

  test('a sandboxed program that may use Unix sockets can bind them in /tmp, as LibreOffice does', async () => {
    const code = `socket my $s, 1, 1, 0; my $path = "/tmp/socket-of-$$"; print bind($s, pack "Sa*", 1, $path) ? "named" : $! + 0; unlink $path`
    assert.equal(await runPerl(code, filteredLauncher, { unixSockets: true }), 'named')
  })
})

/** Simulates Lambda: another uid, no user namespaces, at most 1,024 processes. */
const lambdaLikeLaunch = [
  ...['setpriv', '--reuid=993', '--regid=990', '--clear-groups', '--inh-caps=-all'],
  ...['bwrap', '--unshare-user', '--disable-userns', '--dev-bind', '/', '/', '--proc', '/proc'],
  ...['prlimit', '--nproc=1024:1024', '--'],
]
const here = fileURLToPath(new URL('.', import.meta.url))

function reasonToSkipLambdaLike(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root to switch to another user'
  const [command = '', ...args] = [...lambdaLikeLaunch, 'test', '-r', here]
  return spawnSync(command, args).status === 0
    ? undefined
    : 'needs bubblewrap and a checkout that other users can read'
}
const reason = reasonToSkipLambdaLike()

test(
  'without namespaces, each launcher fails the expected checks of the escape test',
  reason === undefined ? {} : { skip: reason },
  () => {
    const script = `
      const { buildCommand, chooseLauncher, toConfinementLevel } = await import(${JSON.stringify(join(here, '../../../lib/engines/sandbox/isolation.ts'))})
      const { runEscapeTest } = await import(${JSON.stringify(join(here, '../../../lib/engines/sandbox/escape-test.ts'))})
      const { launchers } = await import(${JSON.stringify(join(here, '../../../lib/engines/sandbox/launchers.ts'))})
      const levelAndFailures = async (launcher) => {
        const result = await runEscapeTest(launcher, (...command) => buildCommand(launcher, ...command))
        return [toConfinementLevel(result), ...Object.keys(result).filter((check) => !result[check])].join(' ')
      }
      const { launcher } = await chooseLauncher(launchers, false)
      const withoutNamespaces = launchers.filter((one) => one.namespaceArgs.length === 0)
      console.log(JSON.stringify([launcher.detail, ...await Promise.all(withoutNamespaces.map(levelAndFailures))]))`
    const [command = '', ...args] = [
      ...lambdaLikeLaunch,
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      '--eval',
      script,
    ]
    const env = { PATH: process.env['PATH'], TMPDIR: '/tmp', SERVICE_SECRET: 'a key of this service' }
    const { stdout, stderr } = spawnSync(command, args, { env, cwd: '/', encoding: 'utf8' })
    assert.deepEqual(JSON.parse(stdout || JSON.stringify(stderr)), [
      (launchers.find(({ usesLandlock }) => usesLandlock) as Launcher).detail,
      'filtered pid net',
      // Only Landlock protects the service's /proc entries here. Container images also do: node is unreadable there.
      'limits secrets files pid net',
      'limits secrets network signals files kill pid net',
      'none secrets network signals files kill memory processor core pid net',
    ])
  },
)

test('/usr/bin/perl, which starts the engines, is executable', () => {
  accessSync('/usr/bin/perl', constants.X_OK)
})
