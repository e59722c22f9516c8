import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findUnsupportedCodec, rejectEncrypted } from '../../../lib/engines/ffmpeg/unsupported-tracks.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

/** The fixtures are made by make-odd-media.ts. */
const scratch = scratchFolder('unsupported-tracks')
after(removeRuns)

for (const [file, to, feature] of [
  ['vvc.mp4', 'webm', 'H.266 (VVC) video'],
  ['ac4.m4a', 'mp3', 'AC-4 audio'],
  ['mpeg-h.m4a', 'wav', 'MPEG-H 3D audio'],
] as const)
  test(`${file} is refused for its unsupported codec, not as damaged`, async () => {
    await assert.rejects(convert(ffmpeg, fixture(`odd/${file}`), to), {
      code: 'UNSUPPORTED_FORMAT',
      message: new RegExp(`has ${feature.replace(/[()]/g, '\\$&')}, which is not supported`),
    })
  })

test('the audio of a video with an unsupported video codec can be converted to MP3', async () => {
  const { path } = await convert(ffmpeg, fixture('odd/vvc.mp4'), 'mp3')
  const codec = execFileSync('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    'stream=codec_name',
    '-of',
    'csv=p=0',
    path,
  ])
  assert.equal(codec.toString().trim(), 'mp3')
})

test('converting encrypted media is refused as DRM, not as damaged', async () => {
  for (const to of ['mov', 'webm', 'mp3'] as const)
    await assert.rejects(convert(ffmpeg, fixture('odd/clear-key.mp4'), to), {
      code: 'UNSUPPORTED_FORMAT',
      message: /is encrypted \(Common Encryption\)/,
      details: { field: 'file', format: 'mp4', reason: 'drm', encryption: 'Common Encryption' },
    })
})

test('encrypted media is still accepted for reading its metadata', async () => {
  const signal = new AbortController().signal
  const tools = createTools({ workDir: scratch, limits: ffmpeg.limits, signal })
  const input = {
    path: fixture('odd/clear-key.mp4'),
    filename: 'clear-key.mp4',
    format: 'mp4',
    size: 1,
  } as const
  const work = { inputs: [input], from: 'mp4', to: 'json', options: {}, outDir: scratch } as const
  const pool = { workers: 100, timeoutS: 900 }
  assert.equal(await ffmpeg.split?.({ ...work, operation: 'metadata' }, tools, pool), undefined)
})

const writeScratch = (name: string, bytes: Buffer | string) => {
  const path = join(scratch, name)
  writeFileSync(path, bytes, 'latin1')
  return path
}
const detectEncryption = (path: string, format: FormatId) =>
  rejectEncrypted(path, format).then(
    () => undefined,
    (error) => error.details.encryption,
  )
const readCodec = async (path: string, format: FormatId) =>
  (await findUnsupportedCodec(path, format, new Error('cause')))?.details?.['feature']

test('the error for encrypted media names the protection system', async () => {
  const createBox = (type: string, content: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(8 + content.length)
    return Buffer.concat([size, Buffer.from(type, 'latin1'), content])
  }
  const systemId = Buffer.from('edef8ba979d64acea3c827dcd51d21ed', 'hex')
  const psshBox = createBox('pssh', Buffer.concat([Buffer.alloc(4), systemId, Buffer.alloc(4)]))
  const clearKey = readFileSync(fixture('odd/clear-key.mp4'))
  const protectedFile = writeScratch('widevine.mp4', Buffer.concat([clearKey, psshBox]))
  assert.equal(await detectEncryption(protectedFile, 'mp4'), 'Widevine')
  const fairPlay = readFileSync(fixture('tone.m4a'), 'latin1').replace('mp4a\0', 'drms\0')
  assert.equal(await detectEncryption(writeScratch('fairplay.m4a', fairPlay), 'm4a'), 'FairPlay')
  const windowsMedia = Buffer.from(`3026b275${'00'.repeat(26)}fbb3112223bdd211b4b700a0c955fc6e`, 'hex')
  assert.equal(await detectEncryption(writeScratch('drm.wmv', windowsMedia), 'wmv'), 'Windows Media DRM')
  for (const [name, format] of [
    ['video.mp4', 'mp4'],
    ['video.webm', 'webm'],
    ['tracks.mkv', 'mkv'],
  ] as const)
    assert.equal(await detectEncryption(fixture(name), format), undefined, name)
})

