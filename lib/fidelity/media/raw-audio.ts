import { defined } from '../../validation/defined.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'

/** Reads less common audio formats; see `audio.ts` for the others. */

const createSummary = (
  channels: number | undefined,
  sampleRate: number,
  samples: number,
): ContentSummary | undefined =>
  sampleRate > 0 && samples > 0
    ? {
        counts: { samples, ...defined({ channels }) },
        seconds: samples / sampleRate,
        features: ['sound'],
      }
    : undefined

/** Sample rates in Hz and bit rates in kbit/s (ATSC A/52, tables 5.6 and 5.18). */
const ac3SampleRates = [48_000, 44_100, 32_000]
const ac3KilobitRates = [
  32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
]
const ac3ChannelCounts = [2, 1, 2, 3, 3, 4, 4, 5]
/** Higher versions are E-AC-3 (annex E). */
const maxAc3Version = 10

/** Reads AC-3, which has a constant bit rate, so that the file size determines the number of frames. */
export async function readAc3(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 8)
  if (head.readUInt16BE(0) !== 0x0b77 || head.readUInt8(5) >> 3 > maxAc3Version) return undefined
  const sampleRate = ac3SampleRates[head.readUInt8(4) >> 6]
  const kilobitsPerSecond = ac3KilobitRates[(head.readUInt8(4) & 63) >> 1]
  const layout = head.readUInt8(6) >> 5
  if (sampleRate === undefined || kilobitsPerSecond === undefined) return undefined
  const frameBytes = (kilobitsPerSecond * 1000 * 1536) / (sampleRate * 8)
  // The position of the LFE flag depends on the fields before it.
  const bits = head.readUInt16BE(6)
  const offsetBefore = (layout & 1 && layout !== 1 ? 2 : 0) + (layout & 4 ? 2 : 0) + (layout === 2 ? 2 : 0)
  const hasLfe = ((bits >> (12 - offsetBefore)) & 1) === 1
  return createSummary(
    (ac3ChannelCounts[layout] ?? 0) + (hasLfe ? 1 : 0),
    sampleRate,
    Math.round(bytes.size / frameBytes) * 1536,
  )
}

const adtsKilohertz = [96, 88.2, 64, 48, 44.1, 32, 24, 22.05, 16, 12, 11.025, 8, 7.35]

/** Reads raw AAC, in which each frame states its length (ADTS, ISO/IEC 14496-3, 1.A.3.2). */
export async function readAdts(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const data = await bytes.readWhole()
  let frames = 0
  let at = 0
  while (at + 7 <= data.length && (data.readUInt16BE(at) & 0xfff6) === 0xfff0) {
    const size = ((data.readUInt32BE(at + 3) >>> 13) & 0x1fff) >>> 0
    if (size < 7) return undefined
    frames++
    at += size
  }
  const sampleRate = (adtsKilohertz[(data.readUInt8(2) >> 2) & 15] ?? 0) * 1000
  // Channels are omitted: with HE-AAC v2, one coded channel may decode to two.
  return frames === 0 ? undefined : createSummary(undefined, sampleRate, frames * 1024)
}

/** Bytes of a frame of 20 ms, by frame type (RFC 4867, 5.3). */
const narrowbandFrameBytes = [13, 14, 16, 18, 20, 21, 27, 32, 6]
const widebandFrameBytes = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6]

/** Reads AMR, the mono speech format of mobile phones. */
export async function readAmr(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const data = await bytes.readWhole()
  const isWideband = data.toString('latin1', 0, 9) === '#!AMR-WB\n'
  if (!isWideband && data.toString('latin1', 0, 6) !== '#!AMR\n') return undefined
  let frames = 0
  for (let at = isWideband ? 9 : 6; at < data.length; frames++)
    at += (isWideband ? widebandFrameBytes : narrowbandFrameBytes)[((data[at] ?? 0) >> 3) & 15] ?? 1
  const sampleRate = isWideband ? 16_000 : 8000
  return createSummary(1, sampleRate, frames * (sampleRate / 50))
}

