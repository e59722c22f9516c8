/** Whether a picture is see-through somewhere: its first bytes say whether it may be, a small copy whether it is. */

/** A palette of 256 colors and what stands before it. */
const headBytes = 4096

/** Kinds whose pictures as a rule are, and that do not say so early. */
const maybeTransparent: ReadonlySet<string> = new Set([
  'svg',
  'svgz',
  'gif',
  'apng',
  'ico',
  'psd',
  'tiff',
  'avif',
  'jxl',
  'tga',
])

/** Pixels of the small copy, each way. */
const copyPx = 128
/** Decoding a larger one takes longer than the answer is worth. */
const maxDecodedBytes = 20_000_000

/** @param isExact looks at the pixels, too: a picture with room for transparency is often opaque */
export async function hasAlpha(format: string | undefined, file: Blob, isExact: boolean): Promise<boolean> {
  if (!(await mayHaveAlpha(format, file))) return false
  if (!isExact || file.size > maxDecodedBytes) return true
  try {
    const small = { resizeWidth: copyPx, resizeHeight: copyPx, resizeQuality: 'medium' } as const
    const picture = await createImageBitmap(file, small)
    const context = new OffscreenCanvas(copyPx, copyPx).getContext('2d')
    context?.drawImage(picture, 0, 0)
    picture.close()
    const { data } = context?.getImageData(0, 0, copyPx, copyPx) ?? { data: [0, 0, 0, 0] }
    return data.some((value, at) => at % 4 === 3 && value < 255)
  } catch {
    return true // not for browsers to say
  }
}

async function mayHaveAlpha(format: string | undefined, file: Blob): Promise<boolean> {
  if (format === 'png') return pngHasAlpha(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()))
  if (format === 'webp') return webpHasAlpha(new Uint8Array(await file.slice(0, 32).arrayBuffer()))
  return format !== undefined && maybeTransparent.has(format)
}

/** PNG, 11.2.1: color types 4 and 6 have alpha; 11.3.1: a tRNS chunk makes colors transparent. */
function pngHasAlpha(head: Uint8Array): boolean {
  const colorType = head[25] ?? 0
  if (colorType === 4 || colorType === 6) return true
  return new TextDecoder('latin1').decode(head).includes('tRNS')
}

/** WebP, 2.7: a flag of VP8X; VP8L has one of its own. */
function webpHasAlpha(head: Uint8Array): boolean {
  const kind = new TextDecoder('latin1').decode(head.subarray(12, 16))
  if (kind === 'VP8X') return ((head[20] ?? 0) & 0x10) !== 0
  return kind === 'VP8L' && ((head[24] ?? 0) & 0x10) !== 0
}

/** Targets that have no transparency. */
const opaqueFormats: ReadonlySet<string> = new Set([
  ...[
    'jpg',
    'jpeg',
    'bmp',
    'ppm',
    'pgm',
    'pbm',
    'pnm',
    'mp4',
    'webm',
    'mov',
    'mkv',
    'avi',
    'hdr',
    'pcx',
    'wbmp',
  ],
])

export const isOpaque = (target: string): boolean => opaqueFormats.has(target)
