import type { FormatId } from '../../formats/index.ts'
import { layoutSteps, newSoundArgs } from './audio-stream.ts'
import { audioCodecs } from './audio-codecs.ts'
import { videoCodecs } from './codecs.ts'
import type { Container } from './containers.ts'
import { type Colors, usualRange } from './dynamic-range.ts'
import type { Part } from './merge-inputs.ts'
import { colorsOfFirst } from './merged-colors.ts'
import type { MergedTexts } from './merged-metadata.ts'
import type { MergeSoundOptions, MergeVideoOptions } from './options.ts'
import type { Media } from './probe.ts'
import { rateArgs } from './rate-control.ts'
import type { RecipeRequest } from './recipe.ts'
import { sizeFor } from './video-filters.ts'
import { containerOf } from './transcode.ts'

/** What every film of a merge becomes; WebM holds no H.264. */
export const codecsOf = ({ muxer }: Container) =>
  muxer === 'webm'
    ? ({ picture: 'vp9', sound: 'opus' } as const)
    : ({ picture: 'h264', sound: muxer === 'avi' ? 'mp3' : 'aac' } as const)

const rate = 48_000

/**
 * ffmpeg's arguments between inputs and output. Each part is fitted into the first one's picture with black around it;
 * a part without sound is silent.
 */
export function mergedFilmArgs(
  parts: readonly Part[],
  container: Container,
  options: MergeVideoOptions,
  texts: MergedTexts,
): string[] {
  const [first] = parts
  if (!first) throw new Error('A merge was planned without a film.')
  const pictures = parts.map(({ media }, index) => `[${index}:v:0]${fitted(first.media, media.video)}`)
  const sounds = parts.some(({ media }) => media.audio.length > 0)
  return [
    ...['-filter_complex', oneAfterTheOther(pictures, sounds ? parts.map(soundOf) : undefined)],
    ...['-map', '[v]', ...pictureArgs(first.media, container, options)],
    // While a part has more sound than pictures its last one stays, which ffmpeg would encode again and again for MP4.
    ...(container.steady ? [] : ['-fps_mode', 'vfr']),
    ...(sounds ? ['-map', '[a]', ...soundArgs(container)] : []),
    ...texts.args(parts.length),
    ...(container.args ?? []),
    ...['-f', container.muxer],
  ]
}

/** Pictures of a part, counted at the rate of the merge from where the part begins. */
export interface Run {
  readonly first: number
  readonly count: number
}

/** The same of a piece of one part, whose pictures have the times that they have in the part, and its colors. */
export function mergedPieceArgs(
  first: Media,
  container: Container,
  options: MergeVideoOptions,
  { first: from, count, colors }: Run & { readonly colors: Colors },
): string[] {
  // The last picture stays until the next piece begins, of which this one does not know.
  const only = `tpad=stop=-1:stop_mode=clone,trim=start_pts=${from}:end_pts=${from + count},setpts=PTS-STARTPTS`
  const graph = ['-filter_complex', `[0:v:0]${fitted(first, colors)},${only}[v]`, '-map', '[v]']
  return [...graph, ...pictureArgs(first, container, options)]
}

interface Track {
  /** Of each part. */
  readonly runs: readonly Run[]
  readonly list: string
  readonly target: string
  readonly texts: MergedTexts
}

/**
 * The same of the sound alone. Where a part begins follows from what lies before it, pictures and sound, so that small
 * black ones stand in for the pictures; `list` gets the time of the first of each part.
 */
export function mergedTrackArgs(
  parts: readonly Part[],
  container: Container,
  { runs, list, target, texts }: Track,
): string[] {
  const [first] = parts
  if (!first) throw new Error('A merge was planned without a film.')
  const pictures = runs.map(
    (run) =>
      `color=s=16x16:r=${mergedRate(first.media).text},trim=end_pts=${run.count},setpts=PTS+${run.first}`,
  )
  const begins = runs.map((_, index) => runs.slice(0, index).reduce((sum, { count }) => sum + count, 0))
  const firsts = begins.map((at) => `eq(n\\,${at})`).join('+')
  return [
    ...['-filter_complex', `${oneAfterTheOther(pictures, parts.map(soundOf))};[v]select=${firsts}[firsts]`],
    ...['-map', '[a]', ...soundArgs(container), ...texts.args(parts.length)],
    ...[...(container.args ?? []), '-f', container.muxer, target],
    ...[
      '-map',
      '[firsts]',
      '-fps_mode',
      'passthrough',
      '-enc_time_base',
      '1:1000000',
      '-f',
      'framecrc',
      list,
    ],
  ]
}

