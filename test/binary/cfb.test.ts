import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { CompoundFile } from '../../lib/binary/cfb.ts'
import { DamagedFileError, FileLimitError, TruncatedFileError } from '../../lib/binary/errors.ts'
import { inMemory } from '../../lib/binary/random-access.ts'
import { CountingSource } from './counting-source.ts'
import { endOfChain, type MadeFile, makeCompoundFile, offsetOf } from './make-cfb.ts'

const large = randomBytes(20_000)
const small = Buffer.from('a stream of less than 4,096 bytes, in small sectors '.repeat(5))

const open = (bytes: Buffer) => CompoundFile.open(inMemory(bytes))

/** Overwrites 32-bit numbers of a made file. */
function patch({ bytes }: MadeFile, ...changes: readonly (readonly [at: number, value: number])[]): Buffer {
  const copy = Buffer.from(bytes)
  for (const [at, value] of changes) copy.writeUInt32LE(value, at)
  return copy
}

test('large and small streams of a compound file are found by name and read', async () => {
  const file = await open(makeCompoundFile({ Large: large, Small: small, '\u0005Summary': small }).bytes)
  assert.deepEqual(await file.read('Large'), large)
  assert.deepEqual(await file.read('Small'), small)
  assert.equal(await file.read('Missing'), undefined)
  assert.deepEqual(
    (await file.entries()).flatMap(({ name }) => (name === '' ? [] : [name])),
    ['Root Entry', 'Large', 'Small', '\u0005Summary'],
  )
  await file.requireLastSector()
})

test('a compound file with more sectors than its header can list is read completely', async () => {
  const content = randomBytes(8_000_000)
  const made = makeCompoundFile({ Large: content })
  assert.ok(made.difatSectors.length > 0)
  assert.deepEqual(await (await open(made.bytes)).read('Large'), content)
})

test('the last sector of a compound file need not be padded', async () => {
  const made = makeCompoundFile({ Large: large })
  // Moves the last sector of the stream to the end of the file, and cuts its padding off.
  const [start = 0] = made.starts.values()
  const last = start + Math.floor(large.length / 512)
  const moved = made.bytes.length / 512 - 1
  const bytes = Buffer.concat([
    patch(made, [made.linkOffset(last - 1), moved], [made.linkOffset(moved), 0xfffffffe]),
    made.bytes.subarray(offsetOf(last), offsetOf(last) + (large.length % 512)),
  ])
  assert.deepEqual(await (await open(bytes)).read('Large'), large)
})

test('a compound file whose sector chain loops is reported as damaged', async () => {
  const made = makeCompoundFile({ Large: large, Small: small })
  const [start = 0] = made.starts.values()
  const directory = await open(patch(made, [made.linkOffset(made.directory), made.directory]))
  await assert.rejects(directory.entries(), DamagedFileError)
  // The declared size ends the chain of a stream, so a loop only shows if the stream claims to be longer.
  const entry = offsetOf(made.directory) + 128
  const stream = patch(made, [made.linkOffset(start + 5), start], [entry + 120, 0xffffffff])
  await assert.rejects((await open(stream)).read('Large'), DamagedFileError)
  const smallEntry = entry + 128
  const shared = patch(made, [offsetOf(made.miniFat), 0], [smallEntry + 120, 4095])
  const read = await (await open(shared)).read('Small')
  assert.ok((read?.length ?? 0) <= 512, 'not more than there is')
})

test('a compound file whose list of allocation table sectors loops is reported as damaged', async () => {
  const made = makeCompoundFile({ Large: Buffer.alloc(16_000_000) })
  const [first = 0] = made.difatSectors
  const [start = 0] = made.starts.values()
  const bytes = patch(made, [offsetOf(first) + 508, first], [made.linkOffset(start), 0x7fffffff])
  await assert.rejects((await open(bytes)).read('Large'), DamagedFileError)
})

test('a compound file that ends too early is reported as cut off', async () => {
  const { bytes, ...made } = makeCompoundFile({ Large: large })
  await assert.rejects(open(bytes.subarray(0, 1000)), TruncatedFileError)
  const cut = await open(bytes.subarray(0, offsetOf(made.directory)))
  await assert.rejects(cut.entries(), { message: 'its directory is cut off' })
  await assert.rejects(cut.requireLastSector(), TruncatedFileError)
})

test('a compound file whose allocation table uses sectors after its end is reported as cut off', async () => {
  // One and two sectors of the allocation table.
  for (const size of [20_000, 100_000]) {
    const made = makeCompoundFile({ Large: randomBytes(size) })
    const count = made.bytes.length / 512 - 1
    await (await open(made.bytes)).requireLastSector()
    const used = patch(made, [made.linkOffset(count), 1])
    await assert.rejects((await open(used)).requireLastSector(), TruncatedFileError)
    // Some programs fill the rest of the table with end-of-chain values.
    const filled = patch(
      made,
      ...[count - 1, count, count + 1, count + 2].map(
        (sector) => [made.linkOffset(sector), endOfChain] as const,
      ),
    )
    await (await open(filled)).requireLastSector()
  }
})

test('a small stream is reported as cut off if the allocation table lacks its sectors', async () => {
  const made = makeCompoundFile({ Small: small })
  const entry = offsetOf(made.directory) + 128
  for (const start of [128, 5000, 0x7fffffff])
    await assert.rejects((await open(patch(made, [entry + 116, start]))).read('Small'), TruncatedFileError)
})

test('a compound file is reported as damaged if its header lists only part of the allocation table', async () => {
  const made = makeCompoundFile({ Large: Buffer.alloc(8_000_000) })
  const bytes = patch(made, [68, endOfChain])
  await assert.rejects((await open(bytes)).read('Large'), { message: 'its allocation table is incomplete' })
})

test('a compound file with a damaged header is refused', async () => {
  const made = makeCompoundFile({ Large: large })
  await assert.rejects(open(Buffer.alloc(2000)), { message: 'its header is damaged' })
  await assert.rejects(open(patch(made, [30, 31])), { message: 'its header is damaged' })
  await assert.rejects((await open(patch(made, [44, 0]))).requireLastSector(), DamagedFileError)
})

test('a compound file above the size limit of the caller is not opened', async () => {
  const { bytes } = makeCompoundFile({ Large: large })
  await assert.rejects(CompoundFile.open(inMemory(bytes), bytes.length - 1), FileLimitError)
  await CompoundFile.open(inMemory(bytes), bytes.length)
})

test('no byte of a compound file is read twice, however its sectors are ordered', async () => {
  for (const size of [100_000, 400_000]) {
    const made = makeCompoundFile({ Large: randomBytes(size) })
    const [start = 0] = made.starts.values()
    const count = Math.ceil(size / 512)
    // Each sector is followed by the one before it, so that no two can be read together.
    const links = Array.from({ length: count }, (_, index) => start + index).map(
      (sector) => [made.linkOffset(sector), sector === start ? 0xfffffffe : sector - 1] as const,
    )
    const entry = offsetOf(made.directory) + 128
    const source = new CountingSource(patch(made, ...links, [entry + 116, start + count - 1]))
    const file = await CompoundFile.open(source)
    assert.equal((await file.read('Large'))?.length, size)
    assert.ok(source.bytesRead <= source.size, `${source.bytesRead} of ${source.size} bytes were read`)
  }
})
