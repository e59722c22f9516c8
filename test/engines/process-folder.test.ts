import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { sandboxLimits } from '../../lib/engines/sandbox/exec.ts'
import { createMutex } from '../../lib/engines/sandbox/mutex.ts'
import { HeadAndTail, OutputCap } from '../../lib/engines/sandbox/output-buffers.ts'
import {
  exitSignal,
  hasExited,
  isAlive,
  killGroup,
  killMarked,
  waitForExit,
} from '../../lib/engines/sandbox/process-exit.ts'
import {
  copyIn,
  makeProcessFolder,
  moveOut,
  removeOrphanedFolders,
  removeOwnFolders,
  taskFolderPrefix,
} from '../../lib/engines/sandbox/process-folder.ts'
import { pythonProgram, runPython } from '../../lib/engines/sandbox/python.ts'
import { untilAborted } from '../../lib/engines/sandbox/until-aborted.ts'
import {
  allowedBytes,
  mostDepth,
  mostEntries,
  tooLarge,
  tooMany,
} from '../../lib/engines/seven-zip/limits.ts'
import { scratchFolder } from '../scratch-folder.ts'

const scratch = scratchFolder('process-folder-test')
let base: string
beforeEach(async () => {
  base = await mkdtemp(join(scratch, 'base-'))
})

describe('the folder of a process that lives on', () => {
  test('gets copies of files, never over what is there', async () => {
    const [from, to] = [join(base, 'from'), join(base, 'to')]
    await writeFile(from, 'text')
    await copyIn(from, to)
    assert.deepEqual([await readFile(to, 'utf8'), existsSync(from)], ['text', true])
    await assert.rejects(copyIn(from, to), { code: 'EEXIST' })
    const outside = join(base, 'outside')
    await symlink(outside, join(base, 'trap'))
    await assert.rejects(copyIn(from, join(base, 'trap')))
    assert.equal(existsSync(outside), false)
  })

  test('is removed at the next task where a process before it had the same number, and only then', async () => {
    const own = await makeProcessFolder(base, taskFolderPrefix)
    await mkdir(join(base, `task-${process.pid}1-abcdef`))
    await mkdir(join(base, `mutabor-office-${process.pid}-abcdef`))
    await removeOwnFolders(base, taskFolderPrefix)
    assert.equal(existsSync(own), false)
    assert.equal((await readdir(base)).length, 2)
    await removeOwnFolders(join(base, 'not there'), taskFolderPrefix)
  })

  test('gives plain files, and nothing that leads elsewhere', async () => {
    const at = (name: string) => join(base, name)
    await writeFile(at('file'), 'text')
    assert.equal(await moveOut(at('file'), at('taken')), true)
    assert.deepEqual([await readFile(at('taken'), 'utf8'), existsSync(at('file'))], ['text', false])
    await writeFile(at('secret'), 'secret')
    await symlink(at('secret'), at('link'))
    await link(at('secret'), at('same'))
    await mkdir(at('folder'))
    for (const name of ['link', 'same', 'folder']) {
      assert.equal(await moveOut(at(name), at('odd')), false, name)
      await assert.rejects(lstat(at('odd')), { code: 'ENOENT' }, name)
    }
    assert.equal(await readFile(at('secret'), 'utf8'), 'secret')
    await assert.rejects(moveOut(at('nothing'), at('odd')), { code: 'ENOENT' })
  })

  test('gives plain files also where it lies on another file system', {
    skip:
      statSync('/dev/shm').dev === statSync(scratch).dev && 'needs /dev/shm apart from the scratch folder',
  }, async (t) => {
    const shared = await mkdtemp('/dev/shm/process-folder-test-')
    t.after(() => rm(shared, { recursive: true }))
    const at = (name: string) => join(shared, name)
    await writeFile(at('file'), 'text')
    assert.equal(await moveOut(at('file'), join(base, 'taken')), true)
    assert.equal(await readFile(join(base, 'taken'), 'utf8'), 'text')
    await mkdir(at('folder'))
    await symlink(at('file'), at('link'))
    for (const name of ['folder', 'link']) {
      assert.equal(await moveOut(at(name), join(base, 'odd')), false, name)
      assert.equal(existsSync(join(base, 'odd')), false, name)
    }
    await assert.rejects(moveOut(at('nothing'), join(base, 'odd')), { code: 'ENOENT' })
  })

  test('goes with the service that it was of, by whoever comes next', async () => {
    const own = await makeProcessFolder(base, 'waiting-')
    assert.ok(basename(own).startsWith(`waiting-${process.pid}-`))
    // The highest number of a process (proc(5), pid_max) is lower.
    for (const name of ['waiting-4194305-a', 'other-4194305-a', 'waiting-x']) await mkdir(join(base, name))
    await removeOrphanedFolders(base, 'waiting-')
    assert.deepEqual(
      (await readdir(base)).toSorted(),
      ['other-4194305-a', basename(own), 'waiting-x'].toSorted(),
    )
    await removeOrphanedFolders(join(base, 'new'), 'waiting-')
    assert.deepEqual(await readdir(join(base, 'new')), [])
  })

  const isRoot = process.getuid?.() === 0
  test('stays where it is of another user, who alone can remove it', {
    skip: !isRoot && 'needs root, to become somebody else',
  }, async () => {
    await chmod(scratch, 0o755)
    await chmod(base, 0o1777)
    const [foreign, own] = [join(base, 'waiting-4194305-a'), join(base, 'waiting-4194305-b')]
    await mkdir(join(foreign, 'profile'), { recursive: true, mode: 0o700 })
    await mkdir(own)
    await chown(own, 993, 993)
    process.seteuid?.(993)
    try {
      await removeOrphanedFolders(base, 'waiting-')
    } finally {
      process.seteuid?.(0)
    }
    assert.deepEqual(await readdir(base), [basename(foreign)])
  })
})

