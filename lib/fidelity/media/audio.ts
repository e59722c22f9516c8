import { type RiffForm, readRiffChunks, readRiffForm } from '../../binary/riff.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'

/** Reads the length and channels of audio files from their headers, without decoding. */

interface AudioProperties {
  readonly channels: number
  readonly sampleRate: number
  /** Number of samples per channel. */
  readonly samples: number
}

const createSummary = ({ channels, sampleRate, samples }: AudioProperties): ContentSummary => ({
  counts: { samples, channels },
  ...(sampleRate > 0 && { seconds: samples / sampleRate }),
  features: ['sound'],
})

const maxChunks = 100

/** Returns the first chunk with each id. */
async function listChunks(bytes: FileBytes, form: RiffForm) {
  const chunks = new Map<string, { readonly start: number; readonly size: number }>()
  for await (const { id, start, end } of readRiffChunks(bytes, form, maxChunks))
    if (!chunks.has(id)) chunks.set(id, { start, size: end - start })
  return chunks
}

export async function readWav(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const form = await readRiffForm(bytes)
  if (form?.id !== 'RIFF' || form.type !== 'WAVE') return undefined
  const chunks = await listChunks(bytes, form)
  const formatChunk = chunks.get('fmt ')
  if (!formatChunk || formatChunk.size < 16) return undefined
  const format = await bytes.at(formatChunk.start, 16)
  const [channels, sampleRate, bytesPerBlock] = [
    format.readUInt16LE(2),
    format.readUInt32LE(4),
    format.readUInt16LE(12),
  ]
  const bitsPerSample = format.readUInt16LE(14)
  // For compressed audio, the `fact` chunk contains the number of samples.
  const isPcm = bytesPerBlock > 0 && bytesPerBlock === channels * Math.ceil(bitsPerSample / 8)
  if (isPcm)
    return createSummary({
      channels,
      sampleRate,
      samples: Math.floor((chunks.get('data')?.size ?? 0) / bytesPerBlock),
    })
  const factChunk = chunks.get('fact')
  if (!factChunk || factChunk.size < 4) return undefined
  return createSummary({
    channels,
    sampleRate,
    samples: (await bytes.at(factChunk.start, 4)).readUInt32LE(0),
  })
}

export async function readAiff(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const form = await readRiffForm(bytes)
  if (form?.id !== 'FORM' || !form.type.startsWith('AIF')) return undefined
  const commonChunk = (await listChunks(bytes, form)).get('COMM')
  if (!commonChunk) return undefined
  const properties = await bytes.at(commonChunk.start, 18)
  // Reads an 80-bit float without its fraction, because sample rates are whole numbers.
  const exponent = properties.readUInt16BE(8) - 16_383 - 63
  const sampleRate = Number(properties.readBigUInt64BE(10)) * 2 ** exponent
  return createSummary({
    channels: properties.readUInt16BE(0),
    sampleRate,
    samples: properties.readUInt32BE(2),
  })
}

/** Reads the STREAMINFO block of FLAC (RFC 9639, 8.2). */
export async function readFlac(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 42)
  if (head.toString('latin1', 0, 4) !== 'fLaC' || head.length < 42) return undefined
  const word = head.readBigUInt64BE(18)
  const samples = Number(word & 0xfffffffffn)
  // A count of 0 means that the number of samples is unknown.
  if (samples === 0) return undefined
  return createSummary({ channels: Number((word >> 41n) & 7n) + 1, sampleRate: Number(word >> 44n), samples })
}

/**
 * Reads Ogg: the last page contains the end position (RFC 3533), and the header of Opus (RFC 7845) or Vorbis I
 * describes the stream.
 */
export async function readOgg(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 128)
  const opusOffset = head.indexOf('OpusHead', 0, 'latin1')
  const vorbisOffset = head.indexOf('\x01vorbis', 0, 'latin1')
  const flacOffset = head.indexOf('\x7fFLAC', 0, 'latin1')
  const firstPacket = Math.max(opusOffset, vorbisOffset, flacOffset)
  if (head.toString('latin1', 0, 4) !== 'OggS' || firstPacket < 0) return undefined
  const tail = await bytes.at(Math.max(0, bytes.size - 65_307), 65_307)
  const lastPage = tail.lastIndexOf('OggS', undefined, 'latin1')
  if (lastPage < 0 || lastPage + 14 > tail.length) return undefined
  const end = Number(tail.readBigInt64LE(lastPage + 6))
  if (end < 0) return undefined
  if (opusOffset > 0) {
    const skippedSamples = head.readUInt16LE(opusOffset + 10)
    return createSummary({
      channels: head.readUInt8(opusOffset + 9),
      sampleRate: 48_000,
      samples: Math.max(0, end - skippedSamples),
    })
  }
  // The file contains FLAC in Ogg 1.0.1: the STREAMINFO block of a FLAC file, shifted by nine bytes.
  if (flacOffset > 0) {
    const streamInfo = Number(head.readBigUInt64BE(flacOffset + 27) >> 36n)
    return createSummary({ channels: ((streamInfo >> 5) & 7) + 1, sampleRate: streamInfo >> 8, samples: end })
  }
  return createSummary({
    channels: head.readUInt8(vorbisOffset + 11),
    sampleRate: head.readUInt32LE(vorbisOffset + 12),
    samples: end,
  })
}

const sampleRates = [44_100, 48_000, 32_000] as const

/** Reads MPEG audio by the frame count in the first frame ("Xing", "Info"), which all current encoders write. */
export async function readMp3(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const tag = await bytes.at(0, 10)
  // The tag's size has seven bits per byte (ID3v2.4, 3.1 and 6.2).
  const start =
    tag.toString('latin1', 0, 3) === 'ID3'
      ? 10 + [6, 7, 8, 9].reduce((size, at) => size * 128 + (tag.readUInt8(at) & 127), 0)
      : 0
  const frame = await bytes.at(start, 192)
  if (frame.length < 192 || frame.readUInt16BE(0) < 0xffe0) return undefined
  const version = (frame.readUInt8(1) >> 3) & 3
  const isLayer3 = ((frame.readUInt8(1) >> 1) & 3) === 1
  const base = sampleRates[(frame.readUInt8(2) >> 2) & 3]
  if (!isLayer3 || base === undefined || version === 1) return undefined
  const channels = frame.readUInt8(3) >> 6 === 3 ? 1 : 2
  const isMpeg1 = version === 3
  const at = 4 + (isMpeg1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17)
  const marker = frame.toString('latin1', at, at + 4)
  if ((marker !== 'Xing' && marker !== 'Info') || (frame.readUInt32BE(at + 4) & 1) === 0) return undefined
  const frames = frame.readUInt32BE(at + 8)
  const sampleRate = isMpeg1 ? base : version === 2 ? base / 2 : base / 4
  // The encoder has added padding at both ends (LAME tag, revision 1).
  const padding = /^L(?:AME|avc|avf)/.test(frame.toString('latin1', at + 120, at + 124))
    ? frame.readUIntBE(at + 141, 3)
    : 0
  const paddingSamples = (padding >> 12) + (padding & 0xfff)
  return createSummary({
    channels,
    sampleRate,
    samples: Math.max(0, frames * (isMpeg1 ? 1152 : 576) - paddingSamples),
  })
}
