import { type AudioCodec, audioCodecs } from './ffmpeg-codecs.ts'
import type { Container } from './ffmpeg-containers.ts'
import type { MediaOptions, RecipeRequest } from './ffmpeg-plan.ts'
import type { MediaStream } from './ffmpeg-probe.ts'
import { qualityNumber } from './options.ts'

interface Track {
  readonly args: readonly string[]
  readonly copied: boolean
}

export function soundArgs(
  stream: MediaStream,
  index: number,
  { container, options, mayCopy }: RecipeRequest,
): Track {
  const map = ['-map', `0:${stream.index}`]
  const asked = options.audioCodec === 'copy' ? undefined : options.audioCodec
  const id = Object.entries(audioCodecs).find(([name]) => name === (asked ?? container.audio[0]))?.[1]
  if (!id) throw new Error(`The container ${container.muxer} names no sound codec of the table.`)
  const codec: AudioCodec = id
  const soundOnly = container.video.length === 0
  const forced =
    options.mode === 'encode' ||
    [options.audioBitrate, options.audioSampleRate, soundOnly ? options.quality : undefined].some(
      (value) => value !== undefined,
    ) ||
    (asked !== undefined && codec.name !== stream.codec_name)
  if (mayCopy && !forced && container.copies.includes(stream.codec_name)) {
    return { args: [...map, `-c:a:${index}`, 'copy'], copied: true }
  }
  const channels = Math.min(stream.channels ?? 2, codec.maxChannels)
  const rate = sampleRate(codec, container, options.audioSampleRate ?? stream.sample_rate ?? 44_100)
  const bits = soundBits(codec, options, channels, rate, soundOnly)
  return {
    args: [
      ...map,
      ...[
        `-c:a:${index}`,
        deepEncoder(codec, stream),
        `-ac:a:${index}`,
        String(channels),
        `-ar:a:${index}`,
        String(rate),
      ],
      ...[`-filter:a:${index}`, `aformat=channel_layouts=${layout(channels)}`],
      ...(bits === undefined ? [] : [`-b:a:${index}`, String(bits)]),
      ...(codec.args ?? []),
    ],
    copied: false,
  }
}

/** Encoders know each number of channels by one layout, and sources by several or none. */
function layout(channels: number): string {
  const usual = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1']
  return usual[channels - 1] ?? `${channels}c`
}

function sampleRate(
  { rates: codecRates }: AudioCodec,
  { rates = codecRates }: Container,
  wanted: number,
): number {
  if (!rates) return wanted
  return rates.reduce((best, rate) => (Math.abs(rate - wanted) < Math.abs(best - wanted) ? rate : best))
}

function soundBits(
  { kbits, encoder }: AudioCodec,
  { audioBitrate, quality }: MediaOptions,
  channels: number,
  rate: number,
  soundOnly: boolean,
): number | undefined {
  if (!kbits) return undefined
  if (audioBitrate !== undefined) return audioBitrate
  const word = soundOnly ? quality : undefined
  const stereo =
    typeof word === 'number' ? 32 + ((kbits.highest - 32) * word) / 100 : qualityNumber(word, kbits)
  // Vorbis refuses more bits than a low sample rate can use.
  const most = encoder === 'libvorbis' ? rate * 2 * channels : Number.POSITIVE_INFINITY
  return Math.round(Math.min(stereo * 1000 * Math.max(0.5, channels / 2), most))
}

/** 24-bit sources stay so where the format is the same but for the depth. */
function deepEncoder({ encoder }: AudioCodec, stream: MediaStream): string {
  const bits = stream.bits_per_raw_sample ?? stream.bits_per_sample ?? 16
  if (bits < 24) return encoder
  return encoder.replace(/^pcm_s16/, 'pcm_s24')
}
