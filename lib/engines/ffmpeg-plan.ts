import type { FormatId } from '../formats/index.ts'
import type { Container } from './ffmpeg-containers.ts'
import { coverArgs, subtitleArgs } from './ffmpeg-extras.ts'
import type { AudioOptions, VideoOptions } from './ffmpeg-options.ts'
import { pictureArgs } from './ffmpeg-picture.ts'
import { inputGuard, type Media } from './ffmpeg-probe.ts'
import { soundArgs } from './ffmpeg-sound.ts'

export type MediaOptions = AudioOptions & Partial<VideoOptions>

export interface Warning {
  readonly code: string
  readonly message: string
}

/** One way to make the target: what ffmpeg is told between its input and its output, and what gets lost. */
export interface Recipe {
  readonly input: readonly string[]
  readonly output: readonly string[]
  readonly method: 'stream-copy' | 'encode'
  /** Encoders that take two runs get the bit rate they need from here. */
  readonly twoPass: boolean
  readonly warnings: readonly Warning[]
  readonly has: { readonly video: boolean; readonly audio: number }
}

export interface RecipeRequest {
  readonly media: Media
  readonly from: FormatId
  readonly container: Container
  readonly options: MediaOptions
  /** False after copying gave a bad file. */
  readonly mayCopy: boolean
  /** False after subtitles broke it. */
  readonly keepSubtitles: boolean
}

export function recipeFor(request: RecipeRequest): Recipe {
  const { media, container, from } = request
  const picture = container.video.length > 0 ? pictureArgs(request) : undefined
  const kept = container.oneAudio ? media.audio.slice(0, 1) : media.audio
  const sound = kept.map((stream, index) => soundArgs(stream, index, request))
  const subtitles = subtitleArgs(request)
  const cover = container.cover ? coverArgs(media.cover) : []
  const warnings = [...subtitles.warnings, ...(picture?.unused ?? []).map(unusedWarning)]
  if (kept.length < media.audio.length) {
    const dropped = media.audio.length - kept.length
    warnings.push({
      code: 'AUDIO_TRACKS_DROPPED',
      message: `${dropped} more sound tracks were dropped: the format holds one.`,
    })
  }
  const copied = (picture?.copied ?? true) && sound.every((track) => track.copied)
  return {
    input: [...(picture?.decoder ?? []), ...inputGuard(from)],
    output: [
      ...(picture?.args ?? []),
      ...sound.flatMap((track) => track.args),
      ...subtitles.args,
      ...cover,
      ...['-map_metadata', '0', '-map_chapters', '0', '-dn', '-max_muxing_queue_size', '4096'],
      ...(container.args ?? []),
      ...['-f', container.muxer],
    ],
    method: copied ? 'stream-copy' : 'encode',
    twoPass: picture?.twoPass ?? false,
    warnings,
    has: { video: picture !== undefined, audio: sound.length },
  }
}

function unusedWarning(name: string): Warning {
  return {
    code: 'OPTION_NOT_USED',
    message: `${name} has no meaning for the codec of the picture, and was left out.`,
  }
}
