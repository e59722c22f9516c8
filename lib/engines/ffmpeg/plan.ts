import { silence, silenceArgs, soundArgs } from './audio-stream.ts'
import type { Container } from './containers.ts'
import { chapterArgs, coverArgs, subtitleArgs } from './covers-and-subtitles.ts'
import { inputGuard } from './demuxers.ts'
import { languageArgs, languagesWarning } from './language-args.ts'
import type { Media, MediaStream, SoundStream } from './probe.ts'
import type { Recipe, RecipeRequest, Warning } from './recipe.ts'
import { textsWarning } from './tag-support.ts'
import { cutOf } from './trim.ts'
import { pictureArgs } from './video-stream.ts'

/** @throws AppError INVALID_INPUT when nothing lies between `start` and `end`. */
export function recipeFor(request: RecipeRequest): Recipe {
  const { media, container, from, options } = request
  const picture = container.video.length > 0 ? pictureArgs(request) : undefined
  const kept = keptSound(media, container)
  const silent = container.needsSound === true && kept.length === 0
  const sound = kept.map((stream, index) => soundArgs(stream, index, request))
  const subtitles = subtitleArgs(request)
  const extras = [subtitles, coverArgs(request), chapterArgs(request)]
  const streams = [picture, ...sound].filter((part) => part !== undefined)
  const unused = new Set(streams.flatMap((part) => part.unused))
  return {
    input: [...cutOf(options, media).args, ...(picture?.decoder ?? []), ...inputGuard(from)],
    output: [
      ...(request.overlay ? ['-f', 'png_pipe', '-i', request.overlay.path] : []),
      ...(silent ? silence : []),
      ...(request.coverText === undefined ? [] : ['-f', 'ffmetadata', '-i', request.coverText]),
      ...(picture?.args ?? []),
      ...sound.flatMap((track) => track.args),
      ...languageArgs('a', kept, container),
      ...(silent ? silenceArgs(request) : []),
      ...extras.flatMap(({ args }) => args),
      // The usual queue is too short where one stream, as subtitles, begins long after the others.
      ...['-map_metadata', '0', '-dn', '-max_muxing_queue_size', '4096'],
      ...(container.args ?? []),
      ...['-f', container.muxer],
    ],
    method: streams.every(({ copied }) => copied) ? 'stream-copy' : 'encode',
    allEncoded: !streams.some(({ copied }) => copied) && extras.every(({ args }) => !args.includes('-map')),
    twoPass: picture?.twoPass ?? false,
    steady: container.steady === true,
    warnings: [
      ...extras.flatMap(({ warnings }) => warnings),
      ...[...unused].map(unusedWarning),
      ...once(streams.flatMap((part) => part.warnings)),
      ...textsWarning(media.tags, container.muxer),
      ...tracksWarning(media.audio.length, kept.length),
      ...languagesWarning(kept, container),
      ...(picture ? [...otherVideosWarning(media.otherVideos), ...besidesWarnings(media)] : []),
    ],
    has: { video: picture !== undefined, audio: sound.length + (silent ? 1 : 0) },
    languages: { sound: kept.map(languageOf), texts: subtitles.kept.map(languageOf) },
  }
}

const languageOf = ({ tags }: MediaStream) => tags.language

/** Several tracks may lose the same. */
const once = (warnings: readonly Warning[]) =>
  warnings.filter(({ message }, at) => warnings.findIndex((other) => other.message === message) === at)

/** The tracks that the container has room for. */
export function keptSound({ audio: tracks }: Media, { audio, oneAudio }: Container): readonly SoundStream[] {
  if (audio.length === 0) return []
  return oneAudio ? tracks.slice(0, 1) : tracks
}

function otherVideosWarning(count: number): Warning[] {
  if (count === 0) return []
  const message = `Only the first picture track was taken: ${count} more ${count === 1 ? 'was' : 'were'} dropped.`
  return [{ code: 'VIDEO_TRACKS_DROPPED', message }]
}

/** Of a film: who asks for its sound gets that. */
function besidesWarnings({ attachments, data }: Media): Warning[] {
  const files = attachments === 1 ? 'An attached file was' : `${attachments} attached files were`
  const tracks = data === 1 ? '1 track was' : `${data} tracks were`
  return [
    ...(attachments === 0
      ? []
      : [{ code: 'ATTACHMENTS_DROPPED', message: `${files} dropped: fonts of subtitles, for example.` }]),
    ...(data === 0
      ? []
      : [{ code: 'DATA_DROPPED', message: `${tracks} dropped, neither picture nor sound nor text.` }]),
  ]
}

function tracksWarning(had: number, kept: number): Warning[] {
  const dropped = had - kept
  if (dropped === 0) return []
  const tracks = dropped === 1 ? '1 sound track was' : `${dropped} sound tracks were`
  const message = `${tracks} dropped: the format holds ${kept === 0 ? 'no sound' : 'one'}.`
  return [{ code: 'AUDIO_TRACKS_DROPPED', message }]
}

function unusedWarning(name: string): Warning {
  return {
    code: 'OPTION_NOT_USED',
    message: `${name} has no meaning for the codec, and was left out.`,
  }
}
