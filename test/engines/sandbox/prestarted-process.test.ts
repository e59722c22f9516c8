import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecOptions } from '../../../lib/engines/engine.ts'
import type { PrestartedProcess } from '../../../lib/engines/sandbox/command.ts'
import { createTools, ProcessFailure } from '../../../lib/engines/sandbox/exec.ts'
import { getConfinement } from '../../../lib/engines/sandbox/isolation.ts'
import { createPrestarter, type Prestarter } from '../../../lib/engines/sandbox/prestarted-process.ts'
import { moveOut } from '../../../lib/engines/sandbox/process-folder.ts'
import { AppError } from '../../../lib/errors.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { waitUntil } from '../../support/wait-until.ts'

const { level, detail } = await getConfinement()
const skipWithoutNamespaces = level === 'namespaces' ? {} : { skip: `needs bubblewrap, found ${detail}` }
const scratch = scratchFolder('prestarter-test')

let baseDir: string
let workDir: string
const prestarters: Prestarter[] = []
after(() => Promise.all(prestarters.map((prestarter) => prestarter.close())))
beforeEach(async () => {
  baseDir = await mkdtemp(join(scratch, 'base-'))
  workDir = await mkdtemp(join(scratch, 'work-'))
})

function openPrestarter(script: string): Prestarter {
  const prestarter = createPrestarter({
    baseDir,
    prefix: 'waiting-',
    file: 'sh',
    args: ['-c', script],
    readOnly: [],
    limits: { fileBytes: 1024 * 1024 },
    prepare: async (folder) => ({ PREPARED: folder }),
  })
  prestarters.push(prestarter)
  return prestarter
}

/** Returns a prestarted process; the first call of `take` only starts it. */
async function takePrestarted(script: string): Promise<PrestartedProcess> {
  const scriptPrestarter = openPrestarter(script)
  assert.equal(await scriptPrestarter.take(), undefined)
  const program = await scriptPrestarter.take()
  assert.ok(program)
  return program
}

async function run(program: PrestartedProcess, args: readonly string[], options: ExecOptions = {}) {
  const limits = { memoryMb: 1024, diskMb: 64, timeoutS: 20 }
  const tools = createTools({ workDir, signal: new AbortController().signal, limits })
  try {
    return await tools.exec('sh', args, { ...options, prestarted: program })
  } finally {
    await program.stop()
  }
}

