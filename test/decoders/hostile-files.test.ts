import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DecoderPool } from '../../lib/decoders/decoder-pool.ts'
import { detectFormat, detectorKind, fileLimits } from '../../lib/decoders/detect-format.ts'
import { getConfinement } from '../../lib/engines/sandbox/isolation.ts'
import { AppError } from '../../lib/errors.ts'

const { level } = await getConfinement()
const allowedVariables = [
  ...['HOME', 'LANG', 'LD_LIBRARY_PATH', 'MALLOC_ARENA_MAX', 'PATH', 'PWD', 'TMPDIR', 'UV_THREADPOOL_SIZE'],
]

const createSource = (filename: string, bytes: Uint8Array) => ({
  filename,
  size: bytes.length,
  read: async (start: number, end: number) => bytes.subarray(start, end),
})

const catchError = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

describe('hostile files in decoder processes', () => {
  const program = fileURLToPath(new URL('./hostile-program.mjs', import.meta.url))
  const pool = new DecoderPool({
    ...detectorKind,
    findProgram: async () => ({ file: program, files: [program] }),
  })
  after(() => pool.stop())
  const read = async (action: string, limits = fileLimits) =>
    detectFormat(createSource(action, Buffer.alloc(10)), {}, pool, limits)
  // Otherwise, a slow machine may reach the limit of processor time before that of memory.
  const patientLimits = { ...fileLimits, cpuS: 20 }
  const isUsable = async () => assert.equal((await read('name')).format, 'png')

  const outcomes = [
    ['spin', 'TIMEOUT', /more than 2 s of processor time\. Save it again/],
    ['fill', 'FILE_TOO_LARGE', /more than \d+ MiB of memory\. Send a smaller/],
    ['heap', 'FILE_TOO_LARGE', /MiB of memory/],
    ['exit', 'SERVICE_UNAVAILABLE', /exited each time\. Send it again/],
    ['garbage', 'SERVICE_UNAVAILABLE', /exited each time/],
    ['huge', 'SERVICE_UNAVAILABLE', /exited each time/],
  ] as const
  for (const [action, code, message] of outcomes)
    test(`a decoder process controlled by a hostile file fails with ${code} on "${action}", and the next file is read`, async () => {
      await assert.rejects(read(action, code === 'FILE_TOO_LARGE' ? patientLimits : fileLimits), (error) => {
        assert.ok(error instanceof AppError, String(error))
        assert.equal(error.code, code)
        assert.match(error.message, message)
        return true
      })
      await isUsable()
    })

  test('a decoder process controlled by a hostile file does not affect other files', async () => {
    const spinningCall = catchError(read('spin'))
    const otherResults = await Promise.all(Array.from({ length: 20 }, () => read('name')))
    assert.ok(otherResults.every(({ format }) => format === 'png'))
    assert.ok((await spinningCall) instanceof AppError)
  })

  test('a file is read again if its decoder process is killed from outside', async () => {
    let count = 0
    const source = {
      ...createSource('read', Buffer.alloc(10)),
      read: async (start: number, end: number) => {
        count++
        // The first read is for the head of the file, before there is a process.
        if (count === 2) await pool.stop()
        return Buffer.alloc(end - start)
      },
    }
    assert.equal((await detectFormat(source, {}, pool)).format, 'png')
    assert.equal(count, 3)
  })

  test('a decoder process controlled by a hostile file cannot invent formats and error codes', async () => {
    for (const action of ['format', 'code']) {
      const error = await catchError(read(action))
      assert.ok(error instanceof Error && !(error instanceof AppError), String(error))
    }
  })

  test('a decoder process controlled by a hostile file cannot read beyond the file, and times out if it rereads the file forever', async () => {
    assert.equal((await read('read')).format, 'png')
    const bytes = Buffer.alloc(8 * 1024 ** 2)
    const error = await catchError(detectFormat(createSource('scan', bytes), {}, pool))
    assert.ok(error instanceof AppError && error.code === 'TIMEOUT', String(error))
  })

  test('a decoder process controlled by a hostile file cannot fill the memory of the service', async () => {
    const ranges: number[] = []
    const bytes = Buffer.alloc(8 * 1024 ** 2)
    const source = (filename: string, size: number) => ({
      filename,
      size,
      read: async (start: number, end: number) => {
        ranges.push(end - start)
        return bytes
      },
    })
    for (const [action, size] of [
      ['flood', 8 * 1024 ** 2],
      ['hoard', 8 * 1024 ** 2],
      ['read', 65 * 1024 ** 2],
    ] as const) {
      ranges.length = 0
      const error = await catchError(detectFormat(source(action, size), {}, pool))
      assert.ok(error instanceof AppError && error.code === 'TIMEOUT', `${action}: ${error}`)
      const total = ranges.reduce((sum, length) => sum + length, 0)
      assert.ok(total <= 3 * 64 * 1024 ** 2, `${action}: ${ranges}`)
    }
    await isUsable()
  })

  test('a decoder process controlled by a hostile file finds no keys, files, network or other processes', {
    skip: level !== 'namespaces',
  }, async () => {
    const server = createServer().listen(0, '127.0.0.1')
    const folder = await mkdtemp(join(tmpdir(), 'decoder-test-'))
    try {
      const { port } = server.address() as AddressInfo // a TCP server's address is an AddressInfo
      const error = await catchError(read(`see ${process.pid} ${port} ${folder}`))
      assert.ok(error instanceof Error)
      const { message } = JSON.parse(/\{.*\}/.exec(error.message)?.[0] ?? '{}')
      const { environment, uid, ...seen } = JSON.parse(message)
      assert.deepEqual(environment, allowedVariables)
      assert.deepEqual(seen, { parent: 'ENOENT', files: 'ENOENT', signal: 'ESRCH', network: 'EAFNOSUPPORT' })
      assert.notEqual(uid, 0)
    } finally {
      server.close()
      await rm(folder, { recursive: true })
    }
  })
})
