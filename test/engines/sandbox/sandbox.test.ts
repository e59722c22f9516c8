import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Tools } from '../../../lib/engines/engine.ts'
import { EngineCrash } from '../../../lib/engines/sandbox/engine-crash.ts'
import { createTools, ProcessFailure } from '../../../lib/engines/sandbox/exec.ts'
import { TruncatedOutput } from '../../../lib/engines/sandbox/output-buffers.ts'
import { AppError } from '../../../lib/errors.ts'
import { waitUntilNoneRuns } from './support/running-processes.ts'

let base: string

let workDir: string

before(async () => {
  base = await mkdtemp(join(tmpdir(), 'sandbox-test-'))
})

after(() => rm(base, { recursive: true, force: true }))

beforeEach(async () => {
  workDir = await mkdtemp(join(base, 'work-'))
})

function tools(signal = new AbortController().signal, timeoutS = 20): Tools {
  return createTools({ workDir, signal, limits: { memoryMb: 1024, diskMb: 64, timeoutS } })
}

function shell(script: string, using = tools()) {
  return using.exec('sh', ['-c', script])
}

describe('engine processes', () => {
  test('an engine process runs in its work folder with a clean environment', async () => {
    const { stdout } = await shell('pwd; env | cut -d= -f1 | sort | tr "\\n" " "; echo hi > made')
    const [folder, names] = stdout.split('\n')
    assert.equal(folder, workDir)
    assert.equal(names?.trim(), 'HOME LANG LD_LIBRARY_PATH MUTABOR_RUN PATH PWD TMPDIR')
    assert.equal(await readFile(join(workDir, 'made'), 'utf8'), 'hi\n')
  })

  test('an engine process can run below a folder that only the owner may enter', async () => {
    const locked = join(base, 'locked')
    await mkdir(join(locked, 'inner'), { recursive: true, mode: 0o700 })
    workDir = join(locked, 'inner')
    await writeFile(join(workDir, 'in.txt'), 'text', { mode: 0o600 })
    const { stdout } = await shell(`cat ${workDir}/in.txt; cp ${workDir}/in.txt ${workDir}/out.txt`)
    assert.equal(stdout, 'text')
  })

  test('an engine process receives arguments unchanged, even with shell syntax', async () => {
    const oddArgument = '$(touch pwned) `id` "quoted" \'single\' \n; rm -rf /'
    const { stdout } = await tools().exec('printf', ['%s', oddArgument])
    assert.equal(stdout, oddArgument)
    assert.deepEqual(await readdir(workDir), [])
  })

  test('an engine process reads its stdin, and its output lines are passed on one by one', async () => {
    const lines: string[] = []
    await tools().exec('cat', [], { stdin: 'one\ntwo\n', onLine: (line) => lines.push(line) })
    assert.deepEqual(lines, ['one', 'two'])
  })

  test('a failing engine process gives an error with its exit code and stderr', async () => {
    await assert.rejects(shell('echo broken >&2; exit 3'), (error) => {
      assert.ok(error instanceof ProcessFailure)
      assert.equal(error.exitCode, 3)
      assert.equal(error.stderr, 'broken\n')
      return true
    })
  })

  test('the stderr and the exit of an engine process are passed to the onCommand callback', async () => {
    const runsAndOutput: unknown[] = []
    const startedAtMs = performance.now()
    const { exec } = createTools({
      workDir,
      signal: new AbortController().signal,
      limits: { memoryMb: 1024, diskMb: 64, timeoutS: 20 },
      onCommand: (bin, args) => {
        runsAndOutput.push([bin, ...args])
        return {
          stderr: (chunk) => runsAndOutput.push(String(chunk)),
          ended: ({ ms, ...end }) => {
            const maxMs = performance.now() - startedAtMs + 1
            assert.ok(ms >= 0 && ms <= maxMs, `${ms} of ${maxMs} ms`)
            runsAndOutput.push(end)
          },
        }
      },
    })
    await exec('sh', ['-c', 'echo odd >&2'])
    await assert.rejects(exec('sh', ['-c', 'exit 3']), /^ProcessFailure: sh exited with code 3: $/)
    await assert.rejects(exec('sh', ['-c', 'kill -SEGV $$']), /^EngineCrash: sh was killed by SIGSEGV: $/)
    await assert.rejects(exec('sleep', ['7778'], { timeoutS: 0.2 }), { code: 'TIMEOUT' })
    const createExit = (how: string, hasSucceeded = false, stderr = '') => ({ how, hasSucceeded, stderr })
    assert.deepEqual(runsAndOutput, [
      ['sh', '-c', 'echo odd >&2'],
      'odd\n',
      createExit('exit code 0', true, 'odd\n'),
      ['sh', '-c', 'exit 3'],
      createExit('exit code 3'),
      ['sh', '-c', 'kill -SEGV $$'],
      createExit('SIGSEGV'),
      ['sleep', '7778'],
      createExit('stopped (TIMEOUT)'),
    ])
  })

  test('an engine process may exit with a nonzero code that its engine declares as success', async () => {
    await tools().exec('sh', ['-c', 'exit 3'], { okCodes: [0, 3] })
  })

  test('an engine process that crashes causes a different error than one that exits with a failure code', async () => {
    await assert.rejects(shell('kill -SEGV $$'), (error) => {
      assert.ok(error instanceof EngineCrash)
      assert.equal(error.signal, 'SIGSEGV')
      return true
    })
  })

  test('an engine process that exceeds its CPU time limit gives a timeout error, not a crash', async () => {
    await assert.rejects(
      shell('kill -XCPU $$'),
      (error) => error instanceof AppError && error.code === 'TIMEOUT' && error.cause instanceof EngineCrash,
    )
  })

  test('starting an engine program that does not exist fails', async () => {
    await assert.rejects(tools().exec('no-such-program', []))
  })

  test('an engine process is stopped when its output exceeds the limit', async () => {
    await assert.rejects(
      shell('yes'),
      (error) => error instanceof EngineCrash && /output limit/.test(error.message),
    )
  })

  test('a failing engine process with a long stderr gives an error with the beginning and end of the stderr', async () => {
    await assert.rejects(
      shell('echo first >&2; yes | head -c 500000 >&2; echo last >&2; exit 1'),
      (error) => {
        assert.ok(error instanceof ProcessFailure)
        assert.match(error.stderr, /^first\n/)
        assert.match(error.stderr, /last\n$/)
        assert.ok(error.stderr.length < 70_000, `${error.stderr.length} characters were kept`)
        return true
      },
    )
  })
})

