import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { InputFile, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { LastFile } from '../shared/last-file.ts'
import { decodeTags } from './decode-tags.ts'
import { createDemuxerArgs, hasTimestamps, isAnimation } from './demuxers.ts'

const numberSchema = z.coerce.number().optional().catch(undefined)

/**
 * Converts the names of Matroska tags to lower case, because muxers spell them differently (`alpha_mode`,
 * `ALPHA_MODE`).
 */
function lowerCaseKeys(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]))
}

const ProbedStream = z.object({
  index: z.number(),
  codec_type: z.string().default('unknown'),
  codec_name: z.string().default('unknown'),
  codec_tag_string: z.string().default(''),
  width: numberSchema,
  height: numberSchema,
  pix_fmt: z.string().default(''),
  color_space: z.string().default('unknown'),
  color_transfer: z.string().default('unknown'),
  color_primaries: z.string().default('unknown'),
  sample_aspect_ratio: z.string().default('1:1'),
  avg_frame_rate: z.string().default('0/0'),
  r_frame_rate: z.string().default('0/0'),
  channels: numberSchema,
  sample_fmt: z.string().default(''),
  channel_layout: z.string().default(''),
  sample_rate: numberSchema,
  bit_rate: numberSchema,
  bits_per_sample: numberSchema,
  bits_per_raw_sample: numberSchema,
  duration: numberSchema,
  start_time: numberSchema,
  /** Hash of codec data that is stored outside of the packets. */
  extradata_hash: z.string().optional(),
  /** Number of packets in the first seconds, if requested. */
  nb_read_packets: numberSchema,
  disposition: z.record(z.string(), z.number()).default({}),
  tags: z.record(z.string(), z.string()).default({}).transform(lowerCaseKeys),
  side_data_list: z.array(z.looseObject({ rotation: numberSchema })).default([]),
})

const ProbeResult = z.object({
  streams: z.array(ProbedStream).default([]),
  chapters: z.array(z.unknown()).default([]),
  format: z
    .object({
      duration: numberSchema,
      bit_rate: numberSchema,
      start_time: numberSchema,
      tags: z.record(z.string(), z.string()).default({}).transform(lowerCaseKeys),
    })
    .default({ duration: undefined, bit_rate: undefined, start_time: undefined, tags: {} }),
})

/** A stream as described by the output of `ffprobe -show_streams`. */
export type MediaStream = z.output<typeof ProbedStream>
/** An audio stream with channels; audio streams without channels are ignored. */
export type AudioStream = MediaStream & { readonly channels: number }
export type StreamInput = z.input<typeof ProbedStream>

export interface MediaInfo {
  /** Duration in seconds; undefined if it is unknown. */
  readonly durationS: number | undefined
  /**
   * Duration of video and audio in seconds, without subtitles and data tracks, which may last longer. Undefined if it
   * is unknown, or if the file has no such tracks.
   */
  readonly playedS: number | undefined
  /** Total bits per second of all streams. */
  readonly bitRate: number | undefined
  /** First video stream that is not a cover. */
  readonly video: MediaStream | undefined
  /** Number of further video streams, without covers. */
  readonly otherVideos: number
  /** Start of the video stream, in seconds after the start of the file. */
  readonly pictureStartS: number
  readonly audio: readonly AudioStream[]
  readonly subtitles: readonly MediaStream[]
  readonly cover: MediaStream | undefined
  /** Number of chapters. */
  readonly chapters: number
  /** Number of attached files, such as subtitle fonts. */
  readonly attachments: number
  /** Number of tracks with other data, such as GPS positions. */
  readonly data: number
  /** Whether there is a time code, in a track of its own or as a tag. */
  readonly hasTimecode: boolean
  /** Decoded text, by tag name, of the tags whose encoding ffmpeg cannot know. */
  readonly decodedTags?: Readonly<Record<string, string>>
  /** Lower-case names of the tags of the file and of its audio streams. Ogg stores tags in the audio streams. */
  readonly tags: readonly string[]
}

/** Reads only the start of a long file, which is enough to see that there are packets. */
const countPacketArgs = ['-count_packets', '-read_intervals', '%+10']

