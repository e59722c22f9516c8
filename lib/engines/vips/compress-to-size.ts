import type { Effort } from './compress-formats.ts'

/** Below this quality, an image with fewer pixels looks better. */
const leastQuality = 20
/** Maximum attempts for the quality, and again for the scale. */
export const tries = 7

/** Output file of one attempt. */
export interface Made {
  readonly path: string
  readonly size: number
}

/** Finds the best quality that fits; if none does, scales down at the lowest quality, to a tenth of each side. */
export async function fitting(
  targetSize: number,
  most: number,
  attempt: (effort: Effort) => Promise<Made>,
): Promise<Made> {
  let [low, high] = [Math.min(leastQuality, most), most]
  let smallest = await attempt({ quality: low, scale: 1 })
  if (smallest.size <= targetSize) {
    let best = smallest
    for (let count = 1; count < tries && high - low > 1; count++) {
      const middle = Math.round((low + high) / 2)
      const made = await attempt({ quality: middle, scale: 1 })
      if (made.size > targetSize) high = middle
      else [best, low] = [made, middle]
    }
    return best
  }
  let side = 1
  for (let count = 0; count < tries && side > 0.1; count++) {
    side = Math.max(0.1, side * Math.min(0.9, Math.sqrt(targetSize / smallest.size) * 0.97))
    smallest = await attempt({ quality: leastQuality, scale: side })
    if (smallest.size <= targetSize) break
  }
  return smallest
}
