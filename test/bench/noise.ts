import sharp, { type Sharp } from 'sharp'
import { createRandom } from '../jobs/simulated-aws.ts'

/** Returns an image of noise that only depends on the seed. */
export function createNoiseImage(width: number, height: number, seed: number): Sharp {
  const random = createRandom(seed)
  // The sum of several random numbers is nearly normally distributed; the standard deviation is about 12.
  const createValue = () => 128 + (random() + random() + random() + random() - 2) * 20.35
  const pixels = Buffer.from(Array.from({ length: width * height * 3 }, createValue))
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}
