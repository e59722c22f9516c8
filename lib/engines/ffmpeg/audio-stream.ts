import { defined } from '../../validation/defined.ts'
import { toQualityNumber } from '../options.ts'
import { type AudioCodec, audioCodecs } from './audio-codecs.ts'
import {
  type ChannelArrangement,
  type ChannelLimits,
  chooseLayout,
  countChannels,
  type LayoutName,
} from './channel-layouts.ts'
import type { Container } from './containers.ts'
import { createNearestValueWarning } from './option-warnings.ts'
import type { MediaOptions } from './options.ts'
import type { AudioStream } from './probe.ts'
import type { MediaWarning, RecipeRequest } from './recipe.ts'

interface AudioTrackArgs {
  readonly args: readonly string[]
  readonly isCopied: boolean
  /** Options of the client that this codec does not support. */
  readonly unusedOptions: readonly string[]
  readonly warnings: readonly MediaWarning[]
}

/**
 * Copies the track if possible, and encodes it otherwise. `index` is its number among the audio tracks of the result.
 */
export function createAudioTrackArgs(
  stream: AudioStream,
  index: number,
  request: RecipeRequest,
): AudioTrackArgs {
  const { container, options, mayCopy } = request
  const mapArgs = ['-map', `0:${stream.index}`]
  const codec = chooseAudioCodec(request)
  if (
    mayCopy &&
    !requiresEncoding(codec, stream, request) &&
    container.copyableCodecs.includes(stream.codec_name)
  ) {
    return { args: [...mapArgs, `-c:a:${index}`, 'copy'], isCopied: true, unusedOptions: [], warnings: [] }
  }
  const format = chooseSampleFormat(codec, container, stream)
  return {
    args: [...mapArgs, ...createEncodeArgs(codec, stream, index, request)],
    isCopied: false,
    unusedOptions: findUnusedRateOptions(request),
    warnings: [
      ...createNearestValueWarnings(codec, stream, request),
      ...(options.audioCodec === 'copy'
        ? [createStreamEncodedWarning('audioCodec', stream.codec_name, codec.name)]
        : []),
      ...(format.rounding === undefined ? [] : [createSamplesRoundedWarning(format.rounding)]),
      ...createChannelsMixedWarnings(codec, stream, request),
    ],
  }
}

