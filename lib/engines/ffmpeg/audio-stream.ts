import { qualityNumber } from '../options.ts'
import { type AudioCodec, audioCodecs } from './audio-codecs.ts'
import type { Container } from './containers.ts'
import { type Arrangement, arranged, channelsIn, type LayoutName, type Room } from './channel-layouts.ts'
import type { MediaOptions } from './options.ts'
import type { SoundStream } from './probe.ts'
import type { RecipeRequest, Warning } from './recipe.ts'

interface Track {
  readonly args: readonly string[]
  readonly copied: boolean
  /** Options that were given and mean nothing to this codec. */
  readonly unused: readonly string[]
  readonly warnings: readonly Warning[]
}

/** Copies the track where it fits and nothing is asked of it; `index` counts the sound tracks of the result. */
export function soundArgs(stream: SoundStream, index: number, request: RecipeRequest): Track {
  const { container, options, mayCopy } = request
  const map = ['-map', `0:${stream.index}`]
  const codec = codecOf(request)
  if (mayCopy && !forcesSound(codec, stream, request) && container.copies.includes(stream.codec_name)) {
    return { args: [...map, `-c:a:${index}`, 'copy'], copied: true, unused: [], warnings: [] }
  }
  const sample = sampleOf(codec, container, stream)
  return {
    args: [...map, ...encodedSound(codec, stream, index, request)],
    copied: false,
    unused: options.audioBitrate !== undefined && !codec.kbits ? ['audioBitrate'] : [],
    warnings: [
      ...(options.audioCodec === 'copy' ? [notCopied('audioCodec', stream.codec_name, codec.name)] : []),
      ...(sample.lost === undefined ? [] : [rounded(sample.lost)]),
      ...mixed(codec, stream, request),
    ],
  }
}

/** For what was to be copied and could not be. */
export function notCopied(field: string, was: string, became: string): Warning {
  const message = `${field}=copy: the ${was} stream cannot be copied as it is, by its format or by other options, and was encoded as ${became}.`
  return { code: 'STREAM_ENCODED', message }
}

function rounded({ bits, kept }: { bits: number; kept: number }): Warning {
  const message = `The samples of ${bits} bits were rounded to ${kept}: the format holds no more.`
  return { code: 'SAMPLES_ROUNDED', message }
}

/** Nobody is told what he asked for. */
function mixed(codec: AudioCodec, stream: SoundStream, { container, options }: RecipeRequest): Warning[] {
  const { channels: had } = stream
  const { channels } = shapeOf(codec, stream, container, options).arrangement
  if (channels >= had || options.channels !== undefined) return []
  const message = `The ${had} channels were mixed to ${channels}: the format holds no more.`
  return [{ code: 'CHANNELS_MIXED', message }]
}

