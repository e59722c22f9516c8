import type { AudioCodecId } from './audio-codecs.ts'

/**
 * Seconds of processor time for a second of one channel at 48 kHz, decoding of AAC included: what encoders take for
 * noise, which is the hardest for them. Measured at 2.3 GHz.
 */
const encodeTimes: Partial<Readonly<Record<AudioCodecId, number>>> = {
  aac: 0.0155,
  vorbis: 0.0087,
  mp3: 0.0064,
  opus: 0.005,
  flac: 0.0019,
  pcm: 0.001,
}

/** Seconds of sound that are encoded in a time, by one processor; undefined for a codec that nobody has measured. */
export function maxAudioSeconds(
  seconds: number,
  codec: AudioCodecId,
  { channels, sampleRate }: { readonly channels: number; readonly sampleRate: number },
): number | undefined {
  const encodeTime = encodeTimes[codec]
  return encodeTime && seconds / (encodeTime * channels * (sampleRate / 48_000))
}
