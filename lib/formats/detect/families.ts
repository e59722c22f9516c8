import type { FormatId } from '../index.ts'

/**
 * Formats that share their first bytes: the content tells the family, the file's name which of them is meant.
 * The first is taken when the name does not say.
 */
export const families = [
  ['mp4', 'm4v', 'f4v', 'mov', '3gp', '3g2', 'm4a', 'm4b', 'm4r', 'alac', '3ga'],
  ['mkv', 'mka'],
  ['webm', 'weba'],
  ['ogg', 'oga', 'opus', 'spx', 'ogv'],
  ['wmv', 'wma', 'asf'],
  ['avi', 'divx', 'xvid'],
  ['mpeg', 'mpg', 'vob'],
  ['ts', 'mts', 'm2ts'],
  ['mp3', 'mp2'],
  ['ac3', 'eac3'],
  ['doc', 'dot'],
  ['xls', 'xlt'],
  ['ppt', 'pps', 'pot'],
  ['docx', 'docm', 'dotx', 'dotm'],
  ['xlsx', 'xlsm', 'xltx', 'xltm'],
  ['pptx', 'pptm', 'ppsx', 'potx', 'potm'],
  ['odt', 'ott'],
  ['ods', 'ots'],
  ['odp', 'otp'],
  ['odg', 'otg'],
] as const satisfies readonly (readonly FormatId[])[]

export function familyOf(id: FormatId): readonly FormatId[] {
  return families.find((family: readonly FormatId[]) => family.includes(id)) ?? [id]
}

/** MIME types as `file-type` and libmagic write them, in lower case and without parameters. */
export const formatByMime: ReadonlyMap<string, FormatId> = new Map<string, FormatId>([
  ['application/mxf', 'mxf'],
  ['application/pdf', 'pdf'],
  ['application/rtf', 'rtf'],
  ['application/vnd.ms-asf', 'wmv'],
  ['application/vnd.wordperfect', 'wpd'],
  ['application/x-dif', 'dif'],
  ['application/x-shockwave-flash', 'swf'],
  ['application/x-sylk', 'slk'],
  ['audio/aac', 'aac'],
  ['audio/aiff', 'aiff'],
  ['audio/amr', 'amr'],
  ['audio/amr-wb', 'awb'],
  ['audio/basic', 'au'],
  ['audio/flac', 'flac'],
  ['audio/matroska', 'mka'],
  ['audio/mp4', 'm4a'],
  ['audio/mpeg', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['audio/vnd.dolby.dd-raw', 'ac3'],
  ['audio/wav', 'wav'],
  ['audio/wavpack', 'wv'],
  ['audio/x-aiff', 'aiff'],
  ['audio/x-caf', 'caf'],
  ['audio/x-hx-aac-adts', 'aac'],
  ['audio/x-m4a', 'm4a'],
  ['audio/x-ms-asf', 'wma'],
  ['audio/x-w64', 'w64'],
  ['audio/x-wav', 'wav'],
  ['image/apng', 'png'],
  ['image/avif', 'avif'],
  ['image/bmp', 'bmp'],
  ['image/gif', 'gif'],
  ['image/heic', 'heic'],
  ['image/heic-sequence', 'heic'],
  ['image/heif', 'heic'],
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/tiff', 'tiff'],
  ['image/vnd.dxf', 'dxf'],
  ['image/webp', 'webp'],
  ['text/rtf', 'rtf'],
  ['video/3gpp', '3gp'],
  ['video/3gpp2', '3g2'],
  ['video/matroska', 'mkv'],
  ['video/mp1s', 'mpg'],
  ['video/mp2p', 'mpeg'],
  ['video/mp2t', 'ts'],
  ['video/mp4', 'mp4'],
  ['video/mpeg', 'mpeg'],
  ['video/ogg', 'ogv'],
  ['video/quicktime', 'mov'],
  ['video/vnd.avi', 'avi'],
  ['video/webm', 'webm'],
  ['video/x-flv', 'flv'],
  ['video/x-m4v', 'm4v'],
  ['video/x-matroska', 'mkv'],
  ['video/x-ms-asf', 'wmv'],
  ['video/x-msvideo', 'avi'],
])

/** First bytes that neither library knows, or that they take for something else. */
export const signatures: readonly { at: number; bytes: readonly number[]; format: FormatId }[] = [
  { at: 0, bytes: [0x7f, 0xfe, 0x80, 0x01], format: 'dts' },
  { at: 0, bytes: [0xfe, 0x7f, 0x01, 0x80], format: 'dts' },
  { at: 28, bytes: [...Buffer.from('OpusHead')], format: 'opus' },
  { at: 28, bytes: [...Buffer.from('Speex   ')], format: 'spx' },
  { at: 0, bytes: [...Buffer.from('TTA1')], format: 'tta' },
  { at: 0, bytes: [...Buffer.from('#!AMR-WB\n')], format: 'awb' },
  { at: 0, bytes: [0x31, 0xbe, 0x00, 0x00], format: 'wri' },
  { at: 0, bytes: [...Buffer.from('HWP Document File')], format: 'hwp' },
]

/** Plain text: only its name tells these apart. */
export const textFormats: readonly FormatId[] = ['txt', 'csv', 'tsv', 'dif', 'slk', 'html']

/** How text formats begin that are neither XML nor known by their name alone. */
export const textMarks: readonly (readonly [RegExp, FormatId])[] = [
  [/^\s*(?:999\r?\n[^\n]*\n\s*)*0\r?\n\s*SECTION\b/, 'dxf'],
  [/^ID;P/, 'slk'],
  [/^TABLE\r?\n0,1\r?\n/, 'dif'],
]
