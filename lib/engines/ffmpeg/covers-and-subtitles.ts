import type { Container } from './containers.ts'
import { languageArgs } from './language-args.ts'
import type { MergeInput } from './merge-inputs.ts'
import type { MediaStream } from './probe.ts'
import type { MediaWarning, RecipeRequest } from './recipe.ts'

/** ffprobe's names of subtitles that are text; all others are pictures. */
export const textSubtitleCodecs = ['subrip', 'ass', 'ssa', 'mov_text', 'webvtt', 'text']

interface ExtraArgs {
  readonly args: readonly string[]
  readonly warnings: readonly MediaWarning[]
}

/** Pictures that may be covers everywhere. */
const isSupportedCover = ({ codec_name }: MediaStream) => codec_name === 'mjpeg' || codec_name === 'png'

/** Whether the cover has to be given as a text. */
export const needsTextCover = (container: Container, cover: MediaStream) =>
  container.cover === 'text' && isSupportedCover(cover)

/** A cover is a film of one picture to ffmpeg, behind the real one. */
export function coverArgs({
  media: { cover, video },
  container,
  coverMetadataPath,
}: RecipeRequest): ExtraArgs {
  if (!cover) return { args: [], warnings: [] }
  // A file of sound has no other input beside its own.
  if (coverMetadataPath !== undefined) return { args: ['-map_metadata', '1'], warnings: [] }
  if (container.cover !== 'stream' || !isSupportedCover(cover)) {
    const why = needsTextCover(container, cover)
      ? 'it cannot be read, or is too large'
      : 'the format cannot hold it'
    const message = `The cover picture was dropped: ${why}.`
    return { args: [], warnings: [{ code: 'COVER_DROPPED', message }] }
  }
  const videoIndex = container.video.length > 0 && video ? 1 : 0
  const args = [
    '-map',
    `0:${cover.index}`,
    `-c:v:${videoIndex}`,
    'copy',
    `-disposition:v:${videoIndex}`,
    'attached_pic',
  ]
  return { args, warnings: [] }
}

/** The same of sounds that become one: the first cover that one of them has. */
export function mergeCoverArgs(parts: readonly Pick<MergeInput, 'media'>[], container: Container): ExtraArgs {
  const index = parts.findIndex(({ media }) => media.cover)
  const cover = parts[index]?.media.cover
  if (!cover) return { args: [], warnings: [] }
  if (container.cover === 'stream' && isSupportedCover(cover)) {
    const args = ['-map', `${index}:${cover.index}`, '-c:v:0', 'copy', '-disposition:v:0', 'attached_pic']
    return { args, warnings: [] }
  }
  const message = 'The cover picture was dropped: it is not merged into this format.'
  return { args: [], warnings: [{ code: 'COVER_DROPPED', message }] }
}

/** Muxers that write chapters where players look for them. */
const chapterMuxers = 'mp4 mov f4v ipod 3gp 3g2 ismv matroska webm asf nut mp3 opus'.split(' ')

export const supportsChapters = (muxer: string): boolean => chapterMuxers.includes(muxer)

export function chapterArgs({ media: { chapters }, container: { muxer } }: RecipeRequest): ExtraArgs {
  const isSupported = supportsChapters(muxer)
  const message = `${chapters} chapter marks were dropped: the format cannot hold them.`
  return {
    args: ['-map_chapters', isSupported ? '0' : '-1'],
    warnings: isSupported || chapters === 0 ? [] : [{ code: 'CHAPTERS_DROPPED', message }],
  }
}

interface Subtitles extends ExtraArgs {
  readonly kept: readonly MediaStream[]
}

export function subtitleArgs({ media, container, keepSubtitles }: RecipeRequest): Subtitles {
  if (container.video.length === 0) return { args: [], warnings: [], kept: [] }
  const { subtitles: encoder, imageSubtitles } = container
  const isSupported = (stream: MediaStream) =>
    keepSubtitles &&
    (textSubtitleCodecs.includes(stream.codec_name) ? encoder !== undefined : imageSubtitles === true)
  const kept = media.subtitles.filter(isSupported)
  const args = kept.flatMap((stream, index) => {
    // Matroska alone holds pictures, and takes any text as it is but that of MP4.
    const copies = imageSubtitles === true && stream.codec_name !== 'mov_text'
    return ['-map', `0:${stream.index}`, `-c:s:${index}`, copies ? 'copy' : (encoder ?? 'copy')]
  })
  const languages = languageArgs('s', kept, container)
  const dropped = media.subtitles.length - kept.length
  const message = `${dropped} subtitle tracks were dropped: the format cannot hold them.`
  const warnings = dropped > 0 ? [{ code: 'SUBTITLES_DROPPED', message }] : []
  return { args: [...args, ...languages], warnings, kept }
}