/** Filters that make a part's picture that of the first. */
function fitted({ video }: Media, colors: Colors | undefined): string {
  if (!video) throw new Error('A merge was planned without a film.')
  const { width, height } = sizeFor(video, { mode: 'encode' })
  const box = `${width}:${height}`
  const shown = `scale='trunc(iw*sar/2)*2':'trunc(ih/2)*2',setsar=1,scale=${box}:force_original_aspect_ratio=decrease`
  const meant = colors ? [...usualRange(colors), ...colorsOfFirst(video, colors)] : []
  return `${[shown, ...meant].join(',')},pad=${box}:-1:-1,setsar=1,fps=${mergedRate({ video }).text},format=yuv420p`
}

function soundOf({ media }: Part, index: number): string {
  const shape = `aformat=sample_rates=${rate}:channel_layouts=stereo:sample_fmts=fltp`
  const lasts = media.durationS ?? 0.1
  return media.audio.length > 0
    ? `[${index}:a:0]${shape}`
    : `anullsrc=r=${rate}:cl=stereo,atrim=duration=${lasts.toFixed(3)},${shape}`
}

/** The graph with results `[v]` and, where there are sounds, `[a]`. */
function oneAfterTheOther(pictures: readonly string[], sounds: readonly string[] | undefined): string {
  const chains = pictures.flatMap((chain, index) => [
    `${chain}[v${index}]`,
    ...(sounds ? [`${sounds[index]}[a${index}]`] : []),
  ])
  const pads = pictures.map((_, index) => `[v${index}]${sounds ? `[a${index}]` : ''}`).join('')
  const outputs = `v=1:a=${sounds ? 1 : 0}[v]${sounds ? '[a]' : ''}`
  return `${chains.join(';')};${pads}concat=n=${pictures.length}:${outputs}`
}

function pictureArgs(first: Media, container: Container, options: MergeVideoOptions): string[] {
  const { picture } = codecsOf(container)
  const codec = videoCodecs[picture]
  return [
    ...['-c:v', codec.encoder, ...codec.preset(options.preset ?? 'veryfast')],
    ...rateArgs(codec, { mode: 'encode', quality: options.quality }, first).args,
    ...(picture === 'vp9' ? ['-pix_fmt', 'yuv420p'] : []),
    ...codec.args,
  ]
}

const soundArgs = (container: Container) => [
  ...['-c:a', audioCodecs[codecsOf(container).sound].encoder, '-b:a', '160k'],
]

/** Pictures per second: numbers of ffprobe, within what encoders take. */
export function mergedRate({ video }: Pick<Media, 'video'>): { text: string; perSecond: number } {
  const [over = 0, under = 0] = (video?.avg_frame_rate ?? '').split('/').map(Number)
  const perSecond = over / under
  return perSecond >= 1 && perSecond <= 120
    ? { text: `${over}/${under}`, perSecond }
    : { text: '25', perSecond: 25 }
}

/** The same for sound: each part gets the rate and the channels of the first, and `gap` is in seconds. */
export function mergedSoundArgs(
  parts: readonly Part[],
  to: FormatId,
  { gap, ...options }: MergeSoundOptions,
  { texts, cover }: { readonly texts: MergedTexts; readonly cover: readonly string[] },
): string[] {
  const container = containerOf(to)
  const stream = parts[0]?.media.audio[0]
  if (!stream) throw new Error('A merge was planned without sound.')
  const request: Pick<RecipeRequest, 'container' | 'options'> = {
    container,
    options: { mode: 'encode', ...options },
  }
  const sampleRate = stream.sample_rate ?? 44_100
  const chains = parts.map(({ media }, index) => {
    const shape = layoutSteps(stream, media.audio[0] ?? stream, request).join(',')
    const pause = gap > 0 && index < parts.length - 1 ? `,apad=pad_dur=${gap}` : ''
    return `[${index}:a:0]aresample=${sampleRate},aformat=sample_rates=${sampleRate},${shape}${pause}[a${index}]`
  })
  const pads = parts.map((_, index) => `[a${index}]`).join('')
  const graph = `${chains.join(';')};${pads}concat=n=${parts.length}:v=0:a=1[a]`
  return [
    ...['-filter_complex', graph, '-map', '[a]', ...newSoundArgs(stream, request)],
    ...cover,
    ...texts.args(parts.length),
    ...(container.args ?? []),
    ...['-f', container.muxer],
  ]
}
