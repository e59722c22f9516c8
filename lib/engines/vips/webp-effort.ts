import type { SourceImage } from './image.ts'

/**
 * Whether an image is too large for a high WebP effort. The first partition of a lossy WebP is limited to 512 kB. From
 * effort 3 on, a noisy photograph of many megapixels exceeds that: libwebp restarts repeatedly and takes six times as
 * long for the same size.
 */
export const isLargeForWebp = ({ metadata: { width, height } }: Pick<SourceImage, 'metadata'>) =>
  width * height > 30_000_000
