import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refused } from '../refused.ts'
import { detected } from './detected.ts'

const latin = (text: string, length = 2048) =>
  Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(length)])

describe('films and sound', () => {
  test('are told by their first bytes, whatever their name', async () => {
    for (const [start, format] of [
      ['YUV4MPEG2 W64 H48 F25:1\n', 'y4m'],
      ['nut/multimedia container\0', 'nut'],
      ['MThd\0\0\0\x06\0\0\0\x01\x01\xe0MTrk', 'mid'],
      ['NIST_1A\n   1024\n', 'sph'],
      ['.RMF\0\0\0\x12\0\0\0\0\0\0', 'rm'],
      ['\0\0\0\x01\x67\x64\0\x0d', 'h264'],
      ['Creative Voice File\x1a\x1a\0\x0a\x01', 'voc'],
    ] as const) {
      assert.equal(await detected('file', latin(start)), format)
    }
  })

  test('of one kind go by the name that people know', async () => {
    assert.equal(await detected('song.kar', latin('MThd\0\0\0\x06\0\0\0\x01\x01\xe0MTrk')), 'kar')
    assert.equal(await detected('film.rmvb', latin('.RMF\0\0\0\x12\0\0\0\0\0\0')), 'rmvb')
  })

  test('without a header are believed by their name alone', async () => {
    for (const name of ['call.al', 'call.ul', 'call.gsm', 'take.pcm', 'film.h263']) {
      assert.equal(await detected(name, Buffer.alloc(4096, 0xd5)), name.split('.')[1])
    }
  })

  test('without a header are not what is surely something else', async () => {
    await refused(detected('take.pcm', latin('%PDF-1.7\n')), 'CORRUPT_FILE')
  })

  test('named .mod are a camcorder film or a tracker module, by their bytes', async () => {
    const module = Buffer.alloc(4096)
    module.write('M.K.', 1080)
    assert.equal(await detected('a.mod', module), 'tracker')
    const film = Buffer.from([0, 0, 1, 0xba, 0x44, 0, 4, 0, 4, 1, 0, 1, 0x89, 0xc3, 0xf8])
    assert.equal(await detected('a.mod', Buffer.concat([film, Buffer.alloc(4096)])), 'mod')
  })
})
