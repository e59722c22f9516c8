import type { RecipeRequest, Warning } from './ffmpeg-plan.ts'
import type { MediaStream } from './ffmpeg-probe.ts'

const textSubtitles = ['subrip', 'ass', 'ssa', 'mov_text', 'webvtt', 'text']

export function coverArgs(cover: MediaStream | undefined): string[] {
  if (!cover || !['mjpeg', 'png'].includes(cover.codec_name)) return []
  return ['-map', `0:${cover.index}`, '-c:v', 'copy', '-disposition:v', 'attached_pic']
}

export function subtitleArgs({ media, container, keepSubtitles }: RecipeRequest): {
  args: string[]
  warnings: Warning[]
} {
  if (container.video.length === 0) return { args: [], warnings: [] }
  const { subtitles: encoder, pictureSubtitles } = container
  const fits = (stream: MediaStream) =>
    keepSubtitles &&
    (textSubtitles.includes(stream.codec_name) ? encoder !== undefined : pictureSubtitles === true)
  const kept = media.subtitles.filter(fits)
  const args = kept.flatMap((stream, index) => {
    const copies = pictureSubtitles === true && stream.codec_name !== 'mov_text'
    return ['-map', `0:${stream.index}`, `-c:s:${index}`, copies ? 'copy' : (encoder ?? 'copy')]
  })
  const dropped = media.subtitles.length - kept.length
  const message = `${dropped} subtitle tracks were dropped: the format cannot hold them.`
  return { args, warnings: dropped > 0 ? [{ code: 'SUBTITLES_DROPPED', message }] : [] }
}
