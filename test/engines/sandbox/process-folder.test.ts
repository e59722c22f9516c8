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
import { toSandboxLimits } from '../../../lib/engines/sandbox/exec.ts'
import { createMutex } from '../../../lib/engines/sandbox/mutex.ts'
import { OutputCap, TruncatedOutput } from '../../../lib/engines/sandbox/output-buffers.ts'
import {
  getExitSignal,
  hasExited,
  isAlive,
  killGroup,
  killMarked,
  waitForExit,
} from '../../../lib/engines/sandbox/process-exit.ts'
import {
  copyIn,
  makeProcessFolder,
  moveOut,
  removeOrphanedFolders,
  removeOwnFolders,
  taskFolderPrefix,
} from '../../../lib/engines/sandbox/process-folder.ts'
import { locatePythonProgram, runPython } from '../../../lib/engines/sandbox/python.ts'
import { rejectWhenAborted } from '../../../lib/engines/sandbox/until-aborted.ts'
import {
  createArchiveTooLargeError,
  createTooManyEntriesError,
  getMaxUnpackedBytes,
  maxDepth,
  maxEntries,
} from '../../../lib/formats/archive-limits.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

const scratch = scratchFolder('process-folder-test')
let base: string
beforeEach(async () => {
  base = await mkdtemp(join(scratch, 'base-'))
})

describe('folders of long-running processes', () => {
  test('files copied into the folder of a long-running process never overwrite existing files', async () => {
    const [from, to] = [join(base, 'from'), join(base, 'to')]
    await writeFile(from, 'text')
    await copyIn(from, to)
    assert.deepEqual([await readFile(to, 'utf8'), existsSync(from)], ['text', true])
    await assert.rejects(copyIn(from, to), { code: 'EEXIST' })
    const outsideFile = join(base, 'outside')
    await symlink(outsideFile, join(base, 'trap'))
    await assert.rejects(copyIn(from, join(base, 'trap')))
    assert.equal(existsSync(outsideFile), false)
  })

  test('a folder left behind by an earlier process with the same pid is removed, and all other folders are kept', async () => {
    const ownFolder = await makeProcessFolder(base, taskFolderPrefix)
    await mkdir(join(base, `task-${process.pid}1-abcdef`))
    await mkdir(join(base, `mutabor-office-${process.pid}-abcdef`))
    await removeOwnFolders(base, taskFolderPrefix)
    assert.equal(existsSync(ownFolder), false)
    assert.equal((await readdir(base)).length, 2)
    await removeOwnFolders(join(base, 'not there'), taskFolderPrefix)
  })

  test('only regular files, but no links or folders, are returned from the folder of a long-running process', async () => {
    const getPath = (name: string) => join(base, name)
    await writeFile(getPath('file'), 'text')
    assert.equal(await moveOut(getPath('file'), getPath('taken')), true)
    assert.deepEqual([await readFile(getPath('taken'), 'utf8'), existsSync(getPath('file'))], ['text', false])
    await writeFile(getPath('secret'), 'secret')
    await symlink(getPath('secret'), getPath('link'))
    await link(getPath('secret'), getPath('same'))
    await mkdir(getPath('folder'))
    for (const name of ['link', 'same', 'folder']) {
      assert.equal(await moveOut(getPath(name), getPath('odd')), false, name)
      await assert.rejects(lstat(getPath('odd')), { code: 'ENOENT' }, name)
    }
    assert.equal(await readFile(getPath('secret'), 'utf8'), 'secret')
    await assert.rejects(moveOut(getPath('nothing'), getPath('odd')), { code: 'ENOENT' })
  })

  test('only regular files are returned from a process folder that is on another file system', {
    skip:
      statSync('/dev/shm').dev === statSync(scratch).dev &&
      'needs /dev/shm on another file system than the scratch folder',
  }, async (t) => {
    const sharedFolder = await mkdtemp('/dev/shm/process-folder-test-')
    t.after(() => rm(sharedFolder, { recursive: true }))
    const getSharedPath = (name: string) => join(sharedFolder, name)
    await writeFile(getSharedPath('file'), 'text')
    assert.equal(await moveOut(getSharedPath('file'), join(base, 'taken')), true)
    assert.equal(await readFile(join(base, 'taken'), 'utf8'), 'text')
    await mkdir(getSharedPath('folder'))
    await symlink(getSharedPath('file'), getSharedPath('link'))
    for (const name of ['folder', 'link']) {
      assert.equal(await moveOut(getSharedPath(name), join(base, 'odd')), false, name)
      assert.equal(existsSync(join(base, 'odd')), false, name)
    }
    await assert.rejects(moveOut(getSharedPath('nothing'), join(base, 'odd')), { code: 'ENOENT' })
  })

  test('the folder of a long-running process is removed by the next service if its own service has ended', async () => {
    const ownFolder = await makeProcessFolder(base, 'waiting-')
    assert.ok(basename(ownFolder).startsWith(`waiting-${process.pid}-`))
    // This pid is above the maximum (proc(5), pid_max), so no process has it.
    for (const name of ['waiting-4194305-a', 'other-4194305-a', 'waiting-x']) await mkdir(join(base, name))
    await removeOrphanedFolders(base, 'waiting-')
    assert.deepEqual(
      (await readdir(base)).toSorted(),
      ['other-4194305-a', basename(ownFolder), 'waiting-x'].toSorted(),
    )
    await removeOrphanedFolders(join(base, 'new'), 'waiting-')
    assert.deepEqual(await readdir(join(base, 'new')), [])
  })

  const isRoot = process.getuid?.() === 0
  test('the folder of a long-running process is kept if it belongs to another user', {
    skip: !isRoot && 'needs root to switch to another user',
  }, async () => {
    await chmod(scratch, 0o755)
    await chmod(base, 0o1777)
    const [foreignFolder, ownFolder] = [join(base, 'waiting-4194305-a'), join(base, 'waiting-4194305-b')]
    await mkdir(join(foreignFolder, 'profile'), { recursive: true, mode: 0o700 })
    await mkdir(ownFolder)
    await chown(ownFolder, 993, 993)
    process.seteuid?.(993)
    try {
      await removeOrphanedFolders(base, 'waiting-')
    } finally {
      process.seteuid?.(0)
    }
    assert.deepEqual(await readdir(base), [basename(foreignFolder)])
  })
})