/** A track of nothing, for a container that must have one. It ends with the picture. */
export function silenceArgs(request: RecipeRequest): string[] {
  const codec = codecOf(request)
  const rate = codec.rates?.[0] ?? request.container.rates?.[0] ?? 48_000
  const { channels } = arranged({ count: 1, layout: 'mono' }, roomOf(codec, request.container))
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

type Plain = Pick<RecipeRequest, 'container' | 'options'>

/** Filters that bring a part into the layout of the one track of a filter graph, which is that of the first. */
export function layoutSteps(first: SoundStream, part: SoundStream, request: Plain): string[] {
  const codec = codecOf(request)
  const of = (stream: SoundStream) => shapeOf(codec, stream, request.container, request.options).arrangement
  const { layout, channels } = of(first)
  const { named } = of(part)
  return stepsTo({ layout, channels, ...(named !== undefined && { named }) })
}

/** The one track of a filter graph, in the usual codec and the shape of this stream. */
export function newSoundArgs(stream: SoundStream, request: Plain): string[] {
  const { container, options } = request
  const codec = codecOf(request)
  const { arrangement, rate, bits } = shapeOf(codec, stream, container, options)
  return [
    ...['-c:a', sampleOf(codec, container, stream).encoder, '-ar', String(rate)],
    ...(bits === undefined ? [] : ['-b:a', String(bits)]),
    ...surroundArgs(codec, arrangement, ''),
    ...(codec.args ?? []),
  ]
}

const surroundArgs = ({ surround = {} }: AudioCodec, { channels }: Arrangement, track: string) =>
  channels > 2 ? Object.entries(surround).flatMap(([name, value]) => [`-${name}${track}`, value]) : []

function forcesSound(codec: AudioCodec, stream: SoundStream, request: RecipeRequest): boolean {
  const { container, options } = request
  const { mode, audioCodec, audioBitrate, audioSampleRate, channels, volume } = options
  const word = isSoundOnly(container) ? options.quality : undefined
  const asked = audioCodec !== undefined && audioCodec !== 'copy' && codec.name !== stream.codec_name
  const tooMany = stream.channels > (container.mostChannels ?? Number.POSITIVE_INFINITY)
  const values = [audioBitrate, audioSampleRate, channels, volume, word]
  // Formats without times cannot say that the first packet begins too early.
  const begins = options.start !== undefined && options.start > 0 && audioCodec !== 'copy'
  return mode === 'encode' || asked || tooMany || begins || values.some((value) => value !== undefined)
}

const isSoundOnly = ({ video }: Container) => video.length === 0

function encodedSound(codec: AudioCodec, stream: SoundStream, index: number, request: RecipeRequest) {
  const { container, options } = request
  const { arrangement, rate, bits } = shapeOf(codec, stream, container, options)
  const filters = [
    ...(options.volume === undefined ? [] : [`volume=${options.volume}`]),
    // Samples of 8 bits, a hundredth of a decibel quieter, fill 16.
    ...(codec.fullSamples && stream.sample_fmt.startsWith('u8') ? ['volume=0.999:precision=float'] : []),
    ...stepsTo(arrangement),
    // Its blocks of sound have no times of their own: what is missing is filled, or all after it would be early.
    ...(container.needsSound ? ['aresample=async=1000:first_pts=0', 'apad'] : []),
  ]
  return [
    // Not -ac: it would mix once more, into ffmpeg's own idea of so many channels.
    ...[`-c:a:${index}`, sampleOf(codec, container, stream).encoder, `-ar:a:${index}`, String(rate)],
    ...[`-filter:a:${index}`, filters.join(',')],
    ...surroundArgs(codec, arrangement, `:a:${index}`),
    ...(bits === undefined ? [] : [`-b:a:${index}`, String(bits)]),
    ...(container.needsSound ? ['-shortest'] : []),
    ...(codec.args ?? []),
  ]
}

/** Channels without names get them first: mixed as ffmpeg guesses them, they would lose their places. */
function stepsTo({ layout, named }: Arrangement): string[] {
  const inOrder = named === undefined ? [] : [`channelmap=${orderOf(named)}:${named}`]
  return [...inOrder, `aformat=channel_layouts=${layout}`]
}

const orderOf = (name: string) =>
  Array.from({ length: channelsIn(name as LayoutName) }, (_, at) => at).join('|') // `arranged` names no other.

function roomOf({ maxChannels, layouts }: AudioCodec, { mostChannels = maxChannels }: Container): Room {
  return { most: Math.min(maxChannels, mostChannels), layouts }
}

function shapeOf(codec: AudioCodec, stream: SoundStream, container: Container, options: MediaOptions) {
  const source = { count: stream.channels, layout: stream.channel_layout }
  const arrangement = arranged(source, roomOf(codec, container), options.channels)
  const rate = sampleRate(codec, container, options.audioSampleRate ?? stream.sample_rate ?? 44_100)
  const bits = soundBits(codec, options, arrangement.channels, rate, isSoundOnly(container))
  return { arrangement, rate, bits }
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

interface Sample {
  readonly encoder: string
  /** Bits of a sample that there were, and that are left. */
  readonly lost?: { readonly bits: number; readonly kept: number }
}

/** What comes out of decoders of sound that has lost something already is as deep as they like it, and means nothing. */
function depthOf({ codec_name, sample_fmt, bits_per_raw_sample, bits_per_sample }: SoundStream) {
  const isFloat = /^pcm_f/.test(codec_name) || (codec_name === 'wavpack' && /flt|dbl/.test(sample_fmt))
  return { bits: bits_per_raw_sample || bits_per_sample || 16, isFloat }
}

/** Kinds of samples that hold others whole, the smallest first. */
function kindsFor({ bits, isFloat }: ReturnType<typeof depthOf>): readonly string[] {
  if (isFloat) return bits > 32 ? ['f64', 'f32', 's32', 's24'] : ['f32', 's32', 's24']
  if (bits > 24) return ['s32', 's24']
  return bits > 16 ? ['s24', 's32'] : []
}

/** Samples keep their depth where the format has one for them; of 20 bits become 24. */
function sampleOf({ encoder, keeps }: AudioCodec, { copies }: Container, stream: SoundStream): Sample {
  const depth = depthOf(stream)
  const { bits } = depth
  const [, end] = /^pcm_s16(le|be)$/.exec(encoder) ?? []
  const kind =
    end === undefined ? undefined : kindsFor(depth).find((one) => copies.includes(`pcm_${one}${end}`))
  const kept = kind === undefined ? keeps : Number(kind.slice(1))
  const name = kind === undefined ? encoder : `pcm_${kind}${end}`
  return kept === undefined || kept >= bits ? { encoder: name } : { encoder: name, lost: { bits, kept } }
}