/** Returns the options that a codec without bit rates ignores; in a video, `quality` is about the video track. */
export function findUnusedRateOptions({ container, options }: EncodeTarget): string[] {
  if (chooseAudioCodec({ container, options }).kbits) return []
  const quality = isAudioOnly(container) ? options.quality : undefined
  return Object.entries({ audioBitrate: options.audioBitrate, quality }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
}

/** Warns if the codec does not support the requested sample rate, number of channels or bit rate. */
function createNearestValueWarnings(
  codec: AudioCodec,
  stream: AudioStream,
  { container, options }: EncodeTarget,
): MediaWarning[] {
  const { sampleRateHz, arrangement, bits } = chooseOutputShape(codec, stream, container, options)
  const { audioSampleRate = sampleRateHz, channels = arrangement.channels, audioBitrate } = options
  return [
    ...(audioSampleRate === sampleRateHz
      ? []
      : [createNearestValueWarning('audioSampleRate', audioSampleRate, sampleRateHz)]),
    ...(channels === arrangement.channels
      ? []
      : [createNearestValueWarning('channels', channels, arrangement.channels)]),
    ...(audioBitrate === undefined || bits === undefined || bits === audioBitrate
      ? []
      : [createNearestValueWarning('audioBitrate', audioBitrate, bits)]),
  ]
}

/** Creates the warning for a stream that should have been copied but had to be encoded. */
export function createStreamEncodedWarning(
  field: string,
  sourceCodec: string,
  targetCodec: string,
): MediaWarning {
  const message = `${field}=copy: the ${sourceCodec} stream cannot be copied because of its format or other options, and was re-encoded as ${targetCodec}.`
  return { code: 'STREAM_ENCODED', message }
}

function createSamplesRoundedWarning({ bits, kept }: { bits: number; kept: number }): MediaWarning {
  const message = `The ${bits}-bit samples were rounded to ${kept} bits: the format does not support more.`
  return { code: 'SAMPLES_ROUNDED', message }
}

/** Warns about mixed channels, unless the client requested fewer channels. */
function createChannelsMixedWarnings(
  codec: AudioCodec,
  stream: AudioStream,
  { container, options }: RecipeRequest,
): MediaWarning[] {
  const { channels: sourceChannels } = stream
  const { channels } = chooseOutputShape(codec, stream, container, options).arrangement
  if (channels >= sourceChannels || options.channels !== undefined) return []
  const message = `The ${sourceChannels} channels were mixed down to ${channels}: the format does not support more.`
  return [{ code: 'CHANNELS_MIXED', message }]
}

/** Returns arguments for a silent track that ends with the video, for containers that require audio. */
export function createSilentTrackArgs(request: RecipeRequest): string[] {
  const codec = chooseAudioCodec(request)
  const sampleRate = codec.sampleRates?.[0] ?? 48_000
  const { channels } = chooseLayout({ count: 1, layout: 'mono' }, getChannelLimits(codec, request.container))
  return [
    ...['-map', `${request.overlay ? 2 : 1}:a`, '-shortest', '-c:a:0', codec.encoder],
    ...['-ac:a:0', String(channels), '-ar:a:0', String(sampleRate), ...(codec.args ?? [])],
  ]
}

/** Additional input that `createSilentTrackArgs` uses. */
export const silenceInput = ['-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=mono']

function chooseAudioCodec({ container, options }: Pick<RecipeRequest, 'container' | 'options'>): AudioCodec {
  const requestedCodec = options.audioCodec === 'copy' ? undefined : options.audioCodec
  const codec = Object.entries(audioCodecs).find(
    ([name]) => name === (requestedCodec ?? container.audio[0]),
  )?.[1]
  if (!codec) throw new Error(`The codec table has no audio codec for the container ${container.muxer}.`)
  return codec
}

type EncodeTarget = Pick<RecipeRequest, 'container' | 'options'>

/** Returns the filters that convert a file of a merge to the channel layout of the first file. */
export function createMergeLayoutFilters(
  firstStream: AudioStream,
  stream: AudioStream,
  request: EncodeTarget,
): string[] {
  const codec = chooseAudioCodec(request)
  const chooseArrangement = (stream: AudioStream) =>
    chooseOutputShape(codec, stream, request.container, request.options).arrangement
  const { layout, channels } = chooseArrangement(firstStream)
  const { assumedLayout } = chooseArrangement(stream)
  return buildLayoutFilters({ layout, channels, ...defined({ assumedLayout }) })
}

/**
 * Returns arguments for the only track of a filter graph, in the container's default codec and with the stream's
 * properties.
 */
export function createSingleTrackArgs(stream: AudioStream, request: EncodeTarget): string[] {
  const { container, options } = request
  const codec = chooseAudioCodec(request)
  const { arrangement, sampleRateHz, bits } = chooseOutputShape(codec, stream, container, options)
  return [
    ...['-c:a', chooseSampleFormat(codec, container, stream).encoder, '-ar', String(sampleRateHz)],
    ...(bits === undefined ? [] : ['-b:a', String(bits)]),
    ...createSurroundArgs(codec, arrangement, ''),
    ...(codec.args ?? []),
  ]
}

const createSurroundArgs = (
  { surroundOptions = {} }: AudioCodec,
  { channels }: ChannelArrangement,
  track: string,
) =>
  channels > 2 ? Object.entries(surroundOptions).flatMap(([name, value]) => [`-${name}${track}`, value]) : []

function requiresEncoding(codec: AudioCodec, stream: AudioStream, request: RecipeRequest): boolean {
  const { container, options } = request
  const { mode, audioCodec, audioBitrate, audioSampleRate, channels, volume } = options
  const qualityLevel = isAudioOnly(container) ? options.quality : undefined
  const isOtherCodec = audioCodec !== undefined && audioCodec !== 'copy' && codec.name !== stream.codec_name
  const hasTooManyChannels = stream.channels > (container.maxChannels ?? Number.POSITIVE_INFINITY)
  const values = [audioBitrate, audioSampleRate, channels, volume, qualityLevel]
  // Formats without timestamps cannot express that the first packet begins before `start`.
  const isTrimmedAtStart = options.start !== undefined && options.start > 0 && audioCodec !== 'copy'
  return (
    mode === 'encode' ||
    isOtherCodec ||
    hasTooManyChannels ||
    isTrimmedAtStart ||
    values.some((value) => value !== undefined)
  )
}

const isAudioOnly = ({ video }: Container) => video.length === 0

function createEncodeArgs(codec: AudioCodec, stream: AudioStream, index: number, request: RecipeRequest) {
  const { container, options } = request
  const { arrangement, sampleRateHz, bits } = chooseOutputShape(codec, stream, container, options)
  const filters = [
    ...(options.volume === undefined ? [] : [`volume=${options.volume}`]),
    // Lowers the volume by a hundredth of a decibel, which gives 8-bit samples nonzero low bits.
    ...(codec.failsOnPaddedSamples && stream.sample_fmt.startsWith('u8')
      ? ['volume=0.999:precision=float']
      : []),
    ...buildLayoutFilters(arrangement),
    // Containers that require audio store it in blocks without timestamps. If gaps were not filled, all later audio
    // would play too early.
    ...(container.requiresAudio ? ['aresample=async=1000:first_pts=0', 'apad'] : []),
  ]
  return [
    // -ac is not used, because ffmpeg would then mix again, to the default layout for that number of channels.
    ...[
      `-c:a:${index}`,
      chooseSampleFormat(codec, container, stream).encoder,
      `-ar:a:${index}`,
      String(sampleRateHz),
    ],
    ...[`-filter:a:${index}`, filters.join(',')],
    ...createSurroundArgs(codec, arrangement, `:a:${index}`),
    ...(bits === undefined ? [] : [`-b:a:${index}`, String(bits)]),
    ...(container.requiresAudio ? ['-shortest'] : []),
    ...(codec.args ?? []),
  ]
}

/** Assigns unnamed channels to speakers first; otherwise ffmpeg's guess would move them to other speakers. */
function buildLayoutFilters({ layout, assumedLayout }: ChannelArrangement): string[] {
  const channelMapFilters =
    assumedLayout === undefined ? [] : [`channelmap=${formatChannelMap(assumedLayout)}:${assumedLayout}`]
  return [...channelMapFilters, `aformat=channel_layouts=${layout}`]
}

const formatChannelMap = (name: string) =>
  // The cast is safe, because `chooseLayout` returns only layout names.
  Array.from({ length: countChannels(name as LayoutName) }, (_, at) => at).join('|')

function getChannelLimits(
  { maxChannels, layouts }: AudioCodec,
  { maxChannels: containerMaxChannels = maxChannels }: Container,
): ChannelLimits {
  return { maxChannels: Math.min(maxChannels, containerMaxChannels), layouts }
}

function chooseOutputShape(
  codec: AudioCodec,
  stream: AudioStream,
  container: Container,
  options: MediaOptions,
) {
  const source = { count: stream.channels, layout: stream.channel_layout }
  const arrangement = chooseLayout(source, getChannelLimits(codec, container), options.channels)
  const sampleRateHz = findNearestSampleRate(
    codec,
    container,
    options.audioSampleRate ?? stream.sample_rate ?? 44_100,
  )
  const bits = chooseTrackBitrate(codec, options, arrangement.channels, sampleRateHz, isAudioOnly(container))
  return { arrangement, sampleRateHz, bits }
}

function findNearestSampleRate(
  { sampleRates: codecRates }: AudioCodec,
  { sampleRates = codecRates }: Container,
  wantedRate: number,
): number {
  if (!sampleRates) return wantedRate
  return findNearest(sampleRates, wantedRate)
}

/** Returns the bits per second; undefined if the codec has no choice of bit rates. */
function chooseTrackBitrate(
  codec: AudioCodec,
  options: MediaOptions,
  channels: number,
  sampleRateHz: number,
  isAudioOnlyTarget: boolean,
): number | undefined {
  const wantedBitrate = computeBitrate(codec, options, channels, isAudioOnlyTarget)
  const [min, max] = codec.bitrateRange?.(sampleRateHz, channels) ?? [0, Number.POSITIVE_INFINITY]
  const bitrate = wantedBitrate && Math.max(min, Math.min(wantedBitrate, max))
  const allowedKbits = codec.allowedKbits?.(sampleRateHz).filter((kbits) => kbits * 1000 >= min)
  return bitrate === undefined || allowedKbits === undefined
    ? bitrate
    : findNearest(allowedKbits, bitrate / 1000) * 1000
}

function computeBitrate(
  { kbits }: AudioCodec,
  { audioBitrate, quality }: MediaOptions,
  channels: number,
  isAudioOnlyTarget: boolean,
): number | undefined {
  if (!kbits) return undefined
  if (audioBitrate !== undefined) return audioBitrate
  const qualityLevel = isAudioOnlyTarget ? quality : undefined
  const stereoKbits =
    typeof qualityLevel === 'number'
      ? 32 + ((kbits.highest - 32) * qualityLevel) / 100
      : toQualityNumber(qualityLevel, kbits)
  return Math.round(stereoKbits * 1000 * Math.max(0.5, channels / 2))
}

const findNearest = (values: readonly number[], wanted: number) =>
  values.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best))