describe('limits', () => {
  test('of a step are those of its engine, or its own where it has some', () => {
    const MB = 1024 * 1024
    const engine = { memoryMb: 2, diskMb: 3, timeoutS: 4 }
    assert.deepEqual(sandboxLimits(engine), { memoryBytes: 2 * MB, fileBytes: 3 * MB, cpuS: 9 })
    assert.deepEqual(sandboxLimits(engine, { maxMemoryBytes: 7, maxFileBytes: 8 }), {
      memoryBytes: 7,
      fileBytes: 8,
      cpuS: 9,
    })
  })

  test('of an archive grow with it, from 64 MB to 4 GB', () => {
    const MB = 1024 * 1024
    assert.deepEqual([0, MB, 9 * MB].map(allowedBytes), [64 * MB, 500 * MB, 4096 * MB])
    assert.deepEqual([mostEntries, mostDepth], [10_000, 32])
    assert.match(tooLarge(500 * MB).message, /more than 500 MB/)
    assert.deepEqual(tooLarge(500 * MB).details, { field: 'file', limitMb: 500 })
    assert.deepEqual(
      [tooMany().code, tooMany().details],
      ['FILE_TOO_LARGE', { field: 'file', limit: 10_000 }],
    )
  })

  test('of output are kept to the byte', () => {
    const cap = new OutputCap(3)
    assert.deepEqual(
      [cap.add(Buffer.from('ab')), cap.add(Buffer.from('c')), cap.add(Buffer.from('d'))],
      [true, true, false],
    )
    assert.equal(cap.toString(), 'abc')
  })
})

describe('a long text', () => {
  const told = (limit: number, ...parts: readonly string[]) => {
    const ends = new HeadAndTail(limit)
    for (const part of parts) ends.add(Buffer.from(part))
    return ends.toString()
  }

  test('is kept whole up to its limit, and with both ends beyond it', () => {
    assert.equal(told(6, 'abc', 'def'), 'abcdef')
    assert.equal(told(6, 'ab', 'cdef', 'gh'), 'abc\n… 2 bytes left out …\nfgh')
    assert.equal(told(7, 'abcdefgh', 'ij'), 'abc\n… 4 bytes left out …\nhij')
    assert.equal(told(6), '')
  })
})

describe('turns', () => {
  test('come one after the other, also after one that failed', async () => {
    const inTurn = createMutex()
    const seen: string[] = []
    const first = Promise.withResolvers<void>()
    const failing = inTurn(async () => {
      await first.promise
      seen.push('first')
      throw new Error('no')
    })
    const second = inTurn(async () => seen.push('second'))
    first.resolve()
    await assert.rejects(failing, /no/)
    assert.equal(await second, 2)
    assert.deepEqual(seen, ['first', 'second'])
  })
})

describe('a wait for what cannot be called back', () => {
  test('ends with the work, or before it for the reason of the signal', async () => {
    const stop = new AbortController()
    assert.equal(await untilAborted(Promise.resolve(7), stop.signal), 7)
    const waiting = untilAborted(new Promise(() => undefined), stop.signal)
    stop.abort(new Error('cancelled'))
    await assert.rejects(waiting, /cancelled/)
    await assert.rejects(untilAborted(Promise.resolve(7), stop.signal), /cancelled/)
  })
})

