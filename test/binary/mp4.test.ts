import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DamagedFileError, FileLimitError, TruncatedFileError } from '../../lib/binary/errors.ts'
import { Mp4Boxes, readMp4Boxes } from '../../lib/binary/mp4.ts'
import { openBuffer } from '../../lib/binary/random-access.ts'
import { CountingSource } from './counting-source.ts'

/** Makes an MP4 box. @param size the declared size; by default the real one */
function box(type: string, content: Buffer = Buffer.alloc(0), size = 8 + content.length): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(size)
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, content])
}

function longBox(type: string, content: Buffer, size = 16 + content.length): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(size))
  return box(type, Buffer.concat([length, content]), 1)
}

const parent = (type: string, ...children: readonly Buffer[]) => box(type, Buffer.concat(children))

async function list(bytes: Buffer, maxBoxes = 100) {
  const boxes: string[] = []
  for await (const { type, start, end } of readMp4Boxes(openBuffer(bytes), maxBoxes))
    boxes.push(`${type} ${start}-${end}`)
  return boxes
}

test('MP4 boxes are listed with the byte range of their content', async () => {
  const bytes = Buffer.concat([box('ftyp', Buffer.alloc(4)), longBox('mdat', Buffer.alloc(10)), box('moov')])
  assert.deepEqual(await list(bytes), ['ftyp 8-12', 'mdat 28-38', 'moov 46-46'])
})

test('an MP4 box of size 0 extends to the end of the file', async () => {
  assert.deepEqual(await list(Buffer.concat([box('ftyp'), box('mdat', Buffer.alloc(9), 0)])), [
    'ftyp 8-8',
    'mdat 16-25',
  ])
})

test('an MP4 box that is longer than the file is reported as cut off', async () => {
  for (const bytes of [
    box('mdat', Buffer.alloc(9), 18),
    box('mdat', Buffer.alloc(9), 0xffffffff),
    longBox('mdat', Buffer.alloc(9), Number.MAX_SAFE_INTEGER),
    // The header itself ends too early.
    longBox('mdat', Buffer.alloc(9)).subarray(0, 12),
  ])
    await assert.rejects(list(bytes), TruncatedFileError)
})

test('an MP4 box that is shorter than its own header is reported as damaged', async () => {
  await assert.rejects(list(box('free', Buffer.alloc(0), 7)), DamagedFileError)
  await assert.rejects(list(longBox('free', Buffer.alloc(0), 15)), DamagedFileError)
})

test('an MP4 box that extends beyond its parent is reported as cut off, even if the file continues after it', async () => {
  const bytes = Buffer.concat([parent('moov', box('trak', Buffer.alloc(4), 13)), box('mdat')])
  const boxes = new Mp4Boxes(openBuffer(bytes), 100)
  const movie = await boxes.findTopLevel('moov')
  assert.ok(movie)
  await assert.rejects(boxes.list(movie), TruncatedFileError)
})

test('the limit on MP4 boxes applies to all levels of the file together', async () => {
  await assert.rejects(list(Buffer.concat(Array.from({ length: 4 }, () => box('free'))), 3), FileLimitError)
  const track = parent('trak', box('tkhd'), box('mdia'))
  const boxes = new Mp4Boxes(openBuffer(parent('moov', track, track, track)), 8)
  const movie = await boxes.findTopLevel('moov')
  assert.ok(movie)
  const [firstBox, secondBox, thirdBox] = await boxes.list(movie)
  assert.ok(firstBox && secondBox && thirdBox)
  await boxes.list(firstBox)
  await boxes.list(secondBox)
  await boxes.list(secondBox)
  await assert.rejects(boxes.list(thirdBox), FileLimitError)
})

test('an MP4 box is found by its path, even inside a meta box that starts with a version field', async () => {
  const items = parent('ilst', box('covr', Buffer.from('image')), box('desc', Buffer.alloc(200)))
  const bytes = parent('moov', parent('udta', box('meta', Buffer.concat([Buffer.alloc(4), items]))))
  const boxes = new Mp4Boxes(openBuffer(bytes), 100)
  const cover = await boxes.find({ start: 0, end: bytes.length }, 'moov', 'udta', 'meta', 'ilst', 'covr')
  assert.ok(cover)
  assert.equal((await boxes.readStart(cover, 100)).toString(), 'image')
  assert.equal(await boxes.find({ start: 0, end: bytes.length }, 'moov', 'udta', 'chpl'), undefined)
})

test('each MP4 box is read once, even if it is looked up repeatedly', async () => {
  for (const count of [100, 400]) {
    const track = parent('trak', box('tkhd'), parent('mdia', box('mdhd'), box('hdlr')))
    const source = new CountingSource(parent('moov', ...Array.from({ length: count }, () => track)))
    const boxes = new Mp4Boxes(source, 10_000)
    const movie = await boxes.findTopLevel('moov')
    assert.ok(movie)
    for (const one of await boxes.list(movie))
      for (const path of [['tkhd'], ['mdia', 'hdlr'], ['mdia', 'mdhd'], ['mdia', 'minf']])
        await boxes.find(one, ...path)
    assert.equal(source.reads, 1 + 5 * count)
  }
})

test('a top-level MP4 box is found only if the boxes after it are complete and within the limit', async () => {
  const head = [box('ftyp'), box('moov')]
  const find = (...others: readonly Buffer[]) =>
    new Mp4Boxes(openBuffer(Buffer.concat([...head, ...others])), 10).findTopLevel('moov')
  assert.equal((await find(box('mdat', Buffer.alloc(4))))?.start, 16)
  await assert.rejects(find(box('mdat', Buffer.alloc(4), 13)), TruncatedFileError)
  await assert.rejects(find(...Array.from({ length: 1000 }, () => box('moof'))), FileLimitError)
})
