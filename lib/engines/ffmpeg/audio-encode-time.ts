import type { AudioCodecId } from './audio-codecs.ts'

/**
 * Processor seconds needed per second of one channel at 48 kHz, including the decoding of AAC. Measured on a processor
 * of 2.3 GHz. The input was noise, which takes encoders longest.
 */
const encodeTimeByCodec: Partial<Readonly<Record<AudioCodecId, number>>> = {
  aac: 0.0155,
  vorbis: 0.0087,
  mp3: 0.0064,
  opus: 0.005,
  flac: 0.0019,
  pcm: 0.001,
}

/**
 * Returns how many seconds of audio one processor encodes within a time limit, or undefined for codecs that were not
 * measured.
 */
export function computeMaxAudioSeconds(
  seconds: number,
  codec: AudioCodecId,
  { channels, sampleRate }: { readonly channels: number; readonly sampleRate: number },
): number | undefined {
  const encodeTime = encodeTimeByCodec[codec]
  return encodeTime && seconds / (encodeTime * channels * (sampleRate / 48_000))
}