describe('limits of engine programs', () => {
  test('a program has the limits of its engine unless it has limits of its own', () => {
    const MB = 1024 * 1024
    const engine = { memoryMb: 2, diskMb: 3, timeoutS: 4 }
    assert.deepEqual(toSandboxLimits(engine), { memoryBytes: 2 * MB, fileBytes: 3 * MB, cpuS: 9 })
    assert.deepEqual(toSandboxLimits(engine, { maxMemoryBytes: 7, maxFileBytes: 8 }), {
      memoryBytes: 7,
      fileBytes: 8,
      cpuS: 9,
    })
  })

  test('the size limit of unpacked archives grows with the archive, from 64 MB to 4 GB', () => {
    const MB = 1024 * 1024
    assert.deepEqual([0, MB, 9 * MB].map(getMaxUnpackedBytes), [64 * MB, 500 * MB, 4096 * MB])
    assert.deepEqual([maxEntries, maxDepth], [10_000, 32])
    assert.match(createArchiveTooLargeError(500 * MB).message, /more than 500 MB/)
    assert.deepEqual(createArchiveTooLargeError(500 * MB).details, { field: 'file', limitMb: 500 })
    assert.deepEqual(
      [createTooManyEntriesError().code, createTooManyEntriesError().details],
      ['FILE_TOO_LARGE', { field: 'file', limit: 10_000 }],
    )
  })

  test('the output limit of a program is exact to the byte', () => {
    const cap = new OutputCap(3)
    assert.deepEqual(
      [cap.add(Buffer.from('ab')), cap.add(Buffer.from('c')), cap.add(Buffer.from('d'))],
      [true, true, false],
    )
    assert.equal(cap.toString(), 'abc')
  })
})

describe('long program output', () => {
  const truncate = (limit: number, ...texts: readonly string[]) => {
    const truncatedOutput = new TruncatedOutput(limit)
    for (const text of texts) truncatedOutput.add(Buffer.from(text))
    return truncatedOutput.toString()
  }

  test('program output is kept whole up to the limit, and longer output is shortened to its beginning and end', () => {
    assert.equal(truncate(6, 'abc', 'def'), 'abcdef')
    assert.equal(truncate(6, 'ab', 'cdef', 'gh'), 'abc\n… 2 bytes left out …\nfgh')
    assert.equal(truncate(7, 'abcdefgh', 'ij'), 'abc\n… 4 bytes left out …\nhij')
    assert.equal(truncate(6), '')
  })
})

describe('mutex', () => {
  test('a mutex runs actions one after the other, even after one failed', async () => {
    const runExclusive = createMutex()
    const seenNames: string[] = []
    const firstRun = Promise.withResolvers<void>()
    const failingRun = runExclusive(async () => {
      await firstRun.promise
      seenNames.push('first')
      throw new Error('no')
    })
    const secondRun = runExclusive(async () => seenNames.push('second'))
    firstRun.resolve()
    await assert.rejects(failingRun, /no/)
    assert.equal(await secondRun, 2)
    assert.deepEqual(seenNames, ['first', 'second'])
  })
})