describe('processes', () => {
  const asleep = (mark: string) =>
    spawn('sleep', ['7777'], { detached: true, stdio: 'ignore', env: { ...process.env, MARK: mark } })

  test('are ended by a mark in their environment, wherever they went', async () => {
    const [marked, other] = [asleep('here-7777'), asleep('other-7777')]
    const killed = once(marked, 'exit')
    await killMarked('here-7777')
    assert.deepEqual(await killed, [null, 'SIGKILL'])
    assert.ok(isAlive(other.pid ?? 0))
    const gone = once(other, 'exit')
    killGroup(other)
    assert.deepEqual(await gone, [null, 'SIGKILL'])
    assert.equal(isAlive(other.pid ?? 0), false)
    // A group that is gone is what was wanted.
    killGroup(other)
    killGroup({ pid: undefined } as never)
  })
})

describe('the end of a process', () => {
  /** As Node tells it. */
  const told = () => {
    const closed: string[] = []
    const pipe = (name: string) => ({ destroy: () => closed.push(name) })
    const child = Object.assign(new EventEmitter(), { stdout: pipe('stdout'), stderr: pipe('stderr') })
    const stop = new AbortController()
    return { closed, child, stop, end: waitForExit(child as never, stop.signal) }
  }

  test('is that of its output, or of itself where a stranger holds the pipes after a kill', {
    timeout: 5000,
  }, async () => {
    const usual = told()
    usual.child.emit('exit', 3, null)
    usual.child.emit('close', 3, null)
    assert.deepEqual([await usual.end, usual.closed], [{ code: 3, signal: null }, []])
    const killed = told()
    killed.stop.abort()
    killed.child.emit('exit', null, 'SIGKILL')
    const pipes = ['stdout', 'stderr']
    assert.deepEqual([await killed.end, killed.closed], [{ code: null, signal: 'SIGKILL' }, pipes])
    const held = told()
    held.child.emit('exit', 0, null)
    held.stop.abort()
    assert.deepEqual([await held.end, held.closed], [{ code: 0, signal: null }, pipes])
  })

  test('is an error where it never began', async () => {
    await assert.rejects(waitForExit(spawn('/no/such/program'), new AbortController().signal), {
      code: 'ENOENT',
    })
  })
})

describe('a program of ours in Python', () => {
  test('is started out of reach of modules in the work folder, and sees those beside it', async () => {
    const seen: unknown[] = []
    const tools = { exec: async (...call: unknown[]) => seen.push(call) } as never
    await runPython('books/read.py', ['a'], tools, { timeoutS: 3 })
    const { file, args, readOnly } = pythonProgram('books/read.py')
    assert.deepEqual([file, args[0]], ['/usr/bin/python3', '-I'])
    assert.match(args[1] ?? '', /\/layers\/books\/read\.py$/)
    assert.deepEqual(readOnly, [(args[1] ?? '').replace('/read.py', '')])
    assert.deepEqual(seen, [[file, [...args, 'a'], { timeoutS: 3, readOnly }]])
    const waiting = {} as never
    await runPython('books/read.py', ['a'], tools, { prestarted: waiting })
    assert.deepEqual(seen[1], [file, ['a'], { waiting, readOnly }], 'one that waits was started so')
  })
})

test('a signal is known by the code that bwrap and shells make of it', () => {
  for (const [code, signal] of [
    [132, 'SIGILL'],
    [134, 'SIGABRT'],
    [135, 'SIGBUS'],
    [136, 'SIGFPE'],
    [137, 'SIGKILL'],
    [139, 'SIGSEGV'],
    [152, 'SIGXCPU'],
    [153, 'SIGXFSZ'],
    [159, 'SIGSYS'],
    [1, undefined],
    [0, undefined],
    [128, undefined],
  ] as const)
    assert.equal(exitSignal({ code, signal: null }), signal, String(code))
  assert.equal(exitSignal({ code: null, signal: 'SIGTERM' }), 'SIGTERM')
  const child = (more: object) => hasExited({ exitCode: null, signalCode: null, pid: 7, ...more } as never)
  assert.deepEqual(
    [child({}), child({ exitCode: 0 }), child({ signalCode: 'SIGKILL' }), child({ pid: undefined })],
    [false, true, true, true],
  )
})
