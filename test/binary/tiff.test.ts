import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DamagedFileError, TruncatedFileError } from '../../lib/binary/errors.ts'
import { openBuffer } from '../../lib/binary/random-access.ts'
import { Tiff, type TiffDirectory } from '../../lib/binary/tiff.ts'
import { CountingSource } from './counting-source.ts'

const headerBytes = 8
const getDirectorySize = (entries: number) => 2 + 12 * entries + 4

/** Makes a little-endian TIFF with one directory after the other, each with entries of tag 256 and up. */
function makeTiff(pages: readonly number[]): Buffer {
  const bytes = Buffer.alloc(pages.reduce((sum, entries) => sum + getDirectorySize(entries), headerBytes))
  bytes.write('II*\0', 'latin1')
  let [at, link] = [headerBytes, 4]
  for (const entries of pages) {
    bytes.writeUInt32LE(at, link)
    bytes.writeUInt16LE(entries, at)
    for (let entry = 0; entry < entries; entry++) {
      bytes.writeUInt16LE(256 + entry, at + 2 + 12 * entry)
      bytes.writeUInt16LE(3, at + 4 + 12 * entry)
      bytes.writeUInt32LE(1, at + 6 + 12 * entry)
      bytes.writeUInt32LE(7 * entry, at + 10 + 12 * entry)
    }
    link = at + 2 + 12 * entries
    at += getDirectorySize(entries)
  }
  return bytes
}

async function list(bytes: Buffer, max = 100): Promise<TiffDirectory[]> {
  const directories: TiffDirectory[] = []
  for await (const entry of (await Tiff.open(openBuffer(bytes))).directories(max)) directories.push(entry)
  return directories
}

test('TIFF directories are read up to the last one, or to a maximum number', async () => {
  const bytes = makeTiff([2, 1, 3])
  assert.deepEqual(await list(bytes), [
    { count: 2, start: 10 },
    { count: 1, start: 40 },
    { count: 3, start: 58 },
  ])
  assert.equal((await list(bytes, 2)).length, 2)
})

test('TIFF entries are parsed into tag, type, count and value', async () => {
  const tiff = await Tiff.open(openBuffer(makeTiff([2])))
  for await (const directory of tiff.directories(1)) {
    const [, tiffEntry] = await tiff.entries(directory)
    assert.ok(tiffEntry)
    assert.deepEqual(
      { ...tiffEntry, value: tiff.integer(tiffEntry.value) },
      { tag: 257, type: 3, count: 1, value: 7, at: 30 },
    )
  }
})

test('big-endian TIFF and BigTIFF files are read', async () => {
  const bigEndian = Buffer.from(
    '4d4d002a00000008 0001 010000030000000100050000 00000000'.replaceAll(' ', ''),
    'hex',
  )
  assert.deepEqual(await list(bigEndian), [{ count: 1, start: 10 }])
  const big = Buffer.alloc(16 + 8 + 20 + 8)
  big.write('II+\0\b', 'latin1')
  big.writeBigUInt64LE(16n, 8)
  big.writeBigUInt64LE(1n, 16)
  assert.equal((await Tiff.open(openBuffer(big))).version, 43)
  assert.deepEqual(await list(big), [{ count: 1, start: 24 }])
})

test('a TIFF directory chain that loops is followed only once', async () => {
  const bytes = makeTiff([1, 1])
  bytes.writeUInt32LE(headerBytes, bytes.length - 4)
  assert.equal((await list(bytes)).length, 2)
})

test('a TIFF directory outside of the file is reported as cut off', async () => {
  const bytes = makeTiff([1, 2])
  for (const end of [4, 7, headerBytes + 1, bytes.length - 1])
    await assert.rejects(list(bytes.subarray(0, end)), TruncatedFileError, `${end} bytes`)
  bytes.writeUInt32LE(0xffffffff, 4)
  await assert.rejects(list(bytes), { message: 'it is cut off: a directory is missing' })
})

test('TIFF directories with overlapping entries are reported as damage', async () => {
  const bytes = Buffer.alloc(100_000)
  bytes.write('II*\0\b', 'latin1')
  // Each directory begins two bytes after the one before it, and claims thousands of entries.
  bytes.fill(0x0f, headerBytes, 2000)
  const entries = 0x0f0f
  for (let at = headerBytes; at < 2000; at += 4) bytes.writeUInt32LE(at + 4, at + 2 + 12 * entries)
  const source = new CountingSource(bytes)
  const tiff = await Tiff.open(source)
  await assert.rejects(async () => {
    for await (const directory of tiff.directories(10_000)) await tiff.entries(directory)
  }, DamagedFileError)
  assert.ok(source.bytesRead < bytes.length)
})

test('only the first entries of a long TIFF directory are read', async () => {
  const source = new CountingSource(makeTiff([60_000]))
  const tiff = await Tiff.open(source)
  for await (const directory of tiff.directories(1))
    assert.equal((await tiff.entries(directory)).length, 1000)
  assert.ok(source.bytesRead < 20_000)
})
