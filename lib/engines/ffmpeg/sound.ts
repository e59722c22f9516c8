import { qualityNumber } from '../options.ts'
import type { Container } from './containers.ts'
import type { MediaOptions } from './options.ts'
import type { MediaStream } from './probe.ts'
import type { RecipeRequest } from './recipe.ts'
import { type AudioCodec, audioCodecs } from './sound-codecs.ts'

interface Track {
  readonly args: readonly string[]
  readonly copied: boolean
  /** Options that were given and mean nothing to this codec. */
  readonly unused: readonly string[]
}

/** Copies the track where it fits and nothing is asked of it; `index` counts the sound tracks of the result. */
export function soundArgs(stream: MediaStream, index: number, request: RecipeRequest): Track {
  const { container, options, mayCopy } = request
  const map = ['-map', `0:${stream.index}`]
  const codec = codecOf(request)
  if (mayCopy && !forcesSound(codec, stream, request) && container.copies.includes(stream.codec_name)) {
    return { args: [...map, `-c:a:${index}`, 'copy'], copied: true, unused: [] }
  }
  return {
    args: [...map, ...encodedSound(codec, stream, index, request)],
    copied: false,
    unused: options.audioBitrate !== undefined && !codec.kbits ? ['audioBitrate'] : [],
  }
}

/** A track of nothing, for a container that must have one. It ends with the picture. */
export function silenceArgs(request: RecipeRequest): string[] {
  const codec = codecOf(request)
  const rate = codec.rates?.[0] ?? request.container.rates?.[0] ?? 48_000
  const channels = channelsFor(codec, 1)
  return [
    ...['-map', `${request.overlay ? 2 : 1}:a`, '-shortest', '-c:a:0', codec.encoder],
    ...['-ac:a:0', String(channels), '-ar:a:0', String(rate), ...(codec.args ?? [])],
  ]
}

/** Another input, for `silenceArgs` to take. */
export const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=mono']

function codecOf({ container, options }: Pick<RecipeRequest, 'container' | 'options'>): AudioCodec {
  const asked = options.audioCodec === 'copy' ? undefined : options.audioCodec
  const codec = Object.entries(audioCodecs).find(([name]) => name === (asked ?? container.audio[0]))?.[1]
  if (!codec) throw new Error(`The container ${container.muxer} names no sound codec of the table.`)
  return codec
}

/** The one track of a filter graph, in the usual codec and the shape of this stream. */
export function newSoundArgs(
  stream: MediaStream,
  request: Pick<RecipeRequest, 'container' | 'options'>,
): string[] {
  const { container, options } = request
  const codec = codecOf(request)
  const { channels, rate, bits } = shapeOf(codec, stream, container, options)
  return [
    ...['-c:a', deepEncoder(codec, container, stream), '-ac', String(channels), '-ar', String(rate)],
    ...(bits === undefined ? [] : ['-b:a', String(bits)]),
    ...(codec.args ?? []),
  ]
}

function forcesSound(codec: AudioCodec, stream: MediaStream, request: RecipeRequest): boolean {
  const { container, options } = request
  const { mode, audioCodec, audioBitrate, audioSampleRate, channels, volume } = options
  const word = isSoundOnly(container) ? options.quality : undefined
  const asked = audioCodec !== undefined && audioCodec !== 'copy' && codec.name !== stream.codec_name
  const tooMany = (stream.channels ?? 2) > (container.mostChannels ?? Number.POSITIVE_INFINITY)
  const values = [audioBitrate, audioSampleRate, channels, volume, word]
  // Formats without times cannot say that the first packet begins too early.
  const begins = options.start !== undefined && options.start > 0 && audioCodec !== 'copy'
  return mode === 'encode' || asked || tooMany || begins || values.some((value) => value !== undefined)
}

const isSoundOnly = ({ video }: Container) => video.length === 0

function encodedSound(codec: AudioCodec, stream: MediaStream, index: number, request: RecipeRequest) {
  const { container, options } = request
  const { channels, rate, bits } = shapeOf(codec, stream, container, options)
  const filters = [
    ...(options.volume === undefined ? [] : [`volume=${options.volume}`]),
    // Samples of 8 bits, a hundredth of a decibel quieter, fill 16.
    ...(codec.fullSamples && stream.sample_fmt.startsWith('u8') ? ['volume=0.999:precision=float'] : []),
    `aformat=channel_layouts=${layout(channels)}`,
    // Its blocks of sound have no times of their own: what is missing is filled, or all after it would be early.
    ...(container.needsSound ? ['aresample=async=1000:first_pts=0', 'apad'] : []),
  ]
  return [
    ...[`-c:a:${index}`, deepEncoder(codec, container, stream)],
    ...[`-ac:a:${index}`, String(channels), `-ar:a:${index}`, String(rate)],
    ...[`-filter:a:${index}`, filters.join(',')],
    ...(bits === undefined ? [] : [`-b:a:${index}`, String(bits)]),
    ...(container.needsSound ? ['-shortest'] : []),
    ...(codec.args ?? []),
  ]
}

function shapeOf(codec: AudioCodec, stream: MediaStream, container: Container, options: MediaOptions) {
  const most = Math.min(codec.maxChannels, container.mostChannels ?? codec.maxChannels)
  const channels = channelsFor(codec, Math.min(options.channels ?? stream.channels ?? 2, most))
  const rate = sampleRate(codec, container, options.audioSampleRate ?? stream.sample_rate ?? 44_100)
  const bits = soundBits(codec, options, channels, rate, isSoundOnly(container))
  return { channels, rate, bits }
}

/** The most that are not more than wanted, or the fewest that it takes. */
function channelsFor({ layouts, maxChannels }: AudioCodec, wanted: number): number {
  if (!layouts) return Math.min(wanted, maxChannels)
  return layouts.findLast((count) => count <= wanted) ?? layouts[0] ?? wanted
}

/** Encoders know each number of channels by one layout, and sources by several or none. */
export function layout(channels: number): string {
  const usual = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1']
  return usual[channels - 1] ?? `${channels}c`
}

function sampleRate(
  { rates: codecRates }: AudioCodec,
  { rates = codecRates }: Container,
  wanted: number,
): number {
  if (!rates) return wanted
  return nearest(rates, wanted)
}

/** Bits per second; undefined where the codec leaves no choice. */
function soundBits(
  codec: AudioCodec,
  options: MediaOptions,
  channels: number,
  rate: number,
  soundOnly: boolean,
): number | undefined {
  const bits = wantedBits(codec, options, channels, rate, soundOnly)
  const known = codec.kbitsAt?.(rate)
  return bits === undefined || known === undefined ? bits : nearest(known, bits / 1000) * 1000
}

function wantedBits(
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

const nearest = (values: readonly number[], wanted: number) =>
  values.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best))

/** 24-bit sources stay so where the format is the same but for the depth. */
function deepEncoder({ encoder }: AudioCodec, { copies }: Container, stream: MediaStream): string {
  const bits = stream.bits_per_raw_sample ?? stream.bits_per_sample ?? 16
  const deep = encoder.replace(/^pcm_s16/, 'pcm_s24')
  return bits >= 24 && copies.includes(deep) ? deep : encoder
}
