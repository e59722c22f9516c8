import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { Tools } from './engine.ts'
import { ProcessFailure } from './exec.ts'

/** The demuxers that may read a format; whatever the bytes pretend, a playlist or script is never followed. */
const demuxersByFormats: readonly (readonly [string, readonly FormatId[]])[] = [
  ['mov,mp4,m4a,3gp,3g2,mj2', ['mp4', 'm4v', 'f4v', 'mov', '3gp', '3g2', 'm4a', 'm4b', 'm4r', 'alac', '3ga']],
  ['matroska,webm', ['mkv', 'mka', 'webm', 'weba']],
  ['avi', ['avi', 'divx', 'xvid']],
  ['asf', ['wmv', 'wma', 'asf']],
  ['flv', ['flv']],
  ['mpeg,mpegvideo', ['mpeg', 'mpg', 'vob']],
  ['mpegts', ['ts', 'mts', 'm2ts']],
  ['ogg', ['ogg', 'oga', 'ogv', 'opus', 'spx']],
  ['mp3', ['mp3', 'mp2']],
  ['ac3,eac3', ['ac3', 'eac3']],
  ['amr', ['amr', 'awb']],
]

/** Confines the demuxer; goes before `-i`. */
export function inputGuard(format: FormatId): string[] {
  const row = demuxersByFormats.find(([, formats]) => formats.includes(format))
  return ['-protocol_whitelist', 'file,pipe', '-format_whitelist', row?.[0] ?? format]
}

const number = z.coerce.number().optional().catch(undefined)

/** Matroska files write the same tag as `alpha_mode` or `ALPHA_MODE`, by who made them. */
function lowerCaseKeys(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]))
}

const Stream = z.object({
  index: z.number(),
  codec_type: z.string().default('unknown'),
  codec_name: z.string().default('unknown'),
  width: number,
  height: number,
  pix_fmt: z.string().default(''),
  sample_aspect_ratio: z.string().default('1:1'),
  avg_frame_rate: z.string().default('0/0'),
  channels: number,
  channel_layout: z.string().default(''),
  sample_rate: number,
  bit_rate: number,
  bits_per_sample: number,
  bits_per_raw_sample: number,
  duration: number,
  /** In the first seconds; only where it was asked for. */
  nb_read_packets: number,
  disposition: z.record(z.string(), z.number()).default({}),
  tags: z.record(z.string(), z.string()).default({}).transform(lowerCaseKeys),
  side_data_list: z.array(z.looseObject({ rotation: number })).default([]),
})

const Probed = z.object({
  streams: z.array(Stream).default([]),
  format: z
    .object({ duration: number, bit_rate: number })
    .default({ duration: undefined, bit_rate: undefined }),
})

export type MediaStream = z.output<typeof Stream>

export interface Media {
  /** Undefined where the file does not say and cannot be asked. */
  readonly durationS: number | undefined
  readonly bitRate: number | undefined
  /** The picture, not a cover. */
  readonly video: MediaStream | undefined
  readonly audio: readonly MediaStream[]
  readonly subtitles: readonly MediaStream[]
  readonly cover: MediaStream | undefined
}

/** Enough to see that packets come, without reading a long film twice. */
const firstSeconds = ['-count_packets', '-read_intervals', '%+10']

/** What ffprobe finds. @throws AppError CORRUPT_FILE when it finds nothing. */
export async function probe(
  path: string,
  format: FormatId,
  tools: Tools,
  { countPackets = false } = {},
): Promise<Media> {
  const show = ['-show_format', '-show_streams', '-of', 'json', ...(countPackets ? firstSeconds : [])]
  try {
    const args = ['-v', 'error', ...inputGuard(format), ...show, '-i', path]
    const { stdout } = await tools.exec('ffprobe', args, { timeoutS: 60 })
    return mediaOf(Probed.parse(JSON.parse(stdout)))
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    throw unreadable(format, error)
  }
}

export function unreadable(format: FormatId, cause: Error): AppError {
  const { name } = formatById(format)
  return new AppError(
    'CORRUPT_FILE',
    `The ${name} (${format}) file is damaged or incomplete.`,
    { format },
    { cause },
  )
}

function mediaOf({ streams, format }: z.output<typeof Probed>): Media {
  const ofType = (type: string) => streams.filter((stream) => stream.codec_type === type)
  const isCover = (stream: MediaStream) => stream.disposition.attached_pic === 1
  const durations = [format.duration, ...streams.map((stream) => stream.duration)]
  return {
    durationS: durations.find((duration) => duration !== undefined && duration > 0),
    bitRate: format.bit_rate,
    video: ofType('video').find((stream) => !isCover(stream)),
    audio: ofType('audio').filter((stream) => (stream.channels ?? 0) > 0),
    subtitles: ofType('subtitle'),
    cover: ofType('video').find(isCover),
  }
}

/** WebM keeps alpha in a second layer that the pixel format does not show. */
export function hasAlpha({ pix_fmt, tags }: MediaStream): boolean {
  return tags.alpha_mode === '1' || /^(yuva|rgba|argb|bgra|abgr|gbrap|ya8|ya16|pal8)/.test(pix_fmt)
}

/** Degrees that a player turns the picture by. */
export function rotationOf({ side_data_list, tags }: MediaStream): number {
  return side_data_list.find(({ rotation }) => rotation !== undefined)?.rotation ?? Number(tags.rotate ?? 0)
}
