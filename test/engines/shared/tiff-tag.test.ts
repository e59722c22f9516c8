import assert from 'node:assert/strict'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTiffPages } from '../../../lib/engines/shared/image/tiff-fields.ts'
import { readTiffTag } from '../../../lib/engines/shared/image/tiff-tag.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

const path = join(scratchFolder('tiff-tag'), 'a.tiff')

interface Entry {
  readonly tag: number
  readonly type: number
  readonly count: number
  /** Raw value field of the entry: values or their offset. */
  readonly value: Buffer
}

/** Builds a little-endian TIFF or BigTIFF with one directory after the header. */
function createTiff(isBig: boolean, entries: readonly Entry[], bytesAfter: Buffer = Buffer.alloc(0)): Buffer {
  const encodeNumber = (value: number | bigint, length: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(value))
    return bytes.subarray(0, length)
  }
  const countBytes = isBig ? 8 : 4
  const head = isBig
    ? [Buffer.from('II+\0\b\0\0\0', 'latin1'), encodeNumber(16, 8), encodeNumber(entries.length, 8)]
    : [Buffer.from('II*\0', 'latin1'), encodeNumber(8, 4), encodeNumber(entries.length, 2)]
  const listedEntries = entries.map(({ tag, type, count, value }) =>
    Buffer.concat([
      encodeNumber(tag, 2),
      encodeNumber(type, 2),
      encodeNumber(count, countBytes),
      value,
      Buffer.alloc(countBytes),
    ]).subarray(0, 4 + 2 * countBytes),
  )
  return Buffer.concat([...head, ...listedEntries, encodeNumber(0, countBytes), bytesAfter])
}

const readValue = async (file: Buffer) => {
  await writeFile(path, file)
  return readTiffTag(path, 339)
}

const encodeShorts = (...values: readonly number[]) => Buffer.from(Uint16Array.from(values).buffer)
const createEntry = (count: number, value: Buffer, type = 3) => ({ tag: 339, type, count, value })
const otherEntry = { tag: 256, type: 3, count: 1, value: encodeShorts(77) }

test('the value of a TIFF tag is read from its directory entry or from the offset in that entry', async () => {
  assert.equal(await readValue(createTiff(false, [otherEntry, createEntry(2, encodeShorts(3, 1))])), 3)
  assert.equal(await readValue(createTiff(true, [otherEntry, createEntry(4, encodeShorts(3, 1, 1, 1))])), 3)
  const place = Buffer.alloc(8)
  place.writeUInt32LE(8 + 2 + 12 + 4)
  assert.equal(
    await readValue(createTiff(false, [createEntry(3, place.subarray(0, 4))], encodeShorts(2, 1, 1))),
    2,
  )
  place.writeUInt32LE(16 + 8 + 20 + 8)
  assert.equal(await readValue(createTiff(true, [createEntry(5, place)], encodeShorts(2, 1, 1, 1, 1))), 2)
})

test('a missing or unreadable TIFF tag is returned as undefined', async () => {
  assert.equal(await readValue(createTiff(false, [otherEntry])), undefined)
  assert.equal(
    await readValue(createTiff(false, [createEntry(1, encodeShorts(3, 0), 4)])),
    undefined,
    'of another type',
  )
  const offsetBeyondEnd = Buffer.alloc(8, 0xff)
  for (const isBig of [false, true])
    assert.equal(
      await readValue(createTiff(isBig, [createEntry(9, offsetBeyondEnd.subarray(0, isBig ? 8 : 4))])),
      undefined,
    )
  const wholeTiff = createTiff(true, [createEntry(1, encodeShorts(3))])
  for (let length = 0; length < 16 + 8 + 20; length++)
    assert.equal(await readValue(wholeTiff.subarray(0, length)), undefined, `${length} bytes`)
  offsetBeyondEnd.copy(wholeTiff, 8)
  assert.equal(await readValue(wholeTiff), undefined, 'its directory lies nowhere')
})

test('the total number of tag values read from a TIFF is limited, even if 10,000 pages declare huge counts', async () => {
  // Each directory points to the next one. In each directory, the values of the tag span the whole file.
  const [pages, count] = [10_000, 200_000]
  const file = Buffer.alloc(8 + pages * 18)
  file.write('II*\0\b', 'latin1')
  for (let page = 0; page < pages; page++) {
    const at = 8 + page * 18
    file.writeUInt16LE(1, at)
    for (const [value, place] of [
      [339, 2],
      [1, 4],
    ] as const)
      file.writeUInt16LE(value, at + place)
    file.writeUInt32LE(count * 0.9, at + 6)
    if (page + 1 < pages) file.writeUInt32LE(at + 18, at + 14)
  }
  await writeFile(path, file)
  await using openedFile = await open(path)
  let [valueCount, values] = [0, 0]
  for await (const fields of readTiffPages(openedFile, [339])) {
    valueCount++
    values += fields.get(339)?.values.length ?? 0
  }
  assert.equal(valueCount, pages)
  assert.equal(values, 22 * count * 0.9)
})
