import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import sharp from 'sharp'
import { hasDamagedTables } from '../../lib/binary/jpeg-tables.ts'

const create = { width: 40, height: 30, channels: 3, background: '#a51' } as const
const quantizationTables = Buffer.from([0xff, 0xdb])
const huffmanTables = Buffer.from([0xff, 0xc4])

describe('tables of a JPEG', () => {
  let images: readonly Buffer[]
  before(async () => {
    const encoders = [{ quality: 100 }, { quality: 5, progressive: true }, { mozjpeg: true }]
    images = await Promise.all(encoders.map((options) => sharp({ create }).jpeg(options).toBuffer()))
  })

  const change = (image: Buffer, marker: Buffer, offset: number, bytes: readonly number[]) => {
    const changedImage = Buffer.from(image)
    changedImage.set(bytes, changedImage.indexOf(marker) + offset)
    return changedImage
  }

  test('tables as encoders write them are not damaged, also behind skipped bytes', () => {
    for (const image of images) {
      assert.equal(hasDamagedTables(image), false)
      const filled = Buffer.concat([image.subarray(0, 2), Buffer.from([0, 0xff, 0xff]), image.subarray(2)])
      assert.equal(hasDamagedTables(filled), false)
      assert.equal(hasDamagedTables(image.subarray(0, 30)), false)
    }
  })

  test('a divisor of 0 or a symbol with two codes is damage', () => {
    for (const image of images) {
      assert.equal(hasDamagedTables(change(image, quantizationTables, 9, [0])), true)
      // The symbols follow the marker, the length, the number of the table and 16 counts.
      assert.equal(hasDamagedTables(change(image, huffmanTables, 21, [1, 1])), true)
    }
  })

  test('a table of 16-bit divisors may contain zero bytes', () => {
    const divisors = Buffer.from(Array.from({ length: 64 }, () => [0, 1]).flat())
    const segment = (values: Buffer) =>
      Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xdb, 0, 131, 0x10]), values])
    assert.equal(hasDamagedTables(segment(divisors)), false)
    assert.equal(hasDamagedTables(segment(divisors.fill(0, 126))), true)
  })
})
