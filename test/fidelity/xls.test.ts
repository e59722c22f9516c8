import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FileBytes } from '../../lib/fidelity/bytes.ts'
import { readXls, readXlsStream } from '../../lib/fidelity/office/xls.ts'
import { makeCompoundFile } from '../binary/make-cfb.ts'

function createRecord(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(type)
  head.writeUInt16LE(data.length, 2)
  return Buffer.concat([head, data])
}

const begin = createRecord(0x0809, Buffer.from('0006050000000000', 'hex'))
const end = createRecord(0x000a, Buffer.alloc(0))
const number = createRecord(0x0203, Buffer.alloc(14))

/** Creates a workbook that lists its only sheet, with three numbers, several times. */
function createWorkbook(times: number): Buffer {
  const start = begin.length + times * 12 + end.length
  const reference = Buffer.alloc(8)
  reference.writeUInt32LE(start)
  const names = Array.from({ length: times }, () => createRecord(0x0085, reference))
  return Buffer.concat([begin, ...names, end, begin, number, number, number, end])
}

test('an XLS workbook that lists a sheet too many times is not counted', () => {
  assert.deepEqual(readXlsStream(createWorkbook(1))?.counts, { sheets: 1, cells: 3 })
  assert.equal(readXlsStream(createWorkbook(100_000)), undefined)
})

test('the sheets and cells of an Excel 97 workbook are counted even if its stream has the name that Excel 5.0 used', async () => {
  const { bytes } = makeCompoundFile({ Book: createWorkbook(1) })
  const read = async (start: number, end: number) => bytes.subarray(start, end)
  const file = new FileBytes({ size: bytes.length, read })
  assert.deepEqual((await readXls(file))?.counts, { sheets: 1, cells: 3 })
})

test('no content is counted in a stream that is not an XLS workbook', () => {
  assert.equal(readXlsStream(Buffer.alloc(4)), undefined)
  assert.equal(readXlsStream(createRecord(0x0809, Buffer.from('0005050000000000', 'hex'))), undefined)
})