test('encrypted tracks and VVC video are detected in Matroska', async () => {
  const createElement = (id: string, ...contents: Buffer[]): Buffer => {
    const content = Buffer.concat(contents)
    return Buffer.concat([
      Buffer.from(id, 'hex'),
      Buffer.from([0x40 | (content.length >> 8), content.length & 255]),
      content,
    ])
  }
  const createMatroska = (...fields: Buffer[]) =>
    Buffer.concat([
      createElement('1a45dfa3'),
      createElement('18538067', createElement('1654ae6b', createElement('ae', ...fields))),
    ])
  const codec = createElement('86', Buffer.from('V_MPEGI/ISO/VVC'))
  const encryptedEncoding = createElement(
    '6d80',
    createElement('6240', createElement('5035', Buffer.from([0x47, 0xe1, 0x81, 5]))),
  )
  assert.equal(
    await detectEncryption(writeScratch('e.webm', createMatroska(codec, encryptedEncoding)), 'webm'),
    'WebM encryption',
  )
  const compressedEncoding = createElement(
    '6d80',
    createElement('6240', createElement('5034', Buffer.from([0x42, 0x54, 0x81, 3]))),
  )
  const vvc = writeScratch('vvc.mkv', createMatroska(codec, compressedEncoding))
  assert.equal(await detectEncryption(vvc, 'mkv'), undefined)
  assert.equal(await readCodec(vvc, 'mkv'), 'H.266 (VVC) video')
})

test('scrambled packets and newer codecs are detected in MPEG transport streams', async () => {
  const clearPath = join(scratch, 'clear.ts')
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', fixture('video.mp4'), '-c', 'copy', clearPath])
  const change = (name: string, edit: (packet: Buffer) => void) => {
    const bytes = readFileSync(clearPath)
    for (let at = 0; at < bytes.length; at += 188) edit(bytes.subarray(at, at + 188))
    return writeScratch(name, bytes)
  }
  const readPid = (packet: Buffer) => packet.readUInt16BE(1) & 0x1fff
  assert.equal(await detectEncryption(clearPath, 'ts'), undefined)
  assert.equal(await readCodec(clearPath, 'ts'), undefined)
  const scrambledPath = change('scrambled.ts', (packet) => {
    if (readPid(packet) === 0x100) packet[3] = packet.readUInt8(3) | 0x80
  })
  assert.equal(await detectEncryption(scrambledPath, 'ts'), 'scrambled packets')
  let isDamaged = false
  const damagedPath = change('damaged.ts', (packet) => {
    if (isDamaged || readPid(packet) !== 0x100) return
    packet[3] = packet.readUInt8(3) | 0x80
    isDamaged = true
  })
  assert.equal(await detectEncryption(damagedPath, 'ts'), undefined)
  const withStreamTypes = (name: string, video: number, audio: number) =>
    change(name, (packet) => {
      if (readPid(packet) !== 0x1000) return
      packet[17] = video
      packet[22] = audio
    })
  assert.equal(await readCodec(withStreamTypes('vvc.ts', 0x33, 0x0f), 'ts'), 'H.266 (VVC) video')
  assert.equal(await readCodec(withStreamTypes('mpeg-h.ts', 0x1b, 0x2d), 'ts'), 'MPEG-H 3D audio')
  const scrambledBytes = readFileSync(scrambledPath)
  const packets = Array.from({ length: scrambledBytes.length / 188 }, (_, at) =>
    scrambledBytes.subarray(at * 188, at * 188 + 188),
  )
  const m2tsBytes = Buffer.concat(packets.flatMap((packet) => [Buffer.alloc(4), packet]))
  assert.equal(await detectEncryption(writeScratch('scrambled.m2ts', m2tsBytes), 'm2ts'), 'scrambled packets')
})
