import { type AudioCodec, audioCodecs } from './audio-codecs.ts'
import type { Container } from './containers.ts'
import type { CompressOptions, MediaOptions } from './options.ts'
import { keptSound } from './plan.ts'
import type { Media } from './probe.ts'

interface Wanted {
  readonly media: Media
  readonly container: Container
}

/** Bits per second of a sound track below which nothing can be understood. */
const leastSoundRate = 8_000
/** The same beside a picture, where half as many would save little. */
const leastFilmSoundRate = 2 * leastSoundRate
const leastVideoRate = 10_000
/** Fewer bits for a dot of one picture look worse than fewer dots. */
const leastBitsPerDot = 0.03
const smallerSides = ['1080p', '720p', '480p', '360p', '240p'] as const

/** Bits per second of all streams below which there is no budget. */
export function leastRate({ media, container }: Wanted): number {
  const tracks = keptSound(media, container).length
  return hasPicture({ media, container })
    ? leastVideoRate + tracks * leastFilmSoundRate
    : tracks * leastSoundRate
}

export const hasPicture = ({ media, container }: Wanted) =>
  media.video !== undefined && container.video.length > 0

/** How to spend so many bits per second on sound; undefined when they are too few. */
export function soundBudget(bits: number, wanted: Wanted): MediaOptions | undefined {
  const { media } = wanted
  const audioBitrate = Math.floor(Math.min(bits, media.audio[0]?.bit_rate ?? bits, 320_000))
  if (audioBitrate < leastSoundRate) return undefined
  return { mode: 'encode', audioBitrate, ...narrowed(audioBitrate, wanted) }
}

/** Encoders refuse few bits for many samples. */
function narrowed(bits: number, { media, container }: Wanted) {
  const [stream] = media.audio
  const [usual] = container.audio
  const codec: AudioCodec | undefined = usual && audioCodecs[usual]
  const rate = bits < 16_000 ? (codec?.lowRate ?? 16_000) : bits < 48_000 ? 24_000 : 48_000
  return {
    ...(bits < 48_000 && { channels: 1 }),
    ...((stream?.sample_rate ?? 44_100) > rate && { audioSampleRate: rate }),
  }
}

/** The same for a film: sound first, at most a fifth, and fewer dots where they would be starved. */
export function videoBudget(
  bits: number,
  { media, container }: Wanted,
  { resolution, fps }: CompressOptions,
): MediaOptions | undefined {
  const tracks = keptSound(media, container).length
  const perTrack = tracks === 0 ? 0 : Math.min(128_000, Math.max(leastFilmSoundRate, (bits * 0.2) / tracks))
  const videoBitrate = Math.floor(bits - perTrack * tracks)
  if (videoBitrate < leastVideoRate) return undefined
  const side = resolution ?? fittingSide(videoBitrate, media)
  return {
    mode: 'encode',
    videoBitrate,
    twoPass: true,
    ...(tracks > 0 && { audioBitrate: Math.floor(perTrack), ...narrowed(perTrack, { media, container }) }),
    ...(side !== undefined && { resolution: side }),
    ...(fps !== undefined && { fps }),
  }
}

function fittingSide(videoBitrate: number, { video }: Media): string | undefined {
  const { width = 0, height = 0 } = video ?? {}
  const dots = width * height
  if (dots === 0) return undefined
  // As if it had 25 pictures per second, as most films about have.
  const affordable = videoBitrate / 25 / leastBitsPerDot
  if (dots <= affordable) return undefined
  const shorter = Math.min(width, height)
  const sides = smallerSides.filter((side) => Number.parseInt(side, 10) < shorter)
  return sides.find((side) => dots * (Number.parseInt(side, 10) / shorter) ** 2 <= affordable) ?? sides.at(-1)
}
