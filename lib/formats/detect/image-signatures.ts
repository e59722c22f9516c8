import type { FormatId } from '../index.ts'

/** Image formats without magic bytes (a few small numbers, then the pixels), recognized by the file name. */
export const headerlessImages: readonly FormatId[] = [
  ...(['wbmp', 'otb', 'palm', 'jbig', 'avs', 'aai', 'art', 'hrz', 'mtv', 'rgf'] as const),
]

/** Camera and scanner formats based on TIFF, often recognizable only by the file name. */
export const tiffBasedFormats = [
  ...(['ptif', '3fr', 'arw', 'cr2', 'dcr', 'dng', 'erf', 'fff', 'iiq', 'mef', 'nef'] as const),
  ...(['nrw', 'orf', 'pef', 'raw', 'rw2', 'rwl', 'sr2', 'srf', 'srw'] as const),
] as const satisfies readonly FormatId[]

const toLatin1Bytes = (magic: string) => [...Buffer.from(magic, 'latin1')]

/** Magic bytes of images that neither library recognizes correctly. */
export const imageSignatures: readonly { at: number; bytes: readonly number[]; format: FormatId }[] = [
  // A cursor has its image count where an uncompressed Targa has an empty color map.
  ...Array.from({ length: 32 }, (_, index) => ({
    at: 0,
    bytes: [0, 0, 2, 0, index + 1, 0],
    format: 'cur' as const,
  })),
  { at: 0, bytes: toLatin1Bytes('8BPS\0\x02'), format: 'psb' },
  { at: 0, bytes: toLatin1Bytes('gimp xcf '), format: 'xcf' },
  { at: 0, bytes: toLatin1Bytes('FUJIFILMCCD-RAW '), format: 'raf' },
  { at: 0, bytes: toLatin1Bytes('\0MRM'), format: 'mrw' },
  { at: 0, bytes: toLatin1Bytes('IIU\0'), format: 'rw2' },
  { at: 0, bytes: toLatin1Bytes('IIRO'), format: 'orf' },
  { at: 0, bytes: toLatin1Bytes('IIRS'), format: 'orf' },
  { at: 0, bytes: toLatin1Bytes('AT&TFORM'), format: 'djvu' },
  { at: 0, bytes: toLatin1Bytes('icns'), format: 'icns' },
  { at: 0, bytes: [0xff, 0x4f, 0xff, 0x51], format: 'j2k' },
  { at: 0, bytes: [0xff, 0x0a], format: 'jxl' },
  { at: 0, bytes: [0, 0, 0, 0x0c, ...toLatin1Bytes('JXL ')], format: 'jxl' },
  { at: 0, bytes: [0x49, 0x49, 0xbc, 0x01], format: 'jxr' },
  { at: 0, bytes: [0xb1, 0x68, 0xde, 0x3a], format: 'dcx' },
  { at: 0, bytes: toLatin1Bytes('\x8aMNG\r\n'), format: 'mng' },
  { at: 0, bytes: toLatin1Bytes('\x8bJNG\r\n'), format: 'jng' },
  { at: 0, bytes: [0x59, 0xa6, 0x6a, 0x95], format: 'ras' },
  { at: 0, bytes: [0xab, 0x01], format: 'viff' },
  { at: 0, bytes: toLatin1Bytes('PG ML '), format: 'pgx' },
  { at: 0, bytes: toLatin1Bytes('PG LM '), format: 'pgx' },
  { at: 0, bytes: toLatin1Bytes('LBLSIZE='), format: 'vicar' },
  { at: 4, bytes: [0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0], format: 'xwd' },
  { at: 0, bytes: toLatin1Bytes('PF\n'), format: 'pfm' },
  { at: 0, bytes: toLatin1Bytes('Pf\n'), format: 'pfm' },
  { at: 0, bytes: toLatin1Bytes('P7\nWIDTH'), format: 'pam' },
  { at: 2048, bytes: toLatin1Bytes('PCD_IPI'), format: 'pcd' },
  // The QuickDraw version, after 512 unused bytes.
  { at: 522, bytes: [0x00, 0x11, 0x02, 0xff], format: 'pict' },
  { at: 522, bytes: [0x11, 0x01], format: 'pict' },
  { at: 0, bytes: toLatin1Bytes('srcdocid:'), format: 'cal' },
  { at: 0, bytes: toLatin1Bytes('\x1bP'), format: 'sixel' },
]

export const imageFormatsByMime: readonly (readonly [mime: string, FormatId])[] = [
  ['image/icns', 'icns'],
  ['image/j2c', 'j2k'],
  ['image/jxl', 'jxl'],
  ['image/jxr', 'jxr'],
  ['image/vnd.djvu', 'djvu'],
  ['image/vnd.ms-photo', 'jxr'],
  ['image/x-adobe-dng', 'dng'],
  ['image/x-canon-cr2', 'cr2'],
  ['image/x-canon-cr3', 'cr3'],
  ['image/x-dcx', 'dcx'],
  ['image/x-fujifilm-raf', 'raf'],
  ['image/x-jng', 'jng'],
  ['image/x-jp2-codestream', 'j2k'],
  ['image/x-minolta-mrw', 'mrw'],
  ['image/x-nikon-nef', 'nef'],
  ['image/x-olympus-orf', 'orf'],
  ['image/x-panasonic-rw2', 'rw2'],
  ['image/x-sony-arw', 'arw'],
  ['image/x-xcf', 'xcf'],
  ['image/x-xwindowdump', 'xwd'],
  ['video/x-jng', 'jng'],
  ['video/x-mng', 'mng'],
]
