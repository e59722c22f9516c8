import type { Container } from './containers.ts'
import { getColorSignature } from './merged-colors.ts'
import type { MergeVideoOptions } from './options.ts'
import { getRotation, type MediaStream } from './probe.ts'

/** Whether the options of a merge allow copies: a quality or preset takes effect only in an encoder. */
export const allowsCopies = ({ mode, quality, preset }: MergeVideoOptions): boolean =>
  mode !== 'encode' && quality === undefined && preset === undefined

/**
 * Whether files can be concatenated without encoding: codec, size, frame rate, pixel aspect ratio, colors and audio are
 * equal, and the container supports copies of the streams.
 */
export function canConcatenate(
  inputs: readonly { readonly media: { video: MediaStream | undefined; audio: readonly MediaStream[] } }[],
  { copyableCodecs }: Container,
): boolean {
  const [firstSignature, ...otherSignatures] = inputs.map(({ media }) => getStreamSignature(media))
  if (firstSignature === undefined || otherSignatures.some((other) => other !== firstSignature)) return false
  return inputs.every(({ media: { video, audio } }) =>
    [video, audio[0]].every((stream) => stream === undefined || copyableCodecs.includes(stream.codec_name)),
  )
}

function getStreamSignature({
  video,
  audio: [audioStream],
}: {
  video: MediaStream | undefined
  audio: readonly MediaStream[]
}): string {
  const { codec_name, width, height, pix_fmt, avg_frame_rate, sample_aspect_ratio } = video ?? {}
  return JSON.stringify([
    ...[codec_name, width, height, pix_fmt, avg_frame_rate, sample_aspect_ratio],
    // The colors are stored once for the whole video.
    video && getColorSignature(video),
    // Compares the parameter sets, which all codecs but H.264 store once for the whole file.
    codec_name === 'h264' ? '' : video?.extradata_hash,
    video && getRotation(video),
    ...[audioStream?.codec_name, audioStream?.sample_rate, audioStream?.channels],
    audioStream?.extradata_hash,
  ])
}
