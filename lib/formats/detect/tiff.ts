import { ascii, view } from './byte-source.ts'

/** Sizes and offsets of the directory structure of a TIFF. */
interface TiffLayout {
  /** Sizes in bytes of the entry count, an entry, and an offset or value count. */
  readonly bytes: { readonly count: number; readonly entry: number; readonly offset: number }
  /** Position of the offset of the first directory. */
  readonly firstAt: number
  /** Decodes an integer of two, four or eight bytes. */
  readonly integer: (bytes: Uint8Array) => number
}

/** TIFF 6.0 section 2; BigTIFF has wider integers. @param head at least the first eight bytes of the file. */
export function tiffLayout(head: Uint8Array): TiffLayout {
  const little = ascii(head, 0, 2) === 'II'
  const integer = (bytes: Uint8Array) => {
    if (bytes.length === 2) return view(bytes).getUint16(0, little)
    return bytes.length === 4 ? view(bytes).getUint32(0, little) : Number(view(bytes).getBigUint64(0, little))
  }
  return integer(head.subarray(2, 4)) === 43
    ? { bytes: { count: 8, entry: 20, offset: 8 }, firstAt: 8, integer }
    : { bytes: { count: 2, entry: 12, offset: 4 }, firstAt: 4, integer }
}
