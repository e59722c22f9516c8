import * as z from 'zod'
import type { FormatId } from '../../../formats/index.ts'
import type { Capability } from '../../engine.ts'
import { passwordOption } from '../../pdf/page-options.ts'
import { signatureOption } from '../../pdf/tools/options.ts'
import { MetadataOptions } from './options.ts'

/** Formats in which exiftool finds more than the file type; for other audio and video formats, ffprobe is used. */
const readableFormats: readonly FormatId[] = [
  ...(['jpg', 'png', 'webp', 'avif', 'gif', 'apng', 'tiff', 'svg', 'eps', 'ai', 'heic'] as const),
  ...(['psd', 'psb', 'hdr', 'exr', 'jp2', 'j2k', 'jxl', 'jxr', 'djvu', 'jps', 'ptif', 'mng'] as const),
  ...(['jng', 'xcf', 'fits', 'bmp', 'ico', 'cur', 'dpx', 'pcx', 'ppm', 'pgm', 'pbm', 'tga'] as const),
  ...(['miff', 'pcd', '3fr', 'arw', 'cr2', 'cr3', 'dcr', 'dng', 'erf', 'fff', 'iiq', 'mef'] as const),
  ...(['mrw', 'nef', 'nrw', 'orf', 'pef', 'raf', 'raw', 'rw2', 'rwl', 'sr2', 'srf', 'srw'] as const),
  ...(['mp3', 'wav', 'flac', 'ogg', 'oga', 'opus', 'm4a', 'm4b', 'm4r', 'alac', 'wma'] as const),
  ...(['aiff', 'aif', 'aifc', 'weba', 'mka', '3ga', 'mp4a', 'rf64', 'ra', 'mp4', 'mov'] as const),
  ...(['mkv', 'webm', 'avi', 'wmv', 'flv', 'm4v', '3gp', '3g2', 'mpeg', 'mpg', 'vob', 'mts'] as const),
  ...(['m2ts', 'ogv', 'f4v', 'divx', 'xvid', 'swf', 'asf', 'mxf', 'qt', 'mk3d', 'mod', 'ogm'] as const),
  ...(['ogx', 'ismv', 'm4s', 'wtv', 'dvr-ms', 'rm', 'rmvb', 'mj2', 'ps', 'docx', 'docm'] as const),
  ...(['dotx', 'dotm', 'doc', 'dot', 'odt', 'ott', 'rtf', 'html', 'xhtml', 'wps', 'pages'] as const),
  ...(['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm', 'xls', 'xlt', 'ods', 'ots', 'numbers', 'et'] as const),
  ...(['pptx', 'pptm', 'ppsx', 'potx', 'potm', 'ppt', 'pps', 'pot', 'odp', 'otp', 'key'] as const),
  ...(['dps', 'odg', 'otg', 'vsd', 'vsdx', 'pub', 'epub', 'mobi', 'azw3', 'azw', 'pdb'] as const),
  ...(['ttf', 'otf', 'ttc'] as const),
]

export const PdfReadOptions = z.object({ password: passwordOption })

const readRows: readonly Capability[] = [
  { operation: 'metadata', from: readableFormats, to: ['json'], options: z.object({}), cost: 0.2 },
  { operation: 'metadata', from: ['pdf'], to: ['json'], options: PdfReadOptions, cost: 0.2 },
]

const imageFormats = [
  'jpg',
  'png',
  'apng',
  'tiff',
  'webp',
  'heic',
  'avif',
] as const satisfies readonly FormatId[]
export const PdfWriteOptions = MetadataOptions.extend({ password: passwordOption, ...signatureOption })

const writeRows: readonly Capability[] = [
  ...imageFormats.map((id) => ({
    operation: 'metadata/write' as const,
    from: [id],
    to: [id],
    same: true as const,
    options: MetadataOptions,
    cost: 0.2,
  })),
  {
    operation: 'metadata/write',
    from: ['pdf'],
    to: ['pdf'],
    same: true,
    options: PdfWriteOptions,
    cost: 0.4,
  },
]

/** Metadata can be written for images, documents and ebooks; it can also be read from audio and video. */
export const metadataCapabilities = [...readRows, ...writeRows]
