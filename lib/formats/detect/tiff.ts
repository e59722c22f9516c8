import { ascii, view } from './byte-source.ts'

/** How directories of a TIFF lie in it. */
export interface TiffLayout {
  /** Bytes of the number of entries, of an entry, and of a place or a number of values. */
  readonly bytes: { readonly count: number; readonly entry: number; readonly offset: number }
  /** Where the place of the first directory stands. */
  readonly firstAt: number
  /** Of two, four or eight bytes. */
  readonly integer: (bytes: Uint8Array) => number
}

/** TIFF 6.0 section 2; BigTIFF has wider numbers. @param head of the file, eight bytes or more. */
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