test('long output of an engine process keeps its first and last bytes and says how many were dropped', () => {
  const truncate = (...chunks: readonly string[]) => {
    const truncatedOutput = new TruncatedOutput(10)
    for (const chunk of chunks) truncatedOutput.add(Buffer.from(chunk))
    return truncatedOutput.toString()
  }
  assert.equal(truncate('abc', 'defghij'), 'abcdefghij')
  assert.equal(truncate('abc', 'defghijk'), 'abcde\n… 1 bytes left out …\nghijk')
  assert.equal(truncate('abcdefgh', 'i', 'jklmnop'), 'abcde\n… 6 bytes left out …\nlmnop')
})

describe('killing engine processes', () => {
  test('an engine process is killed at its time limit, even if it ignores SIGTERM', async () => {
    const startedAtMs = Date.now()
    await assert.rejects(
      shell('trap "" TERM INT HUP; while :; do sleep 7771; done', tools(undefined, 0.3)),
      (error) => error instanceof AppError && error.code === 'TIMEOUT',
    )
    const ms = Date.now() - startedAtMs
    assert.ok(ms < 3000, `it ran for ${ms} ms`)
    await waitUntilNoneRuns('sleep 7771')
  })

  test('an engine process is killed when its own abort signal is triggered', async () => {
    const stop = new AbortController()
    const runningShell = tools().exec('sh', ['-c', 'echo started; sleep 7770; echo ended'], {
      signal: stop.signal,
      onLine: () => stop.abort(new Error('enough was unpacked')),
    })
    await assert.rejects(runningShell, /enough was unpacked/)
    await waitUntilNoneRuns('sleep 7770')
  })

  test('an engine process with its own abort signal is killed when the step is cancelled', async () => {
    const [cancel, ownAbort] = [new AbortController(), new AbortController()]
    const runningShell = tools(cancel.signal).exec('sh', ['-c', 'echo started; sleep 7771'], {
      signal: ownAbort.signal,
      onLine: () => cancel.abort(new Error('cancelled by the client')),
    })
    await assert.rejects(runningShell, /cancelled by the client/)
    await waitUntilNoneRuns('sleep 7771')
  })

  test('an engine process is killed together with grandchildren that left its process group', async () => {
    const abort = new AbortController()
    const readyEvent = Promise.withResolvers<void>()
    const runningShell = tools(abort.signal).exec(
      'sh',
      [
        '-c',
        'setsid sh -c "trap \\"\\" TERM; sleep 7772" & setsid -f sleep 7773; sleep 0.05; echo up; sleep 7774',
      ],
      { onLine: () => readyEvent.resolve() },
    )
    const rejectedRun = assert.rejects(runningShell, /cancelled by the client/)
    // If the process ends before it is ready, the rejection reports why.
    await Promise.race([readyEvent.promise, rejectedRun])
    abort.abort(new Error('cancelled by the client'))
    await rejectedRun
    for (const text of ['sleep 7772', 'sleep 7773', 'sleep 7774']) await waitUntilNoneRuns(text)
  })

  test('background processes that an engine process left behind are killed', async () => {
    await shell('setsid -f sleep 7775 >/dev/null 2>&1')
    await waitUntilNoneRuns('sleep 7775')
  })

  test('an engine process is not started if the step was already cancelled', async () => {
    await assert.rejects(
      shell('touch started', tools(AbortSignal.abort(new Error('cancelled')))),
      /cancelled/,
    )
    assert.deepEqual(await readdir(workDir), [])
  })

  test('links and pipes that an engine process creates are removed from its results', async () => {
    await shell('mkdir out; ln -s /etc/shadow out/a.png; mkfifo out/b.png; echo fine > out/c.png')
    assert.deepEqual(await readdir(join(workDir, 'out')), ['c.png'])
  })
})
