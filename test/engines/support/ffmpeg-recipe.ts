import assert from 'node:assert/strict'
import { audioContainers } from '../../../lib/engines/ffmpeg/audio-containers.ts'
import type { Container } from '../../../lib/engines/ffmpeg/containers.ts'
import { buildRecipe } from '../../../lib/engines/ffmpeg/plan.ts'
import { parseProbe } from '../../../lib/engines/ffmpeg/probe.ts'
import type { Recipe, RecipeRequest } from '../../../lib/engines/ffmpeg/recipe.ts'
import { videoContainers } from '../../../lib/engines/ffmpeg/video-containers.ts'

/** Properties of the streams that differ from the defaults, as reported by ffprobe. */
export interface Streams {
  readonly video?: object | undefined
  /** Audio tracks; one stereo track by default. */
  readonly audio?: readonly object[]
}

export const containerFor = (to: string): Container => {
  const containers: Readonly<Record<string, Container>> = { ...videoContainers, ...audioContainers }
  const container = containers[to]
  assert.ok(container, to)
  return container
}

const defaultVideo = {
  index: 0,
  codec_type: 'video',
  codec_name: 'h264',
  width: 640,
  height: 480,
  pix_fmt: 'yuv420p',
  avg_frame_rate: '25/1',
  r_frame_rate: '25/1',
}
const defaultAudio = {
  codec_type: 'audio',
  codec_name: 'aac',
  channels: 2,
  channel_layout: 'stereo',
  sample_rate: '48000',
}

export const createMediaInfo = ({ video = {}, audio = [{}] }: Streams = {}) =>
  parseProbe({
    streams: [
      { ...defaultVideo, ...video },
      ...audio.map((stream, at) => ({ index: at + 1, ...defaultAudio, ...stream })),
    ],
    format: { duration: '2', bit_rate: '800000' },
  })

/** Returns the recipe for a video with these streams. */
export function createRecipe(
  to: string,
  options: object,
  streams: Streams = {},
  moreFields: Partial<RecipeRequest> = {},
): Recipe {
  return buildRecipe({
    media: createMediaInfo(streams),
    from: 'mkv',
    to,
    container: containerFor(to),
    mayCopy: true,
    keepSubtitles: true,
    options: { mode: 'auto', ...options },
    ...moreFields,
  } as unknown as RecipeRequest) // `to` is in the container table.
}

/** Returns the argument after a flag, or '-' if the flag is missing. */
export const argAfter = (args: readonly string[], flag: string): string =>
  (args.includes(flag) ? args[args.indexOf(flag) + 1] : '-') ?? '-'