/**
 * Probes a file; if its duration is not stored, the whole file is read (but not decoded) to measure it.
 * @throws AppError CORRUPT_FILE.
 */
export async function probeWithDuration(path: string, format: FormatId, tools: Tools): Promise<MediaInfo> {
  const media = await probe(path, format, tools)
  if (media.durationS !== undefined || !hasTimestamps(format)) return media
  const measure = isAnimation(format) ? measureAnimation : measureByCopying
  return { ...media, durationS: await measure(path, format, tools) }
}

/** Decodes the animation, because copying would not reveal the duration of the last frame. */
async function measureAnimation(path: string, format: FormatId, tools: Tools): Promise<number | undefined> {
  let end = 0
  const onLine = (line: string) => {
    const [from = 0, seconds = 0] = line.split(',').map((field) => Number(field) || 0)
    end = Math.max(end, from + seconds)
  }
  const showArgs = [
    '-select_streams',
    'v:0',
    '-show_entries',
    'packet=pts_time,duration_time',
    '-of',
    'csv=p=0',
  ]
  await ignoreProcessFailure(
    tools.exec('ffprobe', ['-v', 'error', ...createDemuxerArgs(format), ...showArgs, '-i', path], { onLine }),
  )
  return end > 0 ? end : undefined
}

async function measureByCopying(path: string, format: FormatId, tools: Tools): Promise<number | undefined> {
  let durationS: number | undefined
  const onLine = (line: string) => {
    const micros = /^out_time_us=(\d+)/.exec(line)?.[1]
    if (micros !== undefined && Number(micros) > 0) durationS = Number(micros) / 1e6
  }
  const copyArgs = ['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-f', 'null', '-']
  const args = [
    '-v',
    'error',
    '-nostdin',
    '-progress',
    'pipe:1',
    ...createDemuxerArgs(format),
    '-i',
    path,
    ...copyArgs,
  ]
  await ignoreProcessFailure(tools.exec('ffmpeg', args, { onLine }))
  return durationS
}

/**
 * Ignores the failure of a program. A file that cannot be copied may still be decodable; if not, decoding gives a
 * better error.
 */
async function ignoreProcessFailure(run: Promise<unknown>): Promise<void> {
  try {
    await run
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
  }
}

const lastProbe = new LastFile<MediaInfo>()

/** Probes a file once, for both the decision to split it and the conversion. @throws AppError CORRUPT_FILE. */
export function probeCached(
  input: InputFile,
  { path, from }: { readonly path: string; readonly from: FormatId },
  tools: Tools,
): Promise<MediaInfo> {
  return lastProbe.read(input.path, () => probeWithDuration(path, from, tools))
}

/** @throws AppError CORRUPT_FILE if ffprobe cannot read the file. */
export async function probe(
  path: string,
  format: FormatId,
  tools: Tools,
  { countPackets = false } = {},
): Promise<MediaInfo> {
  const showArgs = [
    '-show_format',
    '-show_streams',
    '-show_chapters',
    '-show_data_hash',
    'adler32',
    '-of',
    'json',
    ...(countPackets ? countPacketArgs : []),
  ]
  try {
    const args = ['-v', 'error', ...createDemuxerArgs(format), ...showArgs, '-i', path]
    const { stdout } = await tools.exec('ffprobe', args, { timeoutS: 60 })
    const output = ProbeResult.parse(JSON.parse(stdout))
    const media = { ...parseProbe(output), decodedTags: await decodeTags(output.format.tags) }
    // For raw streams, ffprobe only guesses the duration from the file size.
    return hasTimestamps(format) ? media : { ...media, durationS: undefined }
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    throw createCorruptMediaError(format, error)
  }
}

export function createMissingStreamError(missingStream: string, from: FormatId, to: FormatId): AppError {
  const message = `The ${formatById(from).name} (${from}) has no ${missingStream}, so it cannot be converted to ${to}.`
  return new AppError('UNSUPPORTED_CONVERSION', message, { from, to })
}