/** Bytes per sample by encoding number (Sun/NeXT). */
const auBytesPerSample: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 8, 27: 1 }

export async function readAu(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 24)
  if (head.toString('latin1', 0, 4) !== '.snd') return undefined
  const [start, declaredSize] = [head.readUInt32BE(4), head.readUInt32BE(8)]
  const channels = head.readUInt32BE(20)
  const bytesPerBlock = (auBytesPerSample[head.readUInt32BE(12)] ?? 0) * channels
  const size = Math.min(declaredSize, bytes.size - start)
  return bytesPerBlock === 0
    ? undefined
    : createSummary(channels, head.readUInt32BE(16), Math.floor(size / bytesPerBlock))
}

/** Reads Sony Wave64: chunks with 16-byte names and 64-bit sizes, aligned to eight bytes. */
export async function readWave64(bytes: FileBytes): Promise<ContentSummary | undefined> {
  if ((await bytes.at(0, 4)).toString('latin1') !== 'riff') return undefined
  let format: Buffer | undefined
  for (let at = 40, chunkCount = 0; at + 24 <= bytes.size && chunkCount < 100; chunkCount++) {
    const head = await bytes.at(at, 24)
    const id = head.toString('latin1', 0, 4)
    const size = Number(head.readBigUInt64LE(16))
    if (size < 24) return undefined
    if (id === 'fmt ') format = await bytes.at(at + 24, 16)
    if (id === 'data' && format) {
      const bytesPerBlock = format.readUInt16LE(12)
      const dataBytes = Math.min(size, bytes.size - at) - 24
      return createSummary(
        format.readUInt16LE(2),
        format.readUInt32LE(4),
        Math.floor(dataBytes / bytesPerBlock),
      )
    }
    at += Math.ceil(size / 8) * 8
  }
  return undefined
}

/** Reads the Apple Core Audio Format 1.0; for compressed audio, the packet table contains the number of samples. */
export async function readCoreAudio(bytes: FileBytes): Promise<ContentSummary | undefined> {
  if ((await bytes.at(0, 4)).toString('latin1') !== 'caff') return undefined
  let sampleRate = 0
  let channels = 0
  let bytesPerPacket = 0
  let samples = 0
  for (let at = 8, chunkCount = 0; at + 12 <= bytes.size && chunkCount < 100; chunkCount++) {
    const head = await bytes.at(at, 12)
    const id = head.toString('latin1', 0, 4)
    const declaredSize = Number(head.readBigInt64BE(4))
    const size = declaredSize < 0 ? bytes.size - at - 12 : declaredSize
    if (id === 'desc') {
      const description = await bytes.at(at + 12, 32)
      sampleRate = description.readDoubleBE(0)
      bytesPerPacket = description.readUInt32BE(16)
      channels = description.readUInt32BE(24)
    }
    if (id === 'pakt') samples = Number((await bytes.at(at + 20, 8)).readBigInt64BE(0))
    if (id === 'data' && bytesPerPacket > 0) samples = Math.floor((size - 4) / bytesPerPacket)
    at += 12 + size
  }
  return createSummary(channels, sampleRate, samples)
}

const wavPackKilohertz = [6, 8, 9.6, 11.025, 12, 16, 22.05, 24, 32, 44.1, 48, 64, 88.2, 96, 192]

/** Reads WavPack 4, whose first block contains the total number of samples. */
export async function readWavPack(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 32)
  if (head.toString('latin1', 0, 4) !== 'wvpk') return undefined
  const samples = head.readUInt32LE(12)
  const sampleRate = (wavPackKilohertz[(head.readUInt32LE(24) >>> 23) & 15] ?? 0) * 1000
  return samples === 0xffffffff ? undefined : createSummary(undefined, sampleRate, samples)
}

export async function readTrueAudio(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 18)
  if (head.toString('latin1', 0, 4) !== 'TTA1') return undefined
  return createSummary(head.readUInt16LE(6), head.readUInt32LE(10), head.readUInt32LE(14))
}
