import type { Effort } from './compress-formats.ts'

/** Below this a picture of fewer pixels looks better. */
const leastQuality = 20
/** Of each kind, at most. */
export const tries = 7

/** A file of one try. */
export interface Made {
  readonly path: string
  readonly size: number
}

/** The best quality that fits; where none does, fewer pixels at the least quality, down to a tenth of each side. */
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