export function createCorruptMediaError(format: FormatId, cause: Error): AppError {
  const { name } = formatById(format)
  return new AppError(
    'CORRUPT_FILE',
    `The ${name} (${format}) file is damaged or incomplete.`,
    { format },
    { cause },
  )
}

const hasChannels = (stream: MediaStream): stream is AudioStream =>
  stream.channels !== undefined && stream.channels > 0

const isTimecodeTrack = ({ codec_tag_string }: MediaStream) => codec_tag_string === 'tmcd'

/** Codec tags of tracks with chapter titles or time codes, which ffmpeg generates again. */
export const regeneratedTracks = ['text', 'tmcd']

/** Parses ffprobe's output, or an object with the fields that are known from elsewhere. */
export function parseProbe(probeOutput: z.input<typeof ProbeResult>): MediaInfo {
  const { streams, chapters, format } = ProbeResult.parse(probeOutput)
  const filterByType = (type: string) => streams.filter((stream) => stream.codec_type === type)
  const isCover = (stream: MediaStream) => stream.disposition.attached_pic === 1
  const durations = [format.duration, ...streams.map((stream) => stream.duration)]
  const playedStreams = streams.filter(
    (stream) => ['video', 'audio'].includes(stream.codec_type) && !isCover(stream),
  )
  const audio = filterByType('audio').filter(hasChannels)
  const [video, ...otherVideos] = filterByType('video').filter((stream) => !isCover(stream))
  return {
    durationS: durations.find((duration) => duration !== undefined && duration > 0),
    playedS:
      filterByType('subtitle').length + filterByType('data').length > 0
        ? findMaxDurationS(playedStreams)
        : undefined,
    bitRate: format.bit_rate,
    video,
    otherVideos: otherVideos.length,
    pictureStartS: (video?.start_time ?? 0) - (format.start_time ?? 0),
    audio,
    subtitles: filterByType('subtitle'),
    cover: filterByType('video').find(isCover),
    chapters: chapters.length,
    attachments: filterByType('attachment').length,
    data: filterByType('data').filter(({ codec_tag_string }) => !regeneratedTracks.includes(codec_tag_string))
      .length,
    hasTimecode: [format, ...streams].some(({ tags }) => tags.timecode) || streams.some(isTimecodeTrack),
    tags: [...new Set([format.tags, ...audio.map(({ tags }) => tags)].flatMap((tags) => Object.keys(tags)))],
  }
}

/** Returns the longest duration in seconds, or undefined if any duration is unknown. */
function findMaxDurationS(streams: readonly MediaStream[]): number | undefined {
  const durationsS = streams.map(({ duration, tags }) => duration ?? parseClockTime(tags.duration))
  const knownDurationsS = durationsS.filter((length) => length !== undefined && length > 0)
  return knownDurationsS.length === 0 || knownDurationsS.length < durationsS.length
    ? undefined
    : Math.max(...(knownDurationsS as number[]))
}

/** Parses Matroska's duration tag, such as `00:00:01.000000000`, to seconds. */
function parseClockTime(text: string | undefined): number | undefined {
  const [, hours, minutes, seconds] = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '') ?? []
  return seconds === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** Whether a video has an alpha channel, which WebM stores in a layer that is not visible in the pixel format. */
export function hasAlpha({ pix_fmt, tags }: MediaStream): boolean {
  return tags.alpha_mode === '1' || /^(yuva|rgba|argb|bgra|abgr|gbrap|ya8|ya16|pal8)/.test(pix_fmt)
}

/** Uses libvpx for WebM with alpha, because ffmpeg's native decoders ignore the layer with the alpha channel. */
export function chooseAlphaDecoder(video: MediaStream | undefined): string[] {
  if (video?.tags.alpha_mode !== '1') return []
  return ['-c:v', video.codec_name === 'vp8' ? 'libvpx' : 'libvpx-vp9']
}

/**
 * Returns the degrees by which players rotate the video: counterclockwise (`av_display_rotation_get`), but clockwise if
 * only the older tag is set.
 */
export function getRotation({ side_data_list, tags }: MediaStream): number {
  return side_data_list.find(({ rotation }) => rotation !== undefined)?.rotation ?? Number(tags.rotate ?? 0)
}
