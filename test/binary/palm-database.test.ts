import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DamagedFileError, TruncatedFileError } from '../../lib/binary/errors.ts'
import { readPalmRecords } from '../../lib/binary/palm-database.ts'
import { openBuffer } from '../../lib/binary/random-access.ts'

function makeDatabase(starts: readonly number[], size = 1000): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.writeUInt16BE(starts.length, 76)
  for (const [index, start] of starts.entries()) bytes.writeUInt32BE(start, 78 + 8 * index)
  return bytes
}

const read = (bytes: Buffer) => readPalmRecords(openBuffer(bytes))

test('a Palm database record ends at the start of the next one, and the last record at the end of the file', async () => {
  assert.deepEqual(await read(makeDatabase([200, 300, 300, 800])), [
    { start: 200, end: 300 },
    { start: 300, end: 300 },
    { start: 300, end: 800 },
    { start: 800, end: 1000 },
  ])
  assert.deepEqual(await read(makeDatabase([])), [])
})

test('a Palm database record outside of the file is returned empty', async () => {
  assert.deepEqual(await read(makeDatabase([200, 5000], 300)), [
    { start: 200, end: 5000 },
    { start: 5000, end: 5000 },
  ])
})

test('a Palm database with a truncated record list is reported as cut off', async () => {
  for (const end of [0, 70, 78, 93])
    await assert.rejects(read(makeDatabase([200, 300]).subarray(0, end)), TruncatedFileError, `${end} bytes`)
})

test('Palm database records that overlap are reported as damage', async () => {
  await assert.rejects(read(makeDatabase([200, 900, 200, 900, 200])), DamagedFileError)
})
