import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBuffer } from '../../lib/binary/random-access.ts'
import { findRiffChunks, type RiffChunk, readRiffChunks, readRiffForm } from '../../lib/binary/riff.ts'
import { CountingSource } from './counting-source.ts'

/** Makes a RIFF chunk. @param size the declared size; by default the real one */
function chunk(id: string, content: Buffer, size = content.length): Buffer {
  const header = Buffer.alloc(8)
  header.write(id, 'latin1')
  header.writeUInt32LE(size, 4)
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)])
}

const list = (type: string, ...chunks: readonly Buffer[]) =>
  chunk('LIST', Buffer.concat([Buffer.from(type), ...chunks]))

const createForm = (type: string, ...chunks: readonly Buffer[]) =>
  chunk('RIFF', Buffer.concat([Buffer.from(type), ...chunks]))

const littleEndianHeader = { id: 'RIFF' } as const

async function collect(chunks: AsyncIterable<RiffChunk>) {
  const descriptions: string[] = []
  for await (const one of chunks) descriptions.push(`${one.list ?? one.id} ${one.start}-${one.end}`)
  return descriptions
}

test('the header of a RIFF file contains the id, type and size of the form', async () => {
  assert.deepEqual(await readRiffForm(openBuffer(createForm('WAVE', chunk('data', Buffer.alloc(4))))), {
    id: 'RIFF',
    type: 'WAVE',
    size: 16,
  })
  assert.equal(await readRiffForm(openBuffer(Buffer.from('RIFF\x04\0\0\0WAV'))), undefined)
  assert.equal(await readRiffForm(openBuffer(Buffer.from('ID3\x04 and more'))), undefined)
})

test('IFF files are read with big-endian sizes', async () => {
  const bytes = Buffer.from('FORM\0\0\0\x0eAIFFCOMM\0\0\0\x02ab', 'latin1')
  const form = await readRiffForm(openBuffer(bytes))
  assert.deepEqual(form, { id: 'FORM', type: 'AIFF', size: 14 })
  assert.deepEqual(await collect(readRiffChunks(openBuffer(bytes), { id: 'FORM' }, 10)), ['COMM 20-22'])
})

test('a RIFF chunk of odd length is followed by a padding byte', async () => {
  const bytes = createForm('WAVE', chunk('fmt ', Buffer.alloc(3)), chunk('data', Buffer.alloc(2)))
  assert.deepEqual(await collect(readRiffChunks(openBuffer(bytes), littleEndianHeader, 10)), [
    'fmt  20-23',
    'data 32-34',
  ])
})

test('a RIFF chunk with a length beyond the end of the file ends at the end of the file', async () => {
  for (const size of [6, 0x7fffffff, 0xffffffff]) {
    const bytes = createForm('WAVE', chunk('data', Buffer.alloc(4), size))
    assert.deepEqual(await collect(readRiffChunks(openBuffer(bytes), littleEndianHeader, 10)), ['data 20-24'])
  }
})

test('a RIFF chunk with a length beyond the end of its list ends at the end of the list', async () => {
  const bytes = createForm(
    'AVI ',
    list('strl', chunk('strh', Buffer.alloc(4), 400)),
    chunk('idx1', Buffer.alloc(2)),
  )
  assert.deepEqual(await collect(readRiffChunks(openBuffer(bytes), littleEndianHeader, 10)), [
    'strl 24-36',
    'idx1 44-46',
  ])
  assert.deepEqual(
    await collect(findRiffChunks(openBuffer(bytes), littleEndianHeader, ['strl', 'strh'], 10)),
    ['strh 32-36'],
  )
})

test('RIFF chunks are found in nested lists', async () => {
  const stream = list('strl', chunk('strf', Buffer.alloc(2)), chunk('strh', Buffer.alloc(4)))
  const bytes = createForm('AVI ', list('hdrl', chunk('avih', Buffer.alloc(2)), stream, stream), list('movi'))
  const chunks = await collect(
    findRiffChunks(openBuffer(bytes), littleEndianHeader, ['hdrl', 'strl', 'strh'], 10),
  )
  assert.equal(chunks.length, 2)
  const top = await collect(readRiffChunks(openBuffer(bytes), littleEndianHeader, 10))
  assert.deepEqual(
    top.map((line) => line.split(' ')[0]),
    ['hdrl', 'movi'],
  )
  assert.deepEqual(
    await collect(findRiffChunks(openBuffer(bytes), littleEndianHeader, ['movi', 'strh'], 10)),
    [],
  )
})

test('a RIFF list too short to contain its type is read as a plain chunk', async () => {
  const bytes = createForm('AVI ', chunk('LIST', Buffer.from('ab')), chunk('JUNK', Buffer.alloc(2)))
  assert.deepEqual(await collect(readRiffChunks(openBuffer(bytes), littleEndianHeader, 10)), [
    'LIST 20-22',
    'JUNK 30-32',
  ])
})

test('reading RIFF chunks stops after the maximum number of chunks', async () => {
  for (const count of [1000, 10_000]) {
    const emptyChunks = Array.from({ length: count }, () => chunk('JUNK', Buffer.alloc(0)))
    const source = new CountingSource(createForm('WAVE', ...emptyChunks))
    assert.equal((await collect(readRiffChunks(source, littleEndianHeader, 100))).length, 100)
    assert.equal(source.reads, 100)
  }
})
