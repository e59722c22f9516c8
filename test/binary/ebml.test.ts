import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEbmlChildren, readEbmlElement } from '../../lib/binary/ebml.ts'
import { DamagedFileError, FileLimitError, TruncatedFileError } from '../../lib/binary/errors.ts'
import { openBuffer } from '../../lib/binary/random-access.ts'

const createBytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

test('EBML element ids of 1 to 4 bytes and lengths of 1 to 8 bytes are parsed', async () => {
  for (const [hex, id, start, end] of [
    ['83 81 02', 0x83, 2, 3],
    ['4489 84 00000000', 0x4489, 3, 7],
    ['1a45dfa3 4002 0000', 0x1a45dfa3, 6, 8],
    ['ec 0100000000000003 000000', 0xec, 9, 12],
  ] as const) {
    const file = openBuffer(Buffer.concat([Buffer.alloc(5), createBytes(hex)]))
    assert.deepEqual(await readEbmlElement(file, 5), { id, start: 5 + start, end: 5 + end }, hex)
  }
})

test('an EBML element of unknown length is returned without an end offset', async () => {
  for (const hex of ['18538067 ff', '18538067 01ffffffffffffff'])
    assert.equal((await readEbmlElement(openBuffer(createBytes(hex)), 0)).end, Number.POSITIVE_INFINITY, hex)
})

test('an EBML element with an invalid header is reported as damaged', async () => {
  for (const hex of ['00 81 02', '0f ffffffff 81', '83 00'])
    await assert.rejects(
      readEbmlElement(openBuffer(createBytes(hex)), 0),
      { name: DamagedFileError.name },
      hex,
    )
})

test('an EBML element whose header is cut off is reported as cut off', async () => {
  for (const hex of ['', '1a45', '83', '83 4000 00'.slice(0, 5)])
    await assert.rejects(readEbmlElement(openBuffer(createBytes(hex)), 0), TruncatedFileError, hex)
  await assert.rejects(
    readEbmlElement(openBuffer(createBytes('83 81 02')), Number.POSITIVE_INFINITY),
    TruncatedFileError,
  )
})

test('the contents of the children of an EBML element are returned in file order, grouped by id', () => {
  const children = readEbmlChildren(createBytes('83 81 01  86 82 4142  83 81 02  ec 80'), 10)
  assert.deepEqual(
    [...children].map(([id, contents]) => [id, contents.map((content) => content.toString('hex'))]),
    [
      [0x83, ['01', '02']],
      [0x86, ['4142']],
      [0xec, ['']],
    ],
  )
})

test('an EBML child that extends beyond its parent or has an unknown length is reported as cut off', () => {
  for (const hex of ['83 82 01', '83 ff 01', '83 01ffffffffffff00'])
    assert.throws(() => readEbmlChildren(createBytes(hex), 10), TruncatedFileError, hex)
})

test('an EBML element with more children than the limit is refused', () => {
  const emptyElements = Buffer.from('ec80'.repeat(11), 'hex')
  assert.equal(readEbmlChildren(emptyElements.subarray(2), 10).get(0xec)?.length, 10)
  assert.throws(() => readEbmlChildren(emptyElements, 10), FileLimitError)
})
