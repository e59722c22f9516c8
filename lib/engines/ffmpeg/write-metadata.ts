import { join } from 'node:path'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { givenTexts, type MetadataName, MetadataOptions } from '../metadata/options.ts'
import { demuxerArgs } from './demuxers.ts'
import { metadataMuxers, type ProbeOutput, probeMetadata } from './metadata.ts'
import { joinTagsAndAudio } from './mp3-tags.ts'
import { regeneratedTracks } from './probe.ts'
import { runFfmpeg } from './run.ts'
import { restoreLanguages } from './track-languages.ts'

/** The keys by which muxers know where a text belongs (ffmpeg's `metadata_conv` tables); Matroska takes any. */
const tagKeys: Readonly<Record<MetadataName, readonly string[]>> = {
  title: ['title'],
  author: ['artist'],
  subject: ['subject'],
  // Players show the one or the other.
  description: ['comment', 'description'],
  keywords: ['keywords'],
  copyright: ['copyright'],
  creationDate: ['date'],
}
/** They also keep a time of their own. */
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
/** Their texts belong to the sound and not to the file. */
const formatsWithStreamTags: readonly FormatId[] = ['ogg', 'oga', 'opus']

type TagValues = ReadonlyMap<MetadataName, string>

function tagArgs(tagValues: TagValues, to: FormatId): string[] {
  const option = formatsWithStreamTags.includes(to) ? '-metadata:s:a:0' : '-metadata'
  return [...tagValues].flatMap(([name, text]) => {
    const pairs = tagKeys[name].map((key) => `${key}=${name === 'creationDate' ? text.slice(0, 10) : text}`)
    const time =
      name === 'creationDate' && formatsWithCreationTime.includes(to) ? [`creation_time=${text}`] : []
    return [...pairs, ...time].flatMap((pair) => [option, pair])
  })
}

/** Writes what sound or film says of itself; its streams are copied as they are. */
export async function writeMediaMetadata(
  work: EngineWork,
  input: InputFile,
  target: string,
  tools: Tools,
): Promise<EngineResult> {
  const options = MetadataOptions.parse(work.options)
  const tagValues = givenTexts(options)
  const { to } = work
  const source = await probeMetadata(input.path, to, tools)
  const streams = source.streams.filter((stream) => isCopied(stream, to, options.strip))
  if (!options.strip) warnDroppedStreams(source, streams, to, tools)
  const isMp3 = to === 'mp3'
  const writtenPath = isMp3 ? join(tools.workDir, 'tagged.mp3') : target
  const args = [
    ...[...demuxerArgs(to), '-i', input.path],
    ...streams.flatMap(({ index }) => ['-map', `0:${index}`]),
    ...['-c', 'copy'],
    ...(options.strip ? stripArgs(streams) : []),
    ...tagArgs(tagValues, to),
    // Of an MP3 only the tag is wanted, and that is complete with the first packet; version 3 is read everywhere.
    ...(isMp3 ? ['-frames:a', '1', '-id3v2_version', '3'] : []),
    // Parsed by the schema of a capability whose formats these are.
    ...['-f', metadataMuxers[to as keyof typeof metadataMuxers], writtenPath],
  ]
  await runFfmpeg(args, { durationS: undefined }, tools)
  if (to === 'mov') await restoreLanguages(target, languagesOf(streams))
  if (isMp3)
    await joinTagsAndAudio(
      options.strip && tagValues.size === 0 ? undefined : writtenPath,
      input.path,
      target,
    )
  await warnLostTags(tagValues, await probeMetadata(target, to, tools), to, tools)
  tools.progress(1)
  return { files: [{ path: target }], method: 'stream-copy' }
}

type Stream = ProbeOutput['streams'][number]

const languagesOf = (streams: readonly Stream[]) => ({
  audio: ofType(streams, 'audio'),
  subtitles: ofType(streams, 'subtitle'),
})
const ofType = (streams: readonly Stream[], type: string) =>
  streams.filter(({ codec_type }) => codec_type === type).map(({ tags }) => tags['language'])

const isCover = ({ disposition }: Stream) => disposition.attached_pic === 1

function isCopied(stream: Stream, to: FormatId, strip: boolean): boolean {
  if (isCover(stream)) return !strip && !formatsWithStreamTags.includes(to)
  return ['video', 'audio', 'subtitle', 'attachment'].includes(stream.codec_type)
}

/** Of the file and its streams, but for their languages; fonts that were attached are nothing without their names. */
function stripArgs(streams: readonly Stream[]): string[] {
  const streamArgs = streams.flatMap(({ index, codec_type, tags: { language } }, at) => {
    if (codec_type === 'attachment') return [`-map_metadata:s:${at}`, `0:s:${index}`]
    return [`-map_metadata:s:${at}`, '-1', ...(language ? [`-metadata:s:${at}`, `language=${language}`] : [])]
  })
  // Otherwise ffmpeg adds its own name.
  return ['-map_metadata:g', '-1', ...streamArgs, '-fflags', '+bitexact']
}

function warnDroppedStreams(
  { streams }: ProbeOutput,
  copied: readonly Stream[],
  to: FormatId,
  tools: Tools,
): void {
  const dropped = streams.filter((stream) => !copied.includes(stream))
  if (dropped.some(isCover)) {
    tools.warn('COVER_DROPPED', `The cover picture was dropped: ${formatById(to).name} is written without.`)
  }
  const others = dropped.filter(
    (stream) => !isCover(stream) && !regeneratedTracks.includes(stream.codec_tag_string),
  )
  if (others.length > 0) {
    tools.warn(
      'DATA_DROPPED',
      `${others.length} tracks were dropped that are neither picture nor sound nor text.`,
    )
  }
}

/** Not each format has a place for each text; what comes back from the result was kept. */
async function warnLostTags(
  tagValues: TagValues,
  { format, streams }: ProbeOutput,
  to: FormatId,
  tools: Tools,
): Promise<void> {
  const tags = [format.tags, ...streams.map((stream) => stream.tags)].flatMap((one) =>
    Object.entries(one).map(([key, value]) => [key.toLowerCase(), value] as const),
  )
  const lost = [...tagValues].filter(([name, text]) => {
    const expected = name === 'creationDate' ? text.slice(0, 10) : text
    const places = name === 'creationDate' ? ['date', 'creation_time'] : tagKeys[name]
    return text !== '' && !tags.some(([key, value]) => places.includes(key) && value.startsWith(expected))
  })
  if (lost.length === 0) return
  const names = lost.map(([name]) => name).join(', ')
  tools.warn('METADATA_NOT_KEPT', `${formatById(to).name} (${to}) has no place for ${names}.`)
}