describe('work that cannot be cancelled', () => {
  test('waiting for work that cannot be cancelled ends when the work ends or when the wait is aborted', async () => {
    const stop = new AbortController()
    assert.equal(await rejectWhenAborted(Promise.resolve(7), stop.signal), 7)
    const waitingRun = rejectWhenAborted(new Promise(() => undefined), stop.signal)
    stop.abort(new Error('cancelled'))
    await assert.rejects(waitingRun, /cancelled/)
    await assert.rejects(rejectWhenAborted(Promise.resolve(7), stop.signal), /cancelled/)
  })
})

describe('process search', () => {
  const spawnSleep = (mark: string) =>
    spawn('sleep', ['7777'], { detached: true, stdio: 'ignore', env: { ...process.env, MARK: mark } })

  test('processes are found and killed by a marker in their environment', async () => {
    const [markedProcess, otherProcess] = [spawnSleep('here-7777'), spawnSleep('other-7777')]
    const killedEvent = once(markedProcess, 'exit')
    await killMarked('here-7777')
    assert.deepEqual(await killedEvent, [null, 'SIGKILL'])
    assert.ok(isAlive(otherProcess.pid ?? 0))
    const exitedEvent = once(otherProcess, 'exit')
    killGroup(otherProcess)
    assert.deepEqual(await exitedEvent, [null, 'SIGKILL'])
    assert.equal(isAlive(otherProcess.pid ?? 0), false)
    // Killing a group that no longer exists is not an error.
    killGroup(otherProcess)
    killGroup({ pid: undefined } as never)
  })
})

describe('process exit', () => {
  /** Imitates a child process of Node. */
  const createFakeChild = () => {
    const closedNames: string[] = []
    const createPipe = (name: string) => ({ destroy: () => closedNames.push(name) })
    const child = Object.assign(new EventEmitter(), {
      stdout: createPipe('stdout'),
      stderr: createPipe('stderr'),
    })
    const stop = new AbortController()
    return { closed: closedNames, child, stop, end: waitForExit(child as never, stop.signal) }
  }

  test('a process counts as ended when its output ends, or when it exits and is aborted even if its pipes stay open', {
    timeout: 5000,
  }, async () => {
    const exitedChild = createFakeChild()
    exitedChild.child.emit('exit', 3, null)
    exitedChild.child.emit('close', 3, null)
    assert.deepEqual([await exitedChild.end, exitedChild.closed], [{ code: 3, signal: null }, []])
    const killedChild = createFakeChild()
    killedChild.stop.abort()
    killedChild.child.emit('exit', null, 'SIGKILL')
    const pipes = ['stdout', 'stderr']
    assert.deepEqual([await killedChild.end, killedChild.closed], [{ code: null, signal: 'SIGKILL' }, pipes])
    const heldChild = createFakeChild()
    heldChild.child.emit('exit', 0, null)
    heldChild.stop.abort()
    assert.deepEqual([await heldChild.end, heldChild.closed], [{ code: 0, signal: null }, pipes])
  })

  test('a process that could not be started is reported as an error', async () => {
    await assert.rejects(waitForExit(spawn('/no/such/program'), new AbortController().signal), {
      code: 'ENOENT',
    })
  })
})

describe('Python programs of this project', () => {
  test('a Python program of this project ignores modules in the work folder and can read its own folder', async () => {
    const errors: unknown[] = []
    const tools = { exec: async (...call: unknown[]) => errors.push(call) } as never
    await runPython('books/read.py', ['a'], tools, { timeoutS: 3 })
    const { file, args, readOnly } = locatePythonProgram('books/read.py')
    assert.deepEqual([file, args[0]], ['/usr/bin/python3', '-I'])
    assert.match(args[1] ?? '', /\/layers\/books\/read\.py$/)
    assert.deepEqual(readOnly, [(args[1] ?? '').replace('/read.py', '')])
    assert.deepEqual(errors, [[file, [...args, 'a'], { timeoutS: 3, readOnly }]])
    const prestarted = {} as never
    await runPython('books/read.py', ['a'], tools, { prestarted })
    assert.deepEqual(
      errors[1],
      [file, ['a'], { prestarted, readOnly }],
      'a prestarted process already has its arguments',
    )
  })
})

test('the signal that ended a program is derived from the exit code of bwrap and shells', () => {
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
    assert.equal(getExitSignal({ code, signal: null }), signal, String(code))
  assert.equal(getExitSignal({ code: null, signal: 'SIGTERM' }), 'SIGTERM')
  const hasChildExited = (overrides: object) =>
    hasExited({ exitCode: null, signalCode: null, pid: 7, ...overrides } as never)
  assert.deepEqual(
    [
      hasChildExited({}),
      hasChildExited({ exitCode: 0 }),
      hasChildExited({ signalCode: 'SIGKILL' }),
      hasChildExited({ pid: undefined }),
    ],
    [false, true, true, true],
  )
})
