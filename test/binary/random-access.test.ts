import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { TruncatedFileError } from '../../lib/binary/errors.ts'
import { openBuffer, openByPath, openRandomAccess, readExactly } from '../../lib/binary/random-access.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const bytes = randomBytes(5000)
const path = join(scratchFolder('random-access'), 'file')

/** Positions and lengths in an order that enters and leaves each window in both directions. */
const ranges = [
  ...[0, 10, 999, 1000, 1001, 4000, 500, 2500, 1500].flatMap((at) =>
    [1, 100, 1000, 1500].map((length) => [at, length]),
  ),
  ...[
    [4990, 100],
    [4999, 1],
    [5000, 1],
    [5001, 10],
    [2 ** 52, 10],
    [0, 10_000],
    [3000, 0],
  ],
]

test('random access reads the same bytes from memory, from a path and through windows of different sizes', async () => {
  await writeFile(path, bytes)
  await using handle = await open(path)
  const files = [
    openBuffer(bytes),
    await openByPath(path),
    await openRandomAccess(handle),
    await openRandomAccess(handle, 1000),
    await openRandomAccess(handle, 1),
  ]
  for (const file of files) {
    assert.equal(file.size, bytes.length)
    for (const [position = 0, length = 0] of ranges)
      assert.deepEqual(
        await file.at(position, length),
        bytes.subarray(position, position + length),
        `${length} bytes at ${position}`,
      )
  }
})

test('small adjacent reads of a file are served from one disk read per buffer', async () => {
  await writeFile(path, bytes)
  await using handle = await open(path)
  let readCount = 0
  const countingHandle = new Proxy(handle, {
    get: (target, name) => {
      if (name === 'read') readCount++
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const file = await openRandomAccess(countingHandle, 1000)
  for (let position = 0; position < 2000; position += 10) await file.at(position, 10)
  assert.equal(readCount, 2)
})

test('a read beyond the end of a file fails before memory is allocated for it', async () => {
  const file = openBuffer(bytes)
  assert.equal((await readExactly(file, 4000, 1000)).length, 1000)
  for (const [position, length] of [
    [4000, 1001],
    [0, Number.MAX_SAFE_INTEGER],
    [Number.POSITIVE_INFINITY, 1],
  ] as const)
    await assert.rejects(readExactly(file, position, length), TruncatedFileError)
  await assert.rejects(readExactly({ ...file, size: 6000 }, 4000, 1500), TruncatedFileError)
})
