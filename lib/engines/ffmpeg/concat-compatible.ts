import type { Container } from './containers.ts'
import { colorSignature } from './merged-colors.ts'
import { type MediaStream, rotationOf } from './probe.ts'

/**
 * The files can be put behind each other as they are: codec, size, rate, dots and sound are the same, and the
 * container takes copies of them.
 */
export function canConcatenate(
  parts: readonly { readonly media: { video: MediaStream | undefined; audio: readonly MediaStream[] } }[],
  { copies }: Container,
): boolean {
  const [first, ...others] = parts.map(({ media }) => streamSignature(media))
  if (first === undefined || others.some((other) => other !== first)) return false
  return parts.every(({ media: { video, audio } }) =>
    [video, audio[0]].every((stream) => stream === undefined || copies.includes(stream.codec_name)),
  )
}

function streamSignature({
  video,
  audio: [audioStream],
}: {
  video: MediaStream | undefined
  audio: readonly MediaStream[]
}): string {
  const { codec_name, width, height, pix_fmt, avg_frame_rate, sample_aspect_ratio } = video ?? {}
  return JSON.stringify([
    ...[codec_name, width, height, pix_fmt, avg_frame_rate, sample_aspect_ratio],
    // Told once for the whole film.
    video && colorSignature(video),
    // Parameter sets: all but H.264 keep them once for the whole file.
    codec_name === 'h264' ? '' : video?.extradata_hash,
    video && rotationOf(video),
    ...[audioStream?.codec_name, audioStream?.sample_rate, audioStream?.channels],
    audioStream?.extradata_hash,
  ])
}
