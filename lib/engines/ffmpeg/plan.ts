import { createAudioTrackArgs, createSilentTrackArgs, silenceInput } from './audio-stream.ts'
import type { Container } from './containers.ts'
import { createChapterArgs, createCoverArgs, createSubtitleArgs } from './covers-and-subtitles.ts'
import { createDemuxerArgs } from './demuxers.ts'
import { createLanguageArgs, createLanguageWarnings } from './language-args.ts'
import { createUnusedOptionWarning } from './option-warnings.ts'
import type { AudioStream, MediaInfo, MediaStream } from './probe.ts'
import type { MediaWarning, Recipe, RecipeRequest } from './recipe.ts'
import { createTagWarnings } from './tag-support.ts'
import { resolveTrim } from './trim.ts'
import { createVideoTrackArgs } from './video-stream.ts'

/**
 * Plans a conversion: which streams to copy or encode, and how. @throws AppError INVALID_INPUT if `start` to `end` is
 * empty.
 */
export function buildRecipe(request: RecipeRequest): Recipe {
  const { media, container, from, options } = request
  const videoTrack = container.video.length > 0 ? createVideoTrackArgs(request) : undefined
  const keptAudio = selectAudioTracks(media, container)
  const addsSilence = container.requiresAudio === true && keptAudio.length === 0
  const audioTracks = keptAudio.map((stream, index) => createAudioTrackArgs(stream, index, request))
  const subtitles = createSubtitleArgs(request)
  const extras = [subtitles, createCoverArgs(request), createChapterArgs(request)]
  const streams = [videoTrack, ...audioTracks].filter((track) => track !== undefined)
  const unusedOptions = new Set(streams.flatMap((track) => track.unusedOptions))
  return {
    input: [...resolveTrim(options, media).args, ...(videoTrack?.decoder ?? []), ...createDemuxerArgs(from)],
    output: [
      ...(request.overlay ? ['-f', 'png_pipe', '-i', request.overlay.path] : []),
      ...(addsSilence ? silenceInput : []),
      ...(request.coverMetadataPath === undefined
        ? []
        : ['-f', 'ffmetadata', '-i', request.coverMetadataPath]),
      ...(videoTrack?.args ?? []),
      ...audioTracks.flatMap((track) => track.args),
      ...createLanguageArgs('a', keptAudio, container),
      ...(addsSilence ? createSilentTrackArgs(request) : []),
      ...extras.flatMap(({ args }) => args),
      // The default queue is too short if one stream, such as subtitles, begins long after the others.
      ...['-map_metadata', '0', '-dn', '-max_muxing_queue_size', '4096'],
      ...Object.entries(media.decodedTags ?? {}).flatMap(([name, text]) => ['-metadata', `${name}=${text}`]),
      ...(container.args ?? []),
      ...['-f', container.muxer],
    ],
    method: streams.every(({ isCopied }) => isCopied) ? 'stream-copy' : 'encode',
    allEncoded:
      !streams.some(({ isCopied }) => isCopied) && extras.every(({ args }) => !args.includes('-map')),
    twoPass: videoTrack?.twoPass ?? false,
    constantFrameRate: container.constantFrameRate === true,
    warnings: [
      ...extras.flatMap(({ warnings }) => warnings),
      ...[...unusedOptions].map(createUnusedOptionWarning),
      ...deduplicateWarnings(streams.flatMap((track) => track.warnings)),
      ...createTagWarnings(media.tags, container.muxer),
      ...createAudioTrackWarnings(media.audio.length, keptAudio.length),
      ...createLanguageWarnings(keptAudio, container),
      ...(videoTrack
        ? [
            ...createOtherVideoWarnings(media.otherVideos),
            ...createOtherStreamWarnings(media),
            ...createTimecodeWarnings(media, container),
          ]
        : []),
    ],
    requiredStreams: { video: videoTrack !== undefined, audio: audioTracks.length + (addsSilence ? 1 : 0) },
    languages: { audio: keptAudio.map(getLanguage), subtitles: subtitles.keptTracks.map(getLanguage) },
  }
}

const getLanguage = ({ tags }: MediaStream) => tags.language

/** Removes duplicates, because several tracks may cause the same warning. */
const deduplicateWarnings = (warnings: readonly MediaWarning[]) =>
  warnings.filter(({ message }, at) => warnings.findIndex((other) => other.message === message) === at)

/** Returns as many of the audio tracks as the container supports. */
export function selectAudioTracks(
  { audio: tracks }: MediaInfo,
  { audio, singleAudioTrack }: Container,
): readonly AudioStream[] {
  if (audio.length === 0) return []
  return singleAudioTrack ? tracks.slice(0, 1) : tracks
}

function createOtherVideoWarnings(count: number): MediaWarning[] {
  if (count === 0) return []
  const message = `Only the first video track was used: ${count} more ${count === 1 ? 'was' : 'were'} dropped.`
  return [{ code: 'VIDEO_TRACKS_DROPPED', message }]
}

/** Warns only for video targets: audio targets are not expected to contain other streams. */
function createOtherStreamWarnings({ attachments, data }: MediaInfo): MediaWarning[] {
  const filesPhrase = attachments === 1 ? '1 attached file was' : `${attachments} attached files were`
  const tracksPhrase = data === 1 ? '1 track was' : `${data} tracks were`
  return [
    ...(attachments === 0
      ? []
      : [
          {
            code: 'ATTACHMENTS_DROPPED',
            message: `${filesPhrase} dropped. Attached files are often subtitle fonts.`,
            details: { count: attachments },
          },
        ]),
    ...(data === 0
      ? []
      : [
          {
            code: 'DATA_DROPPED',
            message: `${tracksPhrase} dropped, because only video, audio and text are kept.`,
          },
        ]),
  ]
}

const timecodeMuxers: readonly string[] = ['mov', 'mp4', 'matroska', 'webm', 'mxf', 'nut', 'dv']

function createTimecodeWarnings({ hasTimecode }: MediaInfo, { muxer }: Container): MediaWarning[] {
  if (!hasTimecode || timecodeMuxers.includes(muxer)) return []
  return [
    { code: 'DATA_DROPPED', message: 'The time code was dropped: the format does not support time codes.' },
  ]
}

function createAudioTrackWarnings(sourceCount: number, keptCount: number): MediaWarning[] {
  const droppedCount = sourceCount - keptCount
  if (droppedCount === 0) return []
  const tracksPhrase = droppedCount === 1 ? '1 audio track was' : `${droppedCount} audio tracks were`
  const message = `${tracksPhrase} dropped: the format supports ${keptCount === 0 ? 'no audio' : 'only one'}.`
  return [{ code: 'AUDIO_TRACKS_DROPPED', message }]
}
