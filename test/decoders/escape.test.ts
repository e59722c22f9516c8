import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { DecoderPool } from '../../lib/decoders/decoder-pool.ts'
import { EngineCall } from '../../lib/decoders/engine-call.ts'
import { engineKind } from '../../lib/decoders/process-kinds.ts'
import { stopEngines } from '../../lib/decoders/run-engine.ts'
import type { EngineHost } from '../../lib/engines/engine.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import { getConfinement } from '../../lib/engines/sandbox/isolation.ts'
import { vips } from '../../lib/engines/vips.ts'
import { convert, fixture } from '../engines/support/run-engine.ts'
import { listDescendants } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const { level } = await getConfinement()
const isConfined = level === 'namespaces' || level === 'filtered'
const secret = 'secret of another task'
/** Error codes of a sandboxed access: the target is hidden, or access to it is denied. */
const refusedCodes = ['ENOENT', 'EACCES', 'EPERM', 'EROFS']

const base = scratchFolder('escape')
const [parentFolder, otherFolder, dataFolder] = ['work', 'other', 'data'].map((name) => join(base, name)) as [
  string,
  string,
  string,
]
const program = fileURLToPath(new URL('./hostile-engine.mjs', import.meta.url))
const pool = new DecoderPool({
  ...engineKind,
  parentFolder: () => parentFolder,
  findProgram: async () => ({ file: program, files: [program] }),
})
const limits = { memoryMb: 512, diskMb: 64, timeoutS: 20 } as const

/** Takes a file from the engine process and returns it under another name. */
const copyingHost: EngineHost = {
  serve: ({ take, give }) => ({
    async answer(request) {
      const { from, to } = z.strictObject({ from: z.string(), to: z.string() }).parse(request)
      await give(await take(from), to)
    },
  }),
}

let lastTaskNumber = 0
let lastImages: readonly string[] = []

/** Runs the engine on one file. Returns the result's content, or the message of the error. */
async function runAction(
  action: string,
  options: object = {},
  signal = new AbortController().signal,
): Promise<string> {
  const workDir = join(parentFolder, `task-${++lastTaskNumber}`)
  const outDir = join(workDir, 'out')
  await mkdir(outDir, { recursive: true })
  const path = join(workDir, 'source-1.png')
  await writeFile(path, 'input')
  const work = {
    operation: 'convert',
    inputs: [{ path, filename: 'a.png', format: 'png', size: 5 }],
    from: 'png',
    to: 'jpg',
    options: { action, otherFolder, dataFolder, ...options },
    outDir,
  } as const
  const callLimits = { cpuS: 10, memoryBytes: 512 * 1024 ** 2, silenceMs: 60_000 }
  const call = new EngineCall(
    { ...vips, host: copyingHost },
    { method: 'run', work },
    callLimits,
    ({ folder, uid }) => createTools({ workDir: folder, runningUid: uid, signal, limits }),
  )
  try {
    const reply = await pool.run(call, signal)
    assert.ok(reply && 'files' in reply)
    lastImages = [...(reply.images?.keys() ?? [])].map((path) => relative(workDir, path))
    return await readFile(reply.files[0].path, 'utf8')
  } catch (error) {
    return String(error)
  }
}