describe('prestarted engine processes', skipWithoutNamespaces, () => {
  test('a prestarted process receives its arguments on stdin and has its prepared environment', async () => {
    const program = await takePrestarted(
      'read -r line; echo "$line"; [ "$PREPARED" = "$PWD" ] && echo prepared',
    )
    const { stdout } = await run(program, ['one', 'two words'])
    assert.equal(stdout, '["one","two words"]\nprepared\n')
  })

  test('a prestarted process works on copies of files in its own folder, which is removed when the process is stopped', async () => {
    const path = join(workDir, 'in.txt')
    await writeFile(path, 'text', { mode: 0o600 })
    const program = await takePrestarted('read -r line; tr a-z A-Z < in.txt > out.txt; echo more >> in.txt')
    assert.equal(await program.copyIn(path), join(program.folder, 'in.txt'))
    const limits = { memoryMb: 1024, diskMb: 64, timeoutS: 20 }
    const tools = createTools({ workDir, signal: new AbortController().signal, limits })
    await tools.exec('sh', [], { prestarted: program })
    assert.equal(await moveOut(join(program.folder, 'out.txt'), join(workDir, 'out.txt')), true)
    await program.stop()
    assert.equal(await readFile(join(workDir, 'out.txt'), 'utf8'), 'TEXT')
    assert.equal(await readFile(path, 'utf8'), 'text')
    assert.ok(!(await readdir(baseDir)).some((name) => program.folder.endsWith(name)))
  })

  test('a prestarted process cannot access the folder of a job, other processes or the network', async () => {
    await writeFile(join(workDir, 'secret.txt'), 'secret')
    const script = `read -r line; cat ${workDir}/secret.txt; ls ${baseDir}; ls /proc | grep -c '^[0-9]'; grep -c : /proc/net/dev; id -u`
    const { stdout } = await run(await takePrestarted(script), [], { okCodes: [0, 1] })
    const [folder, processes, interfaces, uid] = stdout.trim().split('\n')
    assert.match(folder ?? '', /^waiting-/)
    assert.ok(Number(processes) < 8, `it sees ${processes} processes`)
    assert.equal(interfaces, '1')
    if (process.getuid?.() === 0) assert.ok(Number(uid) >= 2_000_000_000)
    assert.doesNotMatch(stdout, /secret/)
  })

  test('a prestarted process is used only once', async () => {
    const scriptPrestarter = openPrestarter('read -r line; cat /proc/sys/kernel/random/uuid > mine; ls')
    await scriptPrestarter.take()
    const folders = new Set<string>()
    for (let at = 0; at < 3; at++) {
      const program = await scriptPrestarter.take()
      assert.ok(program)
      const { stdout } = await run(program, [])
      assert.equal(stdout, 'mine\n')
      folders.add(program.folder)
    }
    assert.equal(folders.size, 3)
  })

  test('a prestarted process gives the same errors as a newly started one for failures, timeouts and size limits', async () => {
    await assert.rejects(run(await takePrestarted('read -r line; echo broken >&2; exit 3'), []), (error) => {
      assert.ok(error instanceof ProcessFailure)
      assert.deepEqual([error.exitCode, error.stderr], [3, 'broken\n'])
      return true
    })
    const isTimeout = (error: unknown) => error instanceof AppError && error.code === 'TIMEOUT'
    await assert.rejects(
      run(await takePrestarted('read -r line; sleep 60'), [], { timeoutS: 0.2 }),
      isTimeout,
    )
    const flood = 'read -r line; head -c 2000000 /dev/zero > large'
    await assert.rejects(run(await takePrestarted(flood), []), /exceed the size limit|large/i)
  })

  test('a prestarted process that ended while it was waiting is not used', async () => {
    const scriptPrestarter = openPrestarter('exit 1')
    await scriptPrestarter.take()
    let pauseMs = 0
    const returnsNothing = async () => {
      // Each call of `take` starts another process, which needs time to end on a busy machine.
      pauseMs += 50
      await pause(pauseMs)
      const program = await scriptPrestarter.take()
      await program?.stop()
      return program === undefined
    }
    await waitUntil(returnsNothing, 'the dead program is dropped')
    await scriptPrestarter.close()
    assert.deepEqual(await readdir(baseDir), [])
  })

  test('a prestarted process is not started if its preparation fails, and folders of ended services are removed first', async () => {
    // This pid is above the maximum (proc(5), pid_max), so no process has it.
    await mkdir(join(baseDir, 'waiting-4194305-a'))
    const program = await takePrestarted('read -r line; true')
    assert.deepEqual(await readdir(baseDir).then((names) => names.includes('waiting-4194305-a')), false)
    await program.stop()
    const folder = await mkdtemp(join(scratch, 'base-'))
    const unreadyPrestarter = createPrestarter({
      baseDir: folder,
      prefix: 'waiting-',
      file: 'sh',
      args: [],
      readOnly: [],
      limits: {},
      prepare: () => Promise.reject(new Error('no')),
    })
    assert.deepEqual([await unreadyPrestarter.take(), await unreadyPrestarter.take()], [undefined, undefined])
    await unreadyPrestarter.close()
    assert.deepEqual(await readdir(folder), [])
  })

  test('a prestarted process does not keep the service running', async () => {
    const code = new URL('../../../lib/engines/sandbox/prestarted-process.ts', import.meta.url).href
    const script = `
      const { createPrestarter } = await import(${JSON.stringify(code)})
      const programs = createPrestarter({
        baseDir: ${JSON.stringify(baseDir)}, prefix: 'waiting-', file: 'sh', args: ['-c', 'read line; sleep 0'],
        readOnly: [], limits: {}, prepare: async () => ({}),
      })
      await programs.take()
      const program = await programs.take()
      console.log(program.child.exitCode)`
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      timeout: 30_000,
    })
    assert.deepEqual([stdout, stderr, status], ['null\n', '', 0])
  })

  test('a prestarted process is stopped when its prestarter is closed', async () => {
    const scriptPrestarter = openPrestarter('read -r line; true')
    await scriptPrestarter.take()
    await scriptPrestarter.close()
    assert.deepEqual(await readdir(baseDir), [])
    assert.equal(await scriptPrestarter.take(), undefined)
    assert.deepEqual(await readdir(baseDir), [])
  })
})
