import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { CompoundFile } from '../../lib/binary/cfb.ts'
import { DamagedFileError, FileLimitError, TruncatedFileError } from '../../lib/binary/errors.ts'
import { openBuffer } from '../../lib/binary/random-access.ts'
import { detectFile } from '../formats/detect-file.ts'
import { CountingSource } from './counting-source.ts'
import { type BuiltCompoundFile, endOfChain, getSectorOffset, makeCompoundFile } from './make-cfb.ts'

const largeStream = randomBytes(20_000)
const smallStream = Buffer.from('a stream of less than 4,096 bytes, in small sectors '.repeat(5))

const openFile = (bytes: Buffer) => CompoundFile.open(openBuffer(bytes))

/** Overwrites 32-bit numbers in a generated file. */
function patch(
  { bytes }: BuiltCompoundFile,
  ...changes: readonly (readonly [at: number, value: number])[]
): Buffer {
  const copy = Buffer.from(bytes)
  for (const [at, value] of changes) copy.writeUInt32LE(value, at)
  return copy
}

test('large and small streams of a compound file are found by name and read', async () => {
  const file = await openFile(
    makeCompoundFile({ Large: largeStream, Small: smallStream, '\u0005Summary': smallStream }).bytes,
  )
  assert.deepEqual(await file.read('Large'), largeStream)
  assert.deepEqual(await file.read('Small'), smallStream)
  assert.equal(await file.read('Missing'), undefined)
  assert.deepEqual(
    (await file.entries()).flatMap(({ name }) => (name === '' ? [] : [name])),
    ['Root Entry', 'Large', 'Small', '\u0005Summary'],
  )
  await file.requireLastSector()
})

test('streams of a compound file are found whatever the case of their names', async () => {
  const { bytes } = makeCompoundFile({ WORKBOOK: largeStream })
  assert.deepEqual(await (await openFile(bytes)).read('Workbook'), largeStream)
  assert.equal(await detectFile('upload', bytes), 'xls')
})

test('only the streams in the directory tree of a compound file count as linked, even if the tree has a loop', async () => {
  const compoundFile = makeCompoundFile({ First: smallStream, Second: smallStream, Third: smallStream })
  const entry = (index: number) => getSectorOffset(compoundFile.directory) + 128 * index
  // The root leads to the first stream, the first to the second, and the second back to the first.
  const file = await openFile(patch(compoundFile, [entry(0) + 76, 1], [entry(1) + 72, 2], [entry(2) + 68, 1]))
  assert.equal(await file.isLinked('FIRST'), true)
  assert.equal(await file.isLinked('Second'), true)
  assert.equal(await file.isLinked('Third'), false)
  assert.deepEqual(await file.read('Third'), smallStream)
})

test('a compound file with more sectors than its header can list is read completely', async () => {
  const content = randomBytes(8_000_000)
  const compoundFile = makeCompoundFile({ Large: content })
  assert.ok(compoundFile.difatSectors.length > 0)
  assert.deepEqual(await (await openFile(compoundFile.bytes)).read('Large'), content)
})

test('the last sector of a compound file need not be padded', async () => {
  const compoundFile = makeCompoundFile({ Large: largeStream })
  // Moves the last sector of the stream to the end of the file, and cuts its padding off.
  const [start = 0] = compoundFile.starts.values()
  const lastSector = start + Math.floor(largeStream.length / 512)
  const movedSector = compoundFile.bytes.length / 512 - 1
  const bytes = Buffer.concat([
    patch(
      compoundFile,
      [compoundFile.linkOffset(lastSector - 1), movedSector],
      [compoundFile.linkOffset(movedSector), 0xfffffffe],
    ),
    compoundFile.bytes.subarray(
      getSectorOffset(lastSector),
      getSectorOffset(lastSector) + (largeStream.length % 512),
    ),
  ])
  assert.deepEqual(await (await openFile(bytes)).read('Large'), largeStream)
})

test('a compound file whose sector chain loops is reported as damaged', async () => {
  const compoundFile = makeCompoundFile({ Large: largeStream, Small: smallStream })
  const [start = 0] = compoundFile.starts.values()
  const directory = await openFile(
    patch(compoundFile, [compoundFile.linkOffset(compoundFile.directory), compoundFile.directory]),
  )
  await assert.rejects(directory.entries(), DamagedFileError)
  // The declared size ends the chain of a stream, so a loop only shows if the stream claims to be longer.
  const entry = getSectorOffset(compoundFile.directory) + 128
  const stream = patch(compoundFile, [compoundFile.linkOffset(start + 5), start], [entry + 120, 0xffffffff])
  await assert.rejects((await openFile(stream)).read('Large'), DamagedFileError)
  const smallEntry = entry + 128
  const sharedFile = patch(compoundFile, [getSectorOffset(compoundFile.miniFat), 0], [smallEntry + 120, 4095])
  const read = await (await openFile(sharedFile)).read('Small')
  assert.ok((read?.length ?? 0) <= 512, 'not more than there is')
})

