import assert from 'node:assert/strict'
import { audioContainers } from '../../lib/engines/ffmpeg/audio-containers.ts'
import type { Container } from '../../lib/engines/ffmpeg/containers.ts'
import { buildRecipe } from '../../lib/engines/ffmpeg/plan.ts'
import { parseProbe } from '../../lib/engines/ffmpeg/probe.ts'
import type { Recipe, RecipeRequest } from '../../lib/engines/ffmpeg/recipe.ts'
import { videoContainers } from '../../lib/engines/ffmpeg/video-containers.ts'

/** What ffprobe says of its streams, beside what is usual. */
export interface Streams {
  readonly picture?: object | undefined
  /** A track each; one of stereo when left out. */
  readonly sounds?: readonly object[]
}

export const containerOf = (to: string): Container => {
  const containers: Readonly<Record<string, Container>> = { ...videoContainers, ...audioContainers }
  const container = containers[to]
  assert.ok(container, to)
  return container
}

const usualPicture = {
  ...{ index: 0, codec_type: 'video', codec_name: 'h264', width: 640, height: 480, pix_fmt: 'yuv420p' },
  ...{ avg_frame_rate: '25/1', r_frame_rate: '25/1' },
}
const usualSound = {
  ...{ codec_type: 'audio', codec_name: 'aac', channels: 2, channel_layout: 'stereo', sample_rate: '48000' },
}

export const mediaWith = ({ picture = {}, sounds = [{}] }: Streams = {}) =>
  parseProbe({
    streams: [
      { ...usualPicture, ...picture },
      ...sounds.map((sound, at) => ({ index: at + 1, ...usualSound, ...sound })),
    ],
    format: { duration: '2', bit_rate: '800000' },
  } as unknown as Parameters<typeof parseProbe>[0]) // as ffprobe writes numbers

/** What ffmpeg is told about a film. */
export function recipe(
  to: string,
  options: object,
  streams: Streams = {},
  more: Partial<RecipeRequest> = {},
): Recipe {
  return buildRecipe({
    ...{ media: mediaWith(streams), from: 'mkv', to, container: containerOf(to) },
    ...{ mayCopy: true, keepSubtitles: true, options: { mode: 'auto', ...options }, ...more },
  } as unknown as RecipeRequest) // the format is one of the table's
}

/** The value behind a flag. */
export const after = (args: readonly string[], flag: string): string =>
  (args.includes(flag) ? args[args.indexOf(flag) + 1] : '-') ?? '-'
