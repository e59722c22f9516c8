import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { detectFormat, stopDecoders } from '../../lib/decoders/detect-format.ts'
import { AppError } from '../../lib/errors.ts'
import { detectFromContent as detectHere } from '../../lib/formats/detect.ts'

const fixture = (name: string) => readFile(new URL(`../fixtures/${name}`, import.meta.url))
const createSource = (filename: string, bytes: Uint8Array) => ({
  filename,
  size: bytes.length,
  read: async (start: number, end: number) => bytes.subarray(start, end),
})

const catchError = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

describe('decoder processes', () => {
  after(stopDecoders)

  test('a decoder process detects the same formats and errors as the calling process', async () => {
    for (const name of ['alpha.png', 'needs-password.pdf']) {
      const bytes = await fixture(name)
      const [there, here] = await Promise.all([
        catchError(detectFormat(createSource(name, bytes))),
        catchError(detectHere(createSource(name, bytes))),
      ])
      assert.deepEqual(there, here)
    }
  })

  test('detecting the format of a file of 200 MiB reads at most 256 KiB', async () => {
    const size = 200 * 1024 ** 2
    const head = await fixture('alpha.png')
    let bytesRead = 0
    const read = async (start: number, end: number) => {
      bytesRead += end - start
      const bytes = Buffer.alloc(end - start)
      if (start === 0) head.copy(bytes)
      return bytes
    }
    const outcome = await catchError(detectFormat({ filename: 'a.png', size, read }))
    assert.ok(outcome instanceof AppError && outcome.code === 'CORRUPT_FILE', String(outcome))
    assert.ok(bytesRead <= 256 * 1024, `${bytesRead} bytes were read`)
  })

  test('a decoder process reports why a file could not be read', async () => {
    const failure = new Error('the storage does not answer')
    const read = () => Promise.reject(failure)
    assert.equal(await catchError(detectFormat({ filename: 'a.png', size: 10, read })), failure)
    // A JPEG without an end marker is searched backwards from the end of the file.
    const jpeg = Buffer.alloc(300 * 1024)
    jpeg.set([0xff, 0xd8, 0xff, 0xda])
    const source = createSource('a.jpg', jpeg)
    const failingSource = {
      ...source,
      read: (start: number, end: number) =>
        start > 65_000 && end < jpeg.length ? read() : source.read(start, end),
    }
    assert.equal(await catchError(detectFormat(failingSource)), failure)
    assert.equal((await detectFormat(createSource('a.png', await fixture('alpha.png')))).format, 'png')
  })
})
