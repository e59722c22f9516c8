import { type FormatId, formatById } from '../../formats/index.ts'

/**
 * The demuxers that may read a format; whatever the bytes pretend, a playlist or script is never followed. A format
 * that is in no row has a demuxer of its own name.
 */
const demuxersByFormats: readonly (readonly [string, readonly FormatId[]])[] = [
  [
    'mov,mp4,m4a,3gp,3g2,mj2',
    [
      ...(['mp4', 'm4v', 'f4v', 'mov', 'qt', '3gp', '3g2', 'mj2', 'ismv', 'm4s'] as const),
      ...(['m4a', 'm4b', 'm4r', 'mp4a', 'alac', '3ga'] as const),
    ],
  ],
  ['matroska,webm', ['mkv', 'mk3d', 'mka', 'webm', 'weba']],
  ['avi', ['avi', 'divx', 'xvid', 'amv']],
  ['asf', ['wmv', 'wma', 'asf', 'dvr-ms']],
  ['mpeg,mpegvideo', ['mpeg', 'mpg', 'vob', 'mod']],
  ['mpegvideo', ['m1v', 'm2v']],
  ['mpegts', ['ts', 'mts', 'm2ts', 'm2t', 'trp', 'tod']],
  ['ogg', ['ogg', 'oga', 'ogv', 'ogm', 'ogx', 'opus', 'spx']],
  ['mp3', ['mp3', 'mp2', 'mpa']],
  ['ac3,eac3', ['ac3', 'eac3']],
  ['amr', ['amr', 'awb']],
  ['aiff', ['aiff', 'aif', 'aifc']],
  ['au', ['au', 'snd']],
  ['wav', ['wav', 'rf64']],
  ['rm', ['rm', 'rmvb', 'ra']],
  ['mjpeg,jpeg_pipe', ['mjpeg']],
  ['m4v', ['mp4v']],
  ['yuv4mpegpipe', ['y4m']],
  ['iff', ['8svx', 'maud']],
  ['epaf', ['paf']],
  ['nistsphere', ['sph']],
  ['libopenmpt', ['tracker']],
  ['ircam', ['sf']],
  ['truehd', ['thd']],
  ['loas', ['latm']],
  ['codec2', ['c2']],
  // An animation of one picture may come as a PNG that does not move.
  ['apng,png_pipe', ['apng']],
]

/** What a file without a header cannot say, so that its demuxer is named and told. */
const headerlessArgs: Readonly<Partial<Record<FormatId, readonly string[]>>> = {
  al: ['-f', 'alaw', '-sample_rate', '8000', '-channels', '1'],
  ul: ['-f', 'mulaw', '-sample_rate', '8000', '-channels', '1'],
  sln: ['-f', 'sln', '-sample_rate', '8000', '-channels', '1'],
  pcm: ['-f', 's16le', '-sample_rate', '44100', '-channels', '2'],
  g726: ['-f', 'g726', '-sample_rate', '8000', '-code_size', '4'],
  g722: ['-f', 'g722'],
  g723_1: ['-f', 'g723_1'],
  gsm: ['-f', 'gsm'],
  sbc: ['-f', 'sbc'],
  aptx: ['-f', 'aptx'],
  aptxhd: ['-f', 'aptx_hd'],
  dfpwm: ['-f', 'dfpwm'],
  h261: ['-f', 'h261'],
  h263: ['-f', 'h263'],
  // Motion JPEG is taken for one picture by its first bytes.
  mjpeg: ['-f', 'mjpeg'],
  mp4v: ['-f', 'm4v'],
}

/** Whatever a file says, nothing but files and pipes is opened for it; goes before each `-i`. */
export const localProtocolArgs = ['-protocol_whitelist', 'file,pipe'] as const

/** Confines the demuxer; goes before `-i`. The fourth word names the demuxers (ffmpeg-formats, `format_whitelist`). */
export function demuxerArgs(format: FormatId): string[] {
  const demuxerOptions = headerlessArgs[format] ?? []
  return [
    ...localProtocolArgs,
    '-format_whitelist',
    demuxerOptions[1] ?? demuxersFor(format),
    ...demuxerOptions,
  ]
}

/** By ffmpeg's names, separated by commas. */
export function demuxersFor(format: FormatId): string {
  return demuxersByFormats.find(([, formats]) => formats.includes(format))?.[0] ?? format
}

const formatsWithoutTimestamps: readonly FormatId[] = [
  // Streams of pictures: what is copied out of them plays at any speed or none.
  'h264',
  'hevc',
  'obu',
  'm1v',
  'm2v',
  'mjpeg',
  'mp4v',
  'h261',
  'h263',
  'y4m',
  // By their times its packets are half as long again as they sound.
  'aptxhd',
]

/** Its pictures are shown for times of their own, as those of GIF. */
export const isAnimation = (format: FormatId) => formatById(format).category === 'image'

/** Its packets say when they begin, and may be believed. */
export const hasTimestamps = (format: FormatId) => !formatsWithoutTimestamps.includes(format)
