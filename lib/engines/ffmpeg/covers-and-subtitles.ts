import type { Container } from './containers.ts'
import { createLanguageArgs } from './language-args.ts'
import type { MergeInput } from './merge-inputs.ts'
import type { MediaStream } from './probe.ts'
import type { MediaWarning, RecipeRequest } from './recipe.ts'

/** Text subtitle codecs (ffprobe names); all others are images. */
export const textSubtitleCodecs = ['subrip', 'ass', 'ssa', 'mov_text', 'webvtt', 'text']

interface ExtraArgs {
  readonly args: readonly string[]
  readonly warnings: readonly MediaWarning[]
}

/** Whether the cover has an image codec that all formats support. */
const isSupportedCover = ({ codec_name }: MediaStream) => codec_name === 'mjpeg' || codec_name === 'png'

/** Whether the cover must be written as a metadata tag. */
export const needsTextCover = (container: Container, cover: MediaStream) =>
  container.cover === 'text' && isSupportedCover(cover)

/**
 * Returns arguments for a cover. In ffmpeg, a cover is a video stream with a single frame, listed after the actual
 * video.
 */
export function createCoverArgs({
  media: { cover, video },
  container,
  coverMetadataPath,
}: RecipeRequest): ExtraArgs {
  if (!cover) return { args: [], warnings: [] }
  // An audio file has no other inputs, so the metadata file is input 1.
  if (coverMetadataPath !== undefined) return { args: ['-map_metadata', '1'], warnings: [] }
  if (container.cover !== 'stream' || !isSupportedCover(cover)) {
    const reason = needsTextCover(container, cover)
      ? 'it is unreadable or too large'
      : 'the format does not support it'
    const message = `The cover image was dropped: ${reason}.`
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

/** Returns arguments for the cover of merged audio: the cover of the first file that has one. */
export function createMergeCoverArgs(
  inputs: readonly Pick<MergeInput, 'media'>[],
  container: Container,
): ExtraArgs {
  const index = inputs.findIndex(({ media }) => media.cover)
  const cover = inputs[index]?.media.cover
  if (!cover) return { args: [], warnings: [] }
  if (container.cover === 'stream' && isSupportedCover(cover)) {
    const args = ['-map', `${index}:${cover.index}`, '-c:v:0', 'copy', '-disposition:v:0', 'attached_pic']
    return { args, warnings: [] }
  }
  const message = 'The cover image was dropped: it cannot be merged into this format.'
  return { args: [], warnings: [{ code: 'COVER_DROPPED', message }] }
}

/** Muxers whose chapters players can read. */
const chapterMuxers = 'mp4 mov f4v ipod 3gp 3g2 ismv matroska webm asf nut mp3 opus'.split(' ')

export const supportsChapters = (muxer: string): boolean => chapterMuxers.includes(muxer)

export function createChapterArgs({ media: { chapters }, container: { muxer } }: RecipeRequest): ExtraArgs {
  const isSupported = supportsChapters(muxer)
  const message = `${chapters} chapter marks were dropped: the format does not support them.`
  return {
    args: ['-map_chapters', isSupported ? '0' : '-1'],
    warnings: isSupported || chapters === 0 ? [] : [{ code: 'CHAPTERS_DROPPED', message }],
  }
}

interface Subtitles extends ExtraArgs {
  readonly keptTracks: readonly MediaStream[]
}

export function createSubtitleArgs({ media, container, keepSubtitles }: RecipeRequest): Subtitles {
  if (container.video.length === 0) return { args: [], warnings: [], keptTracks: [] }
  const { subtitles: encoder, imageSubtitles } = container
  const isSupported = (stream: MediaStream) =>
    keepSubtitles &&
    (textSubtitleCodecs.includes(stream.codec_name) ? encoder !== undefined : imageSubtitles === true)
  const keptSubtitles = media.subtitles.filter(isSupported)
  const args = keptSubtitles.flatMap((stream, index) => {
    // Only Matroska supports image subtitles, and it can copy all text subtitles but those of MP4.
    const canCopy = imageSubtitles === true && stream.codec_name !== 'mov_text'
    return ['-map', `0:${stream.index}`, `-c:s:${index}`, canCopy ? 'copy' : (encoder ?? 'copy')]
  })
  const languages = createLanguageArgs('s', keptSubtitles, container)
  const droppedCount = media.subtitles.length - keptSubtitles.length
  const message = `${droppedCount} subtitle tracks were dropped: the format does not support them.`
  const warnings = droppedCount > 0 ? [{ code: 'SUBTITLES_DROPPED', message }] : []
  return { args: [...args, ...languages], warnings, keptTracks: keptSubtitles }
}
