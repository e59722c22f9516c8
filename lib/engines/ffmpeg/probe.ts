import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { InputFile, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { demuxerArgs, hasTimestamps, isAnimation } from './demuxers.ts'

const number = z.coerce.number().optional().catch(undefined)

/** Matroska files write the same tag as `alpha_mode` or `ALPHA_MODE`, by who made them. */
function lowerCaseKeys(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]))
}

const Stream = z.object({
  index: z.number(),
  codec_type: z.string().default('unknown'),
  codec_name: z.string().default('unknown'),
  codec_tag_string: z.string().default(''),
  width: number,
  height: number,
  pix_fmt: z.string().default(''),
  color_space: z.string().default('unknown'),
  color_transfer: z.string().default('unknown'),
  color_primaries: z.string().default('unknown'),
  sample_aspect_ratio: z.string().default('1:1'),
  avg_frame_rate: z.string().default('0/0'),
  r_frame_rate: z.string().default('0/0'),
  channels: number,
  sample_fmt: z.string().default(''),
  channel_layout: z.string().default(''),
  sample_rate: number,
  bit_rate: number,
  bits_per_sample: number,
  bits_per_raw_sample: number,
  duration: number,
  start_time: number,
  /** Of what the codec keeps outside of its packets. */
  extradata_hash: z.string().optional(),
  /** In the first seconds; only where it was asked for. */
  nb_read_packets: number,
  disposition: z.record(z.string(), z.number()).default({}),
  tags: z.record(z.string(), z.string()).default({}).transform(lowerCaseKeys),
  side_data_list: z.array(z.looseObject({ rotation: number })).default([]),
})

const ProbeResult = z.object({
  streams: z.array(Stream).default([]),
  chapters: z.array(z.unknown()).default([]),
  format: z
    .object({
      duration: number,
      bit_rate: number,
      start_time: number,
      tags: z.record(z.string(), z.string()).default({}).transform(lowerCaseKeys),
    })
    .default({ duration: undefined, bit_rate: undefined, start_time: undefined, tags: {} }),
})

/** A stream as `ffprobe -show_streams` tells of it, in its words and units. */
export type MediaStream = z.output<typeof Stream>
/** One that has channels, which other tracks of sound are as good as not there. */
export type AudioStream = MediaStream & { readonly channels: number }
export type StreamInput = z.input<typeof Stream>

export interface MediaInfo {
  /** Undefined where the file does not say and cannot be asked. */
  readonly durationS: number | undefined
  /** Seconds of its pictures and sound, where its subtitles or other data may go on longer and it says so. */
  readonly playedS: number | undefined
  /** Bits per second of all streams together. */
  readonly bitRate: number | undefined
  /** The picture, not a cover. */
  readonly video: MediaStream | undefined
  /** How many there are beside it, covers aside. */
  readonly otherVideos: number
  /** Seconds after the file's own beginning at which it begins. */
  readonly pictureStartS: number
  readonly audio: readonly AudioStream[]
  readonly subtitles: readonly MediaStream[]
  readonly cover: MediaStream | undefined
  /** How many. */
  readonly chapters: number
  /** How many files are within it, as fonts of its subtitles. */
  readonly attachments: number
  /** How many tracks of other data, as where a camera was. */
  readonly data: number
  /** Names of what it says of itself, in lower case: of the file, and of its sound where that has it, as in Ogg. */
  readonly tags: readonly string[]
}

/** Enough to see that packets come, without reading a long film twice. */
const countPacketArgs = ['-count_packets', '-read_intervals', '%+10']

/**
 * What `probe` finds, and how long it lasts also where the file does not say: then all of it is read, not decoded.
 * @throws AppError CORRUPT_FILE.
 */
export async function probeWithDuration(path: string, format: FormatId, tools: Tools): Promise<MediaInfo> {
  const media = await probe(path, format, tools)
  if (media.durationS !== undefined || !hasTimestamps(format)) return media
  const measure = isAnimation(format) ? measureAnimation : measureCopy
  return { ...media, durationS: await measure(path, format, tools) }
}

/** Of an animation a copy does not tell how long the last picture is shown. */
async function measureAnimation(path: string, format: FormatId, tools: Tools): Promise<number | undefined> {
  let end = 0
  const onLine = (line: string) => {
    const [from = 0, seconds = 0] = line.split(',').map((field) => Number(field) || 0)
    end = Math.max(end, from + seconds)
  }
  const show = ['-select_streams', 'v:0', '-show_entries', 'packet=pts_time,duration_time', '-of', 'csv=p=0']
  await ignoreProcessFailure(
    tools.exec('ffprobe', ['-v', 'error', ...demuxerArgs(format), ...show, '-i', path], { onLine }),
  )
  return end > 0 ? end : undefined
}

async function measureCopy(path: string, format: FormatId, tools: Tools): Promise<number | undefined> {
  let durationS: number | undefined
  const onLine = (line: string) => {
    const micros = /^out_time_us=(\d+)/.exec(line)?.[1]
    if (micros !== undefined && Number(micros) > 0) durationS = Number(micros) / 1e6
  }
  const copy = ['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-f', 'null', '-']
  const args = ['-v', 'error', '-nostdin', '-progress', 'pipe:1', ...demuxerArgs(format), '-i', path, ...copy]
  await ignoreProcessFailure(tools.exec('ffmpeg', args, { onLine }))
  return durationS
}

