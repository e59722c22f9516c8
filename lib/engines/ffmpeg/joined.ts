import type { FormatId } from '../../formats/index.ts'
import { videoCodecs } from './codecs.ts'
import type { Container } from './containers.ts'
import type { MergeSoundOptions, MergeVideoOptions } from './options.ts'
import type { Part } from './parts.ts'
import { rateArgs } from './rate.ts'
import type { RecipeRequest } from './recipe.ts'
import { sizeFor } from './size.ts'
import { layoutSteps, newSoundArgs } from './sound.ts'
import { audioCodecs } from './sound-codecs.ts'
import { containerOf } from './transcode.ts'

/** What every film of a merge becomes; WebM holds no H.264. */
const codecsOf = ({ muxer }: Container) =>
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
): string[] {
  const { picture, sound } = codecsOf(container)
  const codec = videoCodecs[picture]
  const [first] = parts
  if (!first?.media.video) throw new Error('A merge was planned without a film.')
  const { width, height } = sizeFor(first.media.video, { mode: 'encode' })
  const fps = frameRate(first.media.video.avg_frame_rate)
  const sounds = parts.some(({ media }) => media.audio.length > 0)
  const chains = parts.map(({ media }, index) => {
    const box = `${width}:${height}`
    const shown = `scale='trunc(iw*sar/2)*2':'trunc(ih/2)*2',setsar=1,scale=${box}:force_original_aspect_ratio=decrease`
    const film = `[${index}:v:0]${shown},pad=${box}:-1:-1,setsar=1,fps=${fps},format=yuv420p[v${index}]`
    const shape = `aformat=sample_rates=${rate}:channel_layouts=stereo:sample_fmts=fltp[a${index}]`
    const lasts = media.durationS ?? 0.1
    const track =
      media.audio.length > 0
        ? `[${index}:a:0]${shape}`
        : `anullsrc=r=${rate}:cl=stereo,atrim=duration=${lasts.toFixed(3)},${shape}`
    return sounds ? `${film};${track}` : film
  })
  const pads = parts.map((_, index) => `[v${index}]${sounds ? `[a${index}]` : ''}`).join('')
  const graph = `${chains.join(';')};${pads}concat=n=${parts.length}:v=1:a=${sounds ? 1 : 0}[v]${sounds ? '[a]' : ''}`
  return [
    ...['-filter_complex', graph, '-map', '[v]', '-c:v', codec.encoder],
    ...codec.preset(options.preset ?? 'veryfast'),
    ...rateArgs(codec, { mode: 'encode', quality: options.quality }, first.media).args,
    ...(picture === 'vp9' ? ['-pix_fmt', 'yuv420p'] : []),
    ...codec.args,
    ...(sounds ? ['-map', '[a]', '-c:a', audioCodecs[sound].encoder, '-b:a', '160k'] : []),
    ...(container.args ?? []),
    ...['-f', container.muxer],
  ]
}

/** Numbers of ffprobe, within what encoders take. */
function frameRate(text: string): string {
  const [over = 0, under = 0] = text.split('/').map(Number)
  const perSecond = over / under
  return perSecond >= 1 && perSecond <= 120 ? `${over}/${under}` : '25'
}

/** The same for sound: each part gets the rate and the channels of the first, and `gap` is in seconds. */
export function mergedSoundArgs(
  parts: readonly Part[],
  to: FormatId,
  { gap, ...options }: MergeSoundOptions,
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
    ...['-map_metadata', '0', '-map_chapters', '-1'],
    ...(container.args ?? []),
    ...['-f', container.muxer],
  ]
}
