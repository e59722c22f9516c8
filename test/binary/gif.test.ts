import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gifBlockKinds, readGifBlocks } from '../../lib/binary/gif.ts'

const header = Buffer.from('474946383961 0100 0100 00 00 00'.replaceAll(' ', ''), 'hex')
/** A graphic control extension of four bytes of data. */
const extension = Buffer.from('21f9 04 00000000 00'.replaceAll(' ', ''), 'hex')
/** One pixel; the code size is 2. */
const image = Buffer.from('2c 0000 0000 0100 0100 00 02 02 4401 00'.replaceAll(' ', ''), 'hex')
const trailer = Buffer.from([0x3b])

const { padding, extension: extensionKind, image: imageKind, trailer: trailerKind } = gifBlockKinds
const readKinds = (...blocks: readonly Buffer[]) =>
  [...readGifBlocks(Buffer.concat([header, ...blocks]))].map(({ kind }) => kind)

test('the blocks of a GIF are listed up to the trailer', () => {
  assert.deepEqual(readKinds(extension, image, image, trailer, image), [
    extensionKind,
    imageKind,
    imageKind,
    trailerKind,
  ])
})

test('padding between GIF blocks is listed, and an unknown block ends the list', () => {
  assert.deepEqual(readKinds(image, Buffer.alloc(2), image), [imageKind, padding, padding, imageKind])
  assert.deepEqual(readKinds(image, Buffer.from([7]), image), [imageKind, 7])
})

test('GIF image data is found after the local color table', () => {
  const imageWithColorTable = Buffer.concat([
    image.subarray(0, 9),
    Buffer.from([0x80]),
    Buffer.alloc(6),
    image.subarray(10),
  ])
  const [plain] = readGifBlocks(Buffer.concat([header, image]))
  const [imageBlock] = readGifBlocks(Buffer.concat([header, imageWithColorTable]))
  assert.equal(plain?.data, 13 + 11)
  assert.equal(imageBlock?.data, 13 + 11 + 6)
})

test('the first GIF block is found after the global color table', () => {
  const head = Buffer.from(header)
  head[10] = 0x81
  const blocks = [...readGifBlocks(Buffer.concat([head, Buffer.alloc(12, 0x2c), trailer]))]
  assert.deepEqual(
    blocks.map(({ kind, start }) => [kind, start]),
    [[trailerKind, 25]],
  )
})

test('no GIF block is listed after a block that is cut off', () => {
  const wholeGif = Buffer.concat([header, extension, image])
  for (let end = header.length; end < wholeGif.length; end++)
    assert.ok([...readGifBlocks(wholeGif.subarray(0, end))].length <= 2, `${end} bytes`)
})