/** What cannot be copied may still be decoded, which tells better what is wrong. */
async function ignoreProcessFailure(run: Promise<unknown>): Promise<void> {
  try {
    await run
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
  }
}

const probeCache = new WeakMap<InputFile, MediaInfo>()

/** The same for who asks whether to share a file out, and for who then does all of it. @throws AppError CORRUPT_FILE. */
export async function probeCached(
  input: InputFile,
  { path, from }: { readonly path: string; readonly from: FormatId },
  tools: Tools,
): Promise<MediaInfo> {
  const media = probeCache.get(input) ?? (await probeWithDuration(path, from, tools))
  probeCache.set(input, media)
  return media
}

/** @throws AppError CORRUPT_FILE when ffprobe finds nothing that it can read. */
export async function probe(
  path: string,
  format: FormatId,
  tools: Tools,
  { countPackets = false } = {},
): Promise<MediaInfo> {
  const show = [
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
    const args = ['-v', 'error', ...demuxerArgs(format), ...show, '-i', path]
    const { stdout } = await tools.exec('ffprobe', args, { timeoutS: 60 })
    const media = parseProbe(JSON.parse(stdout))
    // What is told of a bare stream is a guess from its size.
    return hasTimestamps(format) ? media : { ...media, durationS: undefined }
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    throw damagedMediaError(format, error)
  }
}

export function missingStreamError(missing: string, from: FormatId, to: FormatId): AppError {
  const sentence = `The ${formatById(from).name} (${from}) has no ${missing}, so nothing can become ${to}.`
  return new AppError('UNSUPPORTED_CONVERSION', sentence, { from, to })
}

export function damagedMediaError(format: FormatId, cause: Error): AppError {
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

/** Titles of chapters and the time code of a camera, which ffmpeg makes anew. */
export const regeneratedTracks = ['text', 'tmcd']

/** Of what ffprobe tells, or as much of it as is known from elsewhere. */
export function parseProbe(probeOutput: z.input<typeof ProbeResult>): MediaInfo {
  const { streams, chapters, format } = ProbeResult.parse(probeOutput)
  const ofType = (type: string) => streams.filter((stream) => stream.codec_type === type)
  const isCover = (stream: MediaStream) => stream.disposition.attached_pic === 1
  const durations = [format.duration, ...streams.map((stream) => stream.duration)]
  const playedStreams = streams.filter(
    (stream) => ['video', 'audio'].includes(stream.codec_type) && !isCover(stream),
  )
  const audio = ofType('audio').filter(hasChannels)
  const [video, ...otherVideos] = ofType('video').filter((stream) => !isCover(stream))
  return {
    durationS: durations.find((duration) => duration !== undefined && duration > 0),
    playedS: ofType('subtitle').length + ofType('data').length > 0 ? longestS(playedStreams) : undefined,
    bitRate: format.bit_rate,
    video,
    otherVideos: otherVideos.length,
    pictureStartS: (video?.start_time ?? 0) - (format.start_time ?? 0),
    audio,
    subtitles: ofType('subtitle'),
    cover: ofType('video').find(isCover),
    chapters: chapters.length,
    attachments: ofType('attachment').length,
    data: ofType('data').filter(({ codec_tag_string }) => !regeneratedTracks.includes(codec_tag_string))
      .length,
    tags: [...new Set([format.tags, ...audio.map(({ tags }) => tags)].flatMap((tags) => Object.keys(tags)))],
  }
}

/** Seconds; undefined where one of them does not tell. */
function longestS(streams: readonly MediaStream[]): number | undefined {
  const lengths = streams.map(({ duration, tags }) => duration ?? parseClockTime(tags.duration))
  const known = lengths.filter((length) => length !== undefined && length > 0)
  return known.length === 0 || known.length < lengths.length ? undefined : Math.max(...(known as number[])) // as filtered
}

/** Of Matroska's tag, as `00:00:01.000000000`. */
function parseClockTime(text: string | undefined): number | undefined {
  const [, hours, minutes, seconds] = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '') ?? []
  return seconds === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** WebM keeps alpha in a second layer that the pixel format does not show. */
export function hasAlpha({ pix_fmt, tags }: MediaStream): boolean {
  return tags.alpha_mode === '1' || /^(yuva|rgba|argb|bgra|abgr|gbrap|ya8|ya16|pal8)/.test(pix_fmt)
}

/** The native decoders drop the alpha layer of WebM. */
export function alphaDecoder(video: MediaStream | undefined): string[] {
  if (video?.tags.alpha_mode !== '1') return []
  return ['-c:v', video.codec_name === 'vp8' ? 'libvpx' : 'libvpx-vp9']
}

/**
 * Degrees that a player turns the picture by: counterclockwise (`av_display_rotation_get`), but clockwise where only
 * the older tag says so.
 */
export function rotationOf({ side_data_list, tags }: MediaStream): number {
  return side_data_list.find(({ rotation }) => rotation !== undefined)?.rotation ?? Number(tags.rotate ?? 0)
}
