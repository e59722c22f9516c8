import { type FormatId, formatById } from '../../formats/index.ts'

/**
 * Demuxers that may read a format, so that ffmpeg never treats a file as a playlist or a script. Formats that are not
 * listed have a demuxer with the same name.
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
  // An animation with a single frame may be a plain PNG.
  ['apng,png_pipe', ['apng']],
]

/** Demuxer and parameters of formats without a header. */
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
  // Based on its first bytes, Motion JPEG would be detected as a single image.
  mjpeg: ['-f', 'mjpeg'],
  mp4v: ['-f', 'm4v'],
}

/** Prevents a file from opening anything but files and pipes. Goes before each `-i`. */
export const localProtocolArgs = ['-protocol_whitelist', 'file,pipe'] as const

/**
 * Restricts the demuxers. The arguments go before `-i`, and the fourth argument is the list of demuxers
 * (ffmpeg-formats, `format_whitelist`).
 */
export function createDemuxerArgs(format: FormatId): string[] {
  const demuxerOptions = headerlessArgs[format] ?? []
  return [
    ...localProtocolArgs,
    '-format_whitelist',
    demuxerOptions[1] ?? listDemuxers(format),
    ...demuxerOptions,
  ]
}

/** Returns ffmpeg's demuxer names, separated by commas. */
export function listDemuxers(format: FormatId): string {
  return demuxersByFormats.find(([, formats]) => formats.includes(format))?.[0] ?? format
}

const formatsWithoutTimestamps: readonly FormatId[] = [
  // These are raw video streams, in which a copy of the packets has no defined speed.
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
  // ffmpeg's timestamps for this format are 50 % too large.
  'aptxhd',
]

/** Whether each frame of a format has its own duration, as in GIF. */
export const isAnimation = (format: FormatId) => formatById(format).category === 'image'

/** Whether packets of a format have reliable timestamps. */
export const hasTimestamps = (format: FormatId) => !formatsWithoutTimestamps.includes(format)
