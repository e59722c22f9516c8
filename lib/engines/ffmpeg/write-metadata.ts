import { join } from 'node:path'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { getRequestedFields, type MetadataName, MetadataOptions } from '../shared/metadata/options.ts'
import { createDemuxerArgs } from './demuxers.ts'
import { metadataMuxers, type ProbeOutput, probeMetadata } from './metadata.ts'
import { joinTagsAndAudio } from './mp3-tags.ts'
import { regeneratedTracks } from './probe.ts'
import { runFfmpeg } from './run.ts'
import { restoreLanguages } from './track-languages.ts'

/** Tag keys that muxers map to their own fields (ffmpeg's `metadata_conv` tables); Matroska accepts any key. */
const tagKeysByName: Readonly<Record<MetadataName, readonly string[]>> = {
  title: ['title'],
  author: ['artist'],
  subject: ['subject'],
  // Players show either a comment or a description.
  description: ['comment', 'description'],
  keywords: ['keywords'],
  copyright: ['copyright'],
  creationDate: ['date'],
}
/** Formats that also store a creation time. */
const formatsWithCreationTime: readonly FormatId[] = [
  'm4a',
  'm4b',
  'mp4',
  'm4v',
  'mov',
  'mkv',
  'webm',
  'mka',
  'weba',
]
/** Formats whose tags belong to the audio stream instead of the file. */
const formatsWithStreamTags: readonly FormatId[] = ['ogg', 'oga', 'opus']

type TagValues = ReadonlyMap<MetadataName, string>

function createTagArgs(tagValues: TagValues, to: FormatId): string[] {
  const metadataFlag = formatsWithStreamTags.includes(to) ? '-metadata:s:a:0' : '-metadata'
  return [...tagValues].flatMap(([name, text]) => {
    const pairs = tagKeysByName[name].map(
      (key) => `${key}=${name === 'creationDate' ? text.slice(0, 10) : text}`,
    )
    const timePairs =
      name === 'creationDate' && formatsWithCreationTime.includes(to) ? [`creation_time=${text}`] : []
    return [...pairs, ...timePairs].flatMap((pair) => [metadataFlag, pair])
  })
}

/** Writes the tags of an audio or video file; the streams are copied. */
export async function writeMediaMetadata(
  work: EngineWork,
  input: InputFile,
  targetPath: string,
  tools: Tools,
): Promise<EngineResult> {
  const options = MetadataOptions.parse(work.options)
  const tagValues = getRequestedFields(options)
  const { to } = work
  const source = await probeMetadata(input.path, to, tools)
  const streams = source.streams.filter((stream) => isCopied(stream, to, options.strip))
  if (!options.strip) warnAboutDroppedStreams(source, streams, to, tools)
  const isMp3 = to === 'mp3'
  const taggedPath = isMp3 ? join(tools.workDir, 'tagged.mp3') : targetPath
  const args = [
    ...[...createDemuxerArgs(to), '-i', input.path],
    ...streams.flatMap(({ index }) => ['-map', `0:${index}`]),
    ...['-c', 'copy'],
    ...(options.strip ? createStripArgs(streams) : []),
    ...createTagArgs(tagValues, to),
    // For an MP3, only the tag is needed, which is complete after the first packet. All players read ID3v2.3.
    ...(isMp3 ? ['-frames:a', '1', '-id3v2_version', '3'] : []),
    // The cast is safe, because the capability declares exactly the formats of this table.
    ...['-f', metadataMuxers[to as keyof typeof metadataMuxers], taggedPath],
  ]
  await runFfmpeg(args, { durationS: undefined }, tools)
  if (to === 'mov') await restoreLanguages(targetPath, collectLanguages(streams))
  if (isMp3)
    await joinTagsAndAudio(
      options.strip && tagValues.size === 0 ? undefined : taggedPath,
      input.path,
      targetPath,
    )
  await warnAboutLostTags(tagValues, await probeMetadata(targetPath, to, tools), to, tools)
  tools.progress(1)
  return { files: [{ path: targetPath }], method: 'stream-copy' }
}

type Stream = ProbeOutput['streams'][number]

const collectLanguages = (streams: readonly Stream[]) => ({
  audio: filterByType(streams, 'audio'),
  subtitles: filterByType(streams, 'subtitle'),
})
const filterByType = (streams: readonly Stream[], type: string) =>
  streams.filter(({ codec_type }) => codec_type === type).map(({ tags }) => tags['language'])

const isCover = ({ disposition }: Stream) => disposition.attached_pic === 1

function isCopied(stream: Stream, to: FormatId, stripsTags: boolean): boolean {
  if (isCover(stream)) return !stripsTags && !formatsWithStreamTags.includes(to)
  return ['video', 'audio', 'subtitle', 'attachment'].includes(stream.codec_type)
}

/**
 * Returns arguments that remove the tags of the file and its streams, except for languages and the names of
 * attachments. An attachment is useless without its name.
 */
function createStripArgs(streams: readonly Stream[]): string[] {
  const streamArgs = streams.flatMap(({ index, codec_type, tags: { language } }, at) => {
    if (codec_type === 'attachment') return [`-map_metadata:s:${at}`, `0:s:${index}`]
    return [`-map_metadata:s:${at}`, '-1', ...(language ? [`-metadata:s:${at}`, `language=${language}`] : [])]
  })
  // Without +bitexact, ffmpeg writes its own name.
  return ['-map_metadata:g', '-1', ...streamArgs, '-fflags', '+bitexact']
}

function warnAboutDroppedStreams(
  { streams }: ProbeOutput,
  copiedStreams: readonly Stream[],
  to: FormatId,
  tools: Tools,
): void {
  const droppedStreams = streams.filter((stream) => !copiedStreams.includes(stream))
  if (droppedStreams.some(isCover)) {
    tools.warn(
      'COVER_DROPPED',
      `The cover image was dropped: it cannot be written to ${formatById(to).name} files.`,
    )
  }
  const otherStreams = droppedStreams.filter(
    (stream) => !isCover(stream) && !regeneratedTracks.includes(stream.codec_tag_string),
  )
  if (otherStreams.length > 0) {
    tools.warn(
      'DATA_DROPPED',
      `Tracks other than video, audio and text were dropped: ${otherStreams.length}.`,
    )
  }
}

/** Warns about tags that are missing in the result, because not every format supports every tag. */
async function warnAboutLostTags(
  tagValues: TagValues,
  { format, streams }: ProbeOutput,
  to: FormatId,
  tools: Tools,
): Promise<void> {
  const tags = [format.tags, ...streams.map((stream) => stream.tags)].flatMap((tagGroup) =>
    Object.entries(tagGroup).map(([key, value]) => [key.toLowerCase(), value] as const),
  )
  const lostTags = [...tagValues].filter(([name, text]) => {
    const expected = name === 'creationDate' ? text.slice(0, 10) : text
    const tagKeys = name === 'creationDate' ? ['date', 'creation_time'] : tagKeysByName[name]
    return text !== '' && !tags.some(([key, value]) => tagKeys.includes(key) && value.startsWith(expected))
  })
  if (lostTags.length === 0) return
  const nameList = lostTags.map(([name]) => name).join(', ')
  tools.warn('METADATA_NOT_KEPT', `${formatById(to).name} (${to}) cannot store ${nameList}.`)
}
