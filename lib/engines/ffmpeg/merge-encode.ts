import type { FormatId } from '../../formats/index.ts'
import { audioCodecs } from './audio-codecs.ts'
import { createMergeLayoutFilters, createSingleTrackArgs } from './audio-stream.ts'
import { videoCodecs } from './codecs.ts'
import type { Container } from './containers.ts'
import { type Colors, createSdrFilters } from './dynamic-range.ts'
import type { MergeInput } from './merge-inputs.ts'
import { createColorMatchFilters } from './merged-colors.ts'
import type { MergedMetadata } from './merged-metadata.ts'
import type { MergeAudioOptions, MergeVideoOptions } from './options.ts'
import type { MediaInfo } from './probe.ts'
import { createRateArgs } from './rate-control.ts'
import type { RecipeRequest } from './recipe.ts'
import { getContainer } from './transcode.ts'
import { chooseOutputSize } from './video-filters.ts'

/** Returns the codecs for a merge. WebM does not support H.264. */
export const getMergeCodecs = ({ muxer }: Container) =>
  muxer === 'webm'
    ? ({ video: 'vp9', audio: 'opus' } as const)
    : ({ video: 'h264', audio: muxer === 'avi' ? 'mp3' : 'aac' } as const)

const mergeSampleRateHz = 48_000

/**
 * Returns ffmpeg's arguments between inputs and output. Each video is fitted into the frame size of the first video
 * with black borders; videos without audio get silence.
 */
export function createMergeVideoArgs(
  inputs: readonly MergeInput[],
  container: Container,
  options: MergeVideoOptions,
  metadata: MergedMetadata,
): string[] {
  const [firstInput] = inputs
  if (!firstInput) throw new Error('A merge was planned without a video.')
  const videoChains = inputs.map(
    ({ media }, index) => `[${index}:v:0]${buildFitFilters(firstInput.media, media.video)}`,
  )
  const hasAudio = inputs.some(({ media }) => media.audio.length > 0)
  return [
    ...['-filter_complex', buildConcatGraph(videoChains, hasAudio ? inputs.map(buildAudioChain) : undefined)],
    ...['-map', '[v]', ...createVideoEncodeArgs(firstInput.media, container, options)],
    // The last frame stays visible for the rest of the audio. Without this option, ffmpeg would encode it repeatedly
    // for MP4.
    ...(container.constantFrameRate ? [] : ['-fps_mode', 'vfr']),
    ...(hasAudio ? ['-map', '[a]', ...createAudioEncodeArgs(container)] : []),
    ...metadata.args(inputs.length),
    ...(container.args ?? []),
    ...['-f', container.muxer],
  ]
}

/** A range of frames of a file, counted at the frame rate of the merge from the beginning of the file. */
export interface FrameRange {
  readonly first: number
  readonly count: number
}

/** Returns arguments for a segment of one file. Its frames have the same timestamps as in the file. */
export function createMergeSegmentArgs(
  firstMedia: MediaInfo,
  container: Container,
  options: MergeVideoOptions,
  { first: from, count, colors }: FrameRange & { readonly colors: Colors },
): string[] {
  // The last frame lasts until the next segment begins. That segment is not in this file, so the frame is repeated up
  // to the end of the range.
  const trimFilters = `tpad=stop=-1:stop_mode=clone,trim=start_pts=${from}:end_pts=${from + count},setpts=PTS-STARTPTS`
  const graph = [
    '-filter_complex',
    `[0:v:0]${buildFitFilters(firstMedia, colors)},${trimFilters}[v]`,
    '-map',
    '[v]',
  ]
  return [...graph, ...createVideoEncodeArgs(firstMedia, container, options)]
}

interface AudioMerge {
  /** The frames to use of each input file. */
  readonly frameRanges: readonly FrameRange[]
  readonly listPath: string
  readonly targetPath: string
  readonly metadata: MergedMetadata
}

/**
 * Returns arguments that encode only the audio. Where a file begins depends on the audio and video before it, so small
 * black frames replace the video. Writes the timestamp of each file's first frame to `listPath`.
 */
export function createMergeAudioTrackArgs(
  inputs: readonly MergeInput[],
  container: Container,
  { frameRanges, listPath, targetPath, metadata }: AudioMerge,
): string[] {
  const [firstInput] = inputs
  if (!firstInput) throw new Error('A merge was planned without a video.')
  const videoChains = frameRanges.map(
    (range) =>
      `color=s=16x16:r=${chooseMergeFrameRate(firstInput.media).text},trim=end_pts=${range.count},setpts=PTS+${range.first}`,
  )
  const starts = frameRanges.map((_, index) =>
    frameRanges.slice(0, index).reduce((sum, { count }) => sum + count, 0),
  )
  const firstFramesCondition = starts.map((at) => `eq(n\\,${at})`).join('+')
  return [
    ...[
      '-filter_complex',
      `${buildConcatGraph(videoChains, inputs.map(buildAudioChain))};[v]select=${firstFramesCondition}[firsts]`,
    ],
    ...['-map', '[a]', ...createAudioEncodeArgs(container), ...metadata.args(inputs.length)],
    ...[...(container.args ?? []), '-f', container.muxer, targetPath],
    ...[
      '-map',
      '[firsts]',
      '-fps_mode',
      'passthrough',
      '-enc_time_base',
      '1:1000000',
      '-f',
      'framecrc',
      listPath,
    ],
  ]
}