describe('isolation of engine processes', {
  skip: !isConfined && 'engines are not confined here',
}, () => {
  before(async () => {
    for (const folder of [parentFolder, otherFolder, dataFolder]) await mkdir(folder, { recursive: true })
    await writeFile(join(otherFolder, 'secret'), secret)
    await writeFile(join(dataFolder, 'secrets.json'), secret)
  })
  after(() => pool.stop())

  test('an engine controlled by a hostile file finds no key, no other file, no socket and no other process', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    const socketPath = join(base, 'socket')
    const localServer = createServer().listen(socketPath)
    await Promise.all([once(server, 'listening'), once(localServer, 'listening')])
    try {
      const { port } = server.address() as AddressInfo // a TCP server's address is an AddressInfo
      const report = await runAction('see', { pid: process.pid, port, socketPath })
      const findings = JSON.parse(/\{.*\}/.exec(report)?.[0] ?? '{}')
      const { environment, own, uid, processes, tcp, udp, unix, ...others } = findings
      assert.deepEqual(
        environment.filter((name: string) => /KEY|SECRET|TOKEN|AWS|DATA_DIR/.test(name)),
        [],
      )
      assert.deepEqual(processes, [])
      assert.match(own.join(), /^\S+\/out,\S+\/source-1\.png$/)
      assert.deepEqual([tcp, udp, unix], ['EAFNOSUPPORT', 'EAFNOSUPPORT', 'EAFNOSUPPORT'])
      assert.notEqual(uid, 0)
      const { signal, ...files } = others
      assert.ok(['ESRCH', 'EPERM'].includes(signal), signal)
      for (const [name, outcome] of Object.entries(files))
        assert.ok(refusedCodes.includes(String(outcome)), name)
    } finally {
      server.close()
      localServer.close()
    }
  })

  const attacks = [
    'redirected folder',
    'redirected file',
    'outside path',
    'path with parents',
    'a folder as result',
    'a program that reads another task',
    'a variable for the launcher',
    'a program of its own',
    'an option as program',
    'a secret of a program',
    "another task's file for the host",
    'a link for the host',
    'a folder of another task for the host',
    'a redirected target for the host',
    'a request that the host does not know',
  ] as const
  for (const action of attacks)
    test(`an engine controlled by a hostile file gains nothing by "${action}", and the next file is converted`, async () => {
      const outcome = await runAction(action)
      assert.match(outcome, /error|executed|ended/i)
      assert.ok(!outcome.includes(secret), outcome)
      assert.equal(await readFile(join(otherFolder, 'secret'), 'utf8'), secret)
      assert.equal(await runAction('convert'), 'made')
    })

  test('an engine process gets the files that it requests from the service process', async () => {
    assert.equal(await runAction('a file through the host'), 'made')
  })

  for (const [action, outcome] of [
    ['crash', /SIGABRT/],
    ['exit', /exit code 3/],
    ['garbage', /expected a message/],
    ['flood', /too many messages/],
    ['fill', /memory/],
  ] as const)
    test(`an engine controlled by a hostile file makes only its own task fail with "${action}"`, async () => {
      const [failedCall, otherCall] = await Promise.all([runAction(action), runAction('convert')])
      assert.match(failedCall, outcome)
      assert.equal(otherCall, 'made')
      assert.equal(await runAction('convert'), 'made')
    })

  test('an engine controlled by a hostile file reports the content of its inputs and results only', async () => {
    assert.equal(await runAction('summaries of other files'), 'made')
    assert.deepEqual(lastImages, ['out/output-1.png', 'source-1.png'])
  })

  test('an engine process that leaves files of a task behind gets no further task', async () => {
    const listEnginePids = () =>
      listDescendants(process.pid).filter(({ command }) => command.includes(program))
    await runAction('convert')
    const pidsBefore = listEnginePids().map(({ pid }) => pid)
    assert.equal(await runAction('leave'), 'made')
    assert.equal(await runAction('convert'), 'made')
    assert.ok(
      !pidsBefore.every((pid) => listEnginePids().some((runningProcess) => runningProcess.pid === pid)),
      'it was kept',
    )
  })

  test('aborting a call of an engine process rejects the call with the reason', async () => {
    const stop = new AbortController()
    const waitingCall = runAction('wait', {}, stop.signal)
    setTimeout(() => stop.abort(new Error('aborted')), 200)
    assert.equal(await waitingCall, 'Error: aborted')
  })
})

test('neither the memory nor the environment of an engine process contains the SERVICE_SECRET', async (t) => {
  const key = `key-${'x'.repeat(20)}${Math.random()}`
  process.env['SERVICE_SECRET'] = key
  t.after(stopEngines)
  t.after(() => delete process.env['SERVICE_SECRET'])
  await convert(vips, fixture('alpha.png'), 'jpg')
  const engineProcess = listDescendants(process.pid).filter(({ command }) =>
    command.includes('engine-program'),
  )
  assert.ok(engineProcess.length > 0)
  for (const { pid } of engineProcess) {
    assert.ok(!(await readFile(`/proc/${pid}/environ`, 'latin1')).includes(key))
    assert.ok(!(await readMemory(pid)).includes(key), `process ${pid}`)
  }
})

/** Returns the writable private memory of a process (proc(5)). */
async function readMemory(pid: number): Promise<Buffer> {
  const { open } = await import('node:fs/promises')
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8')
  await using memoryFile = await open(`/proc/${pid}/mem`)
  const parts: Buffer[] = []
  for (const [, from = '', to = ''] of maps.matchAll(/^([\da-f]+)-([\da-f]+) rw.p/gm)) {
    const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)]
    const bytes = Buffer.alloc(Math.min(end - start, 64 * 1024 ** 2))
    const { bytesRead } = await memoryFile.read(bytes, 0, bytes.length, start).catch(() => ({ bytesRead: 0 }))
    parts.push(bytes.subarray(0, bytesRead))
  }
  return Buffer.concat(parts)
}
