import type { Effort } from './compress-formats.ts'

/** Below this quality, an image with fewer pixels looks better. */
const minQuality = 20
/** Maximum number of attempts to find the quality, and again to find the scale. */
export const maxCompressionAttempts = 7

/** Output file of one attempt. */
export interface CompressionAttempt {
  readonly path: string
  readonly size: number
}

/**
 * Finds the best quality whose result fits. If none fits, scales the image down at the lowest quality, to no less than
 * a tenth of each side.
 */
export async function compressToSize(
  targetSize: number,
  maxQuality: number,
  attempt: (effort: Effort) => Promise<CompressionAttempt>,
): Promise<CompressionAttempt> {
  let [low, high] = [Math.min(minQuality, maxQuality), maxQuality]
  let smallestAttempt = await attempt({ quality: low, scale: 1 })
  if (smallestAttempt.size <= targetSize) {
    let bestAttempt = smallestAttempt
    for (let count = 1; count < maxCompressionAttempts && high - low > 1; count++) {
      const middle = Math.round((low + high) / 2)
      const result = await attempt({ quality: middle, scale: 1 })
      if (result.size > targetSize) high = middle
      else [bestAttempt, low] = [result, middle]
    }
    return bestAttempt
  }
  let side = 1
  for (let count = 0; count < maxCompressionAttempts && side > 0.1; count++) {
    side = Math.max(0.1, side * Math.min(0.9, Math.sqrt(targetSize / smallestAttempt.size) * 0.97))
    smallestAttempt = await attempt({ quality: minQuality, scale: side })
    if (smallestAttempt.size <= targetSize) break
  }
  return smallestAttempt
}
