import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hasMpegFrames } from '../../lib/formats/detect/mpeg-frames.ts'
import { assertRefused } from '../support/assert-refused.ts'
import { detectFile } from './detect-file.ts'

const createLatinBytes = (text: string, length = 2048) =>
  Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(length)])

describe('detection of video and audio', () => {
  test('videos and audio are detected by their magic bytes without an extension', async () => {
    for (const [start, format] of [
      ['YUV4MPEG2 W64 H48 F25:1\n', 'y4m'],
      ['nut/multimedia container\0', 'nut'],
      ['MThd\0\0\0\x06\0\0\0\x01\x01\xe0MTrk', 'mid'],
      ['NIST_1A\n   1024\n', 'sph'],
      ['.RMF\0\0\0\x12\0\0\0\0\0\0', 'rm'],
      ['\0\0\0\x01\x67\x64\0\x0d', 'h264'],
      ['Creative Voice File\x1a\x1a\0\x0a\x01', 'voc'],
    ] as const) {
      assert.equal(await detectFile('file', createLatinBytes(start)), format)
    }
  })

  test('videos and audio with the same magic bytes are distinguished by their extension', async () => {
    assert.equal(
      await detectFile('song.kar', createLatinBytes('MThd\0\0\0\x06\0\0\0\x01\x01\xe0MTrk')),
      'kar',
    )
    assert.equal(await detectFile('video.rmvb', createLatinBytes('.RMF\0\0\0\x12\0\0\0\0\0\0')), 'rmvb')
  })

  test('videos and audio without a header are recognized by their extension', async () => {
    for (const name of ['call.al', 'call.ul', 'call.gsm', 'take.pcm', 'video.h263']) {
      assert.equal(await detectFile(name, Buffer.alloc(4096, 0xd5)), name.split('.')[1])
    }
  })

  test('videos and audio without a header are rejected if the content is clearly another format', async () => {
    await assertRefused(detectFile('take.pcm', createLatinBytes('%PDF-1.7\n')), 'CORRUPT_FILE')
  })

  test('a file named .mod is detected as camcorder video or tracker module by its content', async () => {
    const module = Buffer.alloc(4096)
    module.write('M.K.', 1080)
    assert.equal(await detectFile('a.mod', module), 'tracker')
    const video = Buffer.from([0, 0, 1, 0xba, 0x44, 0, 4, 0, 4, 1, 0, 1, 0x89, 0xc3, 0xf8])
    assert.equal(await detectFile('a.mod', Buffer.concat([video, Buffer.alloc(4096)])), 'mod')
  })
})

describe('detection of unusual audio', () => {
  /** Creates empty MPEG frames of a given length. */
  const createFrames = (header: number, length: number, count: number) =>
    Buffer.concat(
      Array.from({ length: count }, () => {
        const frame = Buffer.alloc(length)
        frame.writeUInt32BE(header)
        return frame
      }),
    )
  const garbage = Buffer.from('ff00fffbffe2'.repeat(100), 'hex')

  test('MP3 audio that starts with garbage is detected by its MPEG frames', async () => {
    const kinds: readonly [header: number, length: number, caseName: string][] = [
      [0xfffb9000, 417, 'MPEG 1, layer 3, 128 kbit/s at 44.1 kHz'],
      [0xfffb9200, 418, 'the same with a byte more'],
      [0xfffda400, 576, 'MPEG 1, layer 2, 192 kbit/s at 48 kHz'],
      [0xfff38000, 208, 'MPEG 2, layer 3, 64 kbit/s at 22.05 kHz'],
      [0xffe34000, 208, 'MPEG 2.5, layer 3, 32 kbit/s at 11.025 kHz'],
      [0xffff9800, 432, 'MPEG 1, layer 1, 288 kbit/s at 32 kHz'],
    ]
    for (const [header, length, caseName] of kinds) {
      assert.equal(hasMpegFrames(Buffer.concat([garbage, createFrames(header, length, 4)])), true, caseName)
      assert.equal(
        hasMpegFrames(Buffer.concat([garbage, createFrames(header, length + 1, 4)])),
        false,
        caseName,
      )
      assert.equal(hasMpegFrames(Buffer.concat([garbage, createFrames(header, length, 3)])), false, caseName)
    }
    const song = Buffer.concat([garbage, createFrames(0xfffb9000, 417, 9)])
    assert.equal(await detectFile('song.mp3', song), 'mp3')
    await assertRefused(detectFile('song.jpg', song), 'CORRUPT_FILE')
    await assertRefused(detectFile('song.mp3', garbage), 'CORRUPT_FILE')
  })

  test('audio in big-endian WAV and in telephone encodings is detected', async () => {
    const wave = Buffer.concat([
      Buffer.from('RIFX\0\0\x08\x04WAVEfmt \0\0\0\x10', 'latin1'),
      Buffer.alloc(2048),
    ])
    assert.equal(await detectFile('call.wav', wave), 'wav')
    await assertRefused(detectFile('call.wav', wave.subarray(0, 512)), 'CORRUPT_FILE')
    assert.equal(
      await detectFile('call.au', createLatinBytes('.snd\0\0\0\x2c\0\0\x5d\xc0\0\0\0\x1b\0\0\x1f\x40')),
      'au',
    )
  })
})
