import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Tools } from '../../../lib/engines/engine.ts'
import { createTools, ProcessFailure } from '../../../lib/engines/sandbox/exec.ts'
import { createSandboxCommand, getConfinement } from '../../../lib/engines/sandbox/isolation.ts'
import { killGroup } from '../../../lib/engines/sandbox/process-exit.ts'
import { AppError } from '../../../lib/errors.ts'
import { waitUntilNoneRuns } from './support/running-processes.ts'

const { level, detail } = await getConfinement()

const skipWithoutNamespaces = level === 'namespaces' ? {} : { skip: `needs bubblewrap, found ${detail}` }

const skipWithoutLimits = level === 'none' ? { skip: `needs prlimit, found ${detail}` } : {}

let base: string

let workDir: string

before(async () => {
  base = await mkdtemp(join(tmpdir(), 'sandbox-test-'))
})

after(() => rm(base, { recursive: true, force: true }))

beforeEach(async () => {
  workDir = await mkdtemp(join(base, 'work-'))
})

/** Time after which a test fails because its program was not ended by its limit. */
const maxRunMs = 20_000

function tools(signal = new AbortController().signal, timeoutS = 20): Tools {
  return createTools({ workDir, signal, limits: { memoryMb: 1024, diskMb: 64, timeoutS } })
}

function shell(script: string, using = tools()) {
  return using.exec('sh', ['-c', script])
}

describe('hostile engine processes', () => {
  test('a hostile engine process cannot run a fork bomb', skipWithoutNamespaces, async () => {
    const forkBomb = 'i=0; while [ $i -lt 1000 ]; do sleep 7776 & i=$((i+1)); done; wait'
    await assert.rejects(shell(forkBomb), /Cannot fork|Resource temporarily unavailable/)
    await waitUntilNoneRuns('sleep 7776')
  })

  test('a hostile engine process cannot take more memory than its limit', skipWithoutLimits, async () => {
    const allocateScript = 'my $x = "a" x (2 * 1024 ** 3); print length $x'
    await assert.rejects(tools().exec('perl', ['-e', allocateScript]), /Out of memory|panic/i)
  })

  test('a hostile engine process cannot write a larger file than its limit', skipWithoutLimits, async () => {
    await assert.rejects(
      shell('exec head -c 100000000 /dev/zero > big'),
      (error) =>
        error instanceof AppError &&
        error.code === 'CONVERSION_FAILED' &&
        /limit of 64 MB/.test(error.message),
    )
    assert.equal((await lstat(join(workDir, 'big'))).size, 64 * 1024 * 1024)
  })

  test(
    'a hostile engine process cannot use more processor time than its limit',
    skipWithoutLimits,
    async (t) => {
      const command = await createSandboxCommand('sh', ['-c', 'while :; do :; done'], {
        workDir,
        limits: { cpuS: 1 },
      })
      const child = spawn(command.file, command.args, {
        env: command.env,
        cwd: command.cwd,
        stdio: 'ignore',
        detached: true,
      })
      t.after(() => killGroup(child))
      const [code, signal] = await once(child, 'exit', { signal: AbortSignal.timeout(maxRunMs) })
      assert.ok(
        signal === 'SIGKILL' || signal === 'SIGXCPU' || code === 137 || code === 152,
        `${code} ${signal}`,
      )
    },
  )

  test('a hostile engine process cannot reach a server on this machine', skipWithoutNamespaces, async (t) => {
    const server = createServer((socket) => socket.end('secret'))
    t.after(() => server.close())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const connectScript = `use IO::Socket::INET; my $s = IO::Socket::INET->new("127.0.0.1:${address.port}") or die "no way: $!"; print <$s>`
    await assert.rejects(tools().exec('perl', ['-e', connectScript]), /no way/)
  })

  test(
    'a hostile engine process cannot read system accounts, the code of the service or the folder of another job',
    skipWithoutNamespaces,
    async () => {
      const otherFolder = await mkdtemp(join(base, 'other-'))
      await writeFile(join(otherFolder, 'secret.txt'), 'secret', { mode: 0o644 })
      const thisFile = new URL(import.meta.url).pathname
      const { stdout } = await tools().exec('cat', ['/etc/passwd'])
      assert.equal(stdout, await readFile('/usr/share/base-passwd/passwd.master', 'utf8'))
      for (const path of ['/etc/shadow', thisFile, join(otherFolder, 'secret.txt'), '/root']) {
        await assert.rejects(tools().exec('cat', [path]), /No such file|Permission denied/)
      }
    },
  )

  test('a hostile engine process cannot see or signal other processes', skipWithoutNamespaces, async () => {
    const { stdout } = await shell('ls /proc | grep -c "^[0-9]"')
    assert.ok(Number(stdout) < 10, stdout)
    await assert.rejects(shell(`kill -0 ${process.pid}`), ProcessFailure)
  })

  test('a hostile engine process cannot write outside its folder', skipWithoutNamespaces, async () => {
    for (const path of ['/usr/evil', '/evil', '/dev/evil', '/etc/evil']) {
      await assert.rejects(tools().exec('touch', [path]), /Read-only|Permission denied|No such file/)
    }
    // Outside its folder, the process sees at most its own temporary file system, never the real files.
    await shell(`touch ${base}/evil || true`)
    await assert.rejects(lstat(join(base, 'evil')), { code: 'ENOENT' })
  })
})

describe('long-running sandboxed processes', () => {
  test('a long-running sandboxed process can write into a folder that is granted to it later', async (t) => {
    const command = await createSandboxCommand('sh', ['-c', 'read name; echo done > "$name/result"'], {
      workDir,
    })
    const child = spawn(command.file, command.args, {
      env: command.env,
      cwd: command.cwd,
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    })
    t.after(() => killGroup(child))
    const job = join(workDir, 'job')
    await mkdir(job)
    await command.grant(job)
    child.stdin.end(`${job}\n`)
    const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(maxRunMs) })
    assert.equal(code, 0)
    assert.equal(await readFile(join(job, 'result'), 'utf8'), 'done\n')
  })
})