/** Returns the filters that convert a video to the frame size, frame rate and colors of the first one. */
function buildFitFilters({ video }: MediaInfo, colors: Colors | undefined): string {
  if (!video) throw new Error('A merge was planned without a video.')
  const { width, height } = chooseOutputSize(video, { mode: 'encode' })
  const boxSize = `${width}:${height}`
  const scaleFilters = `scale='trunc(iw*sar/2)*2':'trunc(ih/2)*2',setsar=1,scale=${boxSize}:force_original_aspect_ratio=decrease`
  const colorFilters = colors ? [...createSdrFilters(colors), ...createColorMatchFilters(video, colors)] : []
  return `${[scaleFilters, ...colorFilters].join(',')},pad=${boxSize}:-1:-1,setsar=1,fps=${chooseMergeFrameRate({ video }).text},format=yuv420p`
}

function buildAudioChain({ media }: MergeInput, index: number): string {
  const shapeFilters = `aformat=sample_rates=${mergeSampleRateHz}:channel_layouts=stereo:sample_fmts=fltp`
  const durationS = media.durationS ?? 0.1
  return media.audio.length > 0
    ? `[${index}:a:0]${shapeFilters}`
    : `anullsrc=r=${mergeSampleRateHz}:cl=stereo,atrim=duration=${durationS.toFixed(3)},${shapeFilters}`
}

/** Returns the filter graph that concatenates all chains. Its outputs are `[v]` and, if there is audio, `[a]`. */
function buildConcatGraph(
  videoChains: readonly string[],
  audioChains: readonly string[] | undefined,
): string {
  const filterChains = videoChains.flatMap((chain, index) => [
    `${chain}[v${index}]`,
    ...(audioChains ? [`${audioChains[index]}[a${index}]`] : []),
  ])
  const pads = videoChains.map((_, index) => `[v${index}]${audioChains ? `[a${index}]` : ''}`).join('')
  const outputs = `v=1:a=${audioChains ? 1 : 0}[v]${audioChains ? '[a]' : ''}`
  return `${filterChains.join(';')};${pads}concat=n=${videoChains.length}:${outputs}`
}

function createVideoEncodeArgs(
  firstMedia: MediaInfo,
  container: Container,
  options: MergeVideoOptions,
): string[] {
  const { video: codecId } = getMergeCodecs(container)
  const codec = videoCodecs[codecId]
  return [
    ...['-c:v', codec.encoder, ...codec.preset(options.preset ?? 'veryfast')],
    ...createRateArgs(codec, { mode: 'encode', quality: options.quality }, firstMedia).args,
    ...(codecId === 'vp9' ? ['-pix_fmt', 'yuv420p'] : []),
    ...codec.args,
  ]
}

const createAudioEncodeArgs = (container: Container) => [
  ...['-c:a', audioCodecs[getMergeCodecs(container).audio].encoder, '-b:a', '160k'],
]

/** Returns the frame rate of a merge: that of the first video if encoders support it, else 25. */
export function chooseMergeFrameRate({ video }: Pick<MediaInfo, 'video'>): {
  text: string
  framesPerSecond: number
} {
  const [numerator = 0, denominator = 0] = (video?.avg_frame_rate ?? '').split('/').map(Number)
  const framesPerSecond = numerator / denominator
  return framesPerSecond >= 1 && framesPerSecond <= 120
    ? { text: `${numerator}/${denominator}`, framesPerSecond }
    : { text: '25', framesPerSecond: 25 }
}

/**
 * Returns arguments for merged audio: all files get the sample rate and channels of the first one. `gap` is in seconds.
 */
export function createMergeAudioArgs(
  inputs: readonly MergeInput[],
  to: FormatId,
  { gap, ...options }: MergeAudioOptions,
  { metadata, cover }: { readonly metadata: MergedMetadata; readonly cover: readonly string[] },
): string[] {
  const container = getContainer(to)
  const stream = inputs[0]?.media.audio[0]
  if (!stream) throw new Error('A merge was planned without audio.')
  const request: Pick<RecipeRequest, 'container' | 'options'> = {
    container,
    options: { mode: 'encode', ...options },
  }
  const sampleRate = stream.sample_rate ?? 44_100
  const filterChains = inputs.map(({ media }, index) => {
    const shapeFilters = createMergeLayoutFilters(stream, media.audio[0] ?? stream, request).join(',')
    const padFilter = gap > 0 && index < inputs.length - 1 ? `,apad=pad_dur=${gap}` : ''
    return `[${index}:a:0]aresample=${sampleRate},aformat=sample_rates=${sampleRate},${shapeFilters}${padFilter}[a${index}]`
  })
  const pads = inputs.map((_, index) => `[a${index}]`).join('')
  const graph = `${filterChains.join(';')};${pads}concat=n=${inputs.length}:v=0:a=1[a]`
  return [
    ...['-filter_complex', graph, '-map', '[a]', ...createSingleTrackArgs(stream, request)],
    ...cover,
    ...metadata.args(inputs.length),
    ...(container.args ?? []),
    ...['-f', container.muxer],
  ]
}
