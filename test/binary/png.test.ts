import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FileLimitError, TruncatedFileError } from '../../lib/binary/errors.ts'
import { buildPng, locatePngChunks, readPngChunks } from '../../lib/binary/png.ts'
import { openBuffer } from '../../lib/binary/random-access.ts'
import { CountingSource } from './counting-source.ts'

const chunks = [
  { type: 'IHDR', data: Buffer.alloc(13, 1) },
  { type: 'tEXt', data: Buffer.from('Title\0Bells') },
  { type: 'IDAT', data: Buffer.alloc(100, 2) },
  { type: 'IEND', data: Buffer.alloc(0) },
]
const png = buildPng(chunks)

async function locate(bytes: Buffer, max = 100) {
  const types: string[] = []
  for await (const { type, start, end } of locatePngChunks(openBuffer(bytes), max))
    types.push(`${type} ${start}-${end}`)
  return types
}

test('the chunks of a PNG are read as they were written', () => {
  assert.deepEqual([...readPngChunks(png)], chunks)
})

test('the chunks of a PNG are located without reading their data', async () => {
  const source = new CountingSource(png)
  const types: string[] = []
  for await (const { type, start, end } of locatePngChunks(source, 100)) types.push(`${type} ${start}-${end}`)
  assert.deepEqual(types, ['IHDR 16-29', 'tEXt 41-52', 'IDAT 64-164', 'IEND 176-176'])
  assert.equal(source.bytesRead, 8 * 4)
  assert.equal((await locate(png, 2)).length, 2)
})

test('a PNG chunk longer than the file causes an error when it is read, and is the last chunk to be located', async () => {
  for (const end of [png.length - 13, png.length - 20]) {
    const truncatedPng = png.subarray(0, end)
    assert.throws(() => [...readPngChunks(truncatedPng)], TruncatedFileError)
    assert.equal((await locate(truncatedPng)).length, 3)
  }
  const bytes = Buffer.from(png)
  bytes.writeUInt32BE(0xffffffff, 33)
  assert.throws(() => [...readPngChunks(bytes)], TruncatedFileError)
  assert.deepEqual(await locate(bytes), ['IHDR 16-29', 'tEXt 41-4294967336'])
})

test('a PNG with more than a million chunks is refused', () => {
  const emptyChunks = Buffer.alloc(8 + 12 * 1_000_001)
  assert.throws(() => {
    for (const { data } of readPngChunks(emptyChunks)) assert.equal(data.length, 0)
  }, FileLimitError)
})
