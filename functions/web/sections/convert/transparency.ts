/** Detects transparency: the first bytes show whether an image can have it, a small copy whether it does. */

/** Number of bytes read, enough for a palette of 256 colors and everything before it. */
const headBytes = 4096

/** Formats whose images are usually transparent, but whose first bytes do not show it. */
const alphaFormats: ReadonlySet<string> = new Set([
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

/** Width and height of the small copy in pixels. */
const thumbnailPx = 128
/** Decoding a larger file would take too long. */
const maxDecodedBytes = 20_000_000

/**
 * Returns whether an image has transparent pixels.
 * @param isExact whether to check the pixels too, because images with an alpha channel are often opaque
 */
export async function hasTransparentPixels(
  format: string | undefined,
  file: Blob,
  isExact: boolean,
): Promise<boolean> {
  if (!(await mayHaveAlpha(format, file))) return false
  if (!isExact || file.size > maxDecodedBytes) return true
  try {
    const resizeOptions = {
      resizeWidth: thumbnailPx,
      resizeHeight: thumbnailPx,
      resizeQuality: 'medium',
    } as const
    const bitmap = await createImageBitmap(file, resizeOptions)
    const context = new OffscreenCanvas(thumbnailPx, thumbnailPx).getContext('2d')
    context?.drawImage(bitmap, 0, 0)
    bitmap.close()
    const { data } = context?.getImageData(0, 0, thumbnailPx, thumbnailPx) ?? { data: [0, 0, 0, 0] }
    return data.some((value, at) => at % 4 === 3 && value < 255)
  } catch {
    return true // assume transparency, as the browser cannot decode the image
  }
}

async function mayHaveAlpha(format: string | undefined, file: Blob): Promise<boolean> {
  if (format === 'png') return pngHasAlpha(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()))
  if (format === 'webp') return webpHasAlpha(new Uint8Array(await file.slice(0, 32).arrayBuffer()))
  return format !== undefined && alphaFormats.has(format)
}

/** PNG specification, 11.2.1: color types 4 and 6 have alpha; 11.3.1: a tRNS chunk makes colors transparent. */
function pngHasAlpha(head: Uint8Array): boolean {
  const colorType = head[25] ?? 0
  if (colorType === 4 || colorType === 6) return true
  return new TextDecoder('latin1').decode(head).includes('tRNS')
}

/** WebP specification, 2.7: the VP8X chunk has an alpha flag, and the VP8L chunk has another. */
function webpHasAlpha(head: Uint8Array): boolean {
  const kind = new TextDecoder('latin1').decode(head.subarray(12, 16))
  if (kind === 'VP8X') return ((head[20] ?? 0) & 0x10) !== 0
  return kind === 'VP8L' && ((head[24] ?? 0) & 0x10) !== 0
}

/** Target formats without transparency. */
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
