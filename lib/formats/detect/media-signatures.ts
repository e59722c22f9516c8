import type { FormatId } from '../index.ts'

/** Audio and video formats without magic bytes, recognized by the file name. */
export const headerlessMedia: readonly FormatId[] = [
  ...(['al', 'ul', 'sln', 'pcm', 'g722', 'g723_1', 'g726', 'gsm', 'sbc', 'aptx', 'aptxhd', 'dfpwm'] as const),
  ...(['rso', 'wsaud', 'h261', 'h263', 'h264', 'hevc', 'obu', 'mp4v'] as const),
]

const toLatin1Bytes = (magic: string) => [...Buffer.from(magic, 'latin1')]

/** Magic bytes of videos and audio that neither library recognizes correctly. */
export const mediaSignatures: readonly { at: number; bytes: readonly number[]; format: FormatId }[] = [
  { at: 0, bytes: [0x7f, 0xfe, 0x80, 0x01], format: 'dts' },
  { at: 0, bytes: [0xfe, 0x7f, 0x01, 0x80], format: 'dts' },
  { at: 28, bytes: toLatin1Bytes('OpusHead'), format: 'opus' },
  { at: 28, bytes: toLatin1Bytes('Speex   '), format: 'spx' },
  { at: 0, bytes: toLatin1Bytes('TTA1'), format: 'tta' },
  { at: 0, bytes: toLatin1Bytes('#!AMR-WB\n'), format: 'awb' },
  { at: 0, bytes: toLatin1Bytes('nut/multimedia container\0'), format: 'nut' },
  { at: 0, bytes: toLatin1Bytes('YUV4MPEG2 '), format: 'y4m' },
  { at: 0, bytes: toLatin1Bytes('\0\nSMJPEG'), format: 'smjpeg' },
  { at: 0, bytes: [0x84, 0x10, 0xff, 0xff, 0xff, 0xff], format: 'roq' },
  { at: 0, bytes: [0xb7, 0xd8, 0x00, 0x20, 0x37, 0x49, 0xda, 0x11], format: 'wtv' },
  { at: 0, bytes: [0x00, 0x00, 0x00, 0x00, 0x01, 0xbc], format: 'gxf' },
  // Streams of H.264 and H.265 (Annex B) start with a parameter set or an access unit delimiter.
  { at: 0, bytes: [0x00, 0x00, 0x00, 0x01, 0x67], format: 'h264' },
  { at: 0, bytes: [0x00, 0x00, 0x00, 0x01, 0x09], format: 'h264' },
  { at: 0, bytes: [0x00, 0x00, 0x00, 0x01, 0x40, 0x01], format: 'hevc' },
  { at: 0, bytes: [0x12, 0x00, 0x0a], format: 'obu' },
  { at: 0, bytes: toLatin1Bytes('.ra\xfd'), format: 'ra' },
  { at: 0, bytes: toLatin1Bytes('RF64'), format: 'rf64' },
  // Also matches RIFX, the big-endian variant.
  { at: 8, bytes: toLatin1Bytes('WAVEfmt '), format: 'wav' },
  { at: 0, bytes: toLatin1Bytes('.snd\0'), format: 'au' },
  { at: 8, bytes: toLatin1Bytes('8SVX'), format: '8svx' },
  { at: 8, bytes: toLatin1Bytes('MAUD'), format: 'maud' },
  { at: 4, bytes: [0xf8, 0x72, 0x6f, 0xbb], format: 'mlp' },
  { at: 4, bytes: [0xf8, 0x72, 0x6f, 0xba], format: 'thd' },
  { at: 0, bytes: [0x64, 0xa3, 0x01, 0x00], format: 'sf' },
  { at: 0, bytes: [0x64, 0xa3, 0x02, 0x00], format: 'sf' },
  { at: 0, bytes: [0x64, 0xa3, 0x03, 0x00], format: 'sf' },
  { at: 0, bytes: [0x64, 0xa3, 0x04, 0x00], format: 'sf' },
  { at: 0, bytes: [0xc0, 0xde, 0xc2], format: 'c2' },
  { at: 0, bytes: toLatin1Bytes('NIST_1A\n'), format: 'sph' },
  { at: 0, bytes: toLatin1Bytes('PVF1\n'), format: 'pvf' },
  { at: 0, bytes: toLatin1Bytes(' paf'), format: 'paf' },
  { at: 0, bytes: toLatin1Bytes('fap '), format: 'paf' },
  { at: 0, bytes: toLatin1Bytes('2BIT'), format: 'avr' },
  { at: 0, bytes: toLatin1Bytes('KVAG'), format: 'kvag' },
  { at: 128, bytes: toLatin1Bytes('HCOM'), format: 'hcom' },
  { at: 64, bytes: toLatin1Bytes('BLCK'), format: 'ast' },
  { at: 0, bytes: toLatin1Bytes('MMMD'), format: 'mmf' },
]

export const mediaFormatsByMime: readonly (readonly [mime: string, FormatId])[] = [
  ['application/vnd.rn-realmedia', 'rm'],
  ['audio/mid', 'rmi'],
  ['audio/midi', 'mid'],
  ['audio/x-adx', 'adx'],
  ['audio/x-mod', 'tracker'],
  ['audio/x-mp4a-latm', 'latm'],
  ['audio/x-voc', 'voc'],
  ['video/mpeg4-generic', 'mp4v'],
  ['video/x-amv', 'amv'],
  ['video/x-dv', 'dv'],
  ['video/x-ivf', 'ivf'],
]