test('a compound file whose list of allocation table sectors loops is reported as damaged', async () => {
  const compoundFile = makeCompoundFile({ Large: Buffer.alloc(16_000_000) })
  const [firstSector = 0] = compoundFile.difatSectors
  const [start = 0] = compoundFile.starts.values()
  const bytes = patch(
    compoundFile,
    [getSectorOffset(firstSector) + 508, firstSector],
    [compoundFile.linkOffset(start), 0x7fffffff],
  )
  await assert.rejects((await openFile(bytes)).read('Large'), DamagedFileError)
})

test('a compound file that ends too early is reported as cut off', async () => {
  const { bytes, ...made } = makeCompoundFile({ Large: largeStream })
  await assert.rejects(openFile(bytes.subarray(0, 1000)), TruncatedFileError)
  const truncatedFile = await openFile(bytes.subarray(0, getSectorOffset(made.directory)))
  await assert.rejects(truncatedFile.entries(), { message: 'its directory is cut off' })
  await assert.rejects(truncatedFile.requireLastSector(), TruncatedFileError)
})

test('a compound file whose allocation table uses sectors beyond the end of the file is reported as cut off', async () => {
  // The streams need one and two sectors of the allocation table.
  for (const size of [20_000, 100_000]) {
    const compoundFile = makeCompoundFile({ Large: randomBytes(size) })
    const count = compoundFile.bytes.length / 512 - 1
    await (await openFile(compoundFile.bytes)).requireLastSector()
    const usedSector = patch(compoundFile, [compoundFile.linkOffset(count), 1])
    await assert.rejects((await openFile(usedSector)).requireLastSector(), TruncatedFileError)
    // Some programs fill the rest of the table with end-of-chain values.
    const filledTable = patch(
      compoundFile,
      ...[count - 1, count, count + 1, count + 2].map(
        (sector) => [compoundFile.linkOffset(sector), endOfChain] as const,
      ),
    )
    await (await openFile(filledTable)).requireLastSector()
  }
})

test('a small stream of a compound file is reported as cut off if the allocation table lacks its sectors', async () => {
  const compoundFile = makeCompoundFile({ Small: smallStream })
  const entry = getSectorOffset(compoundFile.directory) + 128
  for (const start of [128, 5000, 0x7fffffff])
    await assert.rejects(
      (await openFile(patch(compoundFile, [entry + 116, start]))).read('Small'),
      TruncatedFileError,
    )
})

test('a compound file is reported as damaged if its header lists only part of the allocation table', async () => {
  const compoundFile = makeCompoundFile({ Large: Buffer.alloc(8_000_000) })
  const bytes = patch(compoundFile, [68, endOfChain])
  await assert.rejects((await openFile(bytes)).read('Large'), {
    message: 'its allocation table is incomplete',
  })
})

test('a compound file with a damaged header is refused', async () => {
  const compoundFile = makeCompoundFile({ Large: largeStream })
  await assert.rejects(openFile(Buffer.alloc(2000)), { message: 'its header is damaged' })
  await assert.rejects(openFile(patch(compoundFile, [30, 31])), { message: 'its header is damaged' })
  await assert.rejects((await openFile(patch(compoundFile, [44, 0]))).requireLastSector(), DamagedFileError)
})

test('a compound file above the size limit of the caller is not opened', async () => {
  const { bytes } = makeCompoundFile({ Large: largeStream })
  await assert.rejects(CompoundFile.open(openBuffer(bytes), bytes.length - 1), FileLimitError)
  await CompoundFile.open(openBuffer(bytes), bytes.length)
})

test('reading a compound file whose sectors are in reverse order reads no more bytes than the file has', async () => {
  for (const size of [100_000, 400_000]) {
    const compoundFile = makeCompoundFile({ Large: randomBytes(size) })
    const [start = 0] = compoundFile.starts.values()
    const count = Math.ceil(size / 512)
    // In the chain, each sector is followed by the one before it in the file, so that no two can be read
    // together.
    const links = Array.from({ length: count }, (_, index) => start + index).map(
      (sector) => [compoundFile.linkOffset(sector), sector === start ? 0xfffffffe : sector - 1] as const,
    )
    const entry = getSectorOffset(compoundFile.directory) + 128
    const source = new CountingSource(patch(compoundFile, ...links, [entry + 116, start + count - 1]))
    const file = await CompoundFile.open(source)
    assert.equal((await file.read('Large'))?.length, size)
    assert.ok(source.bytesRead <= source.size, `${source.bytesRead} of ${source.size} bytes were read`)
  }
})
