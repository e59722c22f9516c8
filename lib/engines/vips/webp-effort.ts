import type { Picture } from './image.ts'

/**
 * The head of a lossy WebP has room for 512 kB of what libwebp notes of each block. A noisy photograph of many megapixels
 * wants more from effort 3 on: libwebp begins again and again, and takes six times as long for the same size.
 */
export const isLargeForWebp = ({ metadata: { width, height } }: Pick<Picture, 'metadata'>) =>
  width * height > 30_000_000