interface SampleFormat {
  readonly encoder: string
  /** Set if samples are rounded: their size in bits before and after. */
  readonly rounding?: { readonly bits: number; readonly kept: number }
}

/** Returns the sample size of the source. Decoders of lossy codecs report an arbitrary size, which is ignored. */
function readSampleDepth({ codec_name, sample_fmt, bits_per_raw_sample, bits_per_sample }: AudioStream) {
  const isFloat = /^pcm_f/.test(codec_name) || (codec_name === 'wavpack' && /flt|dbl/.test(sample_fmt))
  return { bits: bits_per_raw_sample || bits_per_sample || 16, isFloat }
}

/** Lists PCM sample formats that represent the samples without loss, the smallest first. */
function listSampleKinds({ bits, isFloat }: ReturnType<typeof readSampleDepth>): readonly string[] {
  if (isFloat) return bits > 32 ? ['f64', 'f32', 's32', 's24'] : ['f32', 's32', 's24']
  if (bits > 24) return ['s32', 's24']
  return bits > 16 ? ['s24', 's32'] : []
}

/**
 * Chooses a sample format that keeps the sample size if the target format supports it; 20-bit samples become 24-bit.
 */
function chooseSampleFormat(
  { encoder, losslessBits }: AudioCodec,
  { copyableCodecs }: Container,
  stream: AudioStream,
): SampleFormat {
  const depth = readSampleDepth(stream)
  const { bits } = depth
  const [, endianness] = /^pcm_s16(le|be)$/.exec(encoder) ?? []
  const kind =
    endianness === undefined
      ? undefined
      : listSampleKinds(depth).find((sampleKind) => copyableCodecs.includes(`pcm_${sampleKind}${endianness}`))
  const keptBits = kind === undefined ? losslessBits : Number(kind.slice(1))
  const name = kind === undefined ? encoder : `pcm_${kind}${endianness}`
  return keptBits === undefined || keptBits >= bits
    ? { encoder: name }
    : { encoder: name, rounding: { bits, kept: keptBits } }
}
